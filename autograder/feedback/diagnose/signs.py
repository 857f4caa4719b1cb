"""Relations between actual and expected values that only one cause makes, however the code is written.

A sign reads one wrong result of one call. It returns True, False, or None where it can't tell. A cause is found where
its sign is True for some result, and False for none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np

from autograder import assignments
from autograder.feedback.diagnose import mask_signs
from autograder.feedback.diagnose.case_record import CaseRecord
from autograder.feedback.diagnose.wrong_result import WrongResult, distributed
from autograder.judge.result_tables import Key

Sign = Callable[[WrongResult], bool | None]
RESULTS: dict[str, str] = assignments.gathered("signs", "RESULTS")  # function -> what it returns
UNITS = (1 / np.log(2), 1 / np.log(10), np.log(2), np.log10(2))  # of an entropy in nats, and of one in bits
SCALED = 0.02  # nobody scales by less on purpose


class SignMatcher:
    """Read the signs of a submission's failing cases. Results are kept, since several checks share cases."""

    def __init__(self) -> None:
        self._results: dict[str, list[WrongResult]] = {}
        self._causes: dict[tuple[str, ...], set[str]] = {}

    def causes(self, records: Sequence[CaseRecord]) -> set[str]:
        """Return the causes whose sign is True for some result of these cases, and False for none."""
        group = tuple(record.prepared.id for record in records)
        if group not in self._causes:
            results = [self._of(record) for record in records]
            plain = [found for record, found in zip(records, results, strict=True) if not record.extreme]
            self._causes[group] = {
                name for name, sign in SIGNS.items() if _present(sign, results if name in ANYWHERE else plain)
            }
        return self._causes[group]

    def _of(self, record: CaseRecord) -> list[WrongResult]:
        if record.prepared.id not in self._results:
            self._results[record.prepared.id] = _results(record)
        return self._results[record.prepared.id]


def _present(sign: Sign, results: Iterable[Sequence[WrongResult]]) -> bool:
    verdicts = {sign(result) for result in chain.from_iterable(results)}
    return True in verdicts and False not in verdicts


def _results(record: CaseRecord) -> list[WrongResult]:
    """Return the wrong values with the expected shape. Where weights are wrong, results computed from them are left
    out."""
    found = [WrongResult(record, key) for key in record.wrong if key.what == "value" and _readable(record, key)]
    weights = {result.key.step for result in found if result.axis is not None}
    return [result for result in found if result.axis is not None or result.key.step not in weights]


def _readable(record: CaseRecord, key: Key) -> bool:
    """Whether a result has the expected shape, some entries, and numbers or truth values that signs can read."""
    actual, expected = record.actual[key], record.expected[key]
    kinds = expected.dtype.kind in "fb" and actual.dtype.kind != "c"
    return actual.shape == expected.shape and kinds and actual.size > 0


def wrong_axis(result: WrongResult) -> bool | None:
    """Whether weights sum to 1 along another axis, or over several."""
    actual, expected, axis = result.actual, result.expected, result.axis
    if axis is None:
        return None
    if expected.shape[axis] > 1 and (actual == 1).all():  # over an axis of one entry
        return True
    others = [other for other in range(-1, -expected.ndim - 1, -1) if other != axis and expected.shape[other] > 1]
    if distributed(actual, axis) or not others:
        return None if expected.size < 2 or expected.shape[axis] == 1 else False
    return any(_lines(actual, other) for other in others) or distributed(actual, tuple(range(expected.ndim)))


def _lines(values: np.ndarray, axis: int) -> bool:
    """Whether the lines along an axis are weights, or NaN throughout, as where a whole line is masked."""
    lines = np.moveaxis(values, axis, -1).reshape(-1, values.shape[axis])
    finite = np.isfinite(lines)
    numbers = finite.all(-1)
    return bool((numbers | ~finite.any(-1)).all() and numbers.any()) and distributed(lines[numbers], -1)


def hard(result: WrongResult) -> bool | None:
    """Whether every row has a single 1, at the largest weight."""
    if result.axis is None:
        return None
    rows, expected = (np.moveaxis(values, result.axis, -1) for values in (result.actual, result.expected))
    if ((expected == expected.max(-1, keepdims=True)).sum(-1) > 1).any():  # several are best, or all are masked
        return None
    one_hot = np.isin(rows, (0.0, 1.0)) & (rows.sum(-1, keepdims=True) <= 1)
    if rows.shape[-1] == 1:
        return None
    filled = rows.any(-1)
    best = rows.argmax(-1) == expected.argmax(-1)
    return bool(one_hot.all() and filled.any() and best[filled].all())


def missing_scale(result: WrongResult) -> bool | None:
    """Whether the scores are too large by the square root of a width."""
    return _scaled(result, lambda factor, widths: any(abs(factor - w**0.5) < 1e-3 * factor for w in widths))


def wrong_scale(result: WrongResult) -> bool | None:
    """Whether the scores are off by any other factor."""
    if result.scores:
        return _factor(result) is not None and not mean(result)
    return _scaled(
        result, lambda factor, widths: factor > 0 and all(abs(factor - w**0.5) > 1e-2 * factor for w in widths)
    )


def _scaled(result: WrongResult, fits: Callable[[float, set[int]], bool]) -> bool | None:
    if result.axis is None:
        return None
    factor = result.slope
    if factor is None:
        return None if result.blank.all() or result.expected.shape[result.axis] == 1 else False
    names = ("query", "x")
    widths = {array.shape[-1] for name, array in result.record.arrays.items() if name in names and array.ndim}
    return fits(factor, {width for width in widths if width > 1}) if abs(factor - 1) > SCALED else None


def frequency(result: WrongResult) -> bool | None:
    """Whether a table of positions begins right, holds sines and cosines, and has other angles further on."""
    if RESULTS.get(result.record.target(result.key.step)) != "positions" or result.expected.shape[1] < 4:
        return None
    actual, expected = result.actual, result.expected
    begins = np.allclose(actual[0], expected[0], atol=1e-4) and np.allclose(actual[:, :2], expected[:, :2], atol=1e-4)
    unit = np.allclose(actual[:, 0::2] ** 2 + actual[:, 1::2] ** 2, 1, atol=1e-3)
    return bool(begins and unit and np.abs(actual - expected).max() > 0.01)


def log_base(result: WrongResult) -> bool | None:
    """Whether an entropy is in another unit: in bits or decimal digits, or in nats or digits where bits are right."""
    if {RESULTS.get(target) for target in result.record.targets} != {"entropy"}:
        return None
    return any(result.near(result.actual, result.expected * factor) for factor in UNITS)


def _factor(result: WrongResult) -> float | None:
    """Return the factor between all actual and all expected entries; None where one factor does not explain them."""
    total = float((result.expected * result.expected).sum())
    if result.expected.size < 2 or not total or not np.isfinite(result.actual).all():
        return None
    factor = float((result.actual * result.expected).sum()) / total
    scaled = factor > 0 and abs(factor - 1) > SCALED
    return factor if scaled and result.near(result.actual, factor * result.expected) else None


def mean(result: WrongResult) -> bool | None:
    """Whether a sum is divided by the number of its terms."""
    if result.axis is not None or result.expected.size < 2:
        return None
    outer = set(result.expected.shape) if result.scores else set()
    lengths = {length for array in result.record.arrays.values() for length in array.shape}
    sizes = {length for length in lengths - outer if length > 1}
    return any(result.near(result.actual * length, result.expected) for length in sizes)


def first_of_batch(result: WrongResult) -> bool | None:
    """Whether every sentence gets the right result of one of them; of masks, the same result."""
    if result.expected.ndim < 2 or result.expected.shape[0] < 2:
        return None
    actual, expected = result.actual, result.expected
    if result.near(actual, np.broadcast_to(actual.flat[0], actual.shape)) or result.near(
        expected, np.broadcast_to(expected[:1], expected.shape)
    ):
        return None
    shared = actual[:1] if np.isin(expected, (0, 1)).all() else expected
    return any(result.near(actual, np.broadcast_to(one, actual.shape)) for one in shared)


def constant(result: WrongResult) -> bool | None:
    """Whether all entries are one number: equal weights, or zeros. In rows of one entry they may be by chance."""
    expected = result.expected
    if expected.size < 3 or (expected == expected.flat[0]).all():
        return None
    level = bool(np.isclose(result.actual, result.actual.flat[0]).all() and result.actual.flat[0] != 1)
    return None if level and expected.shape[-1] == 1 else level


def other_normalisation(result: WrongResult) -> bool | None:
    """Whether weights grow with the scores, but no factor on the scores explains how."""
    if result.axis is None or not np.isfinite(result.actual).all() or (result.actual < 0).any():
        return None
    actual, expected = (np.moveaxis(values, result.axis, -1) for values in (result.actual, result.expected))
    if actual.shape[-1] < 3 or actual.size < 12 or np.abs(actual - expected).max() < 0.02:
        return None
    if result.slope is not None:
        return False
    if result.masked and not distributed(actual, -1):  # masked positions may have taken some weight
        return None
    if ((expected == 0) != (actual == 0)).any() and (expected == 0).any():
        return False
    order = np.argsort(expected, -1)
    sorted_ = np.take_along_axis(actual, order, -1)
    grows = bool((np.diff(sorted_, axis=-1) >= -1e-12).all())
    shares = actual / np.where(expected > 0, expected, 1)
    shares = np.where(expected > 0, shares, shares.max(-1, keepdims=True))
    level = np.isclose(shares, shares.max(-1, keepdims=True), rtol=result.tolerance).all()
    return grows and not level and len(np.unique(actual)) > 3


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
ANYWHERE = {"mask-leaks"}  # the other signs are read only where scores are not extreme
