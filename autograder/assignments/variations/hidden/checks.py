"""Hidden checks of ``variations``: other sizes, extreme scores, and what the public checks leave open."""

from __future__ import annotations

from autograder.assignments.kit.observed import watched
from autograder.assignments.variations.hidden import copying, guiding, memories, reading
from autograder.assignments.variations.inputs import BIDAF, COVERAGE, HOPS, LUONG, SPATIAL

CHECKS = (*copying.CHECKS, *reading.CHECKS, *guiding.CHECKS, *memories.CHECKS)
CHECKS = watched(
    CHECKS,
    "attention",
    {
        "coverage-constraint-hidden": [COVERAGE],
        "hops-constraint-hidden": [HOPS],
        "bidaf-constraint-hidden": [BIDAF],
        "spatial-constraint-hidden": [SPATIAL],
        "heads-constraint-hidden": [LUONG],
    },
    most=2,
)
