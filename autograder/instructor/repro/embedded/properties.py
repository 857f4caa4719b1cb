"""Properties of results that no reference computes, as the check asserts them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from autograder.instructor.repro.embedded.arrays import Differs

SPREAD = 6.0  # standard deviations


def within(arrays: Any, low: float, high: float, says: str, **_: Any) -> None:
    for _name, actual, _expected in arrays:
        if not ((actual >= low) & (actual <= high) & np.isfinite(actual)).all():
            raise Differs(f"Got {actual.min()} to {actual.max()}, expected: {says}")


def weighed(arrays: Any, terms: Sequence[Any], least: float, says: str, **_: Any) -> None:
    ((_name, actual, _expected),) = arrays
    total = sum(factor * float(actual[tuple(int(i) for i in index)]) for factor, *index in terms)
    if not total >= least:
        raise Differs(f"Got {total:.4g}, which must be at least {least:.4g}; expected: {says}")


def descends(arrays: Any, row: int, slack: float, says: str, **_: Any) -> None:
    ((_name, actual, _expected),) = arrays
    rise = float((actual[row] - np.minimum.accumulate(actual[row])).max())
    if not rise <= slack:
        raise Differs(f"Got an entry that is {rise:.4g} above an earlier one, expected: {says}")


def differs(arrays: Any, others: Any, says: str, **_: Any) -> None:
    if all(np.array_equal(one, two) for (_a, one, _b), (_c, two, _d) in zip(arrays, others, strict=True)):
        raise Differs(f"Got equal results, expected: {says}")


def agrees(arrays: Any, others: Any, says: str, factor: float = 1.0, **_: Any) -> None:
    for (_a, one, _b), (_c, two, _d) in zip(arrays, others, strict=True):
        near = np.allclose(one, two) if factor == 1.0 else ((one <= factor * two) & (two <= factor * one)).all()
        if not near:
            raise Differs(f"Got other results, expected: {says}")


def joined(
    arrays: Any, output: str, of: str, says: str, before: Sequence[int] = (), after: Sequence[int] = (), **_: Any
) -> None:
    named = {name: actual for name, actual, _ in arrays}
    ends = [np.tile(np.array(part, np.int64), (len(named[of]), 1)) for part in (before, after)]
    if not np.array_equal(named[output], np.concatenate([ends[0], named[of], ends[1]], axis=1)):
        raise Differs(f"`{output}`: expected: {says}")


def holds(arrays: Any, output: str, entry: int, says: str, **_: Any) -> None:
    named = {name: actual for name, actual, _ in arrays}
    if not (named[output] == entry).any():
        raise Differs(f"`{output}`: expected: {says}")


def evenly(arrays: Any, output: str, low: int, high: int, says: str, **_: Any) -> None:
    actual = {name: values for name, values, _ in arrays}[output]
    count = high - low + 1
    inside = actual.size and low <= actual.min() and actual.max() <= high
    pairs = (actual[:, :-1] - low) * count + actual[:, 1:] - low
    groups = [(actual.ravel() - low, count), (actual[:, 0] - low, count), (pairs.ravel(), count**2)]
    for values, kinds in groups:
        counts = np.bincount(values.astype(int), minlength=kinds) if inside else np.ones(1)
        room = SPREAD * np.sqrt(counts.sum() / kinds * (1 - 1 / kinds)) + 1
        if not inside or (values.size and (np.abs(counts - counts.sum() / kinds) > room).any()):
            raise Differs(f"`{output}`: expected: {says}")


def _wrong(arrays: Any, relative: float) -> list[tuple[str, float, float]]:
    """Return the numbers that are wrong, with the expected ones. Counts must be exact."""
    found = []
    for name, actual, expected in arrays:
        is_count = expected.dtype.kind in "iu"
        room = 0.0 if is_count else relative * abs(float(expected)) or 1e-12
        if not abs(float(actual) - float(expected)) <= room:
            found.append((name, float(actual), float(expected)))
    return found


def numbers_equal(arrays: Any, relative: float, **_: Any) -> None:
    """The assertion ``numbers``."""
    for name, actual, expected in _wrong(arrays, relative)[:1]:
        raise Differs(f"`{name}`: Got {actual!r}, expected {expected!r}")


def placed(arrays: Any, relative: float, says: str, **_: Any) -> None:
    wrong = _wrong(arrays, relative)
    got, expected = sorted(one for _name, one, _expected in wrong), sorted(one for _name, _actual, one in wrong)
    if wrong and np.allclose(got, expected, rtol=relative, atol=0.0):
        raise Differs(f"Got the right numbers in other places, expected: {says}")


OF_ONE: tuple[Callable[..., None], ...] = (within, weighed, descends, joined, holds, evenly, numbers_equal, placed)
OF_TWO: tuple[Callable[..., None], ...] = (differs, agrees)


def python_floats(value: Any, names: Collection[str]) -> None:
    is_list = isinstance(value, list | tuple) and len(value) == len(names)
    if not is_list or not all(type(one) is float for one in value):
        raise Differs(f"Got {value!r:.60}, expected a list of {len(names)} Python floats")


def chosen(value: Any, _expected: Any, place: int, letter: str) -> None:
    is_there = isinstance(value, str | list | tuple) and place < len(value)
    got = str(value[place]).strip().upper() if is_there else "nothing"
    if got != letter:
        raise Differs(f"Got {got} at place {place + 1}, expected {letter}")


OF_VALUE: tuple[Callable[..., None], ...] = (python_floats, chosen)
