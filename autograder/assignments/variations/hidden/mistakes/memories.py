"""Known mistakes of memories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant, from_table
from autograder.assignments.variations.hidden.mistakes.shared import OF_TWO_AXES, Part
from reference.variations.memories import unit

# ---- memories


def address(
    cosine: Part = lambda memory, key: (unit(memory) @ unit(key).unsqueeze(2)).squeeze(2),
    strengthen: Part = lambda scores, strength: scores * strength.unsqueeze(1),
    softmax: Part = torch.softmax,
) -> dict[str, Any]:
    """Build a memory_address with some parts replaced by wrong ones."""

    def memory_address(memory: Tensor, key: Tensor, strength: Tensor) -> Any:
        return softmax(strengthen(cosine(memory, key), strength), -1)

    return {"memory_address": memory_address}


def _dot(memory: Tensor, key: Tensor) -> Tensor:
    return (memory @ key.unsqueeze(2)).squeeze(2)


def _norms(memory: Tensor, key: Tensor) -> Tensor:
    product: Tensor = memory.norm(dim=-1) * key.norm(dim=-1, keepdim=True)
    return product


def _root(x: Tensor) -> Tensor:
    """Return lengths whose gradient is NaN at 0."""
    return x.square().sum(-1, keepdim=True).sqrt()


ADDRESSES: dict[str, dict[str, dict[str, Any]]] = {
    "dot-not-cosine": {
        "": address(_dot),
        "only-key": address(lambda memory, key: _dot(memory, unit(key))),
        "only-memory": address(lambda memory, key: _dot(unit(memory), key)),
        "scaled": address(lambda memory, key: _dot(memory, key) / key.shape[1] ** 0.5),
        "squared-norms": address(lambda memory, key: _dot(memory, key) / (_norms(memory, key) ** 2 + 1e-9)),
        "sums": address(
            lambda memory, key: _dot(memory, key) / (memory.abs().sum(-1) * key.abs().sum(-1, keepdim=True))
        ),
        "norm-of-all": address(lambda memory, key: _dot(memory, key) / (memory.norm() * key.norm() + 1e-9)),
    },
    "strength-missing": {
        "": address(strengthen=lambda scores, strength: scores),
        "added": address(strengthen=lambda scores, strength: scores + strength.unsqueeze(1)),
    },
    "strength-divides": {"": address(strengthen=lambda scores, strength: scores / strength.unsqueeze(1))},
    "nan-at-zero-row": {
        "": address(lambda memory, key: _dot(memory, key) / _norms(memory, key)),
        "each": address(lambda memory, key: _dot(memory / _root(memory), key / _root(key))),
        "gradient": address(lambda memory, key: _dot(memory / (_root(memory) + 1e-9), key / (_root(key) + 1e-9))),
        "cleaned": address(lambda memory, key: (_dot(memory, key) / _norms(memory, key)).nan_to_num(0.0)),
    },
    "ignores-batch": {
        "key": address(lambda memory, key: unit(memory) @ unit(key[0])),
        "strength": address(strengthen=lambda scores, strength: scores * strength[0]),
    },
    "": {
        "distance": address(lambda memory, key: -(memory - key.unsqueeze(1)).norm(dim=-1)),
        "absolute": address(lambda memory, key: _dot(unit(memory), unit(key)).abs()),
        "after-softmax": address(
            strengthen=lambda scores, strength: torch.softmax(scores, -1) * strength.unsqueeze(1),
            softmax=lambda x, dim: x,
        ),
        "power": address(
            strengthen=lambda scores, strength: torch.softmax(scores, -1) ** strength.unsqueeze(1),
            softmax=lambda x, dim: x,
        ),
        "norms-along-rows": address(lambda memory, key: _dot(F.normalize(memory, dim=1), unit(key))),
        "large-guard": address(lambda memory, key: _dot(memory, key) / (_norms(memory, key) + 1e-2)),
    },
}


def read(function: Part = lambda memory, weights: (weights.unsqueeze(1) @ memory).squeeze(1)) -> dict[str, Any]:
    """Build a memory_read."""
    return {"memory_read": lambda memory, weights: function(memory, weights)}


READS: dict[str, dict[str, Part]] = {
    "mean-not-sum": {"": lambda memory, weights: (weights.unsqueeze(2) * memory).mean(1)},
    "ignores-batch": {
        "": lambda memory, weights: weights @ memory[0],
        "weights": lambda memory, weights: weights[0] @ memory,
        "sum": lambda memory, weights: torch.einsum("bn,cnd->bd", weights, memory),
        "mean": lambda memory, weights: weights @ memory.mean(0),
    },
    "sum-wrong-axis": {"": lambda memory, weights: (weights.unsqueeze(2) * memory).sum(2)},
    "hard-attention": {"": lambda memory, weights: memory[torch.arange(len(memory)), weights.argmax(1)]},
    "hardcoded-answer": {"mean": lambda memory, weights: memory.mean(1) + 0 * weights.sum()},
    "detached-graph": {
        "weights": lambda memory, weights: (weights.detach().unsqueeze(1) @ memory).squeeze(1),
        "memory": lambda memory, weights: (weights.unsqueeze(1) @ memory.detach()).squeeze(1),
    },
    "": {
        "not-weighed": lambda memory, weights: memory.sum(1) + 0 * weights.sum(),
        "softmax-again": lambda memory, weights: (torch.softmax(weights, 1).unsqueeze(1) @ memory).squeeze(1),
    },
}


def write(function: Part = lambda m, w, e, a: m * (1 - w * e) + w * a) -> dict[str, Any]:
    """Build a memory_write. ``function`` gets the weights as (B, N, 1), and both vectors as (B, 1, d)."""

    def memory_write(memory: Tensor, weights: Tensor, erase: Tensor, add: Tensor) -> Any:
        return function(memory, weights.unsqueeze(2), erase.unsqueeze(1), add.unsqueeze(1))

    return {"memory_write": memory_write}


WRITES: dict[str, dict[str, Part]] = {
    "erase-after-add": {"": lambda m, w, e, a: (m + w * a) * (1 - w * e)},
    "erase-missing": {"": lambda m, w, e, a: m + w * a + 0 * e},
    "add-missing": {"": lambda m, w, e, a: m * (1 - w * e) + 0 * a},
    "write-unweighted": {
        "": lambda m, w, e, a: m * (1 - e) + a + 0 * w,
        "erase": lambda m, w, e, a: m * (1 - e) + w * a,
        "add": lambda m, w, e, a: m * (1 - w * e) + a,
    },
    "ignores-batch": {
        "write-weights": lambda m, w, e, a: m * (1 - w[:1] * e) + w[:1] * a,
        "write-add": lambda m, w, e, a: m * (1 - w * e) + w * a[:1],
        "write-erase": lambda m, w, e, a: m * (1 - w * e[:1]) + w * a,
    },
    "detached-graph": {
        "write-erase": lambda m, w, e, a: m * (1 - w * e).detach() + w * a,
        "write-memory": lambda m, w, e, a: m.detach() * (1 - w * e) + w * a,
        "write-add": lambda m, w, e, a: m * (1 - w * e) + (w * a).detach(),
    },
    "": {
        "subtracted": lambda m, w, e, a: m - w * e + w * a,
        "kept": lambda m, w, e, a: m * w * e + w * a,
        "share": lambda m, w, e, a: m * (1 - w) * (1 - e) + w * a,
        "moved": lambda m, w, e, a: m * (1 - w) + w * a + 0 * e,
        "swapped": lambda m, w, e, a: m * (1 - w * a) + w * e,
        "erase-negated": lambda m, w, e, a: m * (1 + w * e) + w * a,
        "add-negated": lambda m, w, e, a: m * (1 - w * e) - w * a,
        "power": lambda m, w, e, a: m * (1 - e) ** w + w * a,
    },
}


def _variants() -> Iterator[Variant]:
    yield from from_table(ADDRESSES, lambda one: one, "address-{}")
    yield from from_table(OF_TWO_AXES, lambda one: address(softmax=one), "address-softmax-{}")
    yield from from_table(READS, read, "read-{}")
    yield from from_table(WRITES, write, "write-{}")


VARIANTS = tuple(_variants())
