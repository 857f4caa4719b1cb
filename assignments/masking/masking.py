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
        max_len: the mask's width; ``lengths.max()`` if None. It may be greater or less than that.

    Returns:
        (B, max_len) bool on the device of ``lengths``.
    """
    # Your code here: return True at the real tokens.
    raise NotImplementedError


def causal_mask(length):
    """(length, length) bool: position i (row) sees position j (column) when j <= i."""
    # Your code here: return the mask of the present and the past.
    raise NotImplementedError


def window_mask(length, radius):
    """(length, length) bool: position i sees position j when |i - j| <= radius. The radius may be 0."""
    # Your code here: return the mask of the neighbours on both sides.
    raise NotImplementedError


def strided_mask(length, stride):
    """(length, length) bool: every position sees the multiples of ``stride``, and itself."""
    # Your code here: return the mask of this pattern.
    raise NotImplementedError


def combine_masks(key_padding, attention):
    """A key is seen when it is real and the pattern allows it.

    Args:
        key_padding: (B, T_k) bool.
        attention: (T_q, T_k) bool.

    Returns:
        (B, T_q, T_k) bool.
    """
    # Your code here: return one mask for each sentence.
    raise NotImplementedError


# ---- 2. Softmax under a mask


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
    # Your code here: return the weights.
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
    # Your code here: return the output and the weights.
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
    # Your code here: return the loss.
    raise NotImplementedError
