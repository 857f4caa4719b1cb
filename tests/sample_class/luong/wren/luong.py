"""Luong attention. I split the three scores into three little functions."""

import math

import torch
from torch import nn


def dot_score(s, h):
    return torch.matmul(s, h.transpose(-1, -2))


def general_score(s, h, w_a):
    return dot_score(s, w_a(h))


def concat_score(s, h, w_a, v):
    # one target position after the other, the source positions at once
    columns = []
    for step in s.unbind(1):
        repeated = step[:, None, :].repeat(1, h.size(1), 1)
        columns.append(v(w_a(torch.cat([repeated, h], -1)).tanh())[..., 0])
    return torch.stack(columns, 1)


class LuongAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, method="dot", attn_dim=None):
        super().__init__()
        self.method = method
        match method:
            case "dot":
                if enc_dim != dec_dim:
                    raise ValueError(f"{enc_dim} != {dec_dim}")
            case "general":
                self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
            case "concat":
                if attn_dim is None:
                    raise ValueError("attn_dim is None")
                self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
                self.v = nn.Linear(attn_dim, 1, bias=False)
            case _:
                raise ValueError(method)

    def score(self, decoder_states, encoder_states):
        if self.method == "dot":
            return dot_score(decoder_states, encoder_states)
        if self.method == "general":
            return general_score(decoder_states, encoder_states, self.W_a)
        return concat_score(decoder_states, encoder_states, self.W_a, self.v)

    def forward(self, decoder_states, encoder_states):
        weights = nn.functional.softmax(self.score(decoder_states, encoder_states), dim=2)
        return torch.matmul(weights, encoder_states), weights


class AttentionalHidden(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context, decoder_states):
        return self.W_c(torch.cat([context, decoder_states], 2)).tanh()


def local_weights(scores, center, half_width):
    """softmax inside the window by hand, so that empty windows need no special case."""
    sigma = half_width / 2
    d = torch.arange(scores.size(1), device=scores.device) - center.unsqueeze(1)
    window = (d.abs() <= half_width).to(scores.dtype)
    lowest = scores.masked_fill(window == 0, -math.inf).amax(1, keepdim=True)
    lowest = lowest.masked_fill(lowest.isinf(), 0.0).detach()
    # outside the window the exponent is clamped, otherwise inf * 0
    e = torch.exp((scores - lowest).clamp(max=0)) * window
    total = e.sum(1, keepdim=True)
    total = total + (total == 0)
    return e / total * torch.exp(-d**2 / (2 * sigma**2))
