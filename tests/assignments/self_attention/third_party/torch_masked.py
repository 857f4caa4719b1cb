"""torch's own: masked.softmax, baddbmm, xlogy, nn.Embedding's table of positions; no ready-made attention."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def self_attention(x, temperature=1.0):
    """baddbmm with the scale inside."""
    empty = x.new_zeros(1, 1, 1)
    weights = torch.softmax(torch.baddbmm(empty, x, x.mT, beta=0, alpha=1 / temperature), dim=2)
    return torch.baddbmm(empty, weights, x, beta=0), weights


def scaled_dot_product_attention(query, key, value, mask=None):
    """torch.masked.softmax gives NaN to a row in which all is masked: such rows are opened first."""
    scores = torch.matmul(query / math.sqrt(query.size(-1)), key.mT)
    mask = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
    opened = mask | mask.logical_not().all(dim=-1, keepdim=True)
    weights = torch.masked.softmax(scores, -1, mask=opened).masked_fill(~mask, 0.0)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights


class SelfAttention(nn.Module):
    """One head."""

    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.LazyLinear(d_k, bias=False)
        self.W_K = nn.LazyLinear(d_k, bias=False)
        self.W_V = nn.LazyLinear(d_v, bias=False)
        self(torch.zeros(1, 1, d_model))  # makes the lazy layers' weights

    def forward(self, x, mask=None):
        """-> (B, T, d_v), (B, T, T)."""
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


class MultiHeadAttention(nn.Module):
    """Heads by chunks of the weights, which torch's chunk gives in order."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.num_heads = num_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            self.add_module(name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, query, key, value, mask=None):
        """-> (B, T_q, d_model), (B, num_heads, T_q, T_k)."""
        parts = zip(
            *(layer.weight.chunk(self.num_heads) for layer in (self.W_Q, self.W_K, self.W_V)), strict=True
        )
        pairs = [
            scaled_dot_product_attention(F.linear(query, q), F.linear(key, k), F.linear(value, v), mask)
            for q, k, v in parts
        ]
        heads, weights = zip(*pairs, strict=True)
        return self.W_O(torch.cat(heads, dim=-1)), torch.stack(weights, dim=1)


def sinusoidal_positions(length, dim):
    """A table that an Embedding looks up."""
    table = torch.empty(length, dim, dtype=torch.float64)
    angles = torch.arange(length).unsqueeze(1) * torch.exp(torch.arange(0, dim, 2) * (-math.log(1e4) / dim))
    torch.sin(angles, out=table[:, 0::2])
    torch.cos(angles, out=table[:, 1::2])
    return nn.Embedding.from_pretrained(table.float())(torch.arange(length))


def attention_entropy(weights):
    """xlogy is right at 0, but its derivative there is infinite: 1 has the same entropy."""
    safe = weights.where(weights > 0, torch.ones_like(weights))
    return torch.special.xlogy(safe, safe).sum(dim=-1).neg()
