"""Known mistakes of ``bottleneck``. The cause ``""``: the contract has no id for the mistake."""

from __future__ import annotations

from autograder.assignments.bottleneck.hidden.mistakes import along, contexts, costs, entropies, information, paths
from autograder.assignments.kit.hidden.variant import Variant

VARIANTS: tuple[Variant, ...] = (
    *contexts.VARIANTS,
    *costs.VARIANTS,
    *entropies.VARIANTS,
    *information.VARIANTS,
    *paths.VARIANTS,
    *along.VARIANTS,
)
