# Assignment 8: Attention as it runs today
#
# Fill in every place marked "Your code here". The README beside this file explains each task.
# modern.ipynb is the same assignment as a notebook. Hand in the script or the notebook, not both.
# To check your work: attngrade check modern.py

import math

import torch
from torch import nn
from torch.nn import functional as F

# ---- 1. Compute once what does not change


class ProjectedAttention(nn.Module):
    """Additive attention whose encoder term is computed once.

    Parameters: W_s, nn.Linear(dec_dim, attn_dim); W_h, nn.Linear(enc_dim, attn_dim); v, nn.Linear(attn_dim, 1).
    All have bias=False.
    """

    def __init__(self, enc_dim, dec_dim, attn_dim):
        """Make the three layers."""
        super().__init__()
        # Your code here: make the three layers.
        raise NotImplementedError

    def project(self, encoder_states):
        """W_h h_j of every position: (B, T_s, enc_dim) -> (B, T_s, attn_dim)."""
        # Your code here: return the projections.
        raise NotImplementedError

    def step(self, decoder_state, encoder_states, projected):
        """One decoder step, with scores from ``projected``, whatever it holds.

        Args:
            decoder_state: (B, dec_dim).
            encoder_states: (B, T_s, enc_dim).
            projected: (B, T_s, attn_dim). W_h is not used here.

        Returns:
            context (B, enc_dim), the weighted sum of encoder_states; and weights (B, T_s).
        """
        # Your code here: return the context and the weights.
        raise NotImplementedError

    def forward(self, decoder_states, encoder_states):
        """All steps at once: without a loop over t or over the batch.

        Args:
            decoder_states: (B, T_t, dec_dim).
            encoder_states: (B, T_s, enc_dim).

        Returns:
            context (B, T_t, enc_dim) and weights (B, T_t, T_s), equal to those of step for each t.
        """
        # Your code here: return all contexts and weights.
        raise NotImplementedError


# ---- 2. The same numbers without the table


def streamed_attention(query, key, value, block_size):
    """softmax(Q K^T / sqrt(d_k)) V, over blocks of keys.

    Args:
        query: (B, T_q, d_k).
        key: (B, T_k, d_k).
        value: (B, T_k, d_v).
        block_size: number of keys in a block; it need not divide T_k and may be larger. Below 1: ValueError.

    Returns:
        (B, T_q, d_v). Beside inputs and result, the memory is of the order of B * T_q * (block_size + d_v).
    """
    # Your code here: return the result of the running softmax.
    raise NotImplementedError


# ---- 3. Look at less


def window_attention(query, key, value, radius):
    """Attention of each position to those at most ``radius`` away.

    Args:
        query, key: (B, T, d_k).
        value: (B, T, d_v).
        radius: may be 0, or larger than T. Below 0: ValueError.

    Returns:
        (B, T, d_v). Time and memory grow like T * radius, not like T * T.
    """
    # Your code here: return the result.
    raise NotImplementedError


def window_places(length, radius, device):
    """The positions in each window: (T, W) int64, and which of them exist: (T, W) bool; a helper."""
    # Your code here: return the positions, and whether they exist.
    raise NotImplementedError


def sparse_attention(query, key, value, radius, stride):
    """Attention to the window and to every ``stride``-th position, counted from 0. Each position counts once.

    Args:
        query, key: (B, T, d_k).
        value: (B, T, d_v).
        radius: as in window_attention. Below 0: ValueError.
        stride: 1 or more. Below 1: ValueError.

    Returns:
        (B, T, d_v). Time and memory grow like T * (radius + T / stride).
    """
    # Your code here: return the result.
    raise NotImplementedError


# ---- 4. Positions by turning


def apply_rotary(x, positions, base=10000.0):
    """Turn each pair of columns by an angle that depends on the position.

    Args:
        x: (..., T, d). An odd d: ValueError.
        positions: (T,) int64, in any order.
        base: the b in the angle m * b^(-2i/d) of pair i at position m.

    Returns:
        (..., T, d), in the dtype of x: y_i = x_i cos - x_{i+d/2} sin, y_{i+d/2} = x_{i+d/2} cos + x_i sin.
    """
    # Your code here: return the turned columns.
    raise NotImplementedError


# ---- 5. Heads that share keys


def grouped_attention(query, key, value):
    """Causal attention in which several query heads share a key head.

    Args:
        query: (B, H, T_q, d_k), the last T_q of T_k positions. T_q > T_k: ValueError.
        key: (B, G, T_k, d_k). If G does not divide H: ValueError.
        value: (B, G, T_k, d_v).

    Returns:
        (B, H, T_q, d_v). Query head h reads key head h // (H / G), and query i sees the keys j <= T_k - T_q + i.
    """
    # Your code here: return the result.
    raise NotImplementedError


class GroupedQueryAttention(nn.Module):
    """Causal attention with rotary positions, shared key heads and a cache.

    Parameters: W_Q and W_O, nn.Linear(d_model, d_model); W_K and W_V, nn.Linear(d_model, num_groups * d_h), with
    d_h = d_model / num_heads. All have bias=False.

    ValueError if num_heads does not divide d_model, if num_groups does not divide num_heads, or if d_h is odd.
    """

    def __init__(self, d_model, num_heads, num_groups):
        """Check the sizes, and make the four layers."""
        super().__init__()
        # Your code here: check the sizes and make the four layers.
        raise NotImplementedError

    def forward(self, x):
        """The whole sentence at the positions 0 to T-1: (B, T, d_model) -> (B, T, d_model).

        Head h is the columns h*d_h to (h+1)*d_h of its projection. Queries and keys are rotated, values are not.
        """
        # Your code here: return the output.
        raise NotImplementedError

    def extend(self, x, keys, values):
        """More words after those in the cache.

        Args:
            x: (B, T_n, d_model), at the positions T_p to T_p + T_n - 1.
            keys, values: (B, G, T_p, d_h), the cache. T_p may be 0. Cached keys are rotated already.

        Returns:
            output (B, T_n, d_model), and the longer cache: keys and values (B, G, T_p + T_n, d_h).
        """
        # Your code here: return the output and the new cache.
        raise NotImplementedError


# ---- 6. A block of a language model


class TransformerBlock(nn.Module):
    """Attention and two layers, each added to its input: pre-norm.

    Parameters: norm1 and norm2, nn.LayerNorm(d_model); attention, a GroupedQueryAttention of the
    same sizes; W_1, nn.Linear(d_model, d_ff), and W_2, nn.Linear(d_ff, d_model), both with bias.
    """

    def __init__(self, d_model, num_heads, num_groups, d_ff):
        """Make the norms, the attention and the two layers."""
        super().__init__()
        # Your code here: make the norms, the attention and the layers.
        raise NotImplementedError

    def forward(self, x):
        """x = x + attention(norm1(x)), then x + W_2 gelu(W_1 norm2(x)): (B, T, d_model) -> (B, T, d_model)."""
        # Your code here: return the output.
        raise NotImplementedError


# ---- 7. What it costs


def attention_costs(batch, heads, groups, queries, keys, head_dim, bytes_per_number=4):
    """What attention costs, by formula.

    Returns three ints:
        operations of Q K^T and of the weighted sum, where a multiply-add counts as 2, without projections, scale and
        softmax; bytes of all attention weights; bytes of the cached keys and values of all groups.
    """
    # Your code here: return operations, matrix_bytes and cache_bytes.
    raise NotImplementedError


def visible_pairs(length, radius, stride):
    """The number of pairs (i, j) that sparse_attention looks at, each once: an int.

    ``length`` may be 1,000,000, so no double loop.
    """
    # Your code here: return the number of pairs.
    raise NotImplementedError
