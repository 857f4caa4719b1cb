"""One wrong result of a call, as signs look at it."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from autograder.diagnose.record import Record
from autograder.evidence import Key

TINY = 1e-12  # weights below are not looked at: their logarithms are noise


class Result:
    """One wrong result of a call, in double precision."""

    def __init__(self, record: Record, key: Key) -> None:
        self.record = record
        self.key = key
        self.came = record.came[key].astype(float)
        self.due = record.due[key].astype(float)

    @cached_property
    def scores(self) -> bool:
        """Whether it is what a softmax is yet to be taken of."""
        return self.record.target(self.key.step).endswith(".score")

    @cached_property
    def boolean(self) -> bool:
        """Whether it is a mask."""
        return self.record.due[self.key].dtype == np.bool_

    @property
    def masked(self) -> bool:
        """Whether some positions may not be attended to."""
        return self.record.masked

    @property
    def tolerance(self) -> float:
        """What rounding may do, relative to the entries."""
        return 1e-5 if self.record.dtype == "float64" else 2e-3

    @cached_property
    def slope(self) -> float | None:
        """See ``_slope``."""
        return _slope(self)

    @cached_property
    def axis(self) -> int | None:
        """The axis along which the due entries are weights (each row sums to 1, or is all 0); None: they are not."""
        due = self.due
        if self.boolean or due.ndim == 0 or not np.isfinite(due).all() or (due < 0).any() or not due.any():
            return None
        return next((axis for axis in range(-1, -due.ndim - 1, -1) if distributed(due, axis)), None)

    @cached_property
    def blank(self) -> np.ndarray:
        """Which entries lie in rows that are due to be all 0."""
        axis = -1 if self.axis is None else self.axis
        rows = ~self.due.any(axis, keepdims=True) if self.due.ndim else np.zeros((), bool)
        return np.broadcast_to(rows, self.due.shape)

    def near(self, one: np.ndarray, other: np.ndarray) -> bool:
        """Whether numbers are equal but for rounding; NaN never is."""
        return bool(np.allclose(one, other, rtol=self.tolerance, atol=self.tolerance * 0.1))


def distributed(values: np.ndarray, axis: int | tuple[int, ...]) -> bool:
    """Whether entries are weights along an axis: not negative, with sums of 1, or of 0 in some rows."""
    with np.errstate(invalid="ignore"):
        sums = values.sum(axis)
        fits = bool((values >= 0).all()) and (np.isclose(sums, 1, atol=1e-4) | (sums == 0)).all()
    return bool(fits and values.any())


def _slope(result: Result) -> float | None:
    """The factor between the scores that make the weights that came and those that were due, or None where no
    single one explains all rows."""
    if result.axis is None or not np.isfinite(result.came).all():
        return None
    due = np.moveaxis(result.due, result.axis, -1)
    came = np.moveaxis(result.came, result.axis, -1)
    seen = (due > TINY) & (came > TINY)
    if (seen.sum(-1) < 2).all() or ((due == 0) & (came > TINY)).any():
        return None
    logs = [np.log(np.where(seen, values, 1.0)) for values in (came, due)]
    count = np.maximum(seen.sum(-1, keepdims=True), 1)
    first, second = (np.where(seen, one - one.sum(-1, keepdims=True) / count, 0.0) for one in logs)
    if not second.any():
        return None
    factor = float((first * second).sum() / (second * second).sum())
    fits = np.abs(first - factor * second).max() <= 20 * result.tolerance * max(1.0, np.abs(first).max())
    sums = np.isclose(came.sum(-1), due.sum(-1), atol=1e-4).all()
    return factor if fits and sums else None
