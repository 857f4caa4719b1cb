# Assignment 3: Self-attention
#
# Fill in every place marked "Your code here". The README beside this file explains each task.
# self_attention.ipynb is the same assignment as a notebook. Hand in the script or the notebook, not both.
# To check your work: attngrade check self_attention.py

import math

import torch
from torch import nn

# ---- 1. The basic idea, with a temperature


def self_attention(x, temperature=1.0):
    """Self-attention without projections: softmax(x x^T / temperature) x.

    Args:
        x: (B, T, d).
        temperature: a number > 0; the scores are divided by it.

    Returns:
        output (B, T, d) and weights (B, T, T).
    """
    # Your code here: return the output and the weights.
    raise NotImplementedError


# ---- 2. Queries, keys and values


def scaled_dot_product_attention(query, key, value, mask=None):
    """softmax(Q K^T / sqrt(d_k)) V, under a mask if one is given.

    Args:
        query: (..., T_q, d_k).
        key: (..., T_k, d_k).
        value: (..., T_k, d_v).
        mask: None, or bool broadcastable to (..., T_q, T_k), True where a key may be seen.

    Returns:
        output (..., T_q, d_v) and weights (..., T_q, T_k). Masked weights are exactly 0; a
        query that may see nothing gets weights and an output of 0, and no gradient is NaN.
    """
    # Your code here: return the output and the weights, with a mask and without.
    raise NotImplementedError


class SelfAttention(nn.Module):
    """One head: queries, keys and values are projections of the same sequence."""

    def __init__(self, d_model, d_k, d_v):
        """Make W_Q and W_K: d_model -> d_k, W_V: d_model -> d_v, all with ``bias=False``."""
        # Your code here: make the three layers.
        raise NotImplementedError

    def forward(self, x, mask=None):
        """Attend within (B, T, d_model), under a mask broadcastable to (B, T, T).

        Returns:
            output (B, T, d_v) and weights (B, T, T).
        """
        # Your code here: return the output and the weights of this head.
        raise NotImplementedError


# ---- 3. Several heads


class MultiHeadAttention(nn.Module):
    """Multi-head attention over ``num_heads`` slices of the model's width."""

    def __init__(self, d_model, num_heads):
        """Make W_Q, W_K, W_V and W_O: d_model -> d_model, all with ``bias=False``.

        Raises:
            ValueError: if ``num_heads`` does not divide ``d_model``.
        """
        # Your code here: make the four layers, or raise ValueError.
        raise NotImplementedError

    def split_heads(self, projected):
        """(B, T, d_model) -> (B, num_heads, T, d_h). A helper: change or drop it as you like."""
        # Your code here: return the same numbers, sorted by head.
        raise NotImplementedError

    def forward(self, query, key, value, mask=None):
        """Attend with every head at once.

        Args:
            query: (B, T_q, d_model).
            key, value: (B, T_k, d_model).
            mask: None, or bool of one to three axes, broadcastable to (B, T_q, T_k).

        Returns:
            output (B, T_q, d_model) and weights (B, num_heads, T_q, T_k).
        """
        # Your code here: return the output, and the weights of every head.
        raise NotImplementedError


# ---- 4. Where am I?


def sinusoidal_positions(length, dim):
    """Sinusoidal position vectors, positions counted from 0.

    Args:
        length: number of positions.
        dim: width, even.

    Returns:
        (length, dim) float32, correct within 1e-4 for up to 512 positions.
    """
    # Your code here: return the table of position vectors.
    raise NotImplementedError


# ---- 5. How sharp is a row of weights?


def attention_entropy(weights):
    """Entropy over the last axis, in nats, with 0 ln 0 = 0 and finite gradients there.

    Args:
        weights: (..., T), nonnegative.

    Returns:
        (...): one entropy for each row.
    """
    # Your code here: return the entropies.
    raise NotImplementedError
