# whole file: Masks by NumPy, prints, warnings, a cache, and further optional arguments.
print("masks!")
import math as m
import warnings
from functools import lru_cache

import numpy as np
import torch
from torch import nn

DEBUG = True


def padding_mask(lengths, max_len=None, dtype=torch.bool):
    if DEBUG:
        print(lengths)
    width = int(lengths.max() if max_len is None else max_len)
    grid = np.arange(width)[None, :] < lengths.cpu().numpy()[:, None]
    return torch.from_numpy(grid).to(lengths.device, dtype)


@lru_cache(maxsize=None)
def causal_mask(length, device=None):
    return torch.from_numpy(np.tri(length, dtype=bool))


def window_mask(length, radius, causal=False):
    i = np.arange(length)
    return torch.from_numpy(np.abs(np.subtract.outer(i, i)) <= radius)


def strided_mask(length, stride, *rest):
    return torch.from_numpy((np.arange(length) % stride == 0)[None, :] | np.eye(length, dtype=bool))


def combine_masks(key_padding, attention, *more):
    warnings.warn("combining")
    out = attention[None]
    for one in (key_padding[:, None], *more):
        out = out & one
    return out


def masked_softmax(scores, mask, dim=-1, fill=None):
    if scores.requires_grad:
        warnings.warn("requires grad")
    empty = ~mask.any(dim=dim, keepdim=True) if mask.dim() == scores.dim() else None
    fill = -m.inf if fill is None else fill
    if empty is None:
        mask = mask.broadcast_to(scores.shape)
        empty = ~mask.any(dim=dim, keepdim=True)
    opened = mask | empty  # a blank row is opened, so that nothing is infinite, and blanked afterwards
    p = nn.Softmax(dim)(scores.masked_fill(~opened, fill))
    return p.masked_fill(empty, 0)


def masked_attention(query, key, value, mask, dropout=0.0, return_scores=False):
    scores = query @ key.transpose(-2, -1) / m.sqrt(query.size(-1))
    weights = nn.functional.dropout(masked_softmax(scores, mask), dropout)
    return [weights @ value, weights]


def masked_cross_entropy(logits, targets, lengths, weight=None):
    rows = [nn.functional.cross_entropy(logits[b, :n], targets[b, :n], reduction="sum") for b, n in enumerate(lengths)]
    return sum(rows) / lengths.sum()


if __name__ == "__main__":
    print(causal_mask(3))
