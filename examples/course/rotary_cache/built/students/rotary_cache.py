# Rotary positions with a cache
#
# Fill in every place marked "Your code here". The README beside this file explains each task.
# rotary_cache.ipynb is the same assignment as a notebook. Hand in the script or the notebook, not both.
# To check your work: attngrade check rotary_cache.py

import math

import torch
from torch import nn

# ---- 1. Rotate


def rotate(x, positions, base=10000.0):
    """Turn each pair of neighbouring columns of x by its position's angle.

    Args:
        x: (B, T, d).
        positions: (T,), whole numbers: where each row of x stands in its sentence.
        base: a number; pair i, counted from 0, turns by position * base ** (-2 * i / d).

    Returns:
        (B, T, d), in the dtype of x.

    Raises:
        ValueError: d is odd.
    """
    # Your code here: refuse an odd d, then turn the pairs (0, 1), (2, 3), ....
    raise NotImplementedError


# ---- 2. Attend


def attend(query, key, value):
    """Causal attention of the last T_q positions to all T_k positions.

    Args:
        query: (B, T_q, d), for the positions T_k - T_q, ..., T_k - 1.
        key: (B, T_k, d), for the positions 0, ..., T_k - 1.
        value: (B, T_k, d_v).

    Returns:
        (B, T_q, d_v). A query sees the keys up to its own position.

    Raises:
        ValueError: there are more queries than keys.
    """
    # Your code here: refuse T_q > T_k, then return the weighted sums of the visible values.
    raise NotImplementedError


# ---- 3. Attention with a cache


class CachedAttention(nn.Module):
    """Causal attention with rotary positions; what it remembers travels in arguments.

    Args:
        width: d, the width of a word.
        head_width: d_k, the width of queries, keys and values; even.
    """

    def __init__(self, width, head_width):
        super().__init__()
        # Your code here: make W_Q, W_K and W_V, linear layers without bias.
        raise NotImplementedError

    def forward(self, x):
        """Attend within a whole sentence, at the positions 0, ..., T - 1.

        Args:
            x: (B, T, d).

        Returns:
            (B, T, d_k).
        """
        # Your code here: return the output of the whole sentence.
        raise NotImplementedError

    def extend(self, x, keys, values):
        """Read the next words of a sentence.

        Args:
            x: (B, T_n, d), the new words.
            keys: (B, T_p, d_k), the rotated keys of all earlier words; T_p may be 0.
            values: (B, T_p, d_k), the values of all earlier words.

        Returns:
            The output of the new words, (B, T_n, d_k), then the keys and the values of all words, (B, T, d_k) each,
            where T = T_p + T_n.
        """
        # Your code here: return the output, the longer keys and the longer values.
        raise NotImplementedError
