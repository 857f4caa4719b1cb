"""Signs of mistakes with masks."""

from __future__ import annotations

import numpy as np

from autograder import assignments
from autograder.feedback.diagnose.wrong_result import WrongResult, distributed

SCORES: dict[str, str] = assignments.gathered("signs", "SCORES")  # function -> how it gets its scores


def inverted(result: WrongResult) -> bool | None:
    """Whether zeros and non-zeros are exchanged."""
    zero = result.expected == 0
    if result.boolean:
        return bool((result.actual != result.expected).all()) if result.expected.size > 1 else None
    if result.axis is None or not zero.any() or zero.all():
        return None
    here = ~result.blank
    if not (zero & here).any():
        return None
    full = (~zero).all(result.axis, keepdims=True)  # an inverted mask leaves nothing of an unmasked row
    here = here & ~np.broadcast_to(full, zero.shape)
    return bool((((result.actual == 0) | np.isnan(result.actual)) == ~zero)[here].all())


def leaks(result: WrongResult) -> bool | None:
    """Whether masked positions get or take weight, and the others share the rest correctly. Where the scores are
    known, one number in the place of the masked scores must explain all rows."""
    if result.axis is None or not result.masked:
        return None
    actual, expected = (np.moveaxis(values, result.axis, -1) for values in (result.actual, result.expected))
    rows = (expected == 0).any(-1) & expected.any(-1)
    if not rows.any() or not np.isfinite(actual[rows]).all() or (actual[rows] < 0).any():
        return None
    actual, expected = actual[rows], expected[rows]
    left = np.where(expected > 0, actual, 0).sum(-1)
    some = left > 1e-6
    shares = np.where(expected > 0, actual, 0)[some] / left[some, None]
    if not np.allclose(shares, expected[some], rtol=1e-3, atol=1e-5):
        return False
    scores = _scores(result)
    if scores is not None:
        return _one_fill(np.moveaxis(scores, result.axis, -1)[rows], expected > 0, left)
    if not some.any():
        return None
    return distributed(actual, -1) and bool((actual[expected == 0] > 0).any())


def _scores(result: WrongResult) -> np.ndarray | None:
    """Return the scores behind the weights; None where the inputs do not show them."""
    arrays, target = result.record.arrays, result.record.target(result.key.step)
    kind = SCORES.get(target)
    if kind == "scores" and "scores" in arrays and arrays["scores"].shape == result.expected.shape:
        return arrays["scores"].astype(float)
    if kind == "scaled-dot" and {"query", "key"} <= arrays.keys():
        query, key = arrays["query"].astype(float), arrays["key"].astype(float)
        scores: np.ndarray = query @ np.swapaxes(key, -1, -2) / query.shape[-1] ** 0.5
        return scores if scores.shape == result.expected.shape else None
    return None


def _one_fill(scores: np.ndarray, visible: np.ndarray, left: np.ndarray) -> bool | None:
    """Whether one number, filled in or added at masked positions, explains ``left``, the visible part of each row. Rows
    with all or nothing left only bound the number."""
    shown, hidden = (_log_sum(scores, where) for where in (visible, ~visible))
    count = (~visible).sum(-1)
    between = (left > 1e-6) & (left < 1 - 1e-6)
    if not between.any():
        return None
    with np.errstate(divide="ignore"):
        odds = np.log(1 / np.clip(left, 1e-12, 1 - 1e-12) - 1)
    for fill in (shown + odds - np.log(count), shown + odds - hidden):
        inner = fill[between]
        low = np.where(left <= 1e-6, fill, -np.inf).max()
        high = np.where(left >= 1 - 1e-6, fill, np.inf).min()
        if np.ptp(inner) < 1e-3 * max(1.0, np.abs(inner).max()) and low - 1 <= inner.mean() <= high + 1:
            return True
    return False


def _log_sum(scores: np.ndarray, where: np.ndarray) -> np.ndarray:
    """Return the log-sum-exp of each row's entries at which ``where`` is True."""
    top = np.where(where, scores, -np.inf).max(-1, keepdims=True)
    total: np.ndarray = np.where(where, np.exp(np.minimum(scores - top, 0)), 0).sum(-1)
    logs: np.ndarray = np.log(total) + top[..., 0]
    return logs


def nan_on_blank(result: WrongResult) -> bool | None:
    """Whether fully masked rows, and only these, contain NaN or infinity."""
    bad = ~np.isfinite(result.actual)
    if not result.masked:
        return None
    if not bad.any():  # what is wrong here is something else
        return False
    return bool(bad[result.blank].any() and not bad[~result.blank].any())


def weight_on_blank(result: WrongResult) -> bool | None:
    """Whether fully masked rows get weights, and everything else is right."""
    if not result.blank.any() or result.boolean or not result.masked:
        return None
    if not np.isfinite(result.actual).all():
        return False
    if result.axis is None:
        return None
    rest = result.near(result.actual[~result.blank], result.expected[~result.blank])
    rows = np.moveaxis(np.where(result.blank, result.actual, 0.0), result.axis, -1)
    return bool(rest and distributed(rows, -1))
