"""Public checks of ``modern``: cached projections, streams, patterns, rotary positions and grouped heads."""

from __future__ import annotations

from autograder.assignments.kit.observed import watched
from autograder.assignments.modern import heads, patterns
from autograder.assignments.modern.programs import BLOCK, GROUPED, LAYER, PROJECTED, SPARSE, STREAMED, WINDOW

CHECKS = (*patterns.CHECKS, *heads.CHECKS)
CHECKS = watched(
    CHECKS,
    "attention",
    {
        "projected-constraint": [PROJECTED],
        "streamed-constraint": [STREAMED],
        "window-constraint": [WINDOW],
        "sparse-constraint": [SPARSE],
        "grouped-constraint": [GROUPED],
        "layer-constraint": [LAYER],
        "block-constraint": [BLOCK],
    },
    most=2,
)
