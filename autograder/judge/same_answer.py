"""When a wrong result is the one that a known mistake gives: how closely two arrays must agree."""

from __future__ import annotations

import numpy as np

from autograder.judge import tolerances

# Looser than grading: two spellings of one mistake may round differently, and variants are stored in single precision.
# Another answer differs by ten times as much.
SAME = {"float64": tolerances.Tolerance(1e-5, 1e-6), "float32": tolerances.Tolerance(5e-4, 5e-5)}
OTHER = {dtype: tolerances.Tolerance(10 * same.relative, 10 * same.of_largest) for dtype, same in SAME.items()}
# Smaller numbers count as 0: rounding leaves as much where exactly 0 is expected (cotangents are of the order of 1).
FLOOR = {
    ("value", "float64"): 1e-12,
    ("value", "float32"): 1e-7,
    ("gradient", "float64"): 1e-9,
    ("gradient", "float32"): 1e-5,
}


def same(first: np.ndarray, second: np.ndarray, dtype: str, what: str = "value") -> bool:
    """Whether two answers are the same. NaN equals NaN here, since mistakes produce NaN too."""
    return _within(first, second, SAME[dtype], FLOOR.get((what, dtype), 0.0))


def differs(first: np.ndarray, second: np.ndarray, dtype: str, what: str = "value") -> bool:
    """Whether two answers clearly differ."""
    return not _within(first, second, OTHER[dtype], 10 * FLOOR.get((what, dtype), 0.0))


def _within(first: np.ndarray, second: np.ndarray, tolerance: tolerances.Tolerance, floor: float) -> bool:
    if first.shape == () != second.shape and not first.any():  # no gradient at all
        first = np.zeros(second.shape)
    if first.dtype.kind in "iu" and second.dtype.kind in "iu" and first.ndim == second.ndim == 2:
        first, second = _to_one_width(first, second)
    if first.shape != second.shape:
        return False
    if first.dtype.kind not in "f" or second.dtype.kind not in "f":
        return bool(np.array_equal(first, second))
    nans = np.isnan(first)
    if not np.array_equal(nans, np.isnan(second)):
        return False
    filled = np.where(nans, 0.0, first), np.where(nans, 0.0, second)
    return tolerances.difference(*filled, tolerance, floor / tolerance.of_largest) is None


def _to_one_width(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cut sentences (B, T) of two searches to one width, where the further columns hold a single word: padding."""
    width = min(first.shape[1], second.shape[1])
    cut = [rows[:, :width] if np.unique(rows[:, width:]).size <= 1 else rows for rows in (first, second)]
    return cut[0], cut[1]
