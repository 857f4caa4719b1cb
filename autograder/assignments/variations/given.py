"""What the checks of ``variations`` share."""

from __future__ import annotations

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
from autograder.assignments.variations.programs import USUAL

WATCHED = (COVERAGE, HOPS, BIDAF, SPATIAL, MONOTONIC, DIAGONAL, ADDRESS, LUONG, TOP_K)
interface, both = USUAL.interface, USUAL.both
