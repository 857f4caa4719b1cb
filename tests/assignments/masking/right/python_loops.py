# whole file: Python loops over every entry.
import math
import torch


def padding_mask(lengths, max_len=None):
    device, lengths = lengths.device, lengths.tolist()
    if max_len is None:
        max_len = max(lengths)
    rows = []
    for n in lengths:
        row = []
        for j in range(max_len):
            row.append(j < n)
        rows.append(row)
    return torch.tensor(rows, dtype=torch.bool, device=device)


def square(length, rule):
    m = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        for j in range(length):
            m[i, j] = rule(i, j)
    return m


def causal_mask(length):
    return square(length, lambda i, j: j <= i)


def window_mask(length, radius):
    return square(length, lambda i, j: abs(i - j) <= radius)


def strided_mask(length, stride):
    return square(length, lambda i, j: j % stride == 0 or i == j)


def combine_masks(key_padding, attention):
    out = torch.empty(len(key_padding), *attention.shape, dtype=torch.bool, device=attention.device)
    for b, real in enumerate(key_padding):
        for i, seen in enumerate(attention):
            for j in range(len(seen)):
                out[b, i, j] = bool(real[j]) and bool(seen[j])
    return out


def masked_softmax(scores, mask, dim=-1):
    mask = mask.expand(scores.shape)
    s, m = scores.transpose(dim, -1), mask.transpose(dim, -1)
    rows = []
    for row, seen in zip(s.reshape(-1, s.shape[-1]), m.reshape(-1, s.shape[-1])):
        out = torch.zeros_like(row)
        if seen.any():
            out[seen] = torch.softmax(row[seen], 0)
        rows.append(out)
    return torch.stack(rows).reshape(s.shape).transpose(dim, -1)


def masked_attention(query, key, value, mask):
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(key.shape[-1])
    w = masked_softmax(scores, mask, -1)
    return torch.matmul(w, value), w


def masked_cross_entropy(logits, targets, lengths):
    total, count = 0.0, 0
    for b, n in enumerate(lengths.tolist()):
        for t in range(n):
            z = logits[b, t]
            total = total + torch.logsumexp(z, 0) - z[targets[b, t]]
            count += 1
    return total / count
