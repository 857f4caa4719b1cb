# %% [markdown]
# # Assignment 4: Masks
#
# Sentences in a batch have different lengths, and a word must not see the words after it. One tool handles
# both: a boolean mask. In this course **True means "may be attended to"**, everywhere.
#
# A row that may attend to nothing gets weights of exactly 0. There is no NaN, neither in the output nor in
# any gradient. Many masked softmax functions get this corner case wrong.

# %%
import math

import torch
from torch.nn import functional as F

# %% [markdown]
# ## 1. Masks from numbers
#
# Every mask here compares two ranges of positions that broadcast against each other. You need no loops.


# %%
def padding_mask(lengths, max_len=None):
    """A mask that is True at the real tokens of each sentence.

    Args:
        lengths: (B,) int32 or int64; 0 is allowed.
        max_len: the mask's width; ``lengths.max()`` if None, and it may be less.

    Returns:
        (B, max_len) bool on the device of ``lengths``.
    """
    ### BEGIN SOLUTION: compare positions with lengths
    if max_len is None:
        max_len = int(lengths.max())
    return torch.arange(max_len, device=lengths.device) < lengths.unsqueeze(1)
    ### END SOLUTION


def causal_mask(length):
    """(length, length) bool: position i (row) sees position j (column) when j <= i."""
    ### BEGIN SOLUTION: a comparison of rows with columns
    position = torch.arange(length)
    return position <= position.unsqueeze(1)
    ### END SOLUTION


def window_mask(length, radius):
    """(length, length) bool: position i sees position j when |i - j| <= radius."""
    ### BEGIN SOLUTION: a comparison of distances
    position = torch.arange(length)
    return (position - position.unsqueeze(1)).abs() <= radius
    ### END SOLUTION


def strided_mask(length, stride):
    """(length, length) bool: every position sees the multiples of ``stride``, and itself."""
    ### BEGIN SOLUTION: two conditions, either is enough
    position = torch.arange(length)
    return (position % stride == 0) | (position == position.unsqueeze(1))
    ### END SOLUTION


def combine_masks(key_padding, attention):
    """A key is seen when it is real and the pattern allows it.

    Args:
        key_padding: (B, T_k) bool.
        attention: (T_q, T_k) bool.

    Returns:
        (B, T_q, T_k) bool.
    """
    ### BEGIN SOLUTION: both must hold; give the padding mask an axis for the queries
    return key_padding.unsqueeze(1) & attention
    ### END SOLUTION


# %% [markdown]
# ## 2. Softmax under a mask
#
# With $m_j = 1$ where position $j$ may be seen and 0 elsewhere:
#
# $$\alpha_j = \frac{m_j \exp(e_j)}{\sum_k m_k \exp(e_k)}, \qquad \alpha = 0 \text{ when every } m_k = 0$$
#
# Apply the mask before the normalisation, or the weights no longer sum to 1. Filling with $-\infty$ gives 0/0
# in a fully masked row, and replacing the NaN afterwards does not repair the gradient. Filling with $-10^4$
# gives masked positions a weight if the real scores are as low as that. What else can you do?


# %%
def masked_softmax(scores, mask, dim=-1):
    """Softmax along ``dim`` over the entries where ``mask`` is True.

    Args:
        scores: any shape, values up to +-1e4 (masked ones too).
        mask: bool, broadcastable to the shape of ``scores``.
        dim: the axis that is normalised.

    Returns:
        Weights of the shape of ``scores``: exactly 0 where masked; 0 along ``dim`` where
        everything is masked, with gradients of 0 and never NaN.
    """
    ### BEGIN SOLUTION: mask before the softmax, and make the zeros exact
    lowest = torch.finfo(scores.dtype).min
    weights = torch.softmax(scores.masked_fill(~mask, lowest), dim=dim)
    return weights.masked_fill(~mask, 0.0)
    ### END SOLUTION


def masked_attention(query, key, value, mask):
    """Scaled dot-product attention under a mask.

    softmax(Q K^T / sqrt(d_k)) V over the keys that the mask allows; a query without any gets an output of 0.

    Args:
        query: (..., T_q, d_k).
        key: (..., T_k, d_k).
        value: (..., T_k, d_v).
        mask: bool, broadcastable to (..., T_q, T_k).

    Returns:
        output (..., T_q, d_v) and weights (..., T_q, T_k).
    """
    ### BEGIN SOLUTION: scores, scale, masked_softmax, weighted sum
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    weights = masked_softmax(scores, mask)
    return weights @ value, weights
    ### END SOLUTION


# %% [markdown]
# ## 3. A loss that ignores padding
#
# $$L = \frac{\sum_{b} \sum_{t < \ell_b} -\log \mathrm{softmax}(z_{b,t})_{y_{b,t}}}{\sum_b \ell_b}$$
#
# Each real token counts the same. With a mean of the sentences' means, the words of short sentences would
# count more.


# %%
def masked_cross_entropy(logits, targets, lengths):
    """Cross-entropy, averaged over all real tokens of the batch.

    Args:
        logits: (B, T, V).
        targets: (B, T) int64; any valid class at padding, which must not matter.
        lengths: (B,) int; T may exceed the longest; a length may be 0, but not all of them.

    Returns:
        The loss, a scalar tensor.
    """
    ### BEGIN SOLUTION: a loss per token, zero at padding, divided by the number of real tokens
    real = padding_mask(lengths, targets.size(1))
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")  # (B, T)
    return losses.masked_fill(~real, 0.0).sum() / real.sum()
    ### END SOLUTION


# %% [markdown]
# ## Try it
#
# Two sentences have 2 and 4 words. Every word sees itself and the words before it.

# %%
if __name__ == "__main__":
    mask = combine_masks(padding_mask(torch.tensor([2, 4])), causal_mask(4))
    print(mask.int())
    print(masked_softmax(torch.zeros(2, 4, 4), mask))
