"""Holds arrays against arrays. The one table of tolerances."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from autograder import model


class Tolerance(msgspec.Struct, frozen=True):
    """An entry may differ by ``relative`` of itself plus ``of_largest`` of the largest entry due."""

    relative: float
    of_largest: float


# How they were set: over all cases of all assignments and six seeds, the model solutions, whose order of summation
# is not the references', came within 4e-14 (float64) and 7e-7 (float32) of the largest number involved. The
# lines below allow 30 times that and more, and a constant that is wrong by 1e-3 is far outside of both. On CUDA exp,
# tanh and the like may be off by two units more in the last place, and sums run in blocks (CUDA C++ programming
# guide, mathematical functions): twice as much room.
TOLERANCES = {
    ("cpu", "float64"): Tolerance(1e-8, 1e-9),
    ("cpu", "float32"): Tolerance(2e-4, 2e-5),
    ("cuda", "float64"): Tolerance(2e-8, 2e-9),
    ("cuda", "float32"): Tolerance(4e-4, 4e-5),
}


def tolerance(program: model.Program) -> Tolerance:
    """How far a program's results may be off."""
    return TOLERANCES["cuda" if program.device == "cuda" else "cpu", program.dtype]


class Difference(msgspec.Struct, frozen=True):
    """How two arrays of one shape differ: how many entries, and the worst of them."""

    wrong: int
    total: int
    index: tuple[int, ...]
    came: Any
    due: Any


def difference(
    came: np.ndarray, due: np.ndarray, tolerance: Tolerance, scale: float = 0.0
) -> Difference | None:
    """None where every entry is within tolerance; where ``scale`` is larger than the largest entry due, it takes
    that one's part. NaN and infinity never are, unless due as they came."""
    if came.dtype.kind in "fc" or due.dtype.kind in "fc":
        if _close(came, due, tolerance, scale):
            return None
        wrong, gap = _floating(came, due, tolerance, scale)
    else:
        wrong = came != due
        gap = np.abs(came.astype(np.float64) - due.astype(np.float64))
    if not wrong.any():
        return None
    gap = np.where(wrong, np.where(np.isnan(gap), np.inf, gap), -1.0)
    index = tuple(int(i) for i in np.unravel_index(int(gap.argmax()), gap.shape))
    return Difference(int(wrong.sum()), wrong.size, index, came[index].item(), due[index].item())


def _close(came: np.ndarray, due: np.ndarray, tolerance: Tolerance, scale: float) -> bool:
    """Whether even the largest gap is in what any entry is allowed: then no entry need be looked at. This is so of
    most that is right, and takes half of the time."""
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.abs(wide(came) - due).max(initial=0.0)
        allowed = tolerance.of_largest * max(scale, np.abs(due).max(initial=0.0))
    return bool(gap <= allowed < np.inf)  # not where an entry is NaN, nor where infinity is due


def _floating(
    came: np.ndarray, due: np.ndarray, tolerance: Tolerance, scale: float
) -> tuple[np.ndarray, np.ndarray]:
    came, due = wide(came), wide(due)
    size, finite = np.abs(due), np.isfinite(due)
    largest = max(scale, float(size.max(initial=0.0, where=finite)))
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.abs(came - due)
        near = gap <= tolerance.relative * size + tolerance.of_largest * largest
    return ~np.where(finite, near, came == due), gap


def wide(values: np.ndarray) -> np.ndarray:
    """Values in the widest dtype of their sort; an imaginary part is kept, for it is an error, too."""
    return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64, copy=False)


def first_nonzero(came: np.ndarray, where: np.ndarray) -> tuple[int, ...] | None:
    """The first place of ``where`` at which ``came`` is not exactly zero."""
    places = np.argwhere(where & (came != 0))  # NaN is not zero either
    return tuple(int(i) for i in places[0]) if len(places) else None


def relayed(values: np.ndarray, axis: int, order: np.ndarray) -> np.ndarray:
    """``values`` with the entries along ``axis`` taken in another order."""
    return np.take(values, order, axis=axis)


KINDS = {
    name: kind
    for kind, names in {
        "float": ("float16", "bfloat16", "float32", "float64"),
        "int": ("int8", "int16", "int32", "int64", "uint8"),
        "bool": ("bool",),
        "complex": ("complex64", "complex128"),
    }.items()
    for name in names
}  # a dtype's name -> what sort of number it is
