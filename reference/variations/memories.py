"""Memories that are read and written, Luong's score with heads, and retrieval. Batch first."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def unit(x: Tensor) -> Tensor:
    """Vectors of length 1, and zeros where x is zeros, with a gradient of 0: (..., d) -> (..., d)."""
    squared = x.square().sum(-1, keepdim=True)
    blank = squared == 0
    return torch.where(blank, 0.0, x / torch.where(blank, 1.0, squared).sqrt())


def memory_address(memory: Tensor, key: Tensor, strength: Tensor) -> Tensor:
    """softmax_i(strength * cosine(key, memory_i)): (B, N, d), (B, d), (B,) -> (B, N).

    Graves, Wayne and Danihelka 2014, "Neural Turing machines", arXiv 1410.5401, equations (5) and (6).
    """
    cosine = torch.einsum("bnd,bd->bn", unit(memory), unit(key))
    return torch.softmax(strength.unsqueeze(1) * cosine, 1)


def memory_read(memory: Tensor, weights: Tensor) -> Tensor:
    """sum_i weights_i memory_i: (B, N, d), (B, N) -> (B, d).

    Graves, Wayne and Danihelka 2014, arXiv 1410.5401, equation (2).
    """
    return torch.einsum("bn,bnd->bd", weights, memory)


def memory_write(memory: Tensor, weights: Tensor, erase: Tensor, add: Tensor) -> Tensor:
    """memory_i * (1 - weights_i erase) + weights_i add: (B, N, d), (B, N), (B, d), (B, d) -> (B, N, d).

    Graves, Wayne and Danihelka 2014, arXiv 1410.5401, equations (3) and (4).
    """
    erased = torch.einsum("bn,bd->bnd", weights, erase)
    return memory - memory * erased + torch.einsum("bn,bd->bnd", weights, add)


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(B, T, heads * k) -> (B, heads, T, k)."""
    return torch.stack(x.chunk(heads, 2), 1)


def multi_head_luong(
    decoder_states: Tensor, encoder_states: Tensor, W_a: Tensor, W_o: Tensor, heads: int
) -> tuple[Tensor, Tensor]:
    """s^T W_a h with heads, without scale: (B, T_t, d), (B, T_s, e), (d, e), (e, e) -> (B, T_t, e), and weights
    (B, heads, T_t, T_s).

    Luong, Pham and Manning 2015, arXiv 1508.04025, equation (8), general; heads as in Vaswani and others 2017, arXiv
    1706.03762, section 3.2.2, but over columns of one projection.
    """
    scores = split_heads(decoder_states, heads) @ split_heads(F.linear(encoder_states, W_a), heads).mT
    weights = torch.softmax(scores, -1)
    contexts = weights @ split_heads(encoder_states, heads)  # (B, heads, T_t, e / heads)
    return F.linear(torch.cat(contexts.unbind(1), 2), W_o), weights


def top_k_retrieval(query: Tensor, keys: Tensor, values: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Attention to the k best keys, and their places from the best on: (B, T_q, d_k), (B, N, d_k), (B, N, d_v) ->
    (B, T_q, d_v), (B, T_q, k) int64. The scale is 1 / sqrt(d_k).

    Raises ValueError for a k below 1 or above N. Gupta and others 2021, "Memory-efficient transformers via top-k
    attention", arXiv 2106.06899, section 2.
    """
    if not 1 <= k <= keys.shape[1]:
        raise ValueError(f"k must be from 1 to {keys.shape[1]}, not {k}")
    scores = torch.bmm(query, keys.mT)  # (B, T_q, N)
    indices = scores.argsort(-1, descending=True)[..., :k]
    kept = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, indices, True)
    weights = torch.softmax((scores / math.sqrt(query.shape[-1])).masked_fill(~kept, -torch.inf), -1)
    return torch.bmm(weights, values), indices
