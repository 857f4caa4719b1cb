"""Rows with nothing to see are opened first and zeroed at the end."""

import math

import torch
from torch import nn


def self_attention(x, temperature=1.0):
    """Self-attention without projections: softmax(x x^T / temperature) x.

    Args:
        x: (B, T, d).
        temperature: a number > 0; the scores are divided by it.

    Returns:
        output (B, T, d) and weights (B, T, T).
    """
    scores = x @ x.transpose(-2, -1)
    weights = torch.softmax(scores / temperature, dim=-1)
    return weights @ x, weights


def scaled_dot_product_attention(query, key, value, mask=None):
    """softmax(Q K^T / sqrt(d_k)) V, under a mask when one is given.

    Args:
        query: (..., T_q, d_k).
        key: (..., T_k, d_k).
        value: (..., T_k, d_v).
        mask: None, or bool broadcastable to (..., T_q, T_k), True where a key may be seen.

    Returns:
        output (..., T_q, d_v) and weights (..., T_q, T_k). Masked weights are exactly 0; a
        query that may see nothing gets weights and an output of 0, and no gradient is NaN.
    """
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        empty = ~mask.any(dim=-1, keepdim=True)
        hidden = scores.masked_fill(~(mask | empty), float("-inf"))
        weights = torch.softmax(hidden, dim=-1).masked_fill(empty, 0.0)
    return weights @ value, weights


class SelfAttention(nn.Module):
    """One head: queries, keys and values are projections of the same sequence."""

    def __init__(self, d_model, d_k, d_v):
        """Make W_Q and W_K: d_model -> d_k, W_V: d_model -> d_v, all with ``bias=False``."""
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)

    def forward(self, x, mask=None):
        """Attend within (B, T, d_model), under a mask broadcastable to (B, T, T).

        Returns:
            output (B, T, d_v) and weights (B, T, T).
        """
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


class MultiHeadAttention(nn.Module):
    """Multi-head attention over ``num_heads`` slices of the model's width."""

    def __init__(self, d_model, num_heads):
        """Make W_Q, W_K, W_V and W_O: d_model -> d_model, all with ``bias=False``.

        Raises:
            ValueError: when ``num_heads`` does not divide ``d_model``.
        """
        super().__init__()
        if num_heads < 1 or d_model % num_heads != 0:
            raise ValueError(f"{num_heads} heads cannot share {d_model} columns evenly")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def split_heads(self, projected):
        """(B, T, d_model) -> (B, num_heads, T, d_h). A helper: change or drop it as you like."""
        return projected.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        """Attend with every head at once.

        Args:
            query: (B, T_q, d_model).
            key, value: (B, T_k, d_model).
            mask: None, or bool of one to three axes, broadcastable to (B, T_q, T_k).

        Returns:
            output (B, T_q, d_model) and weights (B, num_heads, T_q, T_k).
        """
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # (B, 1, T_q, T_k): the same for every head
        heads, weights = scaled_dot_product_attention(
            self.split_heads(self.W_Q(query)),
            self.split_heads(self.W_K(key)),
            self.split_heads(self.W_V(value)),
            mask,
        )
        joined = heads.transpose(1, 2).flatten(2)  # (B, T_q, d_model)
        return self.W_O(joined), weights


def sinusoidal_positions(length, dim):
    """Sinusoidal position vectors, positions counted from 0.

    Args:
        length: number of positions.
        dim: width, even.

    Returns:
        (length, dim) float32, right within 1e-4 for up to 512 positions.
    """
    position = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    exponent = torch.arange(0, dim, 2, dtype=torch.float64) / dim
    angle = position / 10000.0**exponent  # (length, dim / 2)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).float()


def attention_entropy(weights):
    """Entropy over the last axis, in nats, with 0 ln 0 = 0 and finite gradients there.

    Args:
        weights: (..., T), nonnegative.

    Returns:
        (...): one entropy for each row.
    """
    safe = weights.masked_fill(weights == 0, 1.0)
    return -(weights * safe.log()).sum(dim=-1)


if __name__ == "__main__":
    torch.manual_seed(0)
    words = torch.randn(1, 8, 16)
    for temperature in (0.1, 0.5, 1.0, 2.0, 5.0):
        _, weights = self_attention(words, temperature)
        print(temperature, attention_entropy(weights).mean().item())
