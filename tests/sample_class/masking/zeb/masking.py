import torch
from torch.nn import functional as fn

__all__ = [
    "padding_mask", "causal_mask", "window_mask", "strided_mask",
    "combine_masks", "masked_softmax", "masked_attention", "masked_cross_entropy",
]


def padding_mask(lengths, max_len=None):
    """ones where there's a word"""
    n = lengths.max() if max_len is None else max_len
    return torch.arange(int(n)).to(lengths.device)[None, :].lt(lengths[:, None])


def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).tril()


def window_mask(length, radius):
    full = torch.ones(length, length, dtype=torch.bool)
    return full.tril(radius) & full.triu(-radius)


def strided_mask(length, stride):
    mask = torch.eye(length, dtype=torch.bool)
    mask[:, ::stride] = True
    return mask


def combine_masks(key_padding, attention):
    b, tk = key_padding.shape
    tq = attention.shape[0]
    return key_padding.view(b, 1, tk).expand(b, tq, tk) & attention.view(1, tq, tk)


def masked_softmax(scores, mask, dim=-1):
    """-inf everywhere it's masked, except rows with nothing left (those would be NaN)."""
    mask = mask.expand_as(scores)
    nothing_left = mask.any(dim=dim, keepdim=True).logical_not()
    hide = ~(mask | nothing_left)
    probs = fn.softmax(scores.masked_fill(hide, float("-inf")), dim=dim)
    return probs.masked_fill(~mask, 0.0)


def masked_attention(query, key, value, mask):
    d = query.shape[-1]
    weights = masked_softmax(query.matmul(key.mT).div(d**0.5), mask)
    return weights.matmul(value), weights


def masked_cross_entropy(logits, targets, lengths):
    keep = padding_mask(lengths, targets.shape[1])
    # -100 is the index that pytorch's loss ignores; targets itself must stay as it is
    goal = targets.masked_fill(~keep, -100)
    return fn.cross_entropy(logits.flatten(0, 1), goal.flatten(), ignore_index=-100)
