"""Known mistakes of ``variations``. The cause ``""``: the contract has no id for the mistake."""

from __future__ import annotations

from autograder.assignments.kit.hidden.variant import Variant

VARIANTS: tuple[Variant, ...] = ()
