# whole file: `tril` and `triu` for the masks, `-inf` and `nan_to_num` for the weights.
import torch
import torch.nn as nn
import torch.nn.functional as F


def padding_mask(lengths, max_len=None):
    n = lengths.max().item() if max_len is None else max_len
    ones = torch.ones(len(lengths), n, dtype=torch.int64, device=lengths.device)
    return ones.cumsum(1) <= lengths[:, None]


def causal_mask(length):
    return torch.tril(torch.ones(length, length)) == 1


def window_mask(length, radius):
    return torch.ones(length, length).triu(-radius).tril(radius).bool()


def strided_mask(length, stride):
    m = torch.eye(length, dtype=torch.bool)
    m[:, ::stride] = True
    return m


def combine_masks(key_padding, attention):
    return torch.logical_and(key_padding[:, None, :], attention[None, :, :])


def masked_softmax(scores, mask, dim=-1):
    p = F.softmax(scores.masked_fill(mask.logical_not(), float("-inf")), dim=dim)
    return torch.nan_to_num(p, nan=0.0)


def masked_attention(query, key, value, mask):
    d_k = query.shape[-1]
    w = masked_softmax(query.matmul(key.transpose(-2, -1)) * d_k**-0.5, mask)
    return w.matmul(value), w


def masked_cross_entropy(logits, targets, lengths):
    B, T, V = logits.shape
    keep = padding_mask(lengths, T).reshape(-1)
    ignored = targets.reshape(-1).masked_fill(~keep, -100)
    return nn.CrossEntropyLoss(ignore_index=-100)(logits.reshape(-1, V), ignored)
