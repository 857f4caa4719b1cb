"""Wrong softmaxes, for every assignment: ``softmax(scores, dim=-1)``, one mistake each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant, from_table

Softmax = Callable[..., Tensor]
Vjp = Callable[[Tensor, Tensor, int], Tensor]  # weights, their gradient, dim -> gradient of the scores


def _along(axis: int) -> Softmax:
    return lambda scores, dim=-1: torch.softmax(scores, axis)


def _next_to(scores: Tensor, dim: int = -1) -> Tensor:
    return torch.softmax(scores, dim - 1 if dim % scores.dim() else 1)


def _whole(scores: Tensor, dim: int = -1) -> Tensor:
    return torch.softmax(scores.flatten(), 0).view(scores.shape)


def _share(scores: Tensor, dim: int) -> Tensor:
    return scores / scores.sum(dim, keepdim=True)


def _exponentials(scores: Tensor, dim: int) -> Tensor:
    return torch.exp(scores - scores.amax(dim, keepdim=True))


def _guarded(small: float) -> Softmax:
    """Return a softmax that adds too much to the sum."""

    def softmax(scores: Tensor, dim: int = -1) -> Tensor:
        exponentials = _exponentials(scores, dim)
        return exponentials / (exponentials.sum(dim, keepdim=True) + small)

    return softmax


def _hard(scores: Tensor, dim: int = -1) -> Tensor:
    return torch.zeros_like(scores).scatter(dim, scores.argmax(dim, keepdim=True), 1.0) + 0 * scores


class _Backward(torch.autograd.Function):
    """A right softmax with a wrong derivative."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, dim: int, vjp: Vjp) -> Tensor:
        ctx.vjp, ctx.weights, ctx.dim = vjp, torch.softmax(scores, dim), dim
        return ctx.weights.clone()  # type: ignore[no-any-return]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return ctx.vjp(ctx.weights, grad, ctx.dim), None, None


def _with_backward(vjp: Vjp) -> Softmax:
    return lambda scores, dim=-1: _Backward.apply(scores, dim, vjp)  # type: ignore[no-untyped-call]


BACKWARDS: dict[str, dict[str, Vjp]] = {
    "vjp-diagonal-only": {"backward": lambda w, grad, dim: w * (1 - w) * grad},
    "vjp-missing-mean": {
        "backward": lambda w, grad, dim: w * grad,
        "backward-sum": lambda w, grad, dim: w * (grad - grad.sum(dim, keepdim=True)),
        "backward-unweighted": lambda w, grad, dim: w * (grad - grad.mean(dim, keepdim=True)),
    },
    "mean-not-sum": {"backward": lambda w, grad, dim: w * (grad - (w * grad).mean(dim, keepdim=True))},
}


def guessed(scores: Tensor, keys: Tensor) -> Tensor:
    """Hide keys of zeros, as if they were padding: (..., T_t, T_s) scores, (..., T_s, d) keys."""
    return scores.masked_fill((keys == 0).all(-1).unsqueeze(-2), -1e9)


SOFTMAXES: dict[str, dict[str, Softmax]] = {
    **{cause: {how: _with_backward(vjp) for how, vjp in vjps.items()} for cause, vjps in BACKWARDS.items()},
    "softmax-wrong-axis": {
        "first": _along(0),
        "second": _along(1),
        "last": _along(-1),
        "next-to-last": _along(-2),
        "before": _next_to,
        "maximum-of-last": lambda scores, dim=-1: _share(torch.exp(scores - scores.amax(-1, keepdim=True)), dim),
        "whole": _whole,
    },
    "missing-softmax": {
        "": lambda scores, dim=-1: scores,
        "shifted": lambda scores, dim=-1: scores - scores.amax(dim, keepdim=True),
    },
    "not-softmax": {
        "share": lambda scores, dim=-1: _share(scores, dim),
        "absolute": lambda scores, dim=-1: _share(scores.abs(), dim),
        "square": lambda scores, dim=-1: _share(scores**2, dim),
        "relu": lambda scores, dim=-1: _share(torch.relu(scores), dim),
        "sigmoid": lambda scores, dim=-1: torch.sigmoid(scores),
        "sigmoid-share": lambda scores, dim=-1: _share(torch.sigmoid(scores), dim),
        "exponential": lambda scores, dim=-1: torch.exp(scores),
        "shifted-exponential": lambda scores, dim=-1: torch.exp(scores - scores.amax(dim, keepdim=True)),
        "log": lambda scores, dim=-1: torch.log_softmax(scores, dim),
        "length-of-exponentials": lambda scores, dim=-1: torch.nn.functional.normalize(
            _exponentials(scores, dim), dim=dim
        ),
        "guarded-share": lambda scores, dim=-1: scores / (scores.sum(dim, keepdim=True) + 1e-9),
        "guarded-relu": lambda scores, dim=-1: torch.relu(scores) / (torch.relu(scores).sum(dim, keepdim=True) + 1e-9),
        "length": lambda scores, dim=-1: torch.nn.functional.normalize(scores, dim=dim),
        "softplus": lambda scores, dim=-1: _share(torch.nn.functional.softplus(scores), dim),
        "base-2": lambda scores, dim=-1: _share(torch.exp2(scores), dim),
        "tanh": lambda scores, dim=-1: torch.tanh(scores),
        "range": lambda scores, dim=-1: (
            (scores - scores.amin(dim, keepdim=True))
            / (scores.amax(dim, keepdim=True) - scores.amin(dim, keepdim=True))
        ),
        "shifted-share": lambda scores, dim=-1: _share(scores - scores.amin(dim, keepdim=True), dim),
        "guarded-shifted-share": lambda scores, dim=-1: _share(scores - scores.amin(dim, keepdim=True) + 1e-8, dim),
        "mean": lambda scores, dim=-1: torch.softmax(scores, dim) * scores.shape[dim],
        "negated": lambda scores, dim=-1: torch.softmax(-scores, dim),
        "twice": lambda scores, dim=-1: torch.softmax(torch.softmax(scores, dim), dim),
    },
    "silent-broadcast": {  # without ``keepdim``
        "sum": lambda scores, dim=-1: (e := _exponentials(scores, dim)) / e.sum(dim),
        "maximum": lambda scores, dim=-1: _share(torch.exp(scores - scores.amax(dim)), dim),
    },
    "softmax-unstable": {
        "plain": lambda scores, dim=-1: _share(torch.exp(scores), dim),
        "first-score": lambda scores, dim=-1: _share(torch.exp(scores - scores.narrow(dim, 0, 1)), dim),
        "one-maximum": lambda scores, dim=-1: _share(torch.exp(scores - scores.max()), dim),
    },
    "epsilon-too-large": {f"{small:g}": _guarded(small) for small in (1e-2, 1e-3, 1e-4, 1e-5)},
    "hard-attention": {"": _hard},
    "detached-graph": {
        "sum": lambda scores, dim=-1: (
            _exponentials(scores, dim) / _exponentials(scores, dim).sum(dim, keepdim=True).detach()
        ),
        "exponentials": lambda scores, dim=-1: (
            _exponentials(scores, dim).detach() / _exponentials(scores, dim).sum(dim, keepdim=True)
        ),
    },
}
OF_LAST_AXIS = dict(SOFTMAXES)  # those that are wrong where the last axis is the right one
OF_LAST_AXIS["softmax-wrong-axis"] = {
    how: one for how, one in SOFTMAXES["softmax-wrong-axis"].items() if how not in ("last", "maximum-of-last")
}


def variants(names: Callable[[Softmax], dict[str, Any]]) -> tuple[Variant, ...]:
    """Return a variant for each wrong softmax. ``names``: where an assignment uses its softmax."""
    return from_table(SOFTMAXES, names, "softmax-{}")
