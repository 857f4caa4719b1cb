"""Wrong masked softmaxes, for every topic that has masks: ``softmax(scores, mask, dim=-1)``, one mistake each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.misconceptions.softmaxes import SOFTMAXES
from autograder.misconceptions.variant import Variant

MaskedSoftmax = Callable[..., Tensor]
FILLS = (-1.0, -5.0, -10.0, -20.0, -30.0, -50.0, -100.0, -500.0, -1e3, -5e3, -1e4, -65504.0, -1e5, -1e6, -1e7)


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
    """A wrong softmax of rightly masked scores; what is masked, or not a number, is put to 0."""
    return lambda scores, mask, dim=-1: (
        softmax(_filled(scores, mask), dim).nan_to_num(0.0, 0.0, 0.0).masked_fill(~mask, 0.0)
    )


def _opened(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """A row in which nothing may be attended to is treated as one in which everything may."""
    rows = mask.broadcast_to(scores.shape).any(dim, keepdim=True)
    return torch.where(rows, _right(scores, mask, dim), torch.softmax(scores, dim))


def _share_of(function: Callable[[Tensor], Tensor]) -> MaskedSoftmax:
    """Each visible score's share of their sum, by a function that is not exp."""

    def softmax(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
        seen = function(scores) * mask
        total = seen.sum(dim, keepdim=True)
        return seen / torch.where(total == 0, 1.0, total)

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
    "mask-after-softmax": {
        "": _after,
    },
    "mask-multiplies-scores": {"": _times_mask},
    "mask-wrong-axis": {"transposed": _transposed},
    "nan-on-masked-row": {"": _by_fill(-math.inf)},
    "uniform-on-masked-row": {"": _by_fill(-1e30), "opened": _opened},
    "mask-leaks": {
        **{f"fill{fill:g}": _by_fill(fill) for fill in FILLS if fill >= -1e4},
        **{f"add{fill:g}": _by_adding(fill) for fill in FILLS},
    },
}  # fmt: skip


ZEROED = {"mask-not-used", "mask-after-softmax"}  # with masked entries zeroed the one is the other


def blank_rows(softmax: MaskedSoftmax) -> Iterator[tuple[str, MaskedSoftmax]]:
    """What students do with rows in which nothing may be attended to: nothing, or zeros for them, or for all that
    is masked."""

    def zeroed(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
        rows = mask.broadcast_to(scores.shape).any(dim, keepdim=True)
        return torch.where(rows, softmax(scores, mask, dim), torch.zeros_like(scores))

    def cleaned(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
        return softmax(scores, mask, dim).nan_to_num(0.0).masked_fill(~mask, 0.0)

    yield "", softmax
    yield "-blank-rows-zeroed", zeroed
    yield "-masked-zeroed", cleaned


def _inverted(softmax: MaskedSoftmax) -> MaskedSoftmax:
    return lambda scores, mask, dim=-1: softmax(scores, ~mask, dim)


def variants(names: Callable[[MaskedSoftmax], dict[str, Any]]) -> tuple[Variant, ...]:
    """Wrong maskings and, of rightly masked scores, wrong softmaxes; ``names`` says where a topic uses one."""
    masked = [
        Variant(cause, f"mask{'-' * bool(how)}{how}{rows}", names(variant))
        for cause, all_ in MASKED.items()
        for how, softmax in all_.items()
        for rows, variant in blank_rows(softmax)
        if not (rows and cause in ZEROED)
    ]
    inverted = [
        Variant("mask-inverted", f"{fill:g}{rows}", names(_inverted(softmax)))
        for fill in (-math.inf, -1e30)
        for rows, softmax in blank_rows(_by_fill(fill))
    ]
    unmasked = [
        Variant(cause, f"masked-softmax-{how}", names(_of_masked(softmax)))
        for cause, all_ in SOFTMAXES.items()
        for how, softmax in all_.items()
        if cause != "not-softmax"
    ]
    shares = [Variant("not-softmax", f"masked-{how}", names(_share_of(one))) for how, one in SHARES.items()]
    return (*masked, *inverted, *unmasked, *shares)
