"""What the wrong variants of ``self_attention`` are made of: each function and class out of replaceable parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from autograder.misconceptions.variant import Variant
from autograder.oracle import self_attention as right
from autograder.oracle.play import Weighted
from reference.self_attention import split_heads

Part = Callable[..., Any]
Attend = Callable[..., tuple[Tensor, Tensor]]
Table = Mapping[str, Mapping[str, Part]]  # cause -> how it is spelled -> the wrong part


def spelled(where: str, table: Table, names: Callable[[Part], dict[str, Any]]) -> Iterator[Variant]:
    """The variants of a table; ``names`` says where a part is used."""
    for cause, all_ in table.items():
        for how, part in all_.items():
            yield Variant(cause, f"{where}-{how}" if how else where, names(part))


def softmax(scores: Tensor, dim: int = -1) -> Tensor:
    """The right one."""
    return torch.softmax(scores, dim)


def masked_softmax(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """The right one: zeros, and no NaN in gradients either."""
    fill = torch.finfo(scores.dtype).min
    return torch.softmax(scores.masked_fill(~mask, fill), dim).masked_fill(~mask, 0.0)


def products(query: Tensor, key: Tensor) -> Tensor:
    """Scores that are not scaled."""
    return query @ key.mT


def scaled(query: Tensor, key: Tensor, *_: Tensor) -> Tensor:
    """The right scores."""
    return products(query, key) / math.sqrt(query.shape[-1])


def weighted(weights: Tensor, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """The right results."""
    return weights @ value, weights


def bare(
    scores: Part = lambda x, t: x @ x.mT / t,
    softmax: Part = softmax,
    results: Part = lambda weights, x: (weights @ x, weights),
    temperature: float = 1.0,
) -> Attend:
    """A self_attention in which parts are other than they must be."""

    def self_attention(x: Tensor, temperature: float = temperature) -> tuple[Tensor, Tensor]:
        found: tuple[Tensor, Tensor] = results(softmax(scores(x, temperature)), x)
        return found

    return self_attention


def attention(
    scores: Part = scaled, softmax: Part = softmax, masked: Part = masked_softmax, results: Part = weighted
) -> Attend:
    """A scaled_dot_product_attention in which parts are other than they must be."""

    def scaled_dot_product_attention(
        query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        made = scores(query, key, value)
        weights = softmax(made) if mask is None else masked(made, mask)
        found: tuple[Tensor, Tensor] = results(weights, query, key, value)
        return found

    return scaled_dot_product_attention


def _state(module: Weighted, letters: str) -> list[Tensor]:
    return [module.weights[f"W_{letter}.weight"] for letter in letters]


def one_head(
    attend: Attend = right.scaled_dot_product_attention,
    inputs: Part = lambda x, Q, K, V: (x @ Q.T, x @ K.T, x @ V.T),
    seen: Part = lambda mask: mask,
    results: Part = lambda output, weights, x: (output, weights),
) -> type[right.SelfAttention]:
    """A SelfAttention in which parts are other than they must be."""

    class SelfAttention(right.SelfAttention):
        def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
            mask = None if mask is None else seen(mask)
            found: tuple[Tensor, Tensor] = results(*attend(*inputs(x, *_state(self, "QKV")), mask), x)
            return found

    return SelfAttention


def project(
    query: Tensor, key: Tensor, value: Tensor, Q: Tensor, K: Tensor, V: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The right projections."""
    return query @ Q.T, key @ K.T, value @ V.T


def join(heads: Tensor) -> Tensor:
    """The right way from (B, h, T, d_h) to (B, T, h * d_h)."""
    return heads.transpose(1, 2).flatten(2)


def shared(mask: Tensor, *_: int) -> Tensor:
    """The right mask: the same for every head."""
    return mask.unsqueeze(1) if mask.dim() == 3 else mask


def many_heads(
    attend: Attend = right.scaled_dot_product_attention,
    inputs: Part = project,
    split: Part = split_heads,
    seen: Part = shared,
    join: Part = join,
    out: Part = lambda joined, O: joined @ O.T,
    results: Part = lambda output, weights, query: (output, weights),
) -> type[right.MultiHeadAttention]:
    """A MultiHeadAttention in which parts are other than they must be; ``seen`` is also told the numbers of
    sentences and of heads."""

    class MultiHeadAttention(right.MultiHeadAttention):
        def forward(
            self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
        ) -> tuple[Tensor, Tensor]:
            mask = None if mask is None else seen(mask, query.shape[0], self.num_heads)
            all_ = inputs(query, key, value, *_state(self, "QKV"))
            heads, weights = attend(*(split(one, self.num_heads) for one in all_), mask)
            output = out(join(heads), self.weights["W_O.weight"])
            found: tuple[Tensor, Tensor] = results(output, weights, query)
            return found

    return MultiHeadAttention


def everywhere(**parts: Part) -> dict[str, Any]:
    """A wrong scaled_dot_product_attention, and both classes with it."""
    attend = attention(**parts)
    return {
        "scaled_dot_product_attention": attend,
        "SelfAttention": one_head(attend),
        "MultiHeadAttention": many_heads(attend),
    }
