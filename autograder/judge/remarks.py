"""What else a wrong result shows: whether its numbers stand in other places, and which other results are wrong too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from autograder.judge import tolerances
from autograder.judge.comparison import AssertionFailed, Comparison
from autograder.judge.tolerances import Tolerance
from autograder.protocol import wire

DISTINCT = 3  # numbers; fewer agree by chance
Pairs = Iterable[tuple[str, np.ndarray, np.ndarray]]


def in_other_places(actual: np.ndarray, expected: np.ndarray, tolerance: Tolerance) -> bool:
    """Whether a wrong result has the expected floating-point numbers, three at least, in another order."""
    if actual.shape != expected.shape or {actual.dtype.kind, expected.dtype.kind} != {"f"}:
        return False
    if len(np.unique(expected)) < DISTINCT:
        return False
    ours, theirs = np.sort(actual, axis=None), np.sort(expected, axis=None)
    return tolerances.difference(ours, theirs, tolerance) is None


def others(case: Comparison, rest: Pairs, tolerance: Tolerance, scale: float, right: Iterable[str]) -> dict[str, Any]:
    """Return the names of the other results, by whether they are right. Ends at one that can't be compared.

    ``rest`` follow the wrong one, and those before it are ``right``.
    """
    found: dict[str, list[str]] = {"also_wrong": [], "right": [*right]}
    try:
        for name, actual, expected in rest:
            found["also_wrong" if case.difference(actual, expected, tolerance, scale) else "right"].append(name)
    except (AssertionFailed, wire.WireError):
        pass
    return found
