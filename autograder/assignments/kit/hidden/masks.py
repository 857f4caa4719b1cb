"""Wrong masked softmaxes, for assignments with masks: ``softmax(scores, mask, dim=-1)``, one mistake each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.softmaxes import SOFTMAXES
from autograder.assignments.kit.hidden.variant import Variant, from_table

MaskedSoftmax = Callable[..., Tensor]
FILLS = (-1.0, -5.0, -10.0, -20.0, -30.0, -50.0, -100.0, -500.0, -1e3, -1e4, -1e5)


def _filled(scores: Tensor, mask: Tensor, fill: float = -math.inf) -> Tensor:
    return scores.masked_fill(~mask, fill)


def _by_fill(fill: float) -> MaskedSoftmax:
    return lambda scores, mask, dim=-1: torch.softmax(_filled(scores, mask, fill), dim)


def _by_adding(fill: float) -> MaskedSoftmax:
    return lambda scores, mask, dim=-1: torch.softmax(scores + fill * (~mask).to(scores.dtype), dim)


def _transposed(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    return _right(scores, mask.transpose(-2, -1), dim)


def _right(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    return torch.softmax(_filled(scores, mask), dim).nan_to_num(0.0)


def _times_mask(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    return torch.softmax(scores * mask, dim)


def _after(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    return torch.softmax(scores, dim) * mask


def _of_masked(softmax: Callable[..., Tensor]) -> MaskedSoftmax:
    """Return a wrong softmax of correctly masked scores. Masked entries and NaN become 0."""
    return lambda scores, mask, dim=-1: (
        softmax(_filled(scores, mask), dim).nan_to_num(0.0, 0.0, 0.0).masked_fill(~mask, 0.0)
    )


def _opened(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """Treat a fully masked row as one without a mask."""
    rows = mask.broadcast_to(scores.shape).any(dim, keepdim=True)
    return torch.where(rows, _right(scores, mask, dim), torch.softmax(scores, dim))


def _share_of(function: Callable[[Tensor], Tensor]) -> MaskedSoftmax:
    """Return a softmax with another function in place of exp."""

    def softmax(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
        visible = function(scores) * mask
        total = visible.sum(dim, keepdim=True)
        return visible / torch.where(total == 0, 1.0, total)

    return softmax


SHARES: dict[str, Callable[[Tensor], Tensor]] = {
    "scores": lambda scores: scores,
    "absolute": torch.abs,
    "square": torch.square,
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "softplus": torch.nn.functional.softplus,
    "base-2": torch.exp2,
}
MASKED: dict[str, dict[str, MaskedSoftmax]] = {
    "mask-not-used": {"": lambda scores, mask, dim=-1: torch.softmax(scores, dim)},
    "mask-after-softmax": {"": _after},
    "mask-multiplies-scores": {"": _times_mask},
    "mask-wrong-axis": {"transposed": _transposed},
    "nan-on-masked-row": {"": _by_fill(-math.inf)},
    "uniform-on-masked-row": {"": _by_fill(-1e30), "opened": _opened},
    "mask-leaks": {
        **{f"fill{fill:g}": _by_fill(fill) for fill in FILLS if fill >= -1e4},
        **{f"add{fill:g}": _by_adding(fill) for fill in FILLS},
    },
}


# Not combined with zeroed entries: the first two would be the same, and the others would be right.
ZEROED = {"mask-not-used", "mask-after-softmax", "nan-on-masked-row", "uniform-on-masked-row"}


def blank_rows(softmax: MaskedSoftmax) -> Iterator[tuple[str, MaskedSoftmax]]:
    """Yield what students do with fully masked rows: nothing, zeros in these rows, or zeros at all masked entries.
    Each has a suffix for ``how``."""

    def zeroed(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
        rows = mask.broadcast_to(scores.shape).any(dim, keepdim=True)
        return torch.where(rows, softmax(scores, mask, dim), torch.zeros_like(scores))

    def cleaned(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
        return softmax(scores, mask, dim).nan_to_num(0.0).masked_fill(~mask, 0.0)

    yield "", softmax
    yield "-blank-rows-zeroed", zeroed
    yield "-masked-zeroed", cleaned


FILLED = {"infinite": _by_fill(-math.inf), "finite": _by_fill(-1e30), "zeroed": _right}


def _inverted(softmax: MaskedSoftmax) -> MaskedSoftmax:
    return lambda scores, mask, dim=-1: softmax(scores, ~mask, dim)


def variants(names: Callable[[MaskedSoftmax], dict[str, Any]]) -> tuple[Variant, ...]:
    """Return wrong maskings, and wrong softmaxes of correctly masked scores. ``names``: where one is used."""
    masked = [
        Variant(cause, f"mask{'-' * bool(how)}{how}{rows}", names(variant))
        for cause, parts in MASKED.items()
        for how, softmax in parts.items()
        for rows, variant in blank_rows(softmax)
        if not (rows and cause in ZEROED)
    ]
    inverted = [Variant("mask-inverted", how, names(_inverted(softmax))) for how, softmax in FILLED.items()]
    others = {cause: parts for cause, parts in SOFTMAXES.items() if cause != "not-softmax"}
    unmasked = from_table(others, lambda softmax: names(_of_masked(softmax)), "masked-softmax-{}")
    shares = from_table({"not-softmax": SHARES}, lambda share: names(_share_of(share)), "masked-{}")
    return (*masked, *inverted, *unmasked, *shares)
