"""How a wrong result comes from the right one, where that is simple. What is told is always true: it is compared."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from autograder.judge import tolerances
from autograder.judge.tolerances import Tolerance

DISTINCT = 3  # numbers; fewer agree by chance
MOST_TIMES = 1000  # a factor, or one over it
EXACT = 1e-5  # how near to a whole number a factor must be that one number alone may show
NEARLY = 0.05  # far above every tolerance
NEAR = 1e-5  # a factor nearer to 1 is no mistake of a factor
MOST_DECIMALS = 4
Equal = Callable[[np.ndarray, np.ndarray], bool]


class Relation(NamedTuple):
    """``how`` a result comes from the right one, a key of ``feedback.relations.SENTENCES``, with a number or a name and
    the axis that it is about."""

    how: str
    what: float | str = ""
    axis: int = 0


def _softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True))


# The inverse of each is told too.
FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "tanh": np.tanh,
    "softmax": _softmax,
    "log-softmax": lambda x: np.log(_softmax(x)),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "exponential": np.exp,
    "square": np.square,
    "absolute value": np.abs,
    "ReLU": lambda x: np.maximum(x, 0),
}


def relations(
    actual: np.ndarray, expected: np.ndarray, inputs: Mapping[str, np.ndarray], tolerance: Tolerance
) -> list[Relation]:
    """Return how a wrong result comes from the right one, or where it is wrong; nothing where nothing simple shows."""
    if actual.shape != expected.shape or not actual.size:
        return []
    with np.errstate(all="ignore"):
        if {actual.dtype.kind, expected.dtype.kind} == {"f"}:
            found = list(itertools.islice(_of_numbers(actual, expected, inputs, tolerance), 1))
            if found or not np.isfinite(actual).all():
                return found
        wrong = tolerances.wrong(actual, expected, tolerance)
        of_words = expected.dtype.kind in "iu"  # (B, T) has no diagonal
        return [*_where(wrong, of_words), *_instead(actual[wrong], expected[wrong])]


def of_other_length(actual: np.ndarray, expected: np.ndarray, tolerance: Tolerance) -> list[Relation]:
    """Return what must go from a result of another length, or what it lacks, if that is an end of one axis and all else
    is right."""
    axes = [axis for axis, sizes in enumerate(zip(actual.shape, expected.shape, strict=False)) if len(set(sizes)) > 1]
    if actual.ndim != expected.ndim or len(axes) != 1 or not (actual.size and expected.size):
        return []
    (axis,) = axes
    one, other = (np.moveaxis(x, axis, 0) for x in (actual, expected))
    surplus = len(one) - len(other)
    longer, shorter = (one, other) if surplus > 0 else (other, one)
    for end, part in (("first", longer[abs(surplus) :]), ("last", longer[: len(shorter)])):
        pair = (part, shorter) if surplus > 0 else (shorter, part)
        if not tolerances.wrong(*pair, tolerance).any():
            entries = f"{end} entry" if abs(surplus) == 1 else f"{end} {abs(surplus)} entries"
            return [Relation("surplus" if surplus > 0 else "missing", entries, axis)]
    return []


def _of_numbers(
    actual: np.ndarray, expected: np.ndarray, inputs: Mapping[str, np.ndarray], tolerance: Tolerance
) -> Iterator[Relation]:
    largest = float(np.abs(expected).max())

    def equal(one: np.ndarray, other: np.ndarray) -> bool:
        is_near = math.isclose(one.flat[0], other.flat[0], rel_tol=NEARLY, abs_tol=NEARLY * largest)  # saves most time
        return is_near and not tolerances.wrong(one, other, tolerance).any()

    several = len(np.unique(expected)) >= DISTINCT
    if np.isnan(actual).all() and actual.size > 1:
        yield Relation("nan")
    if several and equal(np.sort(actual, axis=None), np.sort(expected, axis=None)):
        yield Relation("moved")
    if not (np.isfinite(actual).all() and np.isfinite(expected).all()):
        return
    if (times := _factor(actual, expected, several)) is not None and equal(actual, times * expected):
        yield Relation("times", times)
    if several and actual.any():
        yield from _of_several(actual, expected, equal)
    yield from _with_inputs(actual, expected, inputs, equal)
    zeros = (actual == 0) & (expected != 0)
    for side, those in _sides(zeros).items():
        if (zeros == those).all():
            yield Relation("zero", side)


def _of_several(actual: np.ndarray, expected: np.ndarray, equal: Equal) -> Iterator[Relation]:
    """Yield the relations that a few numbers could have by chance."""
    for axis, places in enumerate(actual.shape):
        one, other = (np.moveaxis(x, axis, 0) for x in (actual, expected))
        if places > 1 and one[0].size >= DISTINCT and equal(one[1:], one[:-1]):
            yield from (Relation("same", place, axis) for place in range(places) if equal(one[0], other[place]))
    for axis in (axis for axis, size in enumerate(actual.shape) if size > DISTINCT):
        one, other = (np.moveaxis(x, axis, 0) for x in (actual, expected))
        if equal(one[1:], other[:-1]):
            yield Relation("late", axis=axis)
        if equal(one[:-1], other[1:]):
            yield Relation("early", axis=axis)
    if actual.ndim > 1 and actual.shape[-1] >= DISTINCT and equal(actual, _scaled_rows(actual, expected)):
        yield Relation("rows")
    for name, function in FUNCTIONS.items():
        if equal(actual, function(expected)):
            yield Relation("is", name)
        if equal(function(actual), expected):
            yield Relation("lacks", name)
    for digits in range(MOST_DECIMALS + 1):
        if np.abs(actual - np.round(expected, digits)).max() < 10.0 ** -(MOST_DECIMALS + 2):
            yield Relation("rounded", digits)


def _with_inputs(
    actual: np.ndarray, expected: np.ndarray, inputs: Mapping[str, np.ndarray], equal: Equal
) -> Iterator[Relation]:
    for name, values in inputs.items():
        if values.shape == expected.shape and values.dtype.kind == "f" and np.isfinite(values).all():
            for how, other in (("plus", expected + values), ("minus", expected - values), ("by", expected * values)):
                if equal(actual, other):
                    yield Relation(how, name)


def _factor(actual: np.ndarray, expected: np.ndarray, several: bool) -> float | None:
    """Return the number by which the expected ones may be multiplied. Few numbers may show one by chance: there it
    must be whole, or one over a whole number."""
    place = np.unravel_index(np.abs(expected).argmax(), expected.shape)
    if expected[place] == 0 or actual[place] == 0:
        return None
    times = float(actual[place] / expected[place])
    if abs(times - 1) < NEAR or not 1 / MOST_TIMES <= abs(times) <= MOST_TIMES:
        return None
    whole = round(times) if abs(times) >= 1 else 1 / round(1 / times)
    if abs(times - whole) <= EXACT * abs(whole):
        return whole
    return times if several else None


def _scaled_rows(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return the expected rows, each multiplied so that its largest entry is the actual one."""
    place = np.abs(expected).argmax(-1, keepdims=True)
    largest, other = (np.take_along_axis(x, place, -1) for x in (expected, actual))
    times = np.divide(other, largest, out=np.ones(other.shape), where=largest != 0)
    return np.asarray(expected * times)


def _sides(places: np.ndarray) -> dict[str, np.ndarray]:
    """Return which places of the last two axes lie above, below and on the diagonal; nothing where one is short."""
    if places.ndim < 2 or min(places.shape[-2:]) < DISTINCT:
        return {}
    i, j = np.indices(places.shape[-2:])
    return {"above": i < j, "below": i > j, "on": i == j}


def _where(wrong: np.ndarray, of_words: bool) -> Iterator[Relation]:
    """Yield where the wrong entries are, if they are only there."""
    for side, those in ({} if of_words else _sides(wrong)).items():
        if not (wrong & ~those).any():
            yield Relation("side", side)
            return
    if wrong.ndim < 2:
        return
    for axis, places in enumerate(np.nonzero(wrong)):
        if wrong.shape[axis] >= DISTINCT and len(set(places.tolist())) == 1 < len(places):
            yield Relation("index" if wrong.ndim > 2 else ("row", "column")[axis], int(places[0]), axis)
            return


def _instead(actual: np.ndarray, expected: np.ndarray) -> Iterator[Relation]:
    """Yield what stands in all wrong places, or should stand there."""
    if len(actual) < 2:
        return
    got, due = (x[0].item() if (x == x[0]).all() else None for x in (actual, expected))
    if expected.dtype.kind in "biu" and got is not None and due is not None:
        yield Relation("instead", f"{got} in place of {due}")
    elif got == 0:
        yield Relation("instead", "0")
    elif due == 0:
        yield Relation("must be 0")
