# %% [markdown]
# # Rotary positions with a cache
#
# A language model writes word by word. You build attention that knows positions by *rotating* queries and keys
# (RoFormer, Su et al., 2021), and that keeps the keys and values of earlier words, so that a new word costs one row of
# scores and not a whole table.

# %%
import math

import torch
from torch import nn

# %% [markdown]
# ## 1. Rotate
#
# Each pair of neighbouring columns is a point in the plane. Turn it by an angle that grows with the position.


# %%
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
    ### BEGIN SOLUTION: refuse an odd d, then turn the pairs (0, 1), (2, 3), ...
    width = x.shape[-1]
    if width % 2 != 0:
        raise ValueError(f"x must have an even number of columns, not {width}")
    exponents = torch.arange(0, width, 2, device=x.device, dtype=x.dtype) / width
    angles = positions[:, None] * base**-exponents
    cosines, sines = angles.cos(), angles.sin()
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = [even * cosines - odd * sines, even * sines + odd * cosines]
    return torch.stack(turned, dim=-1).flatten(-2)
    ### END SOLUTION


# %% [markdown]
# ## 2. Attend
#
# The queries are the *last* positions of the sentence: earlier ones have had their turn already.


# %%
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
    ### BEGIN SOLUTION: refuse T_q > T_k, then return the weighted sums of the visible values
    length, total = query.shape[1], key.shape[1]
    if length > total:
        raise ValueError(f"{length} queries have only {total} keys")
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    visible = torch.ones(length, total, dtype=torch.bool, device=query.device).tril(total - length)
    return scores.masked_fill(~visible, -math.inf).softmax(dim=-1) @ value
    ### END SOLUTION


# %% [markdown]
# ## 3. Attention with a cache
#
# `forward` reads a whole sentence. `extend` reads its next words only. Together they must agree.


# %%
class CachedAttention(nn.Module):
    """Causal attention with rotary positions; what it remembers travels in arguments.

    Args:
        width: d, the width of a word.
        head_width: d_k, the width of queries, keys and values; even.
    """

    def __init__(self, width, head_width):
        super().__init__()
        ### BEGIN SOLUTION: make W_Q, W_K and W_V, linear layers without bias
        self.W_Q = nn.Linear(width, head_width, bias=False)
        self.W_K = nn.Linear(width, head_width, bias=False)
        self.W_V = nn.Linear(width, head_width, bias=False)
        ### END SOLUTION

    def forward(self, x):
        """Attend within a whole sentence, at the positions 0, ..., T - 1.

        Args:
            x: (B, T, d).

        Returns:
            (B, T, d_k).
        """
        ### BEGIN SOLUTION: return the output of the whole sentence
        positions = torch.arange(x.shape[1], device=x.device)
        query = rotate(self.W_Q(x), positions)
        key = rotate(self.W_K(x), positions)
        return attend(query, key, self.W_V(x))
        ### END SOLUTION

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
        ### BEGIN SOLUTION: return the output, the longer keys and the longer values
        before, length = keys.shape[1], x.shape[1]
        positions = torch.arange(before, before + length, device=x.device)
        keys = torch.cat([keys, rotate(self.W_K(x), positions)], dim=1)
        values = torch.cat([values, self.W_V(x)], dim=1)
        query = rotate(self.W_Q(x), positions)
        return attend(query, keys, values), keys, values
        ### END SOLUTION
