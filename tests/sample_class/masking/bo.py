# masking, bo.  for loops because broadcasting makes my head hurt
import math
import torch
import torch.nn.functional as F


def padding_mask(lengths, max_len=None):
    if max_len is None:
        max_len = max(lengths.tolist())
    rows = []
    for n in lengths.tolist():
        rows.append([j < n for j in range(max_len)])
    return torch.tensor(rows, dtype=torch.bool, device=lengths.device).reshape(len(rows), max_len)


def causal_mask(length):
    m = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        m[i, :i + 1] = True
    return m


def window_mask(length, radius):
    m = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        for j in range(length):
            if abs(i - j) <= radius:
                m[i, j] = True
    return m


def strided_mask(length, stride):
    m = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        m[i, ::stride] = True
        m[i, i] = True
    return m


def combine_masks(key_padding, attention):
    out = []
    for b in range(key_padding.size(0)):
        out.append(attention & key_padding[b])
    return torch.stack(out)


def masked_softmax(scores, mask, dim=-1):
    big = torch.finfo(scores.dtype).max
    # print(mask)
    w = F.softmax(scores.masked_fill(mask.logical_not(), -big), dim=dim)
    return w.masked_fill(mask.logical_not(), 0.0)


def masked_attention(query, key, value, mask):
    e = query @ key.transpose(-1, -2)
    e = e / math.sqrt(key.size(-1))
    w = masked_softmax(e, mask)
    return w @ value, w


def masked_cross_entropy(logits, targets, lengths):
    total = 0.0
    n = 0
    for b in range(logits.size(0)):
        L = int(lengths[b])
        if L == 0:
            continue
        total = total + F.cross_entropy(logits[b, :L], targets[b, :L], reduction='sum')
        n += L
    return total / n
