"""What a message tells beside a wrong result: how it comes from the right one, and which other results are wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from autograder.judge.comparison import AssertionFailed, Comparison
from autograder.judge.relations import Relation, relations
from autograder.judge.tolerances import Tolerance
from autograder.protocol import wire

Pairs = Iterable[tuple[str, np.ndarray, np.ndarray]]


def remarks(
    case: Comparison,
    step: str,
    wrong: tuple[str, np.ndarray, np.ndarray],
    rest: Pairs,
    tolerance: Tolerance,
    scale: float,
    right: Iterable[str],
) -> dict[str, Any]:
    """Return the names of the other results, by whether they are right, and the relations of the first wrong result
    that has any, with its name. ``rest`` follow the ``wrong`` one, and those before it are ``right``.

    Ends at one that can't be compared.
    """
    inputs = case.inputs(step)
    found: dict[str, list[str]] = {"also_wrong": [], "right": [*right]}
    told = _told(*wrong, inputs, tolerance)
    try:
        for name, actual, expected in rest:
            is_wrong = case.difference(actual, expected, tolerance, scale)
            found["also_wrong" if is_wrong else "right"].append(name)
            if is_wrong:
                told = told or _told(name, actual, expected, inputs, tolerance)
    except (AssertionFailed, wire.WireError):
        pass
    return {**found, "relations": told}


def _told(
    name: str, actual: np.ndarray, expected: np.ndarray, inputs: Mapping[str, np.ndarray], tolerance: Tolerance
) -> tuple[str, list[Relation]] | None:
    found = relations(actual, expected, inputs, tolerance)
    return (name, found) if found else None
