"""Known mistakes of FixedContextSeq2Seq and train_step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant
from autograder.assignments.seq2seq.hidden.mistakes.models import Part, Parts, cat, real
from autograder.assignments.seq2seq.hidden.mistakes.search import SHIFTS, STARTS
from autograder.assignments.seq2seq.hidden.mistakes.whole import (
    WHOLE,
    clip,
    cross_entropy,
    fixed,
    seq2seq,
    train,
    variants,
)

Table = dict[str, dict[str, Parts]]
FIXED: Table = {
    "first-state-not-used": {"": {"start": torch.zeros_like}},
    "context-missing-from-output": {
        "": {"say": lambda new, summary, word: cat(new, 0 * summary)},
        "twice": {"say": lambda new, summary, word: cat(new, new)},
        "first": {"say": lambda new, summary, word: cat(0 * summary, new)},
    },
    "concat-order-swapped": {
        "output": {"say": lambda new, summary, word: cat(summary, new)},
        "input": {"read": lambda word, summary: cat(summary, word)},
        "both": {"say": lambda new, summary, word: cat(summary, new), "read": lambda word, summary: cat(summary, word)},
    },
    "state-not-carried": {"": {"next": lambda new, first: first}, "zeros": {"next": lambda new, first: 0 * first}},
    "teacher-forcing-shifted": {how: {"targets": one} for how, one in SHIFTS.items()},
    "ignores-batch": {
        "summary": {"summary": lambda first: first[:1].expand_as(first)},
        "start": {"start": lambda first: first[:1].expand_as(first)},
    },
    "silent-broadcast": {"summary": {"each": lambda summary, tgt_in: summary.expand(*tgt_in.shape, -1).unbind(1)}},
    "detached-graph": {
        "summary": {"summary": lambda first: first.detach()},
        "start": {"start": lambda first: first.detach()},
        "both": {"summary": lambda first: first.detach(), "start": lambda first: first.detach()},
        "state": {"next": lambda new, first: new.detach()},
        "logits": {"results": lambda z: torch.stack(z, 1).detach()},
    },
}

# ---- train_step


def _losses(logits: Tensor, targets: Tensor) -> Tensor:
    return F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")


def _masked(logits: Tensor, targets: Tensor, lengths: Tensor) -> Tensor:
    return _losses(logits, targets) * real(lengths, targets.shape[1])


def _chosen(log_probs: Callable[[Tensor], Tensor]) -> Part:
    """Return the loss of other log-probabilities."""

    def loss(logits: Tensor, targets: Tensor, lengths: Tensor) -> Tensor:
        found = -log_probs(logits).gather(2, targets.unsqueeze(2)).squeeze(2)
        keep = real(lengths, targets.shape[1])
        return torch.where(keep, found, 0.0).sum() / keep.sum()

    return loss


def _over(count: Part) -> Part:
    return lambda logits, targets, lengths: _masked(logits, targets, lengths).sum() / count(logits, lengths)


def _ignoring(word: int) -> Part:
    return lambda logits, targets, lengths: F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=word)


def _shifted(logits: Tensor, targets: Tensor, lengths: Tensor) -> Tensor:
    """Compare each prediction with the word after its target."""
    if targets.shape[1] == 1:
        return cross_entropy(logits, targets, lengths)
    keep = real(lengths, targets.shape[1])[:, 1:]
    return F.cross_entropy(logits[:, :-1][keep], targets[:, 1:][keep])


def _lengths(change: Part) -> Part:
    return lambda logits, targets, lengths: cross_entropy(logits, targets, change(lengths, targets.shape[1]))


LOSSES: dict[str, dict[str, Part]] = {
    "loss-counts-padding": {
        "": lambda logits, targets, lengths: _losses(logits, targets).mean(),
        "divided": _over(lambda logits, lengths: logits.shape[0] * logits.shape[1]),
        "zero-logits": lambda z, y, n: _losses(z * real(n, y.shape[1]).unsqueeze(2), y).mean(),
        "zero-targets": lambda z, y, n: _losses(z, y * real(n, y.shape[1])).mean(),
        "sum-of-all": lambda z, y, n: _losses(z, y).sum() / n.sum(),
    },
    "mask-from-pad-id": {"id-0": _ignoring(0)},
    "loss-mean-of-means": {
        "": lambda z, y, n: (_masked(z, y, n).sum(1) / n).mean(),
        "steps": lambda z, y, n: (_masked(z, y, n).sum(0) / real(n, y.shape[1]).sum(0).clamp(min=1)).mean(),
    },
    "silent-broadcast": {"": lambda z, y, n: (_masked(z, y, n).sum(1) / n).sum()},
    "missing-softmax": {"": _chosen(lambda logits: logits)},
    "softmax-wrong-axis": {
        "time": _chosen(lambda logits: logits.log_softmax(1)),
        "batch": _chosen(lambda logits: logits.log_softmax(0)),
    },
    "not-softmax": {
        "twice": _chosen(lambda logits: logits.softmax(-1).log_softmax(-1)),
        "probabilities": _chosen(lambda logits: logits.softmax(-1)),
    },
    "softmax-unstable": {
        "": _chosen(lambda logits: logits - logits.exp().sum(-1, keepdim=True).log()),
        "log": _chosen(lambda logits: logits.softmax(-1).log()),
        "log-epsilon": _chosen(lambda logits: (logits.softmax(-1) + 1e-12).log()),
    },
    "teacher-forcing-shifted": {
        "": _shifted,
        "back": lambda z, y, n: cross_entropy(z[:, 1:], y[:, :-1], (n - 1).clamp(min=0)),
    },
    "ignores-batch": {
        "loss": lambda z, y, n: cross_entropy(z[:1], y[:1], n[:1]),
        "last": lambda z, y, n: cross_entropy(z[-1:], y[-1:], n[-1:]),
        "lengths": _lengths(lambda n, width: n[:1].expand_as(n)),
    },
    "padding-off-by-one": {
        "one-less": _lengths(lambda n, width: (n - 1).clamp(min=0)),
        "one-more": _lengths(lambda n, width: (n + 1).clamp(max=width)),
    },
    "mask-inverted": {"": lambda z, y, n: F.cross_entropy(z[~real(n, y.shape[1])], y[~real(n, y.shape[1])])},
    "": {
        "sum": _over(lambda logits, lengths: 1),
        "per-sentence": _over(lambda logits, lengths: len(logits)),
        "per-step": _over(lambda logits, lengths: logits.shape[1]),
    },
}


def _scaled_up(grads: list[Tensor], limit: float) -> None:
    norm = torch.stack([grad.norm() for grad in grads]).norm()
    for grad in grads:
        grad.mul_(limit / (norm + 1e-6))


def _values(grads: list[Tensor], limit: float) -> None:
    for grad in grads:
        grad.clamp_(-limit, limit)


def _each(grads: list[Tensor], limit: float) -> None:
    for grad in grads:
        grad.mul_((limit / (grad.norm() + 1e-6)).clamp(max=1.0))


def _nothing(*_: Any) -> None:
    pass


def _cleared(grads: list[Tensor], limit: float) -> None:
    for grad in grads:
        grad.zero_()


def _zero(weights: dict[str, Tensor], *_: Any) -> None:
    for one in weights.values():
        one.grad = None


STEPS: Table = {
    "missing-zero-grad": {
        "": {"clear": _nothing},
        "at-the-end": {"clear": _nothing, "after": _zero},
        "optimizer-only": {"clear": lambda weights, optimizer: optimizer.zero_grad()},
    },
    "no-update": {"": {"clip": _cleared}, "stale": {"clear": _nothing, "clip": _cleared}},
    "missing-clip": {"": {"clip": _nothing}},
    "clip-by-value": {"": {"clip": _values}, "each": {"clip": _each}},
    "clip-always": {"": {"clip": _scaled_up}},
    "argument-ignored": {"clip": {"clip": lambda grads, _: clip(grads, 1.0)}},  # 5 is the same as none at usual sizes
    "hardcoded-answer": {"zero": {"returned": lambda loss: 0.0}, "one": {"returned": lambda loss: 1.0}},
}


def _losing(table: dict[str, dict[str, Part]]) -> Table:
    return {cause: {f"loss-{how}": {"loss": one} for how, one in all_.items()} for cause, all_ in table.items()}


def _shared(cause: str, mask: str, loss: str) -> Variant:
    """Return a wrong mask in a helper that attention and loss share."""
    names = {"Seq2Seq": seq2seq(forward=STARTS[cause][mask]), "train_step": train(loss=LOSSES[cause][loss])}
    return Variant(cause, f"shared-{mask}", WHOLE | names, frozenset({"train_step"}))


VARIANTS = (
    *variants("FixedContextSeq2Seq", fixed, FIXED),
    *variants("train_step", train, _losing(LOSSES), STEPS),
    _shared("padding-off-by-one", "one-less", "one-less"),
    _shared("padding-off-by-one", "one-more", "one-more"),
    _shared("mask-inverted", "mask", ""),
)
