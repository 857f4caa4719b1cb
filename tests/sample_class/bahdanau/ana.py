"""Homework 1 - additive attention.

Everything is vectorised; I use einsum because I find the index letters easier to read than
unsqueeze/squeeze chains (b = batch, t = source position, e/d/a = the three widths).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def stable_softmax(scores: Tensor, dim: int = -1) -> Tensor:
    """Shift every row by its own maximum, so the largest exponent is exp(0)."""
    row_max, _ = scores.max(dim=dim, keepdim=True)
    unnormalised = (scores - row_max).exp()
    return unnormalised.div(unnormalised.sum(dim=dim, keepdim=True))


def softmax_vjp(weights: Tensor, grad_weights: Tensor) -> Tensor:
    """dL/de_j = a_j * (g_j - sum_i a_i g_i)."""
    inner = torch.einsum("...t,...t->...", weights, grad_weights)
    return weights * (grad_weights - inner[..., None])


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim: int, dec_dim: int, attn_dim: int) -> None:
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_state: Tensor, encoder_states: Tensor) -> Tensor:
        query = torch.einsum("bd,ad->ba", decoder_state, self.W_s.weight)
        keys = torch.einsum("bte,ae->bta", encoder_states, self.W_h.weight)
        hidden = torch.tanh(query[:, None, :] + keys)
        return torch.einsum("bta,a->bt", hidden, self.v.weight[0])

    def forward(self, decoder_state: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
        weights = stable_softmax(self.score(decoder_state, encoder_states))
        context = torch.einsum("bt,bte->be", weights, encoder_states)
        return context, weights
