"""What the hidden checks of ``variations`` share: sizes, and cases of every function."""

from __future__ import annotations

from functools import partial
from typing import Any

from autograder import model
from autograder.assignments.kit.hidden.usual_cases import in_layouts, steady
from autograder.assignments.kit.kinds import invariance
from autograder.assignments.variations.inputs import (
    ADDRESS,
    BIDAF,
    COVERAGE,
    COVERAGE_LOSS,
    DIAGONAL,
    HOPS,
    LUONG,
    MONOTONIC,
    POINTER,
    PYRAMID,
    READ,
    SPATIAL,
    SUPERVISED,
    TOP_K,
    WRITE,
)
from autograder.assignments.variations.programs import USUAL

# Three sizes for calls in turn, which share the arguments that are numbers, and two for the devices, which are new.
SIZES: dict[str, list[tuple[Any, ...]]] = {
    COVERAGE: [(2, 3, 4, 1.0), (1, 4, 5, 1.0), (2, 3, 4, 1.0), (3, 2, 6, 0.5), (3, 3, 6, 0.5)],
    COVERAGE_LOSS: [(2, 3, 4), (3, 4, 5), (2, 3, 4), (3, 5, 6), (3, 6, 6)],
    POINTER: [
        (2, 3, 4, 2, 5, 6, 2),
        (1, 3, 4, 2, 6, 5, 1),
        (2, 3, 4, 2, 5, 6, 2),
        (3, 2, 3, 4, 6, 4, 1),
        (3, 2, 3, 4, 7, 4, 1),
    ],
    HOPS: [(2, 4, 3, 2), (1, 6, 3, 2), (2, 4, 3, 2), (3, 7, 2, 2), (3, 8, 2, 2)],
    BIDAF: [(2, 4, 3, 3), (1, 5, 4, 3), (2, 4, 3, 3), (3, 6, 2, 2), (3, 7, 2, 2)],
    SPATIAL: [(2, 3, 4, 2, 3), (1, 3, 4, 3, 4), (2, 3, 4, 2, 3), (3, 2, 3, 4, 2), (3, 2, 3, 5, 2)],
    PYRAMID: [(2, 5, 2, 2, 2), (3, 6, 2, 2, 2), (2, 5, 2, 2, 2), (3, 4, 3, 2, 1), (3, 3, 3, 2, 1)],
    SUPERVISED: [(2, 3, 4, 0.5), (3, 4, 5, 0.5), (2, 3, 4, 0.5), (3, 5, 6, 0.2), (3, 6, 6, 0.2)],
    MONOTONIC: [(2, 3, 6), (1, 4, 7), (2, 3, 6), (3, 4, 9), (3, 3, 9)],
    DIAGONAL: [(2, 4, 5, 1.0), (1, 5, 6, 1.0), (2, 4, 5, 1.0), (3, 3, 7, 0.7), (3, 4, 7, 0.7)],
    ADDRESS: [(2, 4, 3), (1, 6, 3), (2, 4, 3), (3, 7, 2), (3, 8, 2)],
    READ: [(2, 4, 3), (1, 6, 3), (2, 4, 3), (3, 7, 2), (3, 8, 2)],
    WRITE: [(2, 4, 3), (1, 6, 3), (2, 4, 3), (3, 7, 2), (3, 8, 2)],
    LUONG: [(2, 2, 4, 4, 6, 2), (1, 3, 5, 4, 6, 2), (2, 2, 4, 4, 6, 2), (3, 2, 7, 3, 6, 3), (3, 2, 8, 3, 6, 3)],
    TOP_K: [(2, 2, 5, 3, 2, 2), (1, 3, 6, 3, 2, 2), (2, 2, 5, 3, 2, 2), (3, 2, 7, 2, 4, 3), (3, 2, 8, 2, 4, 3)],
}


def rules(id: str, name: str, points: float) -> model.Check:
    """Return the check that calls keep no state, leave their inputs alone, and stay on their device."""
    cases, assertions = steady(USUAL, name, SIZES[name])
    title = f"{name} keeps no state, leaves its inputs alone and works on any device"
    return invariance(f"{id}-rules", points, title).on(*cases).expects(*assertions)


sizes = partial(in_layouts, USUAL)
