"""Known mistakes of ``variations``. The cause ``""``: the contract has no id for the mistake."""

from __future__ import annotations

from autograder.assignments.kit.hidden.variant import Variant
from autograder.assignments.variations.hidden.mistakes import (
    copying,
    directions,
    guiding,
    memories,
    pyramids,
    reading,
    retrieval,
)

VARIANTS: tuple[Variant, ...] = (
    *copying.VARIANTS,
    *reading.VARIANTS,
    *directions.VARIANTS,
    *pyramids.VARIANTS,
    *guiding.VARIANTS,
    *memories.VARIANTS,
    *retrieval.VARIANTS,
)
