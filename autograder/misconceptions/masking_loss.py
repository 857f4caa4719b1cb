"""Known mistakes of the loss of ``masking``, and of the padding mask, which it may use."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.misconceptions.masking_masks import PADDING
from autograder.misconceptions.variant import Variant
from autograder.oracle.masking import padding_mask

Part = Callable[..., Tensor]


def _nll(logits: Tensor, targets: Tensor) -> Tensor:
    return F.cross_entropy(logits.mT, targets, reduction="none")  # (B, T)


def _mean(losses: Tensor, real: Tensor, lengths: Tensor) -> Tensor:
    return (losses * real).sum() / real.sum()


def loss(nll: Part = _nll, real: Part = padding_mask, mean: Part = _mean) -> Part:
    """A masked_cross_entropy in which parts are other than they must be."""

    def masked_cross_entropy(logits: Tensor, targets: Tensor, lengths: Tensor) -> Tensor:
        return mean(nll(logits, targets), real(lengths, targets.shape[1]), lengths)

    return masked_cross_entropy


def _picked(log_p: Tensor, targets: Tensor) -> Tensor:
    return -log_p.gather(2, targets.unsqueeze(2)).squeeze(2)


def _of_all(logits: Tensor, targets: Tensor, lengths: Tensor, **how: object) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), **how)  # type: ignore[arg-type]


def _log_plus(eps: float) -> Part:
    return lambda logits, targets: _picked((logits.softmax(2) + eps).log(), targets)


def _smoothed(by: float) -> Part:
    return lambda logits, targets: F.cross_entropy(logits.mT, targets, reduction="none", label_smoothing=by)


def _at_least_one(losses: Tensor, lengths: Tensor) -> Tensor:
    """A mask in which the first token of an empty sentence is real."""
    return padding_mask(lengths.clamp(min=1), losses.shape[1])


def _until(length: Tensor, real: Tensor) -> Tensor:
    return torch.arange(real.shape[1]) < length


def _by_count(losses: Tensor, real: Tensor, lengths: Tensor) -> Tensor:
    """Divided by the number of real tokens, whatever was added up."""
    return (losses * real).sum() / lengths.clamp(max=losses.shape[1]).sum()


def _of_rows(axis: int, mean: Callable[[Tensor, Tensor], Tensor]) -> Part:
    """Sums and counts along an axis, and how a mean is made of them."""
    return lambda losses, real, lengths: mean((losses * real).sum(axis), real.sum(axis))


def _among_filled(sums: Tensor, counts: Tensor) -> Tensor:
    return (sums[counts > 0] / counts[counts > 0]).mean()


class _Graded(torch.autograd.Function):
    """The right loss; its gradient by a factor, by logits and the mask, too large."""

    @staticmethod
    def forward(ctx: Any, result: Tensor, factor: Tensor) -> Tensor:
        ctx.factor = factor
        return result.clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return grad * ctx.factor, None


def _graded(factor: Part) -> Part:
    return lambda losses, real, lengths: _Graded.apply(_mean(losses, real, lengths), factor(losses, real))  # type: ignore[no-untyped-call]


NLLS: dict[str, dict[str, Part]] = {
    "missing-softmax": {"": lambda z, y: _picked(z, y)},
    "softmax-wrong-axis": {
        "time": lambda z, y: _picked(z.log_softmax(1), y),
        "batch": lambda z, y: _picked(z.log_softmax(0), y),
    },
    "softmax-unstable": {
        "log-of-softmax": lambda z, y: _picked(z.softmax(2).log(), y),
        "plain": lambda z, y: _picked(z - z.exp().sum(2, keepdim=True).log(), y),
        **{f"log-plus-{eps:g}": _log_plus(eps) for eps in (1e-12, 1e-10, 1e-9, 1e-8)},
    },
    "squeeze-drops-dim": {
        "": lambda z, y: _nll(z, y).squeeze(),
        "picked": lambda z, y: z.logsumexp(2) - z.gather(2, y.unsqueeze(2)).squeeze(),
    },
    "mean-not-sum": {"classes": lambda z, y: _nll(z, y) / z.shape[2]},
    "wrong-log-base": {
        "2": lambda z, y: _nll(z, y) / math.log(2),
        "10": lambda z, y: _nll(z, y) / math.log(10),
    },
    "hardcoded-answer": {
        "uniform": lambda z, y: math.log(z.shape[2]) + 0 * z.sum(2),
        "nothing": lambda z, y: 0 * z.sum(2),
        "class-0": lambda z, y: _nll(z, torch.zeros_like(y)),
    },
    "": {
        "softmax-twice": lambda z, y: _nll(z.softmax(2), y),
        "log-softmax-of-softmax": lambda z, y: _picked(z.softmax(2), y),
        "negative": lambda z, y: -_nll(z, y),
        "probability-missed": lambda z, y: 1 + _picked(z.softmax(2), y),
        "of-the-best": lambda z, y: _nll(z, z.argmax(2)),
        "turned": lambda z, y: _nll(z.transpose(0, 1).reshape(z.shape), y),
        "in-other-order": lambda z, y: _nll(z.mT.reshape(z.shape), y),
        "in-other-units": lambda z, y: _nll(z, y) / math.log(z.shape[2]),
        "all-classes": lambda z, y: -z.log_softmax(2).sum(2),
        **{f"smoothed-{by:g}": _smoothed(by) for by in (0.01, 0.05, 0.1, 0.2)},
    },
}  # fmt: skip
MEANS: dict[str, dict[str, Part]] = {
    "loss-counts-padding": {
        "all": lambda losses, real, lengths: losses.mean(),
        "below": lambda losses, real, lengths: (losses * real).mean(),
        "above": lambda losses, real, lengths: losses.sum() / real.sum(),
        "below-longest": lambda losses, real, lengths: (losses * real)[:, : int(lengths.max())].mean(),
        "longest": lambda losses, real, lengths: losses[:, : int(lengths.max())].mean(),
        "empty": lambda losses, real, lengths: _mean(losses, _at_least_one(losses, lengths), lengths),
        "means": lambda losses, real, lengths: (losses.sum(1) / lengths.clamp(min=1)).mean(),
    },
    "loss-mean-of-means": {
        "": _of_rows(1, lambda sums, counts: (sums / counts.clamp(min=1)).mean()),
        "nan": _of_rows(1, lambda sums, counts: (sums / counts).mean()),
        "filled": _of_rows(1, _among_filled),
        "time": _of_rows(0, lambda sums, counts: (sums / counts.clamp(min=1)).mean()),
        "time-nan": _of_rows(0, lambda sums, counts: (sums / counts).mean()),
        "time-filled": _of_rows(0, _among_filled),
        "padding": lambda losses, real, lengths: (losses * real).mean(1).sum() / (lengths > 0).sum(),
        "sum": _of_rows(1, lambda sums, counts: (sums / counts.clamp(min=1)).sum()),
        "sum-nan": _of_rows(1, lambda sums, counts: (sums / counts).sum()),
    },
    "ignores-batch": {
        "first-sentence": lambda losses, real, lengths: _mean(losses[:1], real[:1], lengths),
        "cut-to-first": lambda losses, real, lengths: _mean(losses, real & _until(lengths[0], real), lengths),
    },
    "": {
        "sum": lambda losses, real, lengths: (losses * real).sum(),
        "per-sentence": lambda losses, real, lengths: (losses * real).sum() / len(losses),
        "per-filled-sentence": lambda losses, real, lengths: (losses * real).sum() / (lengths > 0).sum(),
        "per-position": lambda losses, real, lengths: (losses * real).sum() / losses.shape[1],
        "per-longest": lambda losses, real, lengths: (losses * real).sum() / lengths.max(),
        "gradient-summed": _graded(lambda losses, real: real.sum()),
        "gradient-of-all": _graded(lambda losses, real: real.sum() / losses.numel()),
        "gradient-of-sentences": _graded(lambda losses, real: real.sum() / len(losses)),
        "sentences": lambda losses, real, lengths: (losses * real).sum(1),
        "tokens": lambda losses, real, lengths: losses * real,
    },
}  # fmt: skip
WHOLE: dict[str, dict[str, Part]] = {
    "loss-counts-padding": {
        "class-0": lambda logits, targets, lengths: _of_all(logits, targets, lengths, ignore_index=0),
    },
    "": {
        "class-0-too": lambda z, y, lengths: _of_all(
            z, y.masked_fill(~padding_mask(lengths, y.shape[1]), 0), lengths, ignore_index=0
        ),
        "sum-of-all": lambda z, y, lengths: _of_all(z, y, lengths, reduction="sum"),
    },
}  # fmt: skip
LOSSES: tuple[tuple[dict[str, dict[str, Part]], Callable[[Part], Part]], ...] = (
    (NLLS, lambda one: loss(nll=one)),
    (MEANS, lambda one: loss(mean=one)),
    (WHOLE, lambda one: one),
)
# What a loss may do that has a mask of its own; other wrong masks are no mistake of their own here.
OWN = {
    "padding-off-by-one": ("one-more", "one-less", "slice"),
    "mask-inverted": ("", "strictly"),
    "ignores-batch": ("first", "last"),
}
MEANT = {"": _mean, "-by-count": _by_count}


def _padded(cause: str, how: str) -> Iterator[Variant]:
    """A wrong padding_mask, alone; with the loss that uses it; and the loss alone."""
    mask = PADDING[cause][how]
    yield Variant(cause, f"padding-{how}", {"padding_mask": mask})
    for among, mean in MEANT.items():
        own = {"masked_cross_entropy": loss(real=mask, mean=mean)}
        yield Variant(cause, f"padding-{how}-in-loss{among}", {"padding_mask": mask, **own}, whole=True)
        if how in OWN.get(cause, ()):
            yield Variant(cause, f"loss-{how}{among}", own)


VARIANTS = (
    *(variant for cause, all_ in PADDING.items() for how in all_ for variant in _padded(cause, how)),
    *(
        Variant(cause, f"loss-{how}", {"masked_cross_entropy": made(one)})
        for table, made in LOSSES
        for cause, all_ in table.items()
        for how, one in all_.items()
    ),
)
