"""Compares two arrays as the grader does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from autograder.instructor.repro.embedded.running import numbers

SHOWN = 64  # entries of an array that are printed in full


class Differs(Exception):
    """An assertion does not hold. The text says what was got and what was expected."""


def tensor_of(name: str, value: Any) -> np.ndarray:
    if not isinstance(value, torch.Tensor):
        raise Differs(f"`{name}`: Got {type(value).__name__}, expected a tensor")
    if value.layout != torch.strided:
        raise Differs(f"`{name}`: Got a sparse tensor, expected a dense one")
    return numbers(value)


def without_shared_nan(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if not first.dtype.kind == second.dtype.kind == "f" or first.shape != second.shape:
        return first, second
    shared = np.isnan(first) & np.isnan(second)
    return np.where(shared, 0.0, first), np.where(shared, 0.0, second)


def contains(name: str, words: Sequence[str]) -> bool:
    name = name.lower().replace("_", "")
    return any(word.lower().replace("_", "") in name for word in words)


def compare(
    what: str, actual: np.ndarray, expected: np.ndarray, relative: float, of_largest: float, scale: float = 0.0
) -> None:
    """Raise Differs if an entry is off by more than ``relative`` of itself plus ``of_largest`` of the largest one."""
    if actual.shape != expected.shape:
        raise Differs(f"{what}: Got shape {actual.shape}, expected {expected.shape}")
    if {actual.dtype.kind, expected.dtype.kind} & set("fc"):
        wide = np.complex128 if "c" in (actual.dtype.kind, expected.dtype.kind) else np.float64
        got, right = actual.astype(wide), expected.astype(wide)
        size, finite = np.abs(right), np.isfinite(right)
        largest = max(scale, float(size.max(initial=0.0, where=finite)))
        with np.errstate(invalid="ignore", over="ignore"):
            gap = np.abs(got - right)
            wrong = ~np.where(finite, gap <= relative * size + of_largest * largest, got == right)
    else:
        wrong = actual != expected
        gap = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
    if not wrong.any():
        return
    worst = np.where(wrong, np.where(np.isnan(gap), np.inf, gap), -1.0)
    index = tuple(int(at) for at in np.unravel_index(int(worst.argmax()), worst.shape))
    place = f"{what}{list(index)}" if index else what
    text = f"{place}: Got {actual[index]}, expected {expected[index]} ({wrong.sum()} of {wrong.size} entries differ)"
    if 1 < wrong.size <= SHOWN:
        text += f"\nGot\n{actual}\nexpected\n{expected}"
    raise Differs(text)
