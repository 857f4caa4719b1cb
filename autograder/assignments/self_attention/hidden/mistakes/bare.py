"""Wrong ``self_attention`` functions, and softmaxes of this assignment that are wrong in any function."""

from __future__ import annotations

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.softmaxes import SOFTMAXES, guessed
from autograder.assignments.self_attention.hidden.mistakes.parts import Part, bare, softmax, spelled


def unit(x: Tensor) -> Tensor:
    """Return vectors of length 1."""
    return torch.nn.functional.normalize(x, dim=-1)


def first(x: Tensor) -> Tensor:
    """Repeat the first of a batch for all."""
    return x[:1].expand_as(x)


def _backward(weights: Tensor, scores: Tensor, slope: Tensor) -> Tensor:
    """Return the values of ``weights`` with the elementwise gradient ``slope`` in the scores."""
    return weights.detach() + slope.detach() * (scores - scores.detach()).nan_to_num(0.0)


def _without_sum(scores: Tensor) -> Tensor:
    weights = softmax(scores)
    return _backward(weights, scores, weights)


def _diagonal(scores: Tensor) -> Tensor:
    weights = softmax(scores)
    return _backward(weights, scores, weights * (1 - weights))


def _largest_kept(scores: Tensor) -> Tensor:
    return softmax(scores) * (scores == scores.amax(-1, keepdim=True))


OWN_SOFTMAXES: dict[str, dict[str, Part]] = {
    "hard-attention": {"kept": _largest_kept},
    "vjp-missing-mean": {"": _without_sum},
    "vjp-diagonal-only": {"": _diagonal},
}
BARE: dict[str, dict[str, Part]] = {  # functions of x and the temperature
    "temperature-multiplies": {
        "": lambda x, t: x @ x.mT * t,
        "both": lambda x, t: (x * t) @ (x * t).mT,
        "root": lambda x, t: x @ x.mT * t**0.5,
    },
    "hardcoded-answer": {"": lambda x, t: x @ x.mT},
    "wrong-scale": {
        "root-of-temperature": lambda x, t: x @ x.mT / t**0.5,
        "square-of-temperature": lambda x, t: x @ x.mT / t**2,
        "root-of-width": lambda x, t: x @ x.mT / (t * x.shape[-1] ** 0.5),
        "root-of-width-instead": lambda x, t: x @ x.mT / x.shape[-1] ** 0.5,
        "root-of-both": lambda x, t: x @ x.mT / (t * x.shape[-1]) ** 0.5,
    },
    "mean-not-sum": {"": lambda x, t: x @ x.mT / (t * x.shape[-1])},
    "cosine-not-dot": {"": lambda x, t: unit(x) @ unit(x).mT / t},
    "detached-graph": {
        "queries": lambda x, t: x.detach() @ x.mT / t,
        "keys": lambda x, t: x @ x.detach().mT / t,
        "scores": lambda x, t: (x @ x.mT / t).detach(),
    },
    "ignores-batch": {"keys": lambda x, t: x @ first(x).mT / t, "scores": lambda x, t: first(x @ x.mT / t)},
    "mask-from-values": {"": lambda x, t: guessed(x @ x.mT / t, x)},
    "wrong-activation": {
        "tanh": lambda x, t: torch.tanh(x @ x.mT / t),
        "tanh-before": lambda x, t: torch.tanh(x @ x.mT) / t,
        "relu": lambda x, t: torch.relu(x @ x.mT / t),
    },
}
BARE_RESULTS: dict[str, dict[str, Part]] = {
    "silent-broadcast": {
        "": lambda w, x: ((w.unsqueeze(-1) * x.unsqueeze(2)).sum(2), w),
        "sum-over-queries": lambda w, x: ((w.unsqueeze(-1) * x.unsqueeze(1)).sum(1), w),
    },
    "returns-swapped": {"": lambda w, x: (w, w @ x)},
    "mean-not-sum": {"output": lambda w, x: (w @ x / x.shape[1], w)},
    "sum-wrong-axis": {"": lambda w, x: (w.mT @ x, w)},
    "weights-applied-twice": {"": lambda w, x: (w @ (w @ x), w)},
    "squeeze-drops-dim": {
        "": lambda w, x: ((w @ x).squeeze(), w.squeeze()),
        "output": lambda w, x: ((w @ x).squeeze(), w),
        "batch": lambda w, x: ((w @ x).squeeze(0), w.squeeze(0)),
    },
    "detached-graph": {
        "output": lambda w, x: (w.detach() @ x, w),
        "values": lambda w, x: (w @ x.detach(), w),
        "weights": lambda w, x: (w @ x, w.detach()),
    },
    "ignores-batch": {"values": lambda w, x: (w @ first(x), w), "results": lambda w, x: (first(w @ x), first(w))},
    "hardcoded-answer": {"uniform": lambda w, x: (x.mean(1, keepdim=True).expand_as(x), w * 0 + 1 / x.shape[1])},
    "hard-attention": {"output": lambda w, x: (SOFTMAXES["hard-attention"][""](w) @ x, w)},
}
BARE_SOFTMAXES = SOFTMAXES | {
    "softmax-wrong-axis": {how: SOFTMAXES["softmax-wrong-axis"][how] for how in ("first", "next-to-last", "whole")}
}
VARIANTS = (
    *spelled("bare", BARE, lambda one: {"self_attention": bare(scores=one)}),
    *spelled("bare-softmax", BARE_SOFTMAXES, lambda one: {"self_attention": bare(softmax=one)}),
    *spelled("bare-softmax", OWN_SOFTMAXES, lambda one: {"self_attention": bare(softmax=one)}),
    *spelled("bare-results", BARE_RESULTS, lambda one: {"self_attention": bare(results=one)}),
)
