"""What known mistakes of several parts share: means over rows, and softmaxes of rows with hidden entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden import masks
from autograder.assignments.kit.hidden.softmaxes import OF_LAST_AXIS

Part = Callable[..., Any]
Table = Mapping[str, Mapping[str, Part]]
FEW = ("softmax-wrong-axis", "missing-softmax", "not-softmax", "softmax-unstable", "hard-attention", "detached-graph")


def real(rows: Tensor, lengths: Tensor) -> Tensor:
    """Return which rows (B, T_t) are real."""
    return torch.arange(rows.shape[1], device=rows.device) < lengths.unsqueeze(1)


def mean_of_real(rows: Tensor, lengths: Tensor) -> Tensor:
    """Return the right mean."""
    kept = real(rows, lengths)
    return torch.where(kept, rows, 0.0).sum() / kept.sum()


def _of_means(rows: Tensor, lengths: Tensor) -> Tensor:
    return (torch.where(real(rows, lengths), rows, 0.0).sum(1) / lengths).mean()


MEANS: dict[str, dict[str, Part]] = {
    "loss-counts-padding": {
        "": lambda rows, lengths: rows.mean(),
        "sum": lambda rows, lengths: rows.sum() / lengths.sum(),
        "divisor": lambda rows, lengths: torch.where(real(rows, lengths), rows, 0.0).mean(),
    },
    "loss-mean-of-means": {"": _of_means, "width": lambda rows, lengths: rows.sum(1).div(lengths).mean()},
    "loss-summed": {
        "": lambda rows, lengths: torch.where(real(rows, lengths), rows, 0.0).sum(),
        "per-sentence": lambda rows, lengths: torch.where(real(rows, lengths), rows, 0.0).sum() / len(rows),
        "sum-of-means": lambda rows, lengths: _of_means(rows, lengths) * len(rows),
        "everything": lambda rows, lengths: rows.sum(),
    },
    "padding-off-by-one": {
        "longer": lambda rows, lengths: mean_of_real(rows, lengths + 1),
        "longer-sum": lambda rows, lengths: (
            mean_of_real(rows, lengths + 1) * real(rows, lengths + 1).sum() / lengths.sum()
        ),
        "shorter": lambda rows, lengths: mean_of_real(rows, lengths - 1),
        "but-one": lambda rows, lengths: mean_of_real(rows, (lengths - 1).clamp(min=1)),
    },
    "ignores-batch": {"first": lambda rows, lengths: mean_of_real(rows, lengths[:1].expand_as(lengths))},
    "detached-graph": {"loss": lambda rows, lengths: mean_of_real(rows, lengths).detach()},
}


def hidden(softmax: Part) -> Part:
    """Return a wrong softmax of rows whose hidden entries are correctly masked. These and NaN become 0."""

    def masked(scores: Tensor, seen: Tensor, dim: int = -1) -> Tensor:
        found: Tensor = softmax(scores.masked_fill(~seen, -torch.inf), dim)
        return found.nan_to_num(0.0, 0.0, 0.0).masked_fill(~seen, 0.0)

    return masked


def masked_softmax(scores: Tensor, seen: Tensor, dim: int = -1) -> Tensor:
    """Return the right weights of rows with hidden entries, of which each row has another one."""
    return torch.softmax(scores.masked_fill(~seen, -torch.inf), dim)


OF_TWO_AXES: Table = {  # those that are wrong where the second axis is the last one
    cause: {how: one for how, one in parts.items() if (cause, how) != ("softmax-wrong-axis", "second")}
    for cause, parts in OF_LAST_AXIS.items()
}
OF_ROWS: Table = {cause: {how: hidden(one) for how, one in OF_LAST_AXIS[cause].items()} for cause in FEW}
OF_TWO_AXES_HIDDEN: Table = {cause: {how: hidden(one) for how, one in OF_TWO_AXES[cause].items()} for cause in FEW}
KINDS = ("mask-not-used", "mask-after-softmax", "mask-multiplies-scores", "mask-leaks")
MASKS: Table = {
    **{cause: masks.MASKED[cause] for cause in KINDS},
    "mask-leaks": {how: one for how, one in masks.MASKED["mask-leaks"].items() if how != "add-100000"},  # is right
    "mask-inverted": {"": lambda scores, seen, dim=-1: masked_softmax(scores, ~seen, dim)},
}
