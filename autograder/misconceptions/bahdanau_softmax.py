"""Known mistakes of ``stable_softmax`` and ``softmax_vjp``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.misconceptions import softmaxes
from autograder.misconceptions.variant import Variant

Vjp = Callable[[Tensor, Tensor], Tensor]


def _inner(weights: Tensor, grad: Tensor) -> Tensor:
    return (weights * grad).sum(-1, keepdim=True)


def _rows(of: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """What ``of`` makes of all rows, for each of them; a vector is one row."""
    return lambda values: of(values.reshape(-1, values.shape[-1]))


VJPS: dict[str, dict[str, Vjp]] = {
    "vjp-diagonal-only": {
        "": lambda weights, grad: weights * (1 - weights) * grad,
        "without-gradient": lambda weights, grad: weights * (1 - weights) + 0 * grad,
    },
    "vjp-missing-mean": {"": lambda weights, grad: weights * grad},
    "mean-not-sum": {
        "vjp": lambda weights, grad: weights * (grad - (weights * grad).mean(-1, keepdim=True)),
    },
    "ignores-batch": {
        "vjp-sum-of-all": lambda weights, grad: weights * (grad - (weights * grad).sum()),
        "vjp-mean-of-rows": lambda weights, grad: weights * (grad - _rows(lambda x: x.sum(-1).mean())(weights * grad)),
        "vjp-first-inner": lambda weights, grad: weights * (grad - _rows(lambda x: x[0].sum())(weights * grad)),
        "vjp-first-weights": lambda weights, grad: _first(weights) * (grad - _inner(_first(weights), grad)),
        "vjp-first-of-all": lambda weights, grad: _first(weights * (grad - _inner(weights, grad))),
    },
    "": {  # known, and without an id
        "vjp-total": lambda weights, grad: weights * (grad - grad.sum(-1, keepdim=True)),
        "vjp-bare-mean": lambda weights, grad: weights * (grad - grad.mean(-1, keepdim=True)),
        "vjp-negated": lambda weights, grad: weights * (_inner(weights, grad) - grad),
        "vjp-added": lambda weights, grad: weights * (grad + _inner(weights, grad)),
        "vjp-without-weights": lambda weights, grad: grad - _inner(weights, grad),
        "vjp-of-log": lambda weights, grad: grad - weights * grad.sum(-1, keepdim=True),
        "vjp-weights-once": lambda weights, grad: weights * grad - _inner(weights, grad),
        "vjp-weights-twice": lambda weights, grad: weights * grad - weights**2 * _inner(weights, grad),
        "vjp-outer-only": lambda weights, grad: -weights * _inner(weights, grad),
        "vjp-of-grad": lambda weights, grad: grad * (weights - _inner(weights, grad)),
    },
    "nan-at-zero-weight": {
        "divided": lambda weights, grad: weights * (weights * grad / weights - _inner(weights, grad)),
    },
    "silent-broadcast": {
        "vjp": lambda weights, grad: weights * (grad - (weights * grad).sum(-1)),
    },
    "hardcoded-answer": {
        "vjp-zeros": lambda weights, grad: torch.zeros_like(weights),
        "vjp-ones": lambda weights, grad: torch.ones_like(weights),
    },
    "detached-graph": {
        "vjp-mean": lambda weights, grad: weights * (grad - _inner(weights, grad).detach()),
        "vjp-weights-in-mean": lambda weights, grad: weights * (grad - _inner(weights.detach(), grad)),
        "vjp-difference": lambda weights, grad: weights * (grad - _inner(weights, grad)).detach(),
    },
}  # fmt: skip


def _first(values: Tensor) -> Tensor:
    return _rows(lambda rows: rows[0])(values).expand_as(values)


BACKWARDS = ("vjp-diagonal-only", "vjp-missing-mean", "mean-not-sum", "")


class _Backward(torch.autograd.Function):
    """A right softmax along the last axis with a derivative of its own."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, vjp: Vjp, dim: int = -1) -> Tensor:
        weights = torch.softmax(scores, dim)
        ctx.vjp, ctx.weights = vjp, weights
        return weights.clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return ctx.vjp(ctx.weights, grad), None, None


def _apply(scores: Tensor, vjp: Vjp, dim: int = -1) -> Tensor:
    weights: Tensor = _Backward.apply(scores, vjp, dim)  # type: ignore[no-untyped-call]
    return weights


def _with_backward(vjp: Vjp) -> softmaxes.Softmax:
    def softmax(scores: Tensor, dim: int = -1) -> Tensor:
        return _apply(scores.movedim(dim, -1), vjp).movedim(-1, dim)

    return softmax


def _along_last(scores: Tensor, dim: int = -1) -> Tensor:
    """Right along any axis, with a derivative along the last."""
    return _apply(scores, lambda weights, grad: weights * (grad - _inner(weights, grad)), dim)


def _exponentials(scores: Tensor, dim: int) -> Tensor:
    return torch.exp(scores - scores.amax(dim, keepdim=True))


def _broadcast(scores: Tensor, dim: int = -1, top: bool = True, total: bool = True) -> Tensor:
    """Without ``keepdim`` in the maximum, in the sum, or in both."""
    exponentials = torch.exp(scores - scores.amax(dim, keepdim=not top))
    return exponentials / exponentials.sum(dim, keepdim=not total)


def _with_epsilon(small: float) -> softmaxes.Softmax:
    def softmax(scores: Tensor, dim: int = -1) -> Tensor:
        exponentials = _exponentials(scores, dim)
        return exponentials / (exponentials.sum(dim, keepdim=True) + small)

    return softmax


def _rounded(decimals: int) -> softmaxes.Softmax:
    """The weights rounded, with the derivative of those that are not."""

    def softmax(scores: Tensor, dim: int = -1) -> Tensor:
        weights = torch.softmax(scores, dim)
        return weights + (weights.round(decimals=decimals) - weights).detach()

    return softmax


EPSILONS = (1.0, 1e-2, 1e-3, 1e-4, 1e-5)
SOFTMAXES: dict[str, dict[str, softmaxes.Softmax]] = {
    "hardcoded-answer": {"uniform": lambda scores, dim=-1: torch.softmax(0 * scores, dim)},
    "": {  # known, and without an id
        **{f"epsilon{small:g}": _with_epsilon(small) for small in EPSILONS},
        "rounded-2": _rounded(2), "rounded-3": _rounded(3), "rounded-4": _rounded(4),
        "half-derivative": lambda scores, dim=-1: torch.softmax((scores + scores.detach()) / 2, dim),
    },
    "silent-broadcast": {
        "sum": lambda scores, dim=-1: _broadcast(scores, dim, top=False),
        "maximum": lambda scores, dim=-1: _broadcast(scores, dim, total=False),
        "both": _broadcast,
    },
}  # fmt: skip


def variants(names: Callable[[Callable[[Tensor], Tensor]], dict[str, Any]]) -> tuple[Variant, ...]:
    """Of both functions; ``names`` says where else their softmax is used."""

    def softmax_of(softmax: softmaxes.Softmax) -> dict[str, Any]:
        return {"stable_softmax": softmax, **names(lambda scores: softmax(scores))}

    return (
        *softmaxes.variants(softmax_of),
        *(
            Variant(cause, f"of-{how}", softmax_of(softmax))
            for cause, all_ in SOFTMAXES.items() for how, softmax in all_.items()
        ),
        *(Variant(cause, how, {"softmax_vjp": one}) for cause, all_ in VJPS.items() for how, one in all_.items()),
        *(
            Variant(cause, f"backward-{how}", softmax_of(_with_backward(one)))
            for cause in BACKWARDS for how, one in VJPS[cause].items()
        ),
        Variant("", "backward-along-last", softmax_of(_along_last)),
    )  # fmt: skip
