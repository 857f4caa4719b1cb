"""Known mistakes of the loss of ``masking``, and of the padding mask that it may use."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant, from_table
from autograder.assignments.masking.hidden.mistakes.masks import PADDING
from reference.masking.modules import padding_mask

Part = Callable[..., Tensor]


def _nll(logits: Tensor, targets: Tensor) -> Tensor:
    return F.cross_entropy(logits.mT, targets, reduction="none")  # (B, T)


def _mean(losses: Tensor, real: Tensor, lengths: Tensor) -> Tensor:
    return (losses * real).sum() / real.sum()


def loss(nll: Part = _nll, real: Part = padding_mask, mean: Part = _mean) -> Part:
    """Build a masked_cross_entropy with some parts replaced by wrong ones."""

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
    """Return a mask that counts the first token of an empty sentence as real."""
    return padding_mask(lengths.clamp(min=1), losses.shape[1])


def _until(length: Tensor, real: Tensor) -> Tensor:
    return torch.arange(real.shape[1]) < length


def _by_count(losses: Tensor, real: Tensor, lengths: Tensor) -> Tensor:
    """Divide by the number of real tokens, whatever the terms are."""
    return (losses * real).sum() / lengths.clamp(max=losses.shape[1]).sum()


def _of_rows(axis: int, mean: Callable[[Tensor, Tensor], Tensor]) -> Part:
    """Make a mean from the sums and counts along an axis."""
    return lambda losses, real, lengths: mean((losses * real).sum(axis), real.sum(axis))


def _among_filled(sums: Tensor, counts: Tensor) -> Tensor:
    return (sums[counts > 0] / counts[counts > 0]).mean()


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
    "wrong-log-base": {"2": lambda z, y: _nll(z, y) / math.log(2), "10": lambda z, y: _nll(z, y) / math.log(10)},
    "hardcoded-answer": {
        "uniform": lambda z, y: math.log(z.shape[2]) + 0 * z.sum(2),
        "nothing": lambda z, y: 0 * z.sum(2),
        "class-0": lambda z, y: _nll(z, torch.zeros_like(y)),
    },
    "softmax-twice": {"": lambda z, y: _nll(z.softmax(2), y)},
    "targets-smoothed": {f"{by:g}": _smoothed(by) for by in (0.05, 0.1, 0.2)},
    "ignores-batch": {"turned": lambda z, y: _nll(z.transpose(0, 1).reshape(z.shape), y)},
}
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
    "silent-broadcast": {
        "column-by-row": lambda losses, real, lengths: (losses.reshape(-1, 1) * real.flatten()).sum() / real.sum()
    },
    "": {"per-longest": lambda losses, real, lengths: (losses * real).sum() / lengths.max()},
}
WHOLE: dict[str, dict[str, Part]] = {
    "loss-counts-padding": {
        "class-0": lambda logits, targets, lengths: _of_all(logits, targets, lengths, ignore_index=0)
    }
}
# Wrong masks of a loss that makes its own mask. Other wrong masks occur only in padding_mask.
OWN = {
    "padding-off-by-one": ("one-more", "one-less", "slice"),
    "mask-inverted": ("", "strictly"),
    "ignores-batch": ("first", "last"),
}
MEANT = {"": _mean, "-by-count": _by_count}


def _padded(cause: str, how: str) -> Iterator[Variant]:
    """Yield a wrong padding_mask alone, with the loss that uses it, and the loss alone."""
    mask = PADDING[cause][how]
    yield Variant(cause, f"padding-{how}", {"padding_mask": mask})
    for among, mean in MEANT.items():
        own = {"masked_cross_entropy": loss(real=mask, mean=mean)}
        yield Variant(cause, f"padding-{how}-in-loss{among}", {"padding_mask": mask, **own}, whole=True)
        if how in OWN.get(cause, ()):
            yield Variant(cause, f"loss-{how}{among}", own)


VARIANTS = (
    *(variant for cause, masks in PADDING.items() for how in masks for variant in _padded(cause, how)),
    *from_table(NLLS, lambda nll: {"masked_cross_entropy": loss(nll=nll)}, "loss-{}"),
    *from_table(MEANS, lambda mean: {"masked_cross_entropy": loss(mean=mean)}, "loss-{}"),
    *from_table(WHOLE, lambda function: {"masked_cross_entropy": function}, "loss-{}"),
)
