"""Known mistakes of uniform_context and weight_of_dot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.variant import from_table

Context = Callable[[Tensor, Tensor], Tensor]  # states, right weights -> context
Weights = Callable[[Tensor], Tensor]


def _mean(states: Tensor, weights: Tensor) -> Tensor:
    return states.mean(1)


def _even(states: Tensor) -> Tensor:
    return torch.full_like(states[:, :, 0], 1 / states.shape[1])


def uniform(context: Context = _mean, weights: Weights = _even) -> dict[str, Any]:
    """Build a uniform_context with some parts replaced by wrong ones."""

    def uniform_context(states: Tensor) -> tuple[Tensor, Tensor]:
        return context(states, _even(states)), weights(states)

    return {"uniform_context": uniform_context}


def _ones(states: Tensor) -> Tensor:
    return torch.ones_like(states[:, :, 0])


def _one_row(states: Tensor) -> Tensor:
    return torch.full((states.shape[1],), 1 / states.shape[1], dtype=states.dtype)


BOTH: dict[str, dict[str, dict[str, Any]]] = {
    "sum-not-mean": {
        "": uniform(lambda h, a: h.sum(1), _ones),
        "context": uniform(lambda h, a: h.sum(1)),
        "weights": uniform(weights=_ones),
    },
    "returns-swapped": {"uniform": {"uniform_context": lambda states: (_even(states), states.mean(1))}},
    "mean-not-sum": {
        "uniform": uniform(lambda h, a: h.mean(1) / h.shape[1]),
        "uniform-sum": uniform(lambda h, a: h.mean(1) / h.shape[1], _ones),
    },
    "ignores-batch": {
        "uniform": uniform(lambda h, a: h.mean((0, 1)).expand(len(h), -1)),
        "uniform-first": uniform(lambda h, a: h[:1].mean(1).expand(len(h), -1)),
    },
    "detached-graph": {"uniform": uniform(lambda h, a: h.detach().mean(1))},
    "squeeze-drops-dim": {"uniform": uniform(lambda h, a: h.mean(1).squeeze(), lambda h: _even(h).squeeze())},
    "": {
        "uniform-of-batch": uniform(lambda h, a: h.mean(0)),
        "uniform-of-width": uniform(weights=lambda h: torch.full_like(h[:, :, 0], 1 / h.shape[2])),
        "uniform-by-width": uniform(lambda h, a: h.sum(1) / h.shape[2]),
        "uniform-last": uniform(lambda h, a: h[:, -1]),
        "uniform-first": uniform(lambda h, a: h[:, 0]),
        "uniform-maximum": uniform(lambda h, a: h.amax(1)),
        "uniform-one-row": uniform(weights=_one_row),
        "uniform-kept-axis": uniform(weights=lambda h: _even(h).unsqueeze(1)),
        "uniform-both-kept": uniform(lambda h, a: h.mean(1, keepdim=True)),
    },
}
IDENTITIES: dict[str, dict[str, Callable[[int], Tensor]]] = {
    "ones-not-identity": {"": lambda dim: torch.ones(dim, dim)},
    "": {
        "identity-scaled": lambda dim: torch.eye(dim) / dim,
        "identity-root": lambda dim: torch.eye(dim) / dim**0.5,
        "identity-zeros": lambda dim: torch.zeros(dim, dim),
        "identity-flipped": lambda dim: torch.eye(dim).flip(0),
        "identity-minus": lambda dim: -torch.eye(dim),
        "identity-triangle": lambda dim: torch.ones(dim, dim).tril(),
        "identity-vector": lambda dim: torch.ones(dim),
    },
}
VARIANTS = (*from_table(BOTH, lambda one: one, "{}"), *from_table(IDENTITIES, lambda one: {"weight_of_dot": one}, "{}"))
