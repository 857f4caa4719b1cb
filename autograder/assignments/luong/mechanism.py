"""The dot product at its cheapest, to compare costs with where the references are not installed.

A worker of ``attngrade bench`` runs it as if it were a submission. It answers for one sentence and without gradients,
so it is no solution of the assignment.
"""

import torch
from torch import Tensor, nn


class LuongAttention(nn.Module):
    """Contract, section 2, with dot products only."""

    def __init__(self, enc_dim: int, dec_dim: int, method: str = "dot", attn_dim: int | None = None) -> None:
        super().__init__()

    @torch.no_grad()
    def forward(self, decoder_states: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
        """Return context and weights of one sentence."""
        (queries,), (states,) = decoder_states, encoder_states
        weights = (queries @ states.T).softmax(-1)
        return (weights @ states)[None], weights[None]
