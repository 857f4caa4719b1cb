"""Public checks of ``variations``, part by part in the order of the handout."""

from __future__ import annotations

from autograder.assignments.kit.observed import watched
from autograder.assignments.variations import copying, guiding, memories, reading
from autograder.assignments.variations.inputs import (
    ADDRESS,
    BIDAF,
    COVERAGE,
    DIAGONAL,
    HOPS,
    LUONG,
    MONOTONIC,
    SPATIAL,
    TOP_K,
)

CHECKS = (*copying.CHECKS, *reading.CHECKS, *guiding.CHECKS, *memories.CHECKS)
CHECKS = watched(
    CHECKS,
    "attention",
    {
        "coverage-constraint": [COVERAGE],
        "hops-constraint": [HOPS],
        "bidaf-constraint": [BIDAF],
        "spatial-constraint": [SPATIAL],
        "monotonic-constraint": [MONOTONIC],
        "diagonal-constraint": [DIAGONAL],
        "address-constraint": [ADDRESS],
        "heads-constraint": [LUONG],
        "top-k-constraint": [TOP_K],
    },
    most=2,
)
