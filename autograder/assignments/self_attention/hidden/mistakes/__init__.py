"""Known mistakes of ``self_attention``."""

from __future__ import annotations

from autograder.assignments.kit.hidden.variant import Variant
from autograder.assignments.self_attention.hidden.mistakes import bare, classes, functions, rest

VARIANTS: tuple[Variant, ...] = (*bare.VARIANTS, *functions.VARIANTS, *classes.VARIANTS, *rest.VARIANTS)
