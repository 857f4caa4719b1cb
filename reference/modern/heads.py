"""Rotary positions, grouped heads with a cache, and a block of a transformer."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def apply_rotary(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """Turn the pair of columns (i, i + d/2) at position m by m base^(-2i/d): (..., T, d), (T,) -> (..., T, d).

    Raises ValueError for an odd d. Su and others, "RoFormer", 2021, arXiv 2104.09864, equations (14) and (15), with the
    pairs of columns as in Llama. The angles are computed in float64, for positions are large.
    """
    width = x.shape[-1]
    if width % 2:
        raise ValueError(f"the width must be even, not {width}")
    exponents = -torch.arange(0, width, 2, dtype=torch.float64, device=x.device) / width
    angles = positions.to(torch.float64).unsqueeze(1) * base**exponents  # (T, d/2)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x.chunk(2, -1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


def grouped_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Causal attention of H query heads to G key heads: (B, H, T_q, d_k), (B, G, T_k, d_k), (B, G, T_k, d_v) ->
    (B, H, T_q, d_v). The queries are the last positions.

    Raises ValueError if G does not divide H, or if T_q > T_k. Ainslie and others, "GQA", EMNLP 2023, arXiv 2305.13245,
    section 2.2; one group is Shazeer 2019, arXiv 1911.02150, section 3.
    """
    heads, groups, queries, keys = query.shape[1], key.shape[1], query.shape[2], key.shape[2]
    if heads % groups:
        raise ValueError(f"{groups} groups do not divide {heads} heads")
    if queries > keys:
        raise ValueError(f"{queries} queries are more than {keys} keys")
    shared = query.reshape(len(query), groups, -1, *query.shape[2:]) / math.sqrt(
        query.shape[-1]
    )  # (B, G, H/G, T_q, d_k)
    scores = shared @ key.mT.unsqueeze(2)  # (B, G, H/G, T_q, T_k)
    later = torch.ones(queries, keys, dtype=torch.bool, device=query.device).triu(keys - queries + 1)
    weights = torch.softmax(scores.masked_fill(later, -torch.inf), -1)
    return (weights @ value.unsqueeze(2)).flatten(1, 2)


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(B, T, heads * d_h) -> (B, heads, T, d_h)."""
    return x.reshape(*x.shape[:2], heads, -1).transpose(1, 2)


def extend(
    x: Tensor, keys: Tensor, values: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor, W_O: Tensor, heads: int, groups: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Outputs at the new positions, and the longer cache: (B, T_n, d_model), (B, G, T_p, d_h) twice -> (B, T_n,
    d_model), (B, G, T_p + T_n, d_h) twice.

    The cache is that of Shazeer 2019, arXiv 1911.02150, section 2.4. Cached keys are rotated.
    """
    before, new = keys.shape[2], x.shape[1]
    positions = torch.arange(before, before + new, device=x.device)
    query = apply_rotary(split_heads(F.linear(x, W_Q), heads), positions)
    keys = torch.cat([keys, apply_rotary(split_heads(F.linear(x, W_K), groups), positions)], 2)
    values = torch.cat([values, split_heads(F.linear(x, W_V), groups)], 2)
    joined = grouped_attention(query, keys, values).transpose(1, 2).flatten(2)
    return F.linear(joined, W_O), keys, values
