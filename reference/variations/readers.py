"""Attention that reads in another way: several hops, both directions, an image, a pyramid of frames. Batch first."""

from __future__ import annotations

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor

from reference.variations.functions import real_rows


def multi_hop(query: Tensor, memory: Tensor, hops: int) -> tuple[Tensor, Tensor]:
    """m_k = sum_j softmax_j(m_{k-1} . memory_j) memory_j: (B, d), (B, T, d) -> (B, d), weights (B, hops, T).

    Raises ValueError for less than one hop. Weston, Chopra and Bordes 2015, "Memory networks", arXiv 1410.3916, section
    3.1, with the softmax of Sukhbaatar and others 2015, arXiv 1503.08895, section 2.1.
    """
    if hops < 1:
        raise ValueError(f"hops must be at least 1, not {hops}")
    found, weights = query, []
    for _ in range(hops):
        weights.append(torch.softmax(torch.einsum("bd,btd->bt", found, memory), -1))
        found = torch.einsum("bt,btd->bd", weights[-1], memory)
    return found, torch.stack(weights, 1)


def trilinear(context: Tensor, question: Tensor, w: Tensor) -> Tensor:
    """w [h_i; u_j; h_i * u_j]: (B, m, dim), (B, n, dim), (1, 3 dim) -> (B, m, n).

    Seo and others 2017, "Bidirectional attention flow", arXiv 1611.01603, section 2, equation (1), where it is alpha.
    """
    of_h, of_u, of_both = w[0].chunk(3)
    both = torch.bmm(context * of_both, question.mT)
    return (context @ of_h).unsqueeze(2) + (question @ of_u).unsqueeze(1) + both


def bidaf(scores: Tensor, context: Tensor, question: Tensor, context_mask: Tensor, question_mask: Tensor) -> Tensor:
    """[h; u~; h * u~; h * h~] of both directions, 0 at padding: (B, m, n), (B, m, dim), (B, n, dim), (B, m), (B, n) ->
    (B, m, 4 dim).

    Seo and others 2017, arXiv 1611.01603, section 2, attention flow layer, with masks.
    """
    scores = scores.masked_fill(~question_mask.unsqueeze(1), -torch.inf)
    asked = torch.bmm(torch.softmax(scores, 2), question)
    largest = scores.amax(2).masked_fill(~context_mask, -torch.inf)
    found = torch.einsum("bm,bmd->bd", torch.softmax(largest, 1), context).unsqueeze(1)
    joined = torch.cat([context, asked, context * asked, context * found], 2)
    return torch.where(context_mask.unsqueeze(2), joined, 0.0)


def spatial_attention(features: Tensor, state: Tensor, W_a: Tensor) -> tuple[Tensor, Tensor]:
    """Softmax of state . W_a v over all places: (B, c, H, W), (B, d), (d, c) -> context (B, c), weights (B, H, W).

    Xu and others 2015, "Show, attend and tell", arXiv 1502.03044, section 3.1.2, with Luong's general score.
    """
    scores = torch.einsum("bd,dc,bchw->bhw", state, W_a, features)
    weights = torch.softmax(scores.flatten(1), 1).reshape(scores.shape)
    return torch.einsum("bhw,bchw->bc", weights, features), weights


def join_pairs(frames: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Two frames side by side, 0 beyond each length: (B, T, d), (B,) -> (B, (T + 1) // 2, 2 d), (B,).

    Chan and others 2016, "Listen, attend and spell", arXiv 1508.01211, section 3.1.
    """
    real = real_rows(lengths, frames.shape[1]).unsqueeze(2)
    frames = F.pad(torch.where(real, frames, 0.0), (0, 0, 0, frames.shape[1] % 2))
    return torch.cat([frames[:, 0::2], frames[:, 1::2]], 2), (lengths + 1) // 2


def gated_states(x: Tensor, real: Tensor, weights: Mapping[str, Tensor], direction: str) -> Tensor:
    """A GRU from the zero state that steps only where ``real`` is True: (B, T, d), (B, T) -> (B, T, H).

    Cho and others 2014, arXiv 1406.1078, equations (5) to (8), in PyTorch's form: rows of the weights belong to r, z
    and n in this order, and r multiplies W_hn h + b_hn as a whole. ``direction``: "" or "_reverse".
    """
    w_ih, w_hh, b_ih, b_hh = (weights[f"{k}_l0{direction}"] for k in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
    h = x.new_zeros(len(x), w_hh.shape[1])
    states = []
    for from_x, here in zip(F.linear(x, w_ih, b_ih).unbind(1), real.unsqueeze(2).unbind(1), strict=True):
        (x_r, x_z, x_n), (h_r, h_z, h_n) = from_x.chunk(3, 1), F.linear(h, w_hh, b_hh).chunk(3, 1)
        r, z = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
        h = torch.where(here, (1 - z) * torch.tanh(x_n + r * h_n) + z * h, h)
        states.append(h)
    return torch.stack(states, 1)


def both_directions(x: Tensor, lengths: Tensor, weights: Mapping[str, Tensor]) -> Tensor:
    """[forward; backward] states, 0 from each length on: (B, T, d), (B,) -> (B, T, 2 H)."""
    real = real_rows(lengths, x.shape[1])
    forward = gated_states(x, real, weights, "")
    backward = gated_states(x.flip(1), real.flip(1), weights, "_reverse").flip(1)
    return torch.where(real.unsqueeze(2), torch.cat([forward, backward], 2), 0.0)
