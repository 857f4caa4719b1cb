"""Attention in blocks, in windows and in patterns, with what it costs. Batch first; the scale is 1 / sqrt(d_k)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def project(encoder_states: Tensor, W_h: Tensor) -> Tensor:
    """W_h h_j for all positions: (B, T_s, enc_dim), (attn_dim, enc_dim) -> (B, T_s, attn_dim)."""
    return F.linear(encoder_states, W_h)


def projected_attention(
    decoder_states: Tensor, encoder_states: Tensor, projected: Tensor, W_s: Tensor, v: Tensor
) -> tuple[Tensor, Tensor]:
    """Contexts and weights of e_tj = v^T tanh(W_s s_t + p_j): (B, T_t, dec_dim), (B, T_s, enc_dim), (B, T_s, attn_dim)
    -> (B, T_t, enc_dim), (B, T_t, T_s). ``v`` is (1, attn_dim).

    Bahdanau, Cho and Bengio 2015, arXiv 1409.0473, appendix A.1.2: W_h h_j does not depend on t.
    """
    both = F.linear(decoder_states, W_s).unsqueeze(2) + projected.unsqueeze(1)  # (B, T_t, T_s, attn_dim)
    weights = torch.softmax(F.linear(both.tanh(), v).squeeze(3), -1)
    return torch.bmm(weights, encoder_states), weights


def streamed_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    """softmax(Q K^T / sqrt(d_k)) V without the table of scores: (B, T_q, d_k), (B, T_k, d_k), (B, T_k, d_v) ->
    (B, T_q, d_v). Raises ValueError for a block size below 1.

    Running maximum and sums: Milakov and Gimelshein 2018, "Online normalizer calculation for softmax", arXiv
    1805.02867, algorithm 3. Values: Rabe and Staats 2021, arXiv 2112.05682, section 2.
    """
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, not {block_size}")
    query = query / math.sqrt(query.shape[-1])
    largest, total, summed = None, None, None
    for keys, values in zip(torch.split(key, block_size, 1), torch.split(value, block_size, 1), strict=True):
        scores = torch.bmm(query, keys.mT)  # (B, T_q, block)
        here = scores.amax(2, keepdim=True).detach()  # (B, T_q, 1); any constant gives the same result
        new = here if largest is None else torch.maximum(largest, here)
        powers = torch.exp(scores - new)
        block_total, block_sum = powers.sum(2, keepdim=True), torch.bmm(powers, values)
        if largest is None or total is None or summed is None:
            total, summed = block_total, block_sum
        else:
            shrunk = torch.exp(largest - new)
            total, summed = total * shrunk + block_total, summed * shrunk + block_sum
        largest = new
    assert summed is not None
    assert total is not None
    return summed / total


def window_attention(query: Tensor, key: Tensor, value: Tensor, radius: int) -> Tensor:
    """Attention of each position to those at most ``radius`` away: (B, T, d_k), (B, T, d_k), (B, T, d_v) ->
    (B, T, d_v). Raises ValueError for a radius below 0.

    Beltagy, Peters and Cohan, "Longformer", 2020, arXiv 2004.05150, section 3.1, sliding window.
    """
    scores = window_scores(query, key, radius)
    return weighted_windows(torch.softmax(scores, -1), value)


def reach(length: int, radius: int) -> int:
    """The radius, and no more than there are positions. Raises ValueError below 0."""
    if radius < 0:
        raise ValueError(f"radius must be at least 0, not {radius}")
    return min(radius, length - 1)


def windows(x: Tensor, radius: int) -> Tensor:
    """The positions around each one, 0 beyond the edges: (B, T, d) -> (B, T, 2 radius + 1, d), a view of a copy."""
    return F.pad(x, (0, 0, radius, radius)).unfold(1, 2 * radius + 1, 1).mT


def window_scores(query: Tensor, key: Tensor, radius: int) -> Tensor:
    """Scores of each window, -inf beyond the edges: (B, T, d_k) twice -> (B, T, 2 r + 1)."""
    length = query.shape[1]
    radius = reach(length, radius)
    scores = torch.einsum("btd,btwd->btw", query / math.sqrt(query.shape[-1]), windows(key, radius))
    place = torch.arange(length, device=query.device)
    other = place.unsqueeze(1) + torch.arange(-radius, radius + 1, device=query.device)  # (T, 2 r + 1)
    return scores.masked_fill((other < 0) | (other >= length), -torch.inf)


def weighted_windows(weights: Tensor, value: Tensor) -> Tensor:
    """Sums over each window: (B, T, 2 r + 1), (B, T, d_v) -> (B, T, d_v)."""
    return torch.einsum("btw,btwd->btd", weights, windows(value, weights.shape[-1] // 2))


def sparse_attention(query: Tensor, key: Tensor, value: Tensor, radius: int, stride: int) -> Tensor:
    """Attention to the window and to the positions 0, stride, 2 stride...: shapes as in ``window_attention``.

    Raises ValueError for a radius below 0 or a stride below 1. Child, Gray, Radford and Sutskever, "Generating long
    sequences with sparse transformers", 2019, arXiv 1904.10509, section 4.2, the fixed pattern, without its mask.
    """
    near = window_scores(query, key, radius)  # first of all, for its error
    if stride < 1:
        raise ValueError(f"stride must be at least 1, not {stride}")
    some = key[:, ::stride], value[:, ::stride]
    far = torch.bmm(query / math.sqrt(query.shape[-1]), some[0].mT)  # (B, T, ceil(T / stride))
    place = torch.arange(query.shape[1], device=query.device)
    inside = (place.unsqueeze(1) - place[::stride]).abs() <= radius  # these are in the window already
    scores = torch.cat([near, far.masked_fill(inside, -torch.inf)], -1)
    weights = torch.softmax(scores, -1)
    of_near, of_far = torch.split(weights, [near.shape[-1], far.shape[-1]], -1)
    return weighted_windows(of_near, value) + torch.bmm(of_far, some[1])


def attention_costs(
    batch: int, heads: int, groups: int, queries: int, keys: int, head_dim: int, bytes_per_number: int = 4
) -> tuple[int, int, int]:
    """Operations of both products, bytes of all weights, and bytes of the cached keys and values.

    A product of an (m, k) and a (k, n) matrix has 2 m k n operations: Golub and Van Loan, section 1.1.15.
    """
    return (
        4 * batch * heads * queries * keys * head_dim,
        batch * heads * queries * keys * bytes_per_number,
        2 * batch * groups * keys * head_dim * bytes_per_number,
    )


def visible_pairs(length: int, radius: int, stride: int) -> int:
    """The number of pairs (i, j) with |i - j| <= radius or j % stride == 0.

    Every position has 2 r + 1 places in its window, less those beyond the edges: r (r + 1) in all. Positions that are
    multiples of the stride are seen by everybody. What their windows hold is subtracted.
    """
    r = min(radius, length - 1)
    window = length * (2 * r + 1) - r * (r + 1)
    seen = [min(j, r) + min(length - 1 - j, r) + 1 for j in range(0, length, stride)]  # by those in the window of j
    return window + len(seen) * length - sum(seen)
