# whole file: A streaming softmax, column by column; batch and positions share an axis; one product makes both projections.

from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor


def stable_softmax(scores: Tensor, dim: int = -1) -> Tensor:
    """One pass over the columns: the largest score so far and the sum of exponentials seen from it."""
    columns = scores.unbind(dim)
    top, total = columns[0], torch.ones_like(columns[0])
    for column in columns[1:]:
        new_top = torch.maximum(top, column)
        total = total * torch.exp(top - new_top) + torch.exp(column - new_top)
        top = new_top
    return torch.stack([torch.exp(column - top) / total for column in columns], dim=dim)


def softmax_vjp(weights: Tensor, grad_weights: Tensor) -> Tensor:
    """Row vector times column vector gives the weighted mean of the gradients."""
    row, column = weights.unsqueeze(-2), grad_weights.unsqueeze(-1)
    centred = grad_weights - (row @ column).squeeze(-1)
    return torch.mul(centred, weights)


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim: int, dec_dim: int, attn_dim: int) -> None:
        super(BahdanauAttention, self).__init__()
        sizes = {"W_s": (dec_dim, attn_dim), "W_h": (enc_dim, attn_dim), "v": (attn_dim, 1)}
        for name, (before, after) in sizes.items():
            setattr(self, name, nn.Linear(before, after, bias=False))

    def score(self, decoder_state: Tensor, encoder_states: Tensor) -> Tensor:
        batch, source = encoder_states.shape[:2]
        states = decoder_state.repeat_interleave(source, dim=0)  # (B * T_s, dec_dim)
        both = torch.cat([states, encoder_states.reshape(batch * source, -1)], dim=1)
        joint = torch.cat([self.W_s.weight, self.W_h.weight], dim=1)  # (attn_dim, dec_dim + enc_dim)
        hidden = torch.tanh(nn.functional.linear(both, joint))
        return self.v(hidden).view(batch, source)

    def forward(self, decoder_state: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
        weights = stable_softmax(self.score(decoder_state, encoder_states))
        context = torch.zeros_like(encoder_states[:, 0])
        for j, weight in enumerate(weights.unbind(1)):
            context = torch.addcmul(context, weight[:, None], encoder_states[:, j])
        return context, weights
