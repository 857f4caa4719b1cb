"""torch's own: vmap over heads, softmax, special.entr and polar; no ready-made attention."""

import torch
from torch import nn
from torch.nn import functional as F


def self_attention(x, temperature=1.0):
    """One sentence at a time, by vmap."""

    def one(sentence):
        weights = F.softmax(sentence @ sentence.T / temperature, dim=-1)
        return weights @ sentence, weights

    return torch.func.vmap(one)(x)


def scaled_dot_product_attention(query, key, value, mask=None):
    """Blank rows are opened for the softmax, and emptied after it."""
    scores = torch.einsum("...qd,...kd->...qk", query, key) * query.size(-1) ** -0.5
    if mask is None:
        weights = nn.Softmax(dim=-1)(scores)
    else:
        blank = torch.logical_not(mask.any(dim=-1, keepdim=True))
        opened = torch.where(mask | blank, scores, scores.new_tensor(-torch.inf))
        weights = torch.where(mask, F.softmax(opened, dim=-1), torch.zeros_like(scores))
    return torch.matmul(weights, value), weights


class SelfAttention(nn.Module):
    """One head; F.linear on the parameters."""

    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)

    def forward(self, x, mask=None):
        """One product for all three projections, then split."""
        layers = self.W_Q, self.W_K, self.W_V
        joined = F.linear(x, torch.cat([layer.weight for layer in layers]))
        return scaled_dot_product_attention(*joined.split([one.out_features for one in layers], dim=-1), mask)


class MultiHeadAttention(nn.Module):
    """One head, mapped over the second axis from the end."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        """-> (B, T_q, d_model), (B, num_heads, T_q, T_k)."""
        split = nn.Unflatten(-1, (self.num_heads, -1))
        attend = torch.func.vmap(scaled_dot_product_attention, in_dims=(2, 2, 2, None), out_dims=(2, 1))
        heads, weights = attend(split(self.W_Q(query)), split(self.W_K(key)), split(self.W_V(value)), mask)
        return self.W_O(heads.flatten(2)), weights


def sinusoidal_positions(length, dim):
    """Points on the unit circle; their imaginary parts come first."""
    angles = torch.outer(torch.arange(length).double(), torch.logspace(0, -4, dim // 2 + 1).double()[:-1])
    return torch.view_as_real(torch.polar(torch.ones_like(angles), angles)).flip(-1).flatten(1).float()


def attention_entropy(weights):
    """special.entr is right at 0, but its derivative there is infinite: 1 has the same entropy."""
    return torch.special.entr(weights.masked_fill(weights == 0, 1.0)).sum(dim=-1)
