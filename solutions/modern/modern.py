# %% [markdown]
# # Assignment 8: Attention as it runs today
#
# The formulas of attention are short. Programs that run it for millions of words compute the same numbers in another
# way: they compute less, keep less, or look at less. Here you write these ways, from Bahdanau's attention to the block
# of a language model.
#
# All tensors are batch first. The scale is $1 / \sqrt{d_k}$ where there is one.

# %%
import math

import torch
from torch import nn
from torch.nn import functional as F

# %% [markdown]
# ## 1. Compute once what does not change
#
# $$e_{tj} = v^\top \tanh(W_s s_t + W_h h_j)$$
#
# The term $W_h h_j$ does not depend on $t$. So compute it once for each sentence. And if all $s_t$ are known, compute
# all steps at once.


# %%
class ProjectedAttention(nn.Module):
    """Additive attention whose encoder term is computed once.

    Parameters: W_s, nn.Linear(dec_dim, attn_dim); W_h, nn.Linear(enc_dim, attn_dim); v, nn.Linear(attn_dim, 1).
    All have bias=False.
    """

    def __init__(self, enc_dim, dec_dim, attn_dim):
        """Make the three layers."""
        super().__init__()
        ### BEGIN SOLUTION: make the three layers
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
        ### END SOLUTION

    def project(self, encoder_states):
        """W_h h_j of every position: (B, T_s, enc_dim) -> (B, T_s, attn_dim)."""
        ### BEGIN SOLUTION: return the projections
        return self.W_h(encoder_states)
        ### END SOLUTION

    def step(self, decoder_state, encoder_states, projected):
        """One decoder step, with scores from ``projected``, whatever it holds.

        Args:
            decoder_state: (B, dec_dim).
            encoder_states: (B, T_s, enc_dim).
            projected: (B, T_s, attn_dim). W_h is not used here.

        Returns:
            context (B, enc_dim), the weighted sum of encoder_states; and weights (B, T_s).
        """
        ### BEGIN SOLUTION: return the context and the weights
        hidden = torch.tanh(self.W_s(decoder_state).unsqueeze(1) + projected)
        weights = torch.softmax(self.v(hidden).squeeze(-1), dim=-1)
        return (weights.unsqueeze(1) @ encoder_states).squeeze(1), weights
        ### END SOLUTION

    def forward(self, decoder_states, encoder_states):
        """All steps at once: without a loop over t or over the batch.

        Args:
            decoder_states: (B, T_t, dec_dim).
            encoder_states: (B, T_s, enc_dim).

        Returns:
            context (B, T_t, enc_dim) and weights (B, T_t, T_s), equal to those of step for each t.
        """
        ### BEGIN SOLUTION: return all contexts and weights
        projected = self.project(encoder_states)
        hidden = torch.tanh(self.W_s(decoder_states).unsqueeze(2) + projected.unsqueeze(1))  # (B, T_t, T_s, attn_dim)
        weights = torch.softmax(self.v(hidden).squeeze(-1), dim=-1)
        return weights @ encoder_states, weights
        ### END SOLUTION


# %% [markdown]
# ## 2. The same numbers without the table
#
# The table of all scores has $T_q \cdot T_k$ entries. You need only one block of keys at a time, if you keep for each
# query a running maximum $m$, a running sum $\ell$ of powers, and a running sum $o$ of weighted values.


# %%
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
    ### BEGIN SOLUTION: return the result of the running softmax
    if block_size < 1:
        raise ValueError("block_size must be at least 1")
    scaled = query / math.sqrt(query.size(-1))
    first = scaled @ key[:, :block_size].transpose(1, 2)
    largest = first.amax(dim=-1, keepdim=True)
    powers = torch.exp(first - largest)
    total = powers.sum(dim=-1, keepdim=True)
    summed = powers @ value[:, :block_size]
    for start in range(block_size, key.size(1), block_size):
        scores = scaled @ key[:, start : start + block_size].transpose(1, 2)
        higher = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        shrink = torch.exp(largest - higher)
        powers = torch.exp(scores - higher)
        total = total * shrink + powers.sum(dim=-1, keepdim=True)
        summed = summed * shrink + powers @ value[:, start : start + block_size]
        largest = higher
    return summed / total
    ### END SOLUTION


# %% [markdown]
# ## 3. Look at less
#
# In a window, position $i$ sees the positions $j$ with $|i - j| \le$ `radius`. The second pattern adds every
# `stride`-th position for everybody. Compute only the scores that the pattern needs.


# %%
def window_attention(query, key, value, radius):
    """Attention of each position to those at most ``radius`` away.

    Args:
        query, key: (B, T, d_k).
        value: (B, T, d_v).
        radius: may be 0, or larger than T. Below 0: ValueError.

    Returns:
        (B, T, d_v). Time and memory grow like T * radius, not like T * T.
    """
    ### BEGIN SOLUTION: return the result
    if radius < 0:
        raise ValueError("radius must be at least 0")
    length = query.size(1)
    place, real = window_places(length, radius, query.device)
    scores = (query.unsqueeze(2) @ key[:, place].transpose(2, 3)).squeeze(2) / math.sqrt(query.size(-1))
    weights = torch.softmax(scores.masked_fill(~real, -torch.inf), dim=-1)  # (B, T, W)
    return (weights.unsqueeze(2) @ value[:, place]).squeeze(2)
    ### END SOLUTION


def window_places(length, radius, device):
    """The positions in each window: (T, W) int64, and which of them exist: (T, W) bool; a helper."""
    ### BEGIN SOLUTION: return the positions, and whether they exist
    radius = min(radius, length - 1)
    offsets = torch.arange(-radius, radius + 1, device=device)
    place = torch.arange(length, device=device).unsqueeze(1) + offsets
    return place.clamp(0, length - 1), (place >= 0) & (place < length)
    ### END SOLUTION


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
    ### BEGIN SOLUTION: return the result
    if radius < 0 or stride < 1:
        raise ValueError("radius must be at least 0, and stride at least 1")
    length = query.size(1)
    scaled = query / math.sqrt(query.size(-1))
    place, real = window_places(length, radius, query.device)
    near = (scaled.unsqueeze(2) @ key[:, place].transpose(2, 3)).squeeze(2)
    near = near.masked_fill(~real | (place % stride == 0), -torch.inf)  # the others are in the second pattern
    far = scaled @ key[:, ::stride].transpose(1, 2)
    weights = torch.softmax(torch.cat([near, far], dim=-1), dim=-1)
    weights, of_far = weights[..., : near.size(-1)], weights[..., near.size(-1) :]
    return (weights.unsqueeze(2) @ value[:, place]).squeeze(2) + of_far @ value[:, ::stride]
    ### END SOLUTION


# %% [markdown]
# ## 4. Positions by turning
#
# Column $i$ is paired with column $i + d/2$. At position $m$, each pair turns by the angle $m \cdot b^{-2i/d}$.


# %%
def apply_rotary(x, positions, base=10000.0):
    """Turn each pair of columns by an angle that depends on the position.

    Args:
        x: (..., T, d). An odd d: ValueError.
        positions: (T,) int64, in any order.
        base: the b in the angle m * b^(-2i/d) of pair i at position m.

    Returns:
        (..., T, d), in the dtype of x: y_i = x_i cos - x_{i+d/2} sin, y_{i+d/2} = x_{i+d/2} cos + x_i sin.
    """
    ### BEGIN SOLUTION: return the turned columns
    if x.size(-1) % 2:
        raise ValueError("the last axis must be even")
    half = x.size(-1) // 2
    pairs = torch.arange(half, dtype=torch.float64, device=x.device)
    angles = positions.double().unsqueeze(-1) * base ** (-pairs / half)  # (T, d/2)
    cos, sin = torch.cos(angles).to(x.dtype), torch.sin(angles).to(x.dtype)
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
    ### END SOLUTION


# %% [markdown]
# ## 5. Heads that share keys
#
# The keys and values of all earlier words are kept. With fewer key heads than query heads, there is less to keep.


# %%
def grouped_attention(query, key, value):
    """Causal attention in which several query heads share a key head.

    Args:
        query: (B, H, T_q, d_k), the last T_q of T_k positions. T_q > T_k: ValueError.
        key: (B, G, T_k, d_k). If G does not divide H: ValueError.
        value: (B, G, T_k, d_v).

    Returns:
        (B, H, T_q, d_v). Query head h reads key head h // (H / G), and query i sees the keys j <= T_k - T_q + i.
    """
    ### BEGIN SOLUTION: return the result
    heads, groups = query.size(1), key.size(1)
    T_q, T_k = query.size(2), key.size(2)
    if heads % groups or T_q > T_k:
        raise ValueError("G must divide H, and there must be at least as many keys as queries")
    key = key.repeat_interleave(heads // groups, dim=1)
    value = value.repeat_interleave(heads // groups, dim=1)
    scores = query @ key.transpose(2, 3) / math.sqrt(query.size(-1))
    visible = torch.ones(T_q, T_k, dtype=torch.bool, device=query.device).tril(T_k - T_q)
    return torch.softmax(scores.masked_fill(~visible, -torch.inf), dim=-1) @ value
    ### END SOLUTION


class GroupedQueryAttention(nn.Module):
    """Causal attention with rotary positions, shared key heads and a cache.

    Parameters: W_Q and W_O, nn.Linear(d_model, d_model); W_K and W_V, nn.Linear(d_model, num_groups * d_h), with
    d_h = d_model / num_heads. All have bias=False.

    ValueError if num_heads does not divide d_model, if num_groups does not divide num_heads, or if d_h is odd.
    """

    def __init__(self, d_model, num_heads, num_groups):
        """Check the sizes, and make the four layers."""
        super().__init__()
        ### BEGIN SOLUTION: check the sizes and make the four layers
        if d_model % num_heads or num_heads % num_groups or (d_model // num_heads) % 2:
            raise ValueError("heads must divide d_model, groups must divide heads, and the width of a head is even")
        self.num_heads, self.num_groups = num_heads, num_groups
        self.d_h = d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, num_groups * self.d_h, bias=False)
        self.W_V = nn.Linear(d_model, num_groups * self.d_h, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        ### END SOLUTION

    def forward(self, x):
        """The whole sentence at the positions 0 to T-1: (B, T, d_model) -> (B, T, d_model).

        Head h is the columns h*d_h to (h+1)*d_h of its projection. Queries and keys are rotated, values are not.
        """
        ### BEGIN SOLUTION: return the output
        nothing = x.new_zeros(x.size(0), self.num_groups, 0, self.d_h)
        return self.extend(x, nothing, nothing)[0]
        ### END SOLUTION

    def extend(self, x, keys, values):
        """More words after those in the cache.

        Args:
            x: (B, T_n, d_model), at the positions T_p to T_p + T_n - 1.
            keys, values: (B, G, T_p, d_h), the cache. T_p may be 0. Cached keys are rotated already.

        Returns:
            output (B, T_n, d_model), and the longer cache: keys and values (B, G, T_p + T_n, d_h).
        """
        ### BEGIN SOLUTION: return the output and the new cache
        positions = torch.arange(keys.size(2), keys.size(2) + x.size(1), device=x.device)
        query = self.W_Q(x).unflatten(2, (self.num_heads, self.d_h)).transpose(1, 2)
        key = self.W_K(x).unflatten(2, (self.num_groups, self.d_h)).transpose(1, 2)
        fresh = self.W_V(x).unflatten(2, (self.num_groups, self.d_h)).transpose(1, 2)
        keys = torch.cat([keys, apply_rotary(key, positions)], dim=2)
        values = torch.cat([values, fresh], dim=2)
        heads = grouped_attention(apply_rotary(query, positions), keys, values)
        return self.W_O(heads.transpose(1, 2).flatten(2)), keys, values
        ### END SOLUTION


# %% [markdown]
# ## 6. A block of a language model
#
# Attention moves information between positions, and two layers work on each position alone. The norm stands *before*
# each of them.


# %%
class TransformerBlock(nn.Module):
    """Attention and two layers, each added to its input: pre-norm.

    Parameters: norm1 and norm2, nn.LayerNorm(d_model); attention, a GroupedQueryAttention of the
    same sizes; W_1, nn.Linear(d_model, d_ff), and W_2, nn.Linear(d_ff, d_model), both with bias.
    """

    def __init__(self, d_model, num_heads, num_groups, d_ff):
        """Make the norms, the attention and the two layers."""
        super().__init__()
        ### BEGIN SOLUTION: make the norms, the attention and the layers
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.attention = GroupedQueryAttention(d_model, num_heads, num_groups)
        self.W_1 = nn.Linear(d_model, d_ff)
        self.W_2 = nn.Linear(d_ff, d_model)
        ### END SOLUTION

    def forward(self, x):
        """x = x + attention(norm1(x)), then x + W_2 gelu(W_1 norm2(x)): (B, T, d_model) -> (B, T, d_model)."""
        ### BEGIN SOLUTION: return the output
        x = x + self.attention(self.norm1(x))
        return x + self.W_2(F.gelu(self.W_1(self.norm2(x))))
        ### END SOLUTION


# %% [markdown]
# ## 7. What it costs
#
# Before you run a model, you can say what it will cost.


# %%
def attention_costs(batch, heads, groups, queries, keys, head_dim, bytes_per_number=4):
    """What attention costs, by formula.

    Returns three ints:
        operations of Q K^T and of the weighted sum, where a multiply-add counts as 2, without projections, scale and
        softmax; bytes of all attention weights; bytes of the cached keys and values of all groups.
    """
    ### BEGIN SOLUTION: return operations, matrix_bytes and cache_bytes
    operations = 2 * 2 * batch * heads * queries * keys * head_dim
    matrix_bytes = batch * heads * queries * keys * bytes_per_number
    cache_bytes = 2 * batch * groups * keys * head_dim * bytes_per_number
    return operations, matrix_bytes, cache_bytes
    ### END SOLUTION


def visible_pairs(length, radius, stride):
    """The number of pairs (i, j) that sparse_attention looks at, each once: an int.

    ``length`` may be 1,000,000, so no double loop.
    """
    ### BEGIN SOLUTION: return the number of pairs
    radius = min(radius, length - 1)
    pairs = length * (2 * radius + 1) - radius * (radius + 1)  # windows, less what lies beyond both edges
    for j in range(0, length, stride):
        near = min(j + radius, length - 1) - max(j - radius, 0) + 1  # positions whose window holds j
        pairs += length - near
    return pairs
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# ### Predict, then run
#
# A sentence of 1,000 words, a radius of 16 and a stride of 32: which share of all pairs is looked at?

# %% tags=["notebook"]
if __name__ == "__main__":
    print(visible_pairs(1000, 16, 32) / 1000**2)
