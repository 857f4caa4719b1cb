import math

import torch
import torch.nn.functional as F


def padding_mask(lengths, max_len=None):
    if max_len is None:
        max_len = lengths.max().item()
    positions = torch.arange(max_len, device=lengths.device)
    return positions.unsqueeze(0) < lengths.unsqueeze(1)


def causal_mask(length):
    return torch.tril(torch.ones(length, length)).bool()


def window_mask(length, radius):
    i = torch.arange(length)
    return (i.view(-1, 1) - i).abs() <= radius


def strided_mask(length, stride):
    i = torch.arange(length)
    return (i[None, :] % stride == 0) | (i[None, :] == i[:, None])


def combine_masks(key_padding, attention):
    return key_padding[:, None, :] & attention[None]


def masked_softmax(scores, mask, dim=-1):
    # additive mask: 0 where allowed, -inf elsewhere
    additive = torch.where(mask, 0.0, float("-inf")).to(scores)
    weights = torch.softmax(scores + additive, dim=dim)
    # a row with no True gives 0/0, so replace the nan by 0 (thanks google)
    return torch.nan_to_num(weights, nan=0.0)


def masked_attention(query, key, value, mask):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    weights = masked_softmax(scores, mask)
    return torch.matmul(weights, value), weights


def masked_cross_entropy(logits, targets, lengths):
    B, T, V = logits.shape
    loss = F.cross_entropy(logits.reshape(B * T, V), targets.reshape(B * T), reduction="none").view(B, T)
    mask = padding_mask(lengths, T)
    return (loss * mask).sum() / mask.sum()
