"""Known mistakes of ``modern``. The cause ``""``: the contract has no id for the mistake."""

from __future__ import annotations

from autograder.assignments.kit.hidden.variant import Variant
from autograder.assignments.modern.hidden.mistakes import additive, costs, grouped, layers, rotary, streams, windows

VARIANTS: tuple[Variant, ...] = (
    *additive.VARIANTS,
    *streams.VARIANTS,
    *windows.VARIANTS,
    *rotary.VARIANTS,
    *grouped.VARIANTS,
    *layers.VARIANTS,
    *costs.VARIANTS,
)
