"""The functions and classes of ``self_attention``, built from replaceable parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant
from reference.self_attention import modules as right
from reference.self_attention.functions import split_heads
from reference.stand_in import ReferenceModule

Part = Callable[..., Any]
Attend = Callable[..., tuple[Tensor, Tensor]]
Table = Mapping[str, Mapping[str, Part]]  # cause -> how -> the wrong part


def spelled(where: str, table: Table, names: Callable[[Part], dict[str, Any]]) -> Iterator[Variant]:
    """Yield the variants of a table. ``names``: where a part is used."""
    for cause, all_ in table.items():
        for how, part in all_.items():
            yield Variant(cause, f"{where}-{how}" if how else where, names(part))


def softmax(scores: Tensor, dim: int = -1) -> Tensor:
    """Return the right softmax."""
    return torch.softmax(scores, dim)


def masked_softmax(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """Return the right masked softmax, without NaN in values and gradients."""
    fill = torch.finfo(scores.dtype).min
    return torch.softmax(scores.masked_fill(~mask, fill), dim).masked_fill(~mask, 0.0)


def products(query: Tensor, key: Tensor) -> Tensor:
    """Return scores without a scale."""
    return query @ key.mT


def scaled(query: Tensor, key: Tensor, *_: Tensor) -> Tensor:
    """Return the right scores."""
    return products(query, key) / math.sqrt(query.shape[-1])


def weighted(weights: Tensor, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Return the right results."""
    return weights @ value, weights


def bare(
    scores: Part = lambda x, t: x @ x.mT / t,
    softmax: Part = softmax,
    results: Part = lambda weights, x: (weights @ x, weights),
    temperature: float = 1.0,
) -> Attend:
    """Build a self_attention with some parts replaced by wrong ones."""

    def self_attention(x: Tensor, temperature: float = temperature) -> tuple[Tensor, Tensor]:
        found: tuple[Tensor, Tensor] = results(softmax(scores(x, temperature)), x)
        return found

    return self_attention


def attention(
    scores: Part = scaled, softmax: Part = softmax, masked: Part = masked_softmax, results: Part = weighted
) -> Attend:
    """Build a scaled_dot_product_attention with some parts replaced by wrong ones."""

    def scaled_dot_product_attention(
        query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        made = scores(query, key, value)
        weights = softmax(made) if mask is None else masked(made, mask)
        found: tuple[Tensor, Tensor] = results(weights, query, key, value)
        return found

    return scaled_dot_product_attention


def _state(module: ReferenceModule, letters: str) -> list[Tensor]:
    return [module.weights[f"W_{letter}.weight"] for letter in letters]


def one_head(
    attend: Attend = right.scaled_dot_product_attention,
    inputs: Part = lambda x, Q, K, V: (x @ Q.T, x @ K.T, x @ V.T),
    visible: Part = lambda mask: mask,
    results: Part = lambda output, weights: (output, weights),
) -> type[right.SelfAttention]:
    """Build a SelfAttention with some parts replaced by wrong ones."""

    class SelfAttention(right.SelfAttention):
        def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
            mask = None if mask is None else visible(mask)
            found: tuple[Tensor, Tensor] = results(*attend(*inputs(x, *_state(self, "QKV")), mask))
            return found

    return SelfAttention


def project(
    query: Tensor, key: Tensor, value: Tensor, Q: Tensor, K: Tensor, V: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the right projections."""
    return query @ Q.T, key @ K.T, value @ V.T


def join(heads: Tensor) -> Tensor:
    """Join heads correctly: (B, h, T, d_h) -> (B, T, h * d_h)."""
    return heads.transpose(1, 2).flatten(2)


def shared(mask: Tensor, *_: int) -> Tensor:
    """Return the right mask, the same for every head."""
    return mask.unsqueeze(1) if mask.dim() == 3 else mask


def many_heads(
    attend: Attend = right.scaled_dot_product_attention,
    inputs: Part = project,
    split: Part = split_heads,
    visible: Part = shared,
    join: Part = join,
    out: Part = lambda joined, O: joined @ O.T,
    results: Part = lambda output, weights: (output, weights),
) -> type[right.MultiHeadAttention]:
    """Build a MultiHeadAttention with some parts replaced by wrong ones. ``visible`` makes the mask; it also gets the
    numbers of sentences and heads."""

    class MultiHeadAttention(right.MultiHeadAttention):
        def forward(
            self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
        ) -> tuple[Tensor, Tensor]:
            mask = None if mask is None else visible(mask, query.shape[0], self.num_heads)
            all_ = inputs(query, key, value, *_state(self, "QKV"))
            heads, weights = attend(*(split(one, self.num_heads) for one in all_), mask)
            output = out(join(heads), self.weights["W_O.weight"])
            found: tuple[Tensor, Tensor] = results(output, weights)
            return found

    return MultiHeadAttention


def everywhere(**parts: Part) -> dict[str, Any]:
    """Build a wrong scaled_dot_product_attention, and both classes with it."""
    attend = attention(**parts)
    return {
        "scaled_dot_product_attention": attend,
        "SelfAttention": one_head(attend),
        "MultiHeadAttention": many_heads(attend),
    }
