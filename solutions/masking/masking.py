# %% [markdown]
# # Assignment 4: Masks
#
# Sentences in a batch have different lengths, and a word must not see the words after it. One tool handles
# both: a boolean mask. In this course **True means "may be attended to"**, everywhere.
#
# A row that may attend to nothing gets weights of exactly 0. There is no NaN, neither in the output nor in
# any gradient. Many masked softmax functions get this corner case wrong.
#
# At the end, your masks decide whether a small language model learns to write or only learns to cheat.

# %%
import math

import torch
from torch.nn import functional as F

# %% [markdown]
# ## 1. Masks from numbers
#
# Draw a small mask on paper before you write it. Which numbers decide whether the cell in row $i$ and column $j$
# is True? Then let PyTorch decide all cells at once: no mask needs a loop.


# %%
def padding_mask(lengths, max_len=None):
    """A mask that is True at the real tokens of each sentence.

    Args:
        lengths: (B,) int32 or int64; 0 is allowed.
        max_len: the mask's width; ``lengths.max()`` if None. It may be greater or less than that.

    Returns:
        (B, max_len) bool on the device of ``lengths``.
    """
    ### BEGIN SOLUTION: return True at the real tokens
    if max_len is None:
        max_len = int(lengths.max())
    return torch.arange(max_len, device=lengths.device) < lengths.unsqueeze(1)
    ### END SOLUTION


def causal_mask(length):
    """(length, length) bool: position i (row) sees position j (column) when j <= i."""
    ### BEGIN SOLUTION: return the mask of the present and the past
    position = torch.arange(length)
    return position <= position.unsqueeze(1)
    ### END SOLUTION


def window_mask(length, radius):
    """(length, length) bool: position i sees position j when |i - j| <= radius. The radius may be 0."""
    ### BEGIN SOLUTION: return the mask of the neighbours on both sides
    position = torch.arange(length)
    return (position - position.unsqueeze(1)).abs() <= radius
    ### END SOLUTION


def strided_mask(length, stride):
    """(length, length) bool: every position sees the multiples of ``stride``, and itself."""
    ### BEGIN SOLUTION: return the mask of this pattern
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
    ### BEGIN SOLUTION: return one mask for each sentence
    return key_padding.unsqueeze(1) & attention
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# ### Predict, then run
#
# The first line is the mask of two sentences with 2 and 4 words, in which each word sees itself and the words
# before it. Which cells are 1?
#
# In the second line, somebody wrote `&` in place of `combine_masks`. There are four sentences of at most four
# words. Is there an error? If not, what is the shape, and what should it be?

# %% tags=["notebook"]
if __name__ == "__main__":
    print(combine_masks(padding_mask(torch.tensor([2, 4])), causal_mask(4)).int())
    print((padding_mask(torch.tensor([1, 3, 2, 4])) & causal_mask(4)).shape)

# %% [markdown]
# ## 2. Softmax under a mask
#
# With $m_j = 1$ where position $j$ may be seen and 0 elsewhere:
#
# $$\alpha_j = \frac{m_j \exp(e_j)}{\sum_k m_k \exp(e_k)}, \qquad \alpha = 0 \text{ when every } m_k = 0$$
#
# In a row with some True, the weights sum to 1. A masked score must not matter, however large it is. And a fully
# masked row must not divide 0 by 0. Look at the gradients too: a NaN that you replace in the output may still
# reach the scores in the backward pass.


# %%
def masked_softmax(scores, mask, dim=-1):
    """Softmax along ``dim`` over the entries where ``mask`` is True.

    Args:
        scores: any shape, values up to +-1e4; masked ones may be far larger.
        mask: bool, broadcastable to the shape of ``scores``.
        dim: the axis that is normalised.

    Returns:
        Weights of the shape of ``scores``: exactly 0 where masked; 0 along ``dim`` where
        everything is masked, with gradients of 0 and never NaN.
    """
    ### BEGIN SOLUTION: return the weights
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
    ### BEGIN SOLUTION: return the output and the weights
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    weights = masked_softmax(scores, mask)
    return weights @ value, weights
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# ### Predict, then run
#
# A row has the scores $-10^4$ and 3. The second one is masked. Somebody replaces it with $-10^4$ and takes the
# softmax. Which weights come out? And which ones come from your function?

# %% tags=["notebook"]
if __name__ == "__main__":
    print(torch.softmax(torch.tensor([-1e4, -1e4]), dim=-1))
    print(masked_softmax(torch.tensor([-1e4, 3.0]), torch.tensor([True, False])))

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
    ### BEGIN SOLUTION: return the loss
    real = padding_mask(lengths, targets.size(1))
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")  # (B, T)
    return losses.masked_fill(~real, 0.0).sum() / real.sum()
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# ### Predict, then run
#
# Two sentences have 1 and 3 words. The first word costs 4.0181, and each of the others costs $\ln 2 = 0.6931$.
# Is the loss 1.2473, 1.5244 or 2.3557? Which mistakes give the other two?

# %% tags=["notebook"]
if __name__ == "__main__":
    logits = torch.zeros(2, 3, 2)
    logits[0, 0, 1] = 4.0
    print(masked_cross_entropy(logits, torch.zeros(2, 3, dtype=torch.int64), torch.tensor([1, 3])))
