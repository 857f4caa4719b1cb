"""Known mistakes of ``diagnostics``. The cause ``""``: the contract has no id for the mistake."""

from __future__ import annotations

from autograder.assignments.diagnostics.hidden.mistakes import (
    answers,
    entropies,
    failures,
    gradients,
    links,
    measures,
    offsets,
    patterns,
    similarities,
)
from autograder.assignments.kit.hidden.variant import Variant

VARIANTS: tuple[Variant, ...] = (
    *entropies.VARIANTS,
    *measures.VARIANTS,
    *offsets.VARIANTS,
    *links.VARIANTS,
    *patterns.VARIANTS,
    *failures.VARIANTS,
    *similarities.VARIANTS,
    *gradients.VARIANTS,
    *answers.VARIANTS,
)
