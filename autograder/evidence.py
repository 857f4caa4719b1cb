"""What steps showed, as a flat table of named arrays, and when two of them say the same.

The common ground of those who compute what known mistakes would show and those who hold answers against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

import numpy as np

from autograder import compare, model, wire

# Looser than what grades are held to: two spellings of one mistake may round differently, and variants are kept
# in single precision. What counts as another answer differs by ten times as much.
SAME = {"float64": compare.Tolerance(1e-5, 1e-6), "float32": compare.Tolerance(5e-4, 5e-5)}
OTHER = {dtype: compare.Tolerance(10 * same.relative, 10 * same.of_largest) for dtype, same in SAME.items()}


# Below these no number counts: rounding leaves as much where exactly 0 is due (cotangents are of the order of 1).
FLOOR = {
    ("value", "float64"): 1e-12,
    ("value", "float32"): 1e-7,
    ("gradient", "float64"): 1e-9,
    ("gradient", "float32"): 1e-5,
}


class Key(NamedTuple):
    """One array: an output of a call, the gradient of an input or parameter, or a parameter that was read."""

    step: str
    what: Literal["value", "gradient", "parameter"]
    name: str


Table = dict[Key, np.ndarray]


def table(program: model.Program, seen: Iterable[model.Seen]) -> Table:
    """All arrays that can be read; a gradient that was asked for and is not there counts as 0."""
    found: Table = {}
    for one in seen:
        step = program.named.get(one.into)
        if isinstance(step, model.Call) and one.value is not None:
            for name, array in _values(step, one.value):
                found[Key(one.into, "value", name)] = array
        for name, gradient in one.gradients.items():
            array = np.zeros(()) if gradient is None else wire.to_numpy(gradient)
            found[Key(one.into, "gradient", name)] = array
        for name, parameter in one.parameters.items():
            found[Key(one.into, "parameter", name)] = wire.to_numpy(parameter)
    return found


def _values(step: model.Call, value: model.Value) -> Iterator[tuple[str, np.ndarray]]:
    items: tuple[model.Value, ...] = (value,)
    if len(step.outputs) > 1:
        items = value.items if isinstance(value, model.Sequence) else ()
    if len(items) != len(step.outputs):
        return
    for name, item in zip(step.outputs, items, strict=True):
        if isinstance(item, model.Tensor) and (item.array.data or 0 in item.array.shape):
            if item.array.dtype in wire.DTYPES:
                yield name, wire.to_numpy(item.array)
        elif isinstance(item, model.Scalar) and isinstance(item.value, bool | int | float):
            yield name, np.asarray(float(item.value))


def kept(values: np.ndarray) -> np.ndarray:
    """A variant's numbers as they are stored: in single precision, which is enough to know them again."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32) if values.dtype.kind == "f" else values


def same(one: np.ndarray, other: np.ndarray, dtype: str, what: str = "value") -> bool:
    """Whether two answers are one and the same; NaN is NaN here, for mistakes make them too."""
    return _within(one, other, SAME[dtype], FLOOR.get((what, dtype), 0.0))


def differs(one: np.ndarray, other: np.ndarray, dtype: str, what: str = "value") -> bool:
    """Whether two answers are clearly not the same."""
    return not _within(one, other, OTHER[dtype], 10 * FLOOR.get((what, dtype), 0.0))


def _within(one: np.ndarray, other: np.ndarray, tolerance: compare.Tolerance, floor: float) -> bool:
    if one.shape == () != other.shape and not one.any():  # no gradient at all
        one = np.zeros(other.shape)
    if one.dtype.kind in "iu" and other.dtype.kind in "iu" and one.ndim == other.ndim == 2:
        one, other = _level(one, other)
    if one.shape != other.shape:
        return False
    if one.dtype.kind not in "f" or other.dtype.kind not in "f":
        return bool(np.array_equal(one, other))
    nowhere = np.isnan(one)
    if not np.array_equal(nowhere, np.isnan(other)):
        return False
    filled = np.where(nowhere, 0.0, one), np.where(nowhere, 0.0, other)
    return compare.difference(*filled, tolerance, floor / tolerance.of_largest) is None


def _level(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sentences of two searches at one width: columns that hold nothing but padding, a single word, may follow."""
    width = min(one.shape[1], other.shape[1])
    cut = [rows[:, :width] if np.unique(rows[:, width:]).size <= 1 else rows for rows in (one, other)]
    return cut[0], cut[1]
