"""Signs of mistakes with masks."""

from __future__ import annotations

import numpy as np

from autograder.diagnose.result import Result, distributed


def inverted(result: Result) -> bool | None:
    """Zeros where none are due, and none where they are."""
    zero = result.due == 0
    if result.boolean:
        return bool((result.came != result.due).all()) if result.due.size > 1 else None
    if result.axis is None or not zero.any() or zero.all():
        return None
    here = ~result.blank
    if not (zero & here).any():
        return None
    full = (~zero).all(result.axis, keepdims=True)  # nothing masked: inverted, nothing is left
    here = here & ~np.broadcast_to(full, zero.shape)
    return bool((((result.came == 0) | np.isnan(result.came)) == ~zero)[here].all())


def leaks(result: Result) -> bool | None:
    """Weight on masked positions, or lost to them; among the others it is divided as it must be. Where the scores
    are known, one number in the place of the masked ones explains all rows."""
    if result.axis is None or not result.masked:
        return None
    came, due = (np.moveaxis(values, result.axis, -1) for values in (result.came, result.due))
    rows = (due == 0).any(-1) & due.any(-1)
    if not rows.any() or not np.isfinite(came[rows]).all() or (came[rows] < 0).any():
        return None
    came, due = came[rows], due[rows]
    left = np.where(due > 0, came, 0).sum(-1)
    told = left > 1e-6
    parted = np.where(due > 0, came, 0)[told] / left[told, None]
    if not np.allclose(parted, due[told], rtol=1e-3, atol=1e-5):
        return False
    scores = _scores(result)
    if scores is not None:
        return _one_fill(np.moveaxis(scores, result.axis, -1)[rows], due > 0, left)
    if not told.any():
        return None
    return distributed(came, -1) and bool((came[due == 0] > 0).any())


def _scores(result: Result) -> np.ndarray | None:
    """The scores from which weights were made, where the inputs show them."""
    arrays, target = result.record.arrays, result.record.target(result.key.step)
    if target == "masked_softmax" and "scores" in arrays and arrays["scores"].shape == result.due.shape:
        return arrays["scores"].astype(float)
    if target in ("masked_attention", "scaled_dot_product_attention") and {"query", "key"} <= arrays.keys():
        query, key = arrays["query"].astype(float), arrays["key"].astype(float)
        scores: np.ndarray = query @ np.swapaxes(key, -1, -2) / query.shape[-1] ** 0.5
        return scores if scores.shape == result.due.shape else None
    return None


def _one_fill(scores: np.ndarray, seen: np.ndarray, left: np.ndarray) -> bool | None:
    """Whether one number, filled in or added, leaves each row's visible part the share that it has. Rows in which
    everything or nothing is left only bound it."""
    visible, hidden = (_log_sum(scores, where) for where in (seen, ~seen))
    count = (~seen).sum(-1)
    between = (left > 1e-6) & (left < 1 - 1e-6)
    if not between.any():
        return None
    with np.errstate(divide="ignore"):
        odds = np.log(1 / np.clip(left, 1e-12, 1 - 1e-12) - 1)
    for fill in (visible + odds - np.log(count), visible + odds - hidden):
        told = fill[between]
        low = np.where(left <= 1e-6, fill, -np.inf).max()
        high = np.where(left >= 1 - 1e-6, fill, np.inf).min()
        if np.ptp(told) < 1e-3 * max(1.0, np.abs(told).max()) and low - 1 <= told.mean() <= high + 1:
            return True
    return False


def _log_sum(scores: np.ndarray, where: np.ndarray) -> np.ndarray:
    """log sum exp of the entries of each row at which ``where`` is True."""
    top = np.where(where, scores, -np.inf).max(-1, keepdims=True)
    total: np.ndarray = np.where(where, np.exp(np.minimum(scores - top, 0)), 0).sum(-1)
    logs: np.ndarray = np.log(total) + top[..., 0]
    return logs


def nan_on_blank(result: Result) -> bool | None:
    """NaN in rows in which nothing may be attended to, and only there."""
    bad = ~np.isfinite(result.came)
    if not result.masked:
        return None
    if not bad.any():
        return None if not result.blank.any() else False
    return bool(bad[result.blank].any() and not bad[~result.blank].any())


def weight_on_blank(result: Result) -> bool | None:
    """Weights of a row in which nothing may be attended to, and everything else as it must be."""
    if not result.blank.any() or result.boolean or not result.masked:
        return None
    if not np.isfinite(result.came).all():
        return False
    if result.axis is None:
        return None
    rest = result.near(result.came[~result.blank], result.due[~result.blank])
    rows = np.moveaxis(np.where(result.blank, result.came, 0.0), result.axis, -1)
    return bool(rest and distributed(rows, -1))
