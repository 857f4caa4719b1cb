"""Assignment 3, self-attention.

Index letters used throughout: b batch, h head, q query position, k key position, d feature.
"""

from __future__ import annotations

import math
from typing import Optional, Tuple

import torch
from torch import Tensor, nn

Attended = Tuple[Tensor, Tensor]


def _softmax_over_keys(scores: Tensor, mask: Optional[Tensor]) -> Tensor:
    """Softmax over the last axis; rows that are masked altogether become zeros."""
    if mask is None:
        return scores.softmax(dim=-1)
    blocked = ~mask
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(blocked, lowest).softmax(dim=-1).masked_fill(blocked, 0)


def self_attention(x: Tensor, temperature: float = 1.0) -> Attended:
    weights = _softmax_over_keys(torch.einsum("bqd,bkd->bqk", x, x) / temperature, None)
    return torch.einsum("bqk,bkd->bqd", weights, x), weights


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None
) -> Attended:
    scores = torch.einsum("...qd,...kd->...qk", query, key) * query.shape[-1] ** -0.5
    weights = _softmax_over_keys(scores, mask)
    return torch.einsum("...qk,...kd->...qd", weights, value), weights


class SelfAttention(nn.Module):
    def __init__(self, d_model: int, d_k: int, d_v: int) -> None:
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)

    def forward(self, x: Tensor, mask: Optional[Tensor] = None) -> Attended:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


class MultiHeadAttention(nn.Module):
    """Same computation as nn.MultiheadAttention, without the biases and the dropout."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"{num_heads=} does not divide {d_model=}")
        self.num_heads = num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(4)
        )

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, -1))  # b t (h d) -> b t h d

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None
    ) -> Attended:
        q, k, v = self._split(self.W_Q(query)), self._split(self.W_K(key)), self._split(self.W_V(value))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(q.shape[-1])
        if mask is not None and mask.dim() == 3:
            mask = mask[:, None]  # give it a head axis
        weights = _softmax_over_keys(scores, mask)
        joined = torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(-2)
        return self.W_O(joined), weights


def sinusoidal_positions(length: int, dim: int) -> Tensor:
    position = torch.arange(length, dtype=torch.float64)
    frequency = 10000.0 ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    angle = torch.einsum("p,i->pi", position, frequency)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2).to(torch.float32)


def attention_entropy(weights: Tensor) -> Tensor:
    log_w = weights.masked_fill(weights == 0, 1.0).log()
    return -torch.einsum("...k,...k->...", weights, log_w)
