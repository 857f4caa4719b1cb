"""Assertions about results that are plain numbers: counts are compared exactly."""

from __future__ import annotations

from collections.abc import Collection

from autograder import protocol
from autograder.judge.comparison import AssertionFailed, Comparison, array_pair, mismatch
from autograder.judge.registry import assertion
from autograder.judge.tolerances import Difference

RELATIVE = 1e-9  # of a number that is no count
FLOOR = 1e-12  # what rounding may leave where 0 is expected


@assertion
def numbers(case: Comparison, step: str, only: Collection[str] | None = None, relative: float = RELATIVE) -> None:
    """Every result is the expected number: a count exactly, another one up to ``relative`` of it.

    A tensor without axes passes for a number.
    """
    for name, actual, expected, is_count in _numbers(case, step, only):
        if not _equal(actual, expected, 0.0 if is_count else relative):
            difference = Difference(1, 1, (), actual, expected)
            raise AssertionFailed("wrong-values", step, output=name, difference=difference, shape=())


@assertion
def placed(case: Comparison, step: str, says: str, cause: str, relative: float = RELATIVE) -> None:
    """The results are not the expected numbers in other places. Wrong numbers pass: ``numbers`` is about them."""
    found = list(_numbers(case, step, None))
    wrong = [(actual, expected) for _, actual, expected, _ in found if not _equal(actual, expected, relative)]
    left = [expected for _, expected in wrong]
    for actual, _ in wrong:
        same = next((number for number, expected in enumerate(left) if _equal(actual, expected, relative)), None)
        if same is None:
            return
        del left[same]
    if wrong:
        raise AssertionFailed("broken-property", step, output="result", property=says, cause=cause, got="")


def _equal(actual: float, expected: float, relative: float) -> bool:
    room = relative * abs(expected) if expected else FLOOR * bool(relative)
    return abs(actual - expected) <= room  # False for NaN


def _numbers(case: Comparison, step: str, only: Collection[str] | None) -> list[tuple[str, float, float, bool]]:
    """Return name, actual and expected number of each result, and whether it is a count. Raises AssertionFailed."""
    found = []
    for output in case.outputs(step, only):
        actual, expected = array_pair(step, output)
        if actual.shape != ():
            raise mismatch("wrong-type", step, output, f"a tensor of shape {actual.shape}", "a number")
        is_count = isinstance(output.expected, protocol.Scalar) and isinstance(output.expected.value, int)
        found.append((output.name, float(case.numpy(actual)), float(case.numpy(expected)), is_count))
    return found
