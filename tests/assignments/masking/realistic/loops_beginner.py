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
    """A mask that is True at the real tokens of each sentence."""
    if max_len is None:
        max_len = int(max(lengths))
    B = len(lengths)
    mask = torch.zeros(B, max_len, dtype=torch.bool, device=lengths.device)
    for b in range(B):
        n = int(lengths[b])
        mask[b, :n] = True   # if n is bigger than max_len, python just stops at the end
    return mask


def causal_mask(length):
    """(length, length) bool: position i (row) sees position j (column) when j <= i."""
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, : i + 1] = True
    return mask


def window_mask(length, radius):
    """(length, length) bool: position i sees position j when |i - j| <= radius."""
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        start = max(0, i - radius)      # negative start would count from the end!!
        end = i + radius + 1
        mask[i, start:end] = True
    return mask


def strided_mask(length, stride):
    """(length, length) bool: every position sees the multiples of ``stride``, and itself."""
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, ::stride] = True
        mask[i, i] = True
    return mask


def combine_masks(key_padding, attention):
    """A key is seen when it is real and the pattern allows it."""
    result = []
    for b in range(key_padding.shape[0]):
        # key_padding[b] is one row, it is used for every query
        result.append(attention & key_padding[b])
    return torch.stack(result)


# ---- 2. Softmax under a mask


def masked_softmax(scores, mask, dim=-1):
    """Softmax along ``dim`` over the entries where ``mask`` is True."""
    mask = mask.expand(scores.shape)
    minus_inf = float("-inf")
    s = scores.masked_fill(mask == False, minus_inf)
    m = s.max(dim=dim, keepdim=True).values
    # when everything is masked the max is -inf and -inf - -inf = nan
    m = torch.where(m == minus_inf, torch.zeros_like(m), m)
    e = torch.exp(s - m)
    total = e.sum(dim=dim, keepdim=True)
    # same for 0 / 0
    total = torch.where(total == 0, torch.ones_like(total), total)
    return e / total


def masked_attention(query, key, value, mask):
    """Scaled dot-product attention under a mask."""
    d_k = query.shape[-1]
    scores = torch.matmul(query, key.transpose(-2, -1))
    scores = scores / math.sqrt(d_k)
    weights = masked_softmax(scores, mask, dim=-1)
    output = torch.matmul(weights, value)
    return output, weights


# ---- 3. A loss that ignores padding


def masked_cross_entropy(logits, targets, lengths):
    """Cross-entropy, averaged over all real tokens of the batch."""
    total = 0
    count = 0
    for b in range(len(lengths)):
        n = int(lengths[b])
        if n == 0:
            continue
        loss = F.cross_entropy(logits[b, :n], targets[b, :n], reduction="sum")
        total = total + loss
        count = count + n
    return total / count


# ---- Try it


if __name__ == "__main__":
    mask = combine_masks(padding_mask(torch.tensor([2, 4])), causal_mask(4))
    print(mask.int())
    print(masked_softmax(torch.zeros(2, 4, 4), mask))
    print(masked_cross_entropy(torch.zeros(2, 3, 4), torch.zeros(2, 3, dtype=torch.int64), torch.tensor([1, 3])))
