"""Additive attention at its cheapest, to compare costs with where the references are not installed.

A worker of ``attngrade bench`` runs it as if it were a submission. It answers for one sentence, in place and without
gradients, so it is no solution of the assignment.
"""

import torch
from torch import Tensor, nn


class BahdanauAttention(nn.Module):
    """Contract, section 2."""

    def __init__(self, enc_dim: int, dec_dim: int, attn_dim: int) -> None:
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    @torch.no_grad()
    def forward(self, decoder_state: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
        """Return context and weights of one sentence."""
        (state,), (states,) = decoder_state, encoder_states
        hidden = (states @ self.W_h.weight.T).add_(self.W_s.weight @ state).tanh_()
        weights = (hidden @ self.v.weight[0]).softmax(0)
        return (weights @ states)[None], weights[None]
