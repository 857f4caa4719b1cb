# whole file: Half of the lowest number added under the mask; Einstein sums and one-hot targets.
import torch
from torch import nn


def padding_mask(lengths, max_len=None):
    max_len = max_len if max_len is not None else int(lengths.max())
    return torch.stack([torch.arange(max_len, device=lengths.device) < n for n in lengths])


def causal_mask(length):
    return torch.arange(length)[None, :] <= torch.arange(length)[:, None]


def window_mask(length, radius):
    offsets = torch.arange(length)[None, :] - torch.arange(length)[:, None]
    return offsets.ge(-radius) & offsets.le(radius)


def strided_mask(length, stride):
    same = torch.diag(torch.ones(length)).bool()
    multiples = torch.tensor([j % stride == 0 for j in range(length)])
    return same | multiples


def combine_masks(key_padding, attention):
    return torch.einsum("bk,qk->bqk", key_padding.float(), attention.float()) > 0.5


def masked_softmax(scores, mask, dim=-1):
    keep = mask.to(scores.dtype)
    bias = (1.0 - keep) * torch.finfo(scores.dtype).min / 2
    return torch.softmax(scores + bias, dim=dim) * keep


def masked_attention(query, key, value, mask):
    d = query.size(-1)
    scores = torch.einsum("...qd,...kd->...qk", query, key) / d**0.5
    weights = masked_softmax(scores, mask)
    return torch.einsum("...qk,...kd->...qd", weights, value), weights


def masked_cross_entropy(logits, targets, lengths):
    log_probs = nn.LogSoftmax(dim=-1)(logits)
    one_hot = nn.functional.one_hot(targets, logits.size(-1)).to(logits.dtype)
    losses = -(one_hot * log_probs).sum(-1)
    mask = padding_mask(lengths, targets.size(1)).to(logits.dtype)
    return (losses * mask).sum() / mask.sum()
