"""Compare arrays. The one table of tolerances."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from autograder import protocol


class Tolerance(msgspec.Struct, frozen=True):
    """An entry may differ by ``relative`` of itself plus ``of_largest`` of the largest expected entry."""

    relative: float
    of_largest: float


# Model solutions sum in another order than the references. Over all cases of all assignments and six seeds, they
# differ by at most 4e-14 (float64) and 7e-7 (float32) of the largest number involved. The table allows at least 30
# times as much. A constant that is wrong by 1e-3 is far outside. CUDA gets twice as much room: exp, tanh and others may
# be off by two more units in the last place, and sums run in blocks (CUDA C++ programming guide, mathematical
# functions).
TOLERANCES = {
    ("cpu", "float64"): Tolerance(1e-8, 1e-9),
    ("cpu", "float32"): Tolerance(2e-4, 2e-5),
    ("cuda", "float64"): Tolerance(2e-8, 2e-9),
    ("cuda", "float32"): Tolerance(4e-4, 4e-5),
}


# A guard of 1e-6 (contract, section 1) changes a result by 2e-5 of itself next to a weight of 0.05 under a logarithm,
# and by 1e-4 where it stands for seven weights of 0 in a sum of w ln w. In float64 a lower precision inside looks as
# large; ``grading.precision`` tells the two apart.
GUARD = Tolerance(2e-4, 1e-4)
MOST_OF_CONDITION = 5e-3  # masked scores may be much larger than those that count


def tolerance(
    program: protocol.Program, relative: float = 0.0, of_largest: float = 0.0, guarded: bool = False
) -> Tolerance:
    """Return how far a program's results may be off: at least the table's tolerance, or a wider one.

    ``guarded`` leaves room for a guard.
    """
    base = TOLERANCES["cuda" if program.device == "cuda" else "cpu", program.dtype]
    wider = GUARD if guarded else base
    return Tolerance(max(base.relative, wider.relative, relative), max(base.of_largest, wider.of_largest, of_largest))


def condition(dtype: str, largest: float) -> float:
    """Return the relative change of a weight exp(s) / sum(exp(s)) if the scores, up to ``largest``, are rounded once.

    A float32 score of 1e4 is known to 1e-3, and so are its weight and the sum of its row.
    """
    return min(2 * float(np.finfo(dtype).eps) * largest, MOST_OF_CONDITION)


class Difference(msgspec.Struct, frozen=True):
    """How two arrays of one shape differ: the number of wrong entries, and one of them.

    That is the entry that differs most. Of integers and truth values it is the first: no id of a word is further from
    another one, and the first wrong word or position is where to look.
    """

    wrong: int
    total: int
    index: tuple[int, ...]
    actual: Any
    expected: Any


def difference(actual: np.ndarray, expected: np.ndarray, tolerance: Tolerance, scale: float = 0.0) -> Difference | None:
    """Return how two arrays of one shape differ, or None if every entry is within tolerance.

    ``scale`` replaces the largest expected entry where it is larger. An infinity must be expected as such. NaN never
    passes.
    """
    if _are_floating(actual, expected):
        if _close(actual, expected, tolerance, scale):
            return None
        wrong, gap = _floating(actual, expected, tolerance, scale)
    else:
        wrong = actual != expected
        gap = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
    if not wrong.any():
        return None
    gap = np.where(wrong, np.where(np.isnan(gap), np.inf, gap), -1.0)
    if expected.dtype.kind in "biu":
        gap = np.where(wrong, 1.0, -1.0)
    index = tuple(int(i) for i in np.unravel_index(int(gap.argmax()), gap.shape))
    return Difference(int(wrong.sum()), wrong.size, index, actual[index].item(), expected[index].item())


def wrong(actual: np.ndarray, expected: np.ndarray, tolerance: Tolerance) -> np.ndarray:
    """Return which entries of two arrays of one shape differ by more than the tolerance."""
    is_floating = _are_floating(actual, expected)
    return _floating(actual, expected, tolerance, 0.0)[0] if is_floating else np.asarray(actual != expected)


def _are_floating(*arrays: np.ndarray) -> bool:
    return any(array.dtype.kind in "fc" for array in arrays)


def _close(actual: np.ndarray, expected: np.ndarray, tolerance: Tolerance, scale: float) -> bool:
    """Whether the largest gap is within what any entry is allowed.

    This holds for most right answers and takes half the time of the comparison by entry.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.abs(widened(actual) - expected).max(initial=0.0)
        allowed = tolerance.of_largest * max(scale, np.abs(expected).max(initial=0.0))
    return bool(gap <= allowed < np.inf)  # False for NaN and for expected infinities


def _floating(
    actual: np.ndarray, expected: np.ndarray, tolerance: Tolerance, scale: float
) -> tuple[np.ndarray, np.ndarray]:
    actual, expected = widened(actual), widened(expected)
    size, finite = np.abs(expected), np.isfinite(expected)
    largest = max(scale, float(size.max(initial=0.0, where=finite)))
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.abs(actual - expected)
        near = gap <= tolerance.relative * size + tolerance.of_largest * largest
    return ~np.where(finite, near, actual == expected), gap


def widened(values: np.ndarray) -> np.ndarray:
    """Return values in float64, or in complex128 for complex values: an imaginary part is an error too."""
    return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64, copy=False)


def first_nonzero(actual: np.ndarray, where: np.ndarray) -> tuple[int, ...] | None:
    """Return the first index in ``where`` at which ``actual`` is not exactly zero, or None."""
    places = np.argwhere(where & (actual != 0))  # NaN is not zero either
    return tuple(int(i) for i in places[0]) if len(places) else None


KINDS = {
    name: kind
    for kind, names in {
        "float": ("float16", "bfloat16", "float32", "float64"),
        "int": ("int8", "int16", "int32", "int64", "uint8"),
        "bool": ("bool",),
        "complex": ("complex64", "complex128"),
    }.items()
    for name in names
}  # a dtype's name -> its kind
