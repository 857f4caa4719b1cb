"""Additive attention.

Bahdanau, Cho and Bengio, "Neural machine translation by jointly learning to align and
translate", ICLR 2015, arXiv 1409.0473.
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def stable_softmax(scores: Tensor, dim: int = -1) -> Tensor:
    """alpha_j = exp(e_j) / sum_k exp(e_k), section 3.1, equation (6).

    Each row's own maximum is subtracted first, which changes nothing and keeps exp in range.
    """
    return torch.softmax(scores, dim)


def softmax_vjp(weights: Tensor, grad_weights: Tensor) -> Tensor:
    """J^T g of alpha = softmax(e), with J = diag(alpha) - alpha alpha^T.

    d loss / d e_j = alpha_j (g_j - sum_k alpha_k g_k), for both arguments (..., T).
    """
    mean = (weights * grad_weights).sum(-1, keepdim=True)  # (..., 1)
    return weights * (grad_weights - mean)  # (..., T)


def additive_score(decoder_state: Tensor, encoder_states: Tensor, W_s: Tensor, W_h: Tensor, v: Tensor) -> Tensor:
    """e_j = v^T tanh(W_s s + W_h h_j), appendix A.1.2: (B, d_s), (B, T_s, d_h) -> (B, T_s)."""
    return additive_energy(F.linear(decoder_state, W_s), F.linear(encoder_states, W_h), v)


def additive_energy(query: Tensor, keys: Tensor, v: Tensor) -> Tensor:
    """v^T tanh(query + key_j) of projections made before: (B, A), (B, T_s, A), (1, A) -> (B, T_s)."""
    hidden = (query.unsqueeze(1) + keys).tanh_()  # (B, T_s, A), in place: this sum is our own
    return F.linear(hidden, v).squeeze(-1)  # (B, T_s)


def additive_attention(
    decoder_state: Tensor, encoder_states: Tensor, W_s: Tensor, W_h: Tensor, v: Tensor
) -> tuple[Tensor, Tensor]:
    """c = sum_j alpha_j h_j, section 3.1, equations (5) and (6)."""
    scores = additive_score(decoder_state, encoder_states, W_s, W_h, v)  # (B, T_s)
    weights = stable_softmax(scores)  # (B, T_s)
    return weighted_sum(weights, encoder_states), weights  # (B, d_h), (B, T_s)


def weighted_sum(weights: Tensor, states: Tensor) -> Tensor:
    """c = sum_j alpha_j h_j, equation (5): (B, T_s), (B, T_s, d) -> (B, d)."""
    return torch.bmm(weights.unsqueeze(1), states).squeeze(1)
