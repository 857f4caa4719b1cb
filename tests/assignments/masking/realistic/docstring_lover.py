"""
masking.py
==========

Assignment 4 of the course on attention.

All masks follow one convention: ``True`` means that a position may be attended to.

Functions
---------
padding_mask(lengths, max_len=None)
causal_mask(length)
window_mask(length, radius)
strided_mask(length, stride)
combine_masks(key_padding, attention)
masked_softmax(scores, mask, dim=-1)
masked_attention(query, key, value, mask)
masked_cross_entropy(logits, targets, lengths)
"""

import math

import torch
from torch.nn import functional as F


def padding_mask(lengths, max_len=None):
    """Mark the real tokens of each sentence.

    Parameters
    ----------
    lengths : torch.Tensor
        Number of real tokens of each sentence, shape (B,).
    max_len : int, optional
        Width of the mask. The longest length by default.

    Returns
    -------
    torch.Tensor
        Boolean, shape (B, max_len).

    Examples
    --------
    >>> padding_mask(torch.tensor([1, 3])).int().tolist()
    [[1, 0, 0], [1, 1, 1]]
    """
    if max_len is None:
        max_len = lengths.max().item()
    position = torch.arange(max_len, device=lengths.device)
    return position[None, :] < lengths[:, None]


def causal_mask(length):
    """Position i sees position j when j <= i.

    Parameters
    ----------
    length : int

    Returns
    -------
    torch.Tensor
        Boolean, shape (length, length).

    Examples
    --------
    >>> causal_mask(2).int().tolist()
    [[1, 0], [1, 1]]
    """
    i, j = _rows_and_columns(length)
    return j <= i


def window_mask(length, radius):
    """Position i sees position j when they are at most ``radius`` apart.

    Parameters
    ----------
    length : int
    radius : int

    Returns
    -------
    torch.Tensor
        Boolean, shape (length, length).
    """
    i, j = _rows_and_columns(length)
    return torch.abs(i - j) <= radius


def strided_mask(length, stride):
    """Position i sees itself and every ``stride``-th position (sparse attention, Child et al. 2019).

    Parameters
    ----------
    length : int
    stride : int

    Returns
    -------
    torch.Tensor
        Boolean, shape (length, length).
    """
    i, j = _rows_and_columns(length)
    return ((i - j) % stride == 0) | (i == j)


def _rows_and_columns(length):
    """Row and column numbers that broadcast to (length, length)."""
    positions = torch.arange(length)
    return positions[:, None], positions[None, :]


def combine_masks(key_padding, attention):
    """Both masks must allow a key.

    Parameters
    ----------
    key_padding : torch.Tensor
        (B, T_k).
    attention : torch.Tensor
        (T_q, T_k).

    Returns
    -------
    torch.Tensor
        (B, T_q, T_k).
    """
    return key_padding[:, None, :] & attention[None, :, :]


def masked_softmax(scores, mask, dim=-1):
    """Softmax over the allowed entries; rows without any are 0.

    Parameters
    ----------
    scores : torch.Tensor
    mask : torch.Tensor
        Boolean, broadcastable to ``scores``.
    dim : int

    Returns
    -------
    torch.Tensor
        Same shape as ``scores``.
    """
    scores, mask = torch.broadcast_tensors(scores, mask)
    has_any = mask.any(dim=dim, keepdim=True)
    # replace the scores of dead rows *before* the softmax, then no NaN arises anywhere
    safe = torch.where(has_any, scores, torch.zeros_like(scores))
    safe = safe.masked_fill(has_any & ~mask, -math.inf)
    return torch.where(mask, F.softmax(safe, dim=dim), torch.zeros_like(scores))


def masked_attention(query, key, value, mask):
    """softmax(Q K^T / sqrt(d_k)) V under a mask.

    Parameters
    ----------
    query, key, value : torch.Tensor
        (..., T_q, d_k), (..., T_k, d_k), (..., T_k, d_v).
    mask : torch.Tensor
        Boolean, broadcastable to (..., T_q, T_k).

    Returns
    -------
    output, weights : torch.Tensor
        (..., T_q, d_v) and (..., T_q, T_k).
    """
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.shape[-1])
    weights = masked_softmax(scores, mask)
    return weights @ value, weights


def masked_cross_entropy(logits, targets, lengths):
    """Mean cross-entropy over the real tokens.

    Parameters
    ----------
    logits : torch.Tensor
        (B, T, V).
    targets : torch.Tensor
        (B, T).
    lengths : torch.Tensor
        (B,).

    Returns
    -------
    torch.Tensor
        Scalar.
    """
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    real = padding_mask(lengths, max_len=logits.shape[1])
    return losses[real].mean()


if __name__ == "__main__":
    import doctest

    print(doctest.testmod())
    print(strided_mask(8, 4).int())
