"""Relations between what came and what was due that only one cause makes, whatever the spelling.

Each sign looks at one wrong result of one call and says True, False, or None where it can't tell. A cause is
named where a sign is seen in some failing case and contradicted in none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np

from autograder.diagnose import mask_signs
from autograder.diagnose.record import Record
from autograder.diagnose.result import Result, distributed

Sign = Callable[[Result], bool | None]
SCALED = 0.02  # nobody scales by less on purpose


class Reader:
    """Reads the signs of a submission's failing cases, each group of them once."""

    def __init__(self) -> None:
        self._results: dict[str, list[Result]] = {}
        self._told: dict[tuple[str, ...], set[str]] = {}

    def causes(self, records: Sequence[Record]) -> set[str]:
        """The causes whose signs are seen in these failing cases, and contradicted in none of them."""
        group = tuple(record.prepared.id for record in records)
        if group not in self._told:
            results = [self._of(record) for record in records]
            plain = [found for record, found in zip(records, results, strict=True) if not record.extreme]
            self._told[group] = {
                name for name, sign in SIGNS.items() if _seen(sign, results if name in ANYWHERE else plain)
            }
        return self._told[group]

    def _of(self, record: Record) -> list[Result]:
        if record.prepared.id not in self._results:
            self._results[record.prepared.id] = _results(record)
        return self._results[record.prepared.id]


def _seen(sign: Sign, results: Iterable[Sequence[Result]]) -> bool:
    seen = False
    for result in chain.from_iterable(results):
        told = sign(result)
        if told is False:
            return False
        seen = seen or bool(told)
    return seen


def _results(record: Record) -> list[Result]:
    """The wrong values with as many axes and entries as are due. Where weights are wrong, what is computed from
    them is no evidence of its own."""
    found = []
    for key in record.wrong:
        came, due = record.came[key], record.due[key]
        if (
            key.what == "value"
            and came.shape == due.shape
            and due.dtype.kind in "fb"
            and came.dtype.kind != "c"
            and came.size
        ):
            found.append(Result(record, key))
    weights = {result.key.step for result in found if result.axis is not None}
    return [result for result in found if result.axis is not None or result.key.step not in weights]


def wrong_axis(result: Result) -> bool | None:
    """Weights that sum to 1, but along another axis, or over several."""
    came, due, axis = result.came, result.due, result.axis
    if axis is None:
        return None
    if due.shape[axis] > 1 and (came == 1).all():  # over an axis of one entry
        return True
    others = [other for other in range(-1, -due.ndim - 1, -1) if other != axis and due.shape[other] > 1]
    if distributed(came, axis) or not others:
        return None if due.size < 2 or due.shape[axis] == 1 else False
    return any(_lines(came, other) for other in others) or distributed(came, tuple(range(due.ndim)))


def _lines(values: np.ndarray, axis: int) -> bool:
    """Whether the lines along an axis are weights, or no numbers at all: where everything in one is masked."""
    lines = np.moveaxis(values, axis, -1).reshape(-1, values.shape[axis])
    finite = np.isfinite(lines)
    told = finite.all(-1)
    return bool((told | ~finite.any(-1)).all() and told.any()) and distributed(lines[told], -1)


def hard(result: Result) -> bool | None:
    """Every row has a single 1."""
    if result.axis is None:
        return None
    rows, due = (np.moveaxis(values, result.axis, -1) for values in (result.came, result.due))
    if (
        (due == due.max(-1, keepdims=True)).sum(-1) > 1
    ).any():  # several are best, or nothing may be attended to
        return None
    one_hot = np.isin(rows, (0.0, 1.0)) & (rows.sum(-1, keepdims=True) <= 1)
    if rows.shape[-1] == 1:
        return None
    return bool(one_hot.all() and rows.any())


def missing_scale(result: Result) -> bool | None:
    """Scores that are greater by the square root of a width."""
    return _scaled(result, lambda factor, widths: any(abs(factor - w**0.5) < 1e-3 * factor for w in widths))


def wrong_scale(result: Result) -> bool | None:
    """Scores that are greater or less by any other factor."""
    if result.scores:
        return _factor(result) is not None and not mean(result)
    return _scaled(
        result,
        lambda factor, widths: factor > 0 and all(abs(factor - w**0.5) > 1e-2 * factor for w in widths),
    )


def _scaled(result: Result, fits: Callable[[float, set[int]], bool]) -> bool | None:
    if result.axis is None:
        return None
    factor = result.slope
    if factor is None:
        return None if result.blank.all() or result.due.shape[result.axis] == 1 else False
    names = ("query", "x")
    widths = {array.shape[-1] for name, array in result.record.arrays.items() if name in names and array.ndim}
    return fits(factor, {width for width in widths if width > 1}) if abs(factor - 1) > SCALED else None


def frequency(result: Result) -> bool | None:
    """Sines and cosines of position tables that begin as they must, and have another angle further on."""
    if result.record.target(result.key.step) != "sinusoidal_positions" or result.due.shape[1] < 4:
        return None
    came, due = result.came, result.due
    begins = np.allclose(came[0], due[0], atol=1e-4) and np.allclose(came[:, :2], due[:, :2], atol=1e-4)
    unit = np.allclose(came[:, 0::2] ** 2 + came[:, 1::2] ** 2, 1, atol=1e-3)
    return bool(begins and unit and np.abs(came - due).max() > 0.01)


def log_base(result: Result) -> bool | None:
    """An entropy in bits or in decimal digits."""
    if result.record.targets != {"attention_entropy"}:
        return None
    return any(result.near(result.came, result.due / np.log(base)) for base in (2.0, 10.0))


def _factor(result: Result) -> float | None:
    """The one factor between all that came and all that was due."""
    total = float((result.due * result.due).sum())
    if result.due.size < 2 or not total or not np.isfinite(result.came).all():
        return None
    factor = float((result.came * result.due).sum()) / total
    scaled = factor > 0 and abs(factor - 1) > SCALED
    return factor if scaled and result.near(result.came, factor * result.due) else None


def mean(result: Result) -> bool | None:
    """A sum that was divided by how many there were; of scores, how many products."""
    if result.axis is not None or result.due.size < 2:
        return None
    outer = set(result.due.shape) if result.scores else set()
    lengths = {length for array in result.record.arrays.values() for length in array.shape}
    sizes = {length for length in lengths - outer if length > 1}
    return any(result.near(result.came * length, result.due) for length in sizes)


def first_of_batch(result: Result) -> bool | None:
    """Every sentence gets what is the first one's."""
    if result.due.ndim < 2 or result.due.shape[0] < 2:
        return None
    came, due = result.came, result.due
    if result.near(came, np.broadcast_to(came.flat[0], came.shape)) or result.near(
        due, np.broadcast_to(due[:1], due.shape)
    ):
        return None
    return result.near(came, np.broadcast_to(came[:1], came.shape))


def constant(result: Result) -> bool | None:
    """One number everywhere, whatever the inputs: the same weight, or zeros."""
    if result.due.size < 3 or (result.due == result.due.flat[0]).all():
        return None
    return bool(np.isclose(result.came, result.came.flat[0]).all() and result.came.flat[0] != 1)


def other_normalisation(result: Result) -> bool | None:
    """Greater scores have greater weights, but no factor on the scores explains by how much."""
    if result.axis is None or not np.isfinite(result.came).all() or (result.came < 0).any():
        return None
    came, due = (np.moveaxis(values, result.axis, -1) for values in (result.came, result.due))
    if came.shape[-1] < 3 or came.size < 12 or np.abs(came - due).max() < 0.02:
        return None
    if result.slope is not None:
        return False
    if result.masked and not distributed(came, -1):  # weight may have been lost to what is masked
        return None
    if ((due == 0) != (came == 0)).any() and (due == 0).any():
        return False
    order = np.argsort(due, -1)
    sorted_ = np.take_along_axis(came, order, -1)
    grows = bool((np.diff(sorted_, axis=-1) >= -1e-12).all())
    shares = came / np.where(due > 0, due, 1)
    shares = np.where(due > 0, shares, shares.max(-1, keepdims=True))
    level = np.isclose(shares, shares.max(-1, keepdims=True), rtol=result.tolerance).all()
    return grows and not level and len(np.unique(came)) > 3


SIGNS: dict[str, Sign] = {
    "softmax-wrong-axis": wrong_axis,
    "hard-attention": hard,
    "not-softmax": other_normalisation,
    "missing-scale": missing_scale,
    "wrong-scale": wrong_scale,
    "mask-inverted": mask_signs.inverted,
    "mask-leaks": mask_signs.leaks,
    "wrong-frequency": frequency,
    "nan-on-masked-row": mask_signs.nan_on_blank,
    "uniform-on-masked-row": mask_signs.weight_on_blank,
    "wrong-log-base": log_base,
    "mean-not-sum": mean,
    "ignores-batch": first_of_batch,
    "hardcoded-answer": constant,
}
ANYWHERE = {"mask-leaks"}  # the others are read where scores are ordinary
