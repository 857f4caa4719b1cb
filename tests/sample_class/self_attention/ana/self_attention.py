"""Homework 3 - self-attention. Shapes in comments, letters as in the handout."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def self_attention(x: Tensor, temperature: float = 1.0) -> tuple[Tensor, Tensor]:
    weights = torch.softmax(torch.einsum("bid,bjd->bij", x, x) / temperature, dim=-1)
    return torch.einsum("bij,bjd->bid", weights, x), weights


def _masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    if mask is None:
        return torch.softmax(scores, dim=-1)
    mask = mask.expand_as(scores)
    # exponentiate only what may be seen; a row that sees nothing divides 0 by 1
    top = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).amax(dim=-1, keepdim=True)
    exponent = torch.where(mask, scores - top, torch.zeros_like(scores))
    numerator = exponent.exp() * mask
    denominator = numerator.sum(dim=-1, keepdim=True)
    return numerator / torch.where(denominator == 0, torch.ones_like(denominator), denominator)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    d_k = query.shape[-1]
    scores = torch.einsum("...id,...jd->...ij", query, key) / math.sqrt(d_k)
    weights = _masked_softmax(scores, mask)
    return torch.einsum("...ij,...jd->...id", weights, value), weights


class SelfAttention(nn.Module):
    def __init__(self, d_model: int, d_k: int, d_v: int) -> None:
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if num_heads <= 0 or d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.num_heads, self.d_h = num_heads, d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def _split(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        return x.reshape(b, t, self.num_heads, self.d_h).permute(0, 2, 1, 3)  # (B, H, T, d_h)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        q, k, v = self._split(self.W_Q(query)), self._split(self.W_K(key)), self._split(self.W_V(value))
        if mask is not None and mask.dim() == 3:
            mask = mask[:, None]
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        b, _, t, _ = heads.shape
        return self.W_O(heads.permute(0, 2, 1, 3).reshape(b, t, -1)), weights


def sinusoidal_positions(length: int, dim: int) -> Tensor:
    p = torch.arange(length, dtype=torch.float64)[:, None]
    frequency = torch.pow(10000.0, -torch.arange(0, dim, 2, dtype=torch.float64) / dim)[None]
    table = torch.empty(length, dim, dtype=torch.float64)
    table[:, 0::2] = torch.sin(p * frequency)
    table[:, 1::2] = torch.cos(p * frequency)
    return table.to(torch.float32)


def attention_entropy(weights: Tensor) -> Tensor:
    positive = weights > 0
    logs = torch.log(torch.where(positive, weights, torch.ones_like(weights)))
    return -(weights * logs).sum(dim=-1)
