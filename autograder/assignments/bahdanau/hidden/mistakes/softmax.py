"""Known mistakes of ``stable_softmax`` and ``softmax_vjp``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden import softmaxes
from autograder.assignments.kit.hidden.variant import Variant, from_table

Vjp = Callable[[Tensor, Tensor], Tensor]


def _inner(weights: Tensor, grad: Tensor) -> Tensor:
    return (weights * grad).sum(-1, keepdim=True)


def _but_last(grad: Tensor) -> Tensor:
    """Set the last entry of each row to 0."""
    return torch.cat([grad[..., :-1], 0 * grad[..., -1:]], -1)


def _all_columns_but_last(weights: Tensor, grad: Tensor) -> Tensor:
    """Add the columns of the Jacobian in a loop that ends one early. Raises RuntimeError where there is one only."""
    unit = torch.eye(weights.shape[-1], dtype=weights.dtype)
    rates = (weights * grad).unsqueeze(-2).unbind(-1)
    return torch.stack([rate * (one - weights) for rate, one in zip(rates[:-1], unit[:-1], strict=True)]).sum(0)


def _rows(of: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """Return ``of`` of all rows together. A vector is one row."""
    return lambda values: of(values.reshape(-1, values.shape[-1]))


VJPS: dict[str, dict[str, Vjp]] = {
    "vjp-diagonal-only": {
        "": lambda weights, grad: weights * (1 - weights) * grad,
        "without-gradient": lambda weights, grad: weights * (1 - weights) + 0 * grad,
    },
    "vjp-missing-mean": {
        "": lambda weights, grad: weights * grad,
        "plain": lambda weights, grad: weights * (grad - grad.mean(-1, keepdim=True)),
        "added": lambda weights, grad: weights * (grad + _inner(weights, grad)),
    },
    "vjp-missing-weight": {
        "": lambda weights, grad: grad - _inner(weights, grad),
        "log-softmax": lambda weights, grad: grad - weights * grad.sum(-1, keepdim=True),
    },
    "position-left-out": {
        "vjp": lambda weights, grad: weights * (_but_last(grad) - _inner(weights, _but_last(grad))),
        "vjp-inner": lambda weights, grad: weights * (grad - _inner(weights, _but_last(grad))),
        "vjp-loop": _all_columns_but_last,
    },
    "mean-not-sum": {"vjp": lambda weights, grad: weights * (grad - (weights * grad).mean(-1, keepdim=True))},
    "ignores-batch": {
        "vjp-sum-of-all": lambda weights, grad: weights * (grad - (weights * grad).sum()),
        "vjp-mean-of-rows": lambda weights, grad: weights * (grad - _rows(lambda x: x.sum(-1).mean())(weights * grad)),
        "vjp-first-inner": lambda weights, grad: weights * (grad - _rows(lambda x: x[0].sum())(weights * grad)),
        "vjp-first-weights": lambda weights, grad: _first(weights) * (grad - _inner(_first(weights), grad)),
    },
    "nan-at-zero-weight": {
        "divided": lambda weights, grad: weights * (weights * grad / weights - _inner(weights, grad))
    },
    "detached-graph": {"vjp-mean": lambda weights, grad: weights * (grad - _inner(weights, grad).detach())},
}


def _first(values: Tensor) -> Tensor:
    return _rows(lambda rows: rows[0])(values).expand_as(values)


def variants(names: Callable[[Callable[[Tensor], Tensor]], dict[str, Any]]) -> tuple[Variant, ...]:
    """Return the mistakes of both functions. ``names``: where else the softmax is used."""

    def softmax_of(softmax: softmaxes.Softmax) -> dict[str, Any]:
        return {"stable_softmax": softmax, **names(lambda scores: softmax(scores))}

    return (*softmaxes.variants(softmax_of), *from_table(VJPS, lambda vjp: {"softmax_vjp": vjp}))
