# whole file: One pass over the keys with a running maximum and a running sum; nothing has the size of the scores.

import math
from functools import reduce

import torch
from torch.nn import functional as F


def padding_mask(lengths, max_len=None):
    if max_len is None:
        max_len = int(lengths.max())
    over = torch.zeros(lengths.size(0), max_len + 1, dtype=torch.long, device=lengths.device)
    over = over.scatter(1, lengths.long().clamp(max=max_len).unsqueeze(1), 1)
    return over.cumsum(1)[:, :max_len] == 0


def causal_mask(length):
    return torch.eye(length, dtype=torch.long).cumsum(0).bool()


def window_mask(length, radius):
    wider = F.max_pool1d(torch.eye(length).unsqueeze(0), 2 * radius + 1, stride=1, padding=radius)
    return wider.squeeze(0) > 0


def strided_mask(length, stride):
    return torch.eye(length, dtype=torch.bool).index_fill(1, torch.arange(0, length, stride), True)


def combine_masks(key_padding, attention):
    seen = attention.unsqueeze(0).repeat(key_padding.size(0), 1, 1)
    return seen.masked_fill(~key_padding.unsqueeze(1), False)


def masked_softmax(scores, mask, dim=-1):
    seen = mask.expand_as(scores).unbind(dim)
    parts = scores.unbind(dim)
    top = torch.full_like(parts[0], torch.finfo(scores.dtype).min).detach()
    total = torch.zeros_like(parts[0])
    for s, m in zip(parts, seen):
        higher = torch.where(m, torch.maximum(top, s), top).detach()
        step = torch.where(m, s - higher, 0.0).exp()
        total = total * (top - higher).exp() + torch.where(m, step, 0.0)
        top = higher
    total = torch.where(total > 0, total, 1.0)
    weights = [torch.where(m, torch.where(m, s - top, 0.0).exp() / total, 0.0) for s, m in zip(parts, seen)]
    return torch.stack(weights, dim)


def masked_attention(query, key, value, mask):
    scale = 1.0 / math.sqrt(query.size(-1))
    scores = torch.stack([(q.unsqueeze(-2) * key).sum(-1) * scale for q in query.unbind(-2)], -2)
    weights = masked_softmax(scores, mask)
    output = torch.stack([(w.unsqueeze(-1) * value).sum(-2) for w in weights.unbind(-2)], -2)
    return output, weights


def masked_cross_entropy(logits, targets, lengths):
    log_total = reduce(torch.logaddexp, logits.unbind(-1))
    picked = (logits * F.one_hot(targets, logits.size(-1))).sum(-1)
    real = padding_mask(lengths, targets.size(1)).to(logits.dtype)
    return torch.dot((log_total - picked).flatten(), real.flatten()) / real.sum()
