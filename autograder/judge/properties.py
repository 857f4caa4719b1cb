"""Assertions about results that no reference computes: curves of an experiment, measured times, random draws.

Each raises AssertionFailed with the property in words (``says``), or returns None. ``cause`` is what its failure shows,
where it shows one thing only.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from autograder import protocol
from autograder.judge.comparison import AssertionFailed, Comparison
from autograder.judge.registry import assertion

SPREAD = 6.0  # standard deviations by which a count may differ from its mean: a fair draw does in one of 5e8
Only = Collection[str] | None
Term = Sequence[float]  # factor, then the index of an entry


def _only(case: Comparison, step: str) -> tuple[str, np.ndarray]:
    """Return name and values of the one result of a step. Raises AssertionFailed for another shape."""
    ((name, actual, _),) = case.arrays(step)
    return name, actual


def _named(case: Comparison, step: str, output: str) -> np.ndarray:
    """Return the values of a named result. Raises AssertionFailed for another shape."""
    return next(actual for _, actual, _ in case.arrays(step, [output]))


def _broken(step: str, output: str, says: str, cause: str, figure: str = "") -> AssertionFailed:
    return AssertionFailed("broken-property", step, output=output, property=says, cause=cause, got=figure)


@assertion
def within(case: Comparison, step: str, low: float, high: float, says: str, cause: str = "", only: Only = None) -> None:
    """Every value is a number from ``low`` to ``high``."""
    for name, actual, _ in case.arrays(step, only):
        bad = ~((actual >= low) & (actual <= high) & np.isfinite(actual))
        if bad.any():
            raise _broken(step, name, says, cause, f" Got {actual[bad][0]:.4g}.")


@assertion
def weighed(case: Comparison, step: str, terms: Sequence[Term], least: float, says: str, cause: str = "") -> None:
    """A weighted sum of entries is at least ``least``. Each term is a factor with the index of its entry."""
    name, actual = _only(case, step)
    total = sum(factor * float(actual[tuple(int(i) for i in index)]) for factor, *index in terms)
    if not total >= least:
        raise _broken(step, name, says, cause, f" Got {total:.4g}, expected at least {least:.4g}.")


@assertion
def descends(case: Comparison, step: str, row: int, slack: float, says: str, cause: str = "") -> None:
    """No entry of a row is more than ``slack`` above an earlier one."""
    name, actual = _only(case, step)
    rise = float((actual[row] - np.minimum.accumulate(actual[row])).max())
    if not rise <= slack:
        raise _broken(step, name, says, cause, f" One entry is {rise:.4g} above an earlier one.")


@assertion
def differs(case: Comparison, step: str, other: str, says: str, cause: str = "") -> None:
    """Two calls gave different results."""
    if all(np.array_equal(one, two) for (_, one, _), (_, two, _) in _pairs(case, step, other)):
        raise _broken(step, "result", says, cause)


@assertion
def agrees(case: Comparison, step: str, other: str, says: str, cause: str = "", factor: float = 1.0) -> None:
    """Two calls gave equal results; with a ``factor``, results that differ by no more than that factor."""
    for (name, one, _), (_, two, _) in _pairs(case, step, other):
        near = np.allclose(one, two) if factor == 1.0 else ((one <= factor * two) & (two <= factor * one)).all()
        if not near:
            raise _broken(step, name, says, cause)


def _pairs(case: Comparison, step: str, other: str) -> list[tuple[tuple[str, np.ndarray, np.ndarray], ...]]:
    return list(zip(case.arrays(step), case.arrays(other), strict=True))


@assertion
def joined(
    case: Comparison,
    step: str,
    output: str,
    of: str,
    says: str,
    before: Sequence[int] = (),
    after: Sequence[int] = (),
    cause: str = "",
) -> None:
    """Each row of a result is that of another one, with these numbers before and after it."""
    actual, inner = _named(case, step, output), _named(case, step, of)
    ends = (np.tile(np.array(part, inner.dtype), (len(inner), 1)) for part in (before, after))
    first, last = ends
    if not np.array_equal(actual, np.concatenate([first, inner, last], axis=1)):
        raise _broken(step, output, says, cause)


@assertion
def holds(case: Comparison, step: str, output: str, entry: int, says: str, cause: str = "") -> None:
    """A result has this entry somewhere."""
    if not (_named(case, step, output) == entry).any():
        raise _broken(step, output, says, cause)


@assertion
def evenly(case: Comparison, step: str, output: str, low: int, high: int, says: str, cause: str = "") -> None:
    """The integers from ``low`` to ``high`` occur equally often, up to chance, at each place and after each other."""
    actual = _named(case, step, output)
    count = high - low + 1
    if actual.size and low <= actual.min() and actual.max() <= high:
        pairs = (actual[:, :-1] - low) * count + actual[:, 1:] - low
        groups = [(actual.ravel() - low, count), (actual[:, 0] - low, count), (pairs.ravel(), count**2)]
        if all(_is_even(np.bincount(values.astype(int), minlength=kinds)) for values, kinds in groups if values.size):
            return
    raise _broken(step, output, says, cause)


def _is_even(counts: np.ndarray) -> bool:
    total, share = counts.sum(), 1.0 / len(counts)
    room = SPREAD * np.sqrt(total * share * (1 - share)) + 1
    return bool((np.abs(counts - total * share) <= room).all())


@assertion
def undrawn(case: Comparison, step: str, says: str, cause: str = "") -> None:
    """The call left the global random state as it was."""
    if case.actual[step].drew:
        raise _broken(step, "result", says, cause)


@assertion
def python_floats(case: Comparison, step: str) -> None:
    """The result is a list of Python floats, as many as expected."""
    actual, expected = case.actual[step].value, case.expected[step].value
    count = len(expected.items) if isinstance(expected, protocol.Sequence) else 0
    items = actual.items if isinstance(actual, protocol.Sequence) else ()
    if len(items) != count or not all(isinstance(one, protocol.Scalar) and type(one.value) is float for one in items):
        raise AssertionFailed("wrong-type", step, output="result", actual=_kinds(actual), expected=_many(count))


def _kinds(value: protocol.Value | None) -> str:
    match value:
        case protocol.Sequence(kind, items):
            inside = sorted({type(item).__name__.lower() for item in items})
            return f"a {kind} of {len(items)} ({', '.join(inside)})"
        case protocol.Tensor(array):
            return f"a tensor of shape {array.shape}"
    return "something else"


def _many(count: int) -> str:
    return f"a list of {count} Python floats"
