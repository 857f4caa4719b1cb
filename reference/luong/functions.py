"""Multiplicative attention, global and local.

Luong, Pham and Manning, "Effective approaches to attention-based neural machine
translation", EMNLP 2015, arXiv 1508.04025. The paper's h_t and h_s are our decoder
states s_t and encoder states h_j.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from reference.masking.functions import masked_softmax


def dot_score(decoder_states: Tensor, encoder_states: Tensor) -> Tensor:
    """s^T h, section 3.1: (B, T_t, d), (B, T_s, d) -> (B, T_t, T_s)."""
    return torch.bmm(decoder_states, encoder_states.mT)


def general_score(decoder_states: Tensor, encoder_states: Tensor, W_a: Tensor) -> Tensor:
    """s^T W_a h, section 3.1, with W_a (d_s, d_h)."""
    queries = decoder_states @ W_a  # (B, T_t, d_h)
    return torch.bmm(queries, encoder_states.mT)  # (B, T_t, T_s)


def concat_score(decoder_states: Tensor, encoder_states: Tensor, W_a: Tensor, v: Tensor) -> Tensor:
    """v^T tanh(W_a [s; h]), section 3.1, with W_a (A, d_s + d_h) and v (1, A).

    W_a [s; h] is the sum of two projections, so each state is projected once and not once a pair.
    """
    d_s = decoder_states.shape[-1]
    queries = F.linear(decoder_states, W_a[:, :d_s]).unsqueeze(2)  # (B, T_t, 1, A)
    keys = F.linear(encoder_states, W_a[:, d_s:]).unsqueeze(1)  # (B, 1, T_s, A)
    hidden = (queries + keys).tanh_()  # (B, T_t, T_s, A), in place: this sum is our own
    return F.linear(hidden, v).squeeze(-1)  # (B, T_t, T_s)


def attend(scores: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
    """a_t = softmax of the scores, section 3.1, equation (7); c_t = sum_j a_t(j) h_j."""
    weights = torch.softmax(scores, -1)  # (B, T_t, T_s)
    return torch.bmm(weights, encoder_states), weights  # (B, T_t, d_h), (B, T_t, T_s)


def attentional_hidden(context: Tensor, decoder_states: Tensor, W_c: Tensor) -> Tensor:
    """tanh(W_c [c_t; s_t]), section 3, equation (5), with W_c (d_s, d_h + d_s)."""
    both = torch.cat([context, decoder_states], -1)  # (..., d_h + d_s)
    return torch.tanh(F.linear(both, W_c))  # (..., d_s)


def local_weights(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    """align(s_t, h_j) exp(-(j - p)^2 / (2 sigma^2)), sigma = D / 2, section 3.2, equation (10).

    align is a softmax over the window |j - p| <= D; outside of it the weights are exactly 0.
    """
    positions = torch.arange(scores.shape[-1], dtype=scores.dtype, device=scores.device)  # (T_s,)
    offsets = positions - center.unsqueeze(-1)  # (B, T_s)
    inside = offsets.abs() <= half_width  # (B, T_s)
    offsets = offsets.masked_fill(~inside, 0)  # nothing far away, whose square could overflow
    gaussian = torch.exp(-2 * (offsets / half_width).square())  # (B, T_s)
    return masked_softmax(scores, inside) * gaussian  # (B, T_s)
