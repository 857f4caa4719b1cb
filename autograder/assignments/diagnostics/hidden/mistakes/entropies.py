"""Known mistakes of row_entropy and temperature_curve. Other functions may have an entropy of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.softmaxes import SOFTMAXES
from autograder.assignments.kit.hidden.variant import from_table
from reference.diagnostics.functions import row_entropy

Entropy = Callable[[Tensor], Tensor]


def _terms(weights: Tensor) -> Tensor:
    positive = weights.masked_fill(weights == 0, 1.0)
    return positive * positive.log()


def _detached(weights: Tensor) -> Tensor:
    return weights * weights.masked_fill(weights == 0, 1.0).log().detach()


def _own_backward(weights: Tensor) -> Tensor:
    class OwnBackward(torch.autograd.Function):
        """The logarithm of 0 in a backward pass by hand."""

        @staticmethod
        def forward(ctx: Any, given: Tensor) -> Tensor:
            ctx.save_for_backward(given)
            return -_terms(given).sum(-1)

        @staticmethod
        def backward(ctx: Any, *grads: Tensor) -> Tensor:
            (given,) = ctx.saved_tensors
            slopes: Tensor = -(given.log() + 1)
            return slopes * grads[0].unsqueeze(-1)

    return OwnBackward.apply(weights)  # type: ignore[no-any-return, no-untyped-call]


# Those that a function with an entropy of its own can have too.
ENTROPIES: dict[str, dict[str, Entropy]] = {
    "wrong-log-base": {
        "two": lambda w: -_terms(w).sum(-1) / math.log(2),
        "ten": lambda w: -_terms(w).sum(-1) / math.log(10),
    },
    "nan-at-zero-weight": {
        "": lambda w: -(w * w.log()).sum(-1),
        "replaced": lambda w: -torch.where(w > 0, w * w.log(), 0.0).sum(-1),
        "patched": lambda w: -(w * w.log()).nan_to_num(0.0).sum(-1),
        "entr": lambda w: torch.special.entr(w).sum(-1),
        "own-backward": _own_backward,
    },
    "entropy-sign": {"": lambda w: _terms(w).sum(-1)},
}
# Those of them that show where nobody asks for the gradient of a weight of 0.
OWN = {cause: {how: one for how, one in ones.items() if how in ("", "two", "ten")} for cause, ones in ENTROPIES.items()}
ALONE: dict[str, dict[str, Entropy]] = {
    "mean-not-sum": {"": lambda w: -_terms(w).mean(-1)},
    "entropy-sign": {"two": lambda w: _terms(w).sum(-1) / math.log(2), "nan": lambda w: (w * w.log()).sum(-1)},
    "detached-graph": {
        "log": lambda w: -_detached(w).sum(-1),
        "weights": lambda w: -(w.detach() * w.masked_fill(w == 0, 1.0).log()).sum(-1),
    },
    "hardcoded-answer": {"uniform": lambda w: 0 * w.sum(-1) + math.log(w.shape[-1])},
    "squeeze-drops-dim": {"": lambda w: row_entropy(w).squeeze()},
    "ignores-batch": {
        "": lambda w: row_entropy(w[:1]).expand(w.shape[:-1]),
        "mean": lambda w: row_entropy(w).mean().expand(w.shape[:-1]),
    },
    "": {
        "columns": lambda w: -_terms(w).sum(-2),
        "relative": lambda w: row_entropy(w) / math.log(w.shape[-1]),
        "perplexity": lambda w: row_entropy(w).exp(),
        "without-weights": lambda w: -w.masked_fill(w == 0, 1.0).log().sum(-1),
    },
}


# ---- temperature_curve

SAME = ("last", "before", "maximum-of-last")  # right along the last axis, or a duplicate
KEPT = ("share", "sigmoid", "exponential", "negated", "base-2")
# Wrong softmaxes that any function here can have, and those that are tried for one of them only.
FREQUENT: dict[str, dict[str, Callable[..., Tensor]]] = {
    "not-softmax": {how: one for how, one in SOFTMAXES["not-softmax"].items() if how in KEPT},
    "softmax-wrong-axis": {how: one for how, one in SOFTMAXES["softmax-wrong-axis"].items() if how not in SAME},
    "missing-softmax": SOFTMAXES["missing-softmax"],
    "hard-attention": SOFTMAXES["hard-attention"],
    "detached-graph": SOFTMAXES["detached-graph"],
}
RARE: dict[str, dict[str, Callable[..., Tensor]]] = {
    "not-softmax": {how: one for how, one in SOFTMAXES["not-softmax"].items() if how not in KEPT},
    "softmax-unstable": SOFTMAXES["softmax-unstable"],
    "silent-broadcast": SOFTMAXES["silent-broadcast"],
}

Scale = Callable[[Tensor, Tensor], Tensor]
Softmax = Callable[..., Tensor]


def _divided(scores: Tensor, temperatures: Tensor) -> Tensor:
    return scores / temperatures.view(-1, 1, 1, 1)


def _mean(weights: Tensor) -> Tensor:
    return row_entropy(weights).mean((1, 2))


def curve(scale: Scale = _divided, softmax: Softmax = torch.softmax, mean: Entropy = _mean) -> dict[str, Any]:
    """Build a temperature_curve with some parts replaced by wrong ones."""

    def temperature_curve(scores: Tensor, temperatures: Tensor) -> tuple[Tensor, Tensor]:
        weights = softmax(scale(scores, temperatures), dim=-1)
        return weights, mean(weights)

    return {"temperature_curve": temperature_curve}


def _after(softmax: Callable[[Tensor], tuple[Tensor, Tensor]]) -> dict[str, Any]:
    """Change what a right temperature_curve returns."""
    right = curve()["temperature_curve"]
    return {"temperature_curve": lambda scores, temperatures: softmax(right(scores, temperatures))}


SCALES: dict[str, dict[str, Scale]] = {
    "temperature-multiplies": {"": lambda s, k: s * k.view(-1, 1, 1, 1)},
    "argument-ignored": {"": lambda s, k: _divided(s, torch.ones_like(k)) + 0 * k.sum()},
    "wrong-scale": {
        "root": lambda s, k: _divided(s, k.sqrt()),
        "square": lambda s, k: _divided(s, k.square()),
        "width": lambda s, k: _divided(s, k) / s.shape[-1] ** 0.5,
    },
    "detached-graph": {
        "temperatures": lambda s, k: _divided(s, k.detach()),
        "scores": lambda s, k: _divided(s.detach(), k),
    },
    "ignores-batch": {"first": lambda s, k: _divided(s[:1].expand_as(s), k)},
    "softmax-unstable": {"clamped": lambda s, k: _divided(s, k).clamp(-50, 50)},
}
MEANS: dict[str, dict[str, Entropy]] = {
    "entropy-of-mean-row": {
        "": lambda w: row_entropy(w.mean((1, 2))),
        "of-sentences": lambda w: row_entropy(w.mean(2)).mean(1),
        "of-batch": lambda w: row_entropy(w.mean(1)).mean(1),
    },
    "entropy-summed": {
        "": lambda w: row_entropy(w).sum((1, 2)),
        "rows": lambda w: row_entropy(w).sum(2).mean(1),
        "sentences": lambda w: row_entropy(w).mean(2).sum(1),
    },
    "ignores-batch": {
        "entropy": lambda w: row_entropy(w[:, 0]).mean(1),
        "all": lambda w: row_entropy(w).mean().expand(len(w)),
    },
    "detached-graph": {"entropies": lambda w: _mean(w.detach())},
    "mean-not-sum": {"terms": lambda w: -_terms(w).mean((1, 2, 3))},
    "": {
        "relative": lambda w: _mean(w) / math.log(w.shape[-1]),
        "median": lambda w: row_entropy(w).flatten(1).median(1).values,
        "columns": lambda w: -_terms(w).sum(2).mean((1, 2)),
    },
}
VARIANTS = (
    *from_table(ENTROPIES, lambda one: {"row_entropy": one}, "entropy-{}"),
    *from_table(ALONE, lambda one: {"row_entropy": one}, "entropy-alone-{}"),
    *from_table(SCALES, lambda one: curve(scale=one), "curve-{}"),
    *from_table(MEANS, lambda one: curve(mean=one), "curve-{}"),
    *from_table(ENTROPIES, lambda one: curve(mean=lambda w: one(w).mean((1, 2))), "curve-own-{}"),
    *from_table({"returns-swapped": {"": lambda found: found[::-1]}}, _after, "curve-{}"),
    *from_table(FREQUENT, lambda one: curve(softmax=one), "curve-softmax-{}"),
    *from_table(RARE, lambda one: curve(softmax=one), "curve-softmax-{}"),
)
