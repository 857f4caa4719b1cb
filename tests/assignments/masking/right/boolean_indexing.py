# whole file: Masks and weights written by boolean indexing into copies.
import torch
from torch.nn import functional as F


def padding_mask(lengths, max_len=None):
    width = max_len
    if width is None:
        width = int(lengths.max())
    mask = torch.zeros((lengths.shape[0], width), dtype=torch.bool, device=lengths.device)
    for b, n in enumerate(lengths):
        mask[b, : int(n)] = True
    return mask


def causal_mask(length):
    return ~torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def window_mask(length, radius):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, max(0, i - radius) : i + radius + 1] = True
    return mask


def strided_mask(length, stride):
    columns = torch.zeros(length, dtype=torch.bool)
    columns[torch.arange(0, length, stride)] = True
    mask = columns.repeat(length, 1)
    return mask.fill_diagonal_(True)


def combine_masks(key_padding, attention):
    return torch.stack([real & attention for real in key_padding])


def masked_softmax(scores, mask, dim=-1):
    scores = scores.clone()
    hidden = ~mask.expand_as(scores)
    scores[hidden] = torch.finfo(scores.dtype).min
    weights = scores.softmax(dim).clone()
    weights[hidden] = 0
    return weights


def masked_attention(query, key, value, mask):
    root = key.size(-1) ** 0.5
    weights = masked_softmax((query / root) @ key.transpose(-1, -2), mask)
    return weights @ value, weights


def masked_cross_entropy(logits, targets, lengths):
    real = padding_mask(lengths, logits.shape[1])
    return F.cross_entropy(logits[real], targets[real])
