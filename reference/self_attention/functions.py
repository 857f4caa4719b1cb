"""Scaled dot-product attention, alone and in several heads.

Vaswani et al., "Attention is all you need", NeurIPS 2017, arXiv 1706.03762.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from reference.masking.functions import masked_attention, product, scaled_scores


def self_attention(x: Tensor, temperature: float = 1.0) -> tuple[Tensor, Tensor]:
    """softmax(x x^T / temperature) x, without projections: (B, T, d) -> (B, T, d), (B, T, T)."""
    scores = torch.bmm(x / temperature, x.mT)  # (B, T, T)
    weights = torch.softmax(scores, -1)  # (B, T, T)
    return torch.bmm(weights, x), weights  # (B, T, d), (B, T, T)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """softmax(Q K^T / sqrt(d_k)) V, section 3.2.1, equation (1)."""
    if mask is not None:
        return masked_attention(query, key, value, mask)
    weights = torch.softmax(scaled_scores(query, key), -1)  # (..., T_q, T_k)
    return product(weights, value), weights  # (..., T_q, d_v), (..., T_q, T_k)


def projected_self_attention(
    x: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Attention of x W_Q, x W_K, x W_V, one head of section 3.2.2: (B, T, d) -> (B, T, d_v), (B, T, T)."""
    return scaled_dot_product_attention(F.linear(x, W_Q), F.linear(x, W_K), F.linear(x, W_V), mask)


def multi_head_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    W_Q: Tensor,
    W_K: Tensor,
    W_V: Tensor,
    W_O: Tensor,
    num_heads: int,
    mask: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Concat(head_1, ..., head_h) W_O, section 3.2.2, with a mask for (B, T_q, T_k) shared by the heads."""
    if mask is not None and mask.dim() == 3:
        mask = mask.unsqueeze(1)  # (B, 1, T_q, T_k)
    heads, weights = scaled_dot_product_attention(
        split_heads(F.linear(query, W_Q), num_heads),  # (B, h, T_q, d_h)
        split_heads(F.linear(key, W_K), num_heads),  # (B, h, T_k, d_h)
        split_heads(F.linear(value, W_V), num_heads),  # (B, h, T_k, d_h)
        mask,
    )  # (B, h, T_q, d_h), (B, h, T_q, T_k)
    joined = heads.transpose(1, 2).flatten(2)  # (B, T_q, h * d_h)
    return F.linear(joined, W_O), weights  # (B, T_q, d_model), (B, h, T_q, T_k)


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Head i takes columns i d_h to (i + 1) d_h: (B, T, h * d_h) -> (B, h, T, d_h)."""
    return x.reshape(*x.shape[:2], num_heads, -1).transpose(1, 2)


def sinusoidal_positions(length: int, dim: int) -> Tensor:
    """PE(p, 2i) = sin(p / 10000^(2i/dim)), PE(p, 2i + 1) = cos of the same, section 3.5.

    (length, dim) in float32, computed in float64.
    """
    position = torch.arange(length, dtype=torch.float64)  # (length,)
    exponent = torch.arange(0, dim, 2, dtype=torch.float64) / dim  # (dim / 2,)
    angle = torch.outer(position, 10000.0**-exponent)  # (length, dim / 2)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1).float()  # (length, dim)


def attention_entropy(weights: Tensor) -> Tensor:
    """H = -sum_j w_j ln w_j, in nats: (..., T) -> (...). Shannon 1948, section 6.

    The derivative -(ln w + 1) has no limit at w = 0, where 0 ln 0 = 0. A weight of exactly 0
    counts as the constant it is under a mask: value 0, gradient 0.
    """
    positive = weights.masked_fill(weights == 0, 1)  # 1 ln 1 = 0 too
    return -(positive * positive.log()).sum(-1)
