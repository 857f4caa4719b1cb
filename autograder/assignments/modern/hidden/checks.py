"""Hidden checks of ``modern``: other sizes, extreme scores, memory, and what the public checks leave open."""

from __future__ import annotations

from autograder.assignments.kit.observed import watched
from autograder.assignments.modern.hidden import heads, patterns
from autograder.assignments.modern.programs import BLOCK, GROUPED, LAYER, PROJECTED, SPARSE, STREAMED, WINDOW

CHECKS = (*patterns.CHECKS, *heads.CHECKS)
CHECKS = watched(
    CHECKS,
    "attention",
    {
        "projected-constraint-hidden": [PROJECTED],
        "streamed-constraint-hidden": [STREAMED],
        "window-constraint-hidden": [WINDOW],
        "sparse-constraint-hidden": [SPARSE],
        "grouped-constraint-hidden": [GROUPED],
        "layer-constraint-hidden": [LAYER],
        "block-constraint-hidden": [BLOCK],
    },
    most=2,
)
