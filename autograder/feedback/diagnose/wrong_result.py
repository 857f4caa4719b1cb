"""One wrong result of a call, as the signs read it."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from autograder.feedback.diagnose.case_record import CaseRecord
from autograder.judge.result_tables import Key

TINY = 1e-12  # smaller weights are skipped: their logarithms are noise


class WrongResult:
    """One wrong result of a call, in double precision."""

    def __init__(self, record: CaseRecord, key: Key) -> None:
        self.record = record
        self.key = key
        self.actual = record.actual[key].astype(float)
        self.expected = record.expected[key].astype(float)

    @cached_property
    def scores(self) -> bool:
        """Whether the result is scores, before the softmax."""
        return self.record.target(self.key.step).endswith(".score")

    @cached_property
    def boolean(self) -> bool:
        """Whether the result is a mask."""
        return self.record.expected[self.key].dtype == np.bool_

    @property
    def masked(self) -> bool:
        """Whether some positions are masked."""
        return self.record.masked

    @property
    def tolerance(self) -> float:
        """The relative error that rounding may cause."""
        return 1e-5 if self.record.dtype == "float64" else 2e-3

    @cached_property
    def slope(self) -> float | None:
        """See ``_slope``."""
        return _slope(self)

    @cached_property
    def axis(self) -> int | None:
        """The axis along which the expected entries are weights (rows sum to 1 or are 0); None where they are not."""
        expected = self.expected
        if (
            self.boolean
            or expected.ndim == 0
            or not np.isfinite(expected).all()
            or (expected < 0).any()
            or not expected.any()
        ):
            return None
        return next((axis for axis in range(-1, -expected.ndim - 1, -1) if distributed(expected, axis)), None)

    @cached_property
    def blank(self) -> np.ndarray:
        """Which entries lie in rows that must be all 0."""
        axis = -1 if self.axis is None else self.axis
        rows = ~self.expected.any(axis, keepdims=True) if self.expected.ndim else np.zeros((), bool)
        return np.broadcast_to(rows, self.expected.shape)

    def near(self, one: np.ndarray, other: np.ndarray) -> bool:
        """Whether numbers are equal up to rounding; NaN never is."""
        return bool(np.allclose(one, other, rtol=self.tolerance, atol=self.tolerance * 0.1))


def distributed(values: np.ndarray, axis: int | tuple[int, ...]) -> bool:
    """Whether entries are weights along an axis: not negative, with sums of 1, or 0 in some rows."""
    with np.errstate(invalid="ignore"):
        sums = values.sum(axis)
        fits = bool((values >= 0).all()) and (np.isclose(sums, 1, atol=1e-4) | (sums == 0)).all()
    return bool(fits and values.any())


def _slope(result: WrongResult) -> float | None:
    """Return the factor between the scores behind the actual and the expected weights. None where no single factor
    explains all rows."""
    if result.axis is None or not np.isfinite(result.actual).all():
        return None
    expected = np.moveaxis(result.expected, result.axis, -1)
    actual = np.moveaxis(result.actual, result.axis, -1)
    seen = (expected > TINY) & (actual > TINY)
    if (seen.sum(-1) < 2).all() or ((expected == 0) & (actual > TINY)).any():
        return None
    logs = [np.log(np.where(seen, values, 1.0)) for values in (actual, expected)]
    count = np.maximum(seen.sum(-1, keepdims=True), 1)
    first, second = (np.where(seen, one - one.sum(-1, keepdims=True) / count, 0.0) for one in logs)
    if not second.any():
        return None
    factor = float((first * second).sum() / (second * second).sum())
    fits = np.abs(first - factor * second).max() <= 20 * result.tolerance * max(1.0, np.abs(first).max())
    sums = np.isclose(actual.sum(-1), expected.sum(-1), atol=1e-4).all()
    return factor if fits and sums else None
