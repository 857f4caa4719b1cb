# Assignment 4: Masks
#
# Fill in every place marked "Your code here". The README beside this file explains each task.
# masking.ipynb is the same assignment as a notebook. Hand in the script or the notebook, not both.
# To check your work: attngrade check masking.py

import math

import torch
from torch.nn import functional as F

# ---- 1. Masks from numbers


def padding_mask(lengths, max_len=None):
    """A mask that is True at the real tokens of each sentence.

    Args:
        lengths: (B,) int32 or int64; 0 is allowed.
        max_len: the mask's width; ``lengths.max()`` if None, and it may be less.

    Returns:
        (B, max_len) bool on the device of ``lengths``.
    """
    # Your code here: compare positions with lengths.
    raise NotImplementedError


def causal_mask(length):
    """(length, length) bool: position i (row) sees position j (column) when j <= i."""
    # Your code here: a comparison of rows with columns.
    raise NotImplementedError


def window_mask(length, radius):
    """(length, length) bool: position i sees position j when |i - j| <= radius."""
    # Your code here: a comparison of distances.
    raise NotImplementedError


def strided_mask(length, stride):
    """(length, length) bool: every position sees the multiples of ``stride``, and itself."""
    # Your code here: two conditions, either is enough.
    raise NotImplementedError


def combine_masks(key_padding, attention):
    """A key is seen when it is real and the pattern allows it.

    Args:
        key_padding: (B, T_k) bool.
        attention: (T_q, T_k) bool.

    Returns:
        (B, T_q, T_k) bool.
    """
    # Your code here: both must hold; give the padding mask an axis for the queries.
    raise NotImplementedError


# ---- 2. Softmax under a mask


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
    # Your code here: mask before the softmax, and make the zeros exact.
    raise NotImplementedError


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
    # Your code here: scores, scale, masked_softmax, weighted sum.
    raise NotImplementedError


# ---- 3. A loss that ignores padding


def masked_cross_entropy(logits, targets, lengths):
    """Cross-entropy, averaged over all real tokens of the batch.

    Args:
        logits: (B, T, V).
        targets: (B, T) int64; any valid class at padding, which must not matter.
        lengths: (B,) int; T may exceed the longest; a length may be 0, but not all of them.

    Returns:
        The loss, a scalar tensor.
    """
    # Your code here: a loss per token, zero at padding, divided by the number of real tokens.
    raise NotImplementedError


# ---- Try it


if __name__ == "__main__":
    mask = combine_masks(padding_mask(torch.tensor([2, 4])), causal_mask(4))
    print(mask.int())
    print(masked_softmax(torch.zeros(2, 4, 4), mask))
