# whole file: Padded sequences, diagonals, and a masked `logsumexp`.
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence


def padding_mask(lengths, max_len=None):
    wide = pad_sequence([torch.ones(int(n), dtype=torch.bool, device=n.device) for n in lengths], batch_first=True)
    if max_len is None:
        return wide
    return nn.functional.pad(wide, (0, max_len - wide.size(1)))


def causal_mask(length):
    return torch.ones((length, length), dtype=torch.bool).T.triu().T


def window_mask(length, radius):
    mask = torch.zeros(length, length)
    for k in range(-min(radius, length - 1), min(radius, length - 1) + 1):
        mask = mask + torch.diag(torch.ones(length - abs(k)), k)
    return mask > 0


def strided_mask(length, stride):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for j in range(length):
        mask[j, j] = True
        if not j % stride:
            mask[:, j] = True
    return mask


def combine_masks(key_padding, attention):
    return ~(~key_padding[:, None, :] | ~attention)


def masked_softmax(scores, mask, dim=-1):
    s = scores.movedim(dim, -1)
    keep = mask.broadcast_to(scores.shape).movedim(dim, -1)
    log_total = torch.logsumexp(s.masked_fill(~keep, -1e20), dim=-1, keepdim=True)
    p = torch.exp((s - log_total).masked_fill(~keep, -1e20))
    return (p * keep).movedim(-1, dim)


def masked_attention(query, key, value, mask):
    lead = query.shape[:-2]
    q, k, v = (x.reshape(-1, *x.shape[-2:]) for x in (query, key, value))
    scores = torch.baddbmm(q.new_zeros(1, 1, 1), q, k.transpose(1, 2), alpha=q.size(-1) ** -0.5)
    scores = scores.reshape(*lead, *scores.shape[1:])
    weights = masked_softmax(scores, mask)
    out = torch.bmm(weights.reshape(-1, *weights.shape[-2:]), v)
    return out.reshape(*lead, *out.shape[1:]), weights


def masked_cross_entropy(logits, targets, lengths):
    kept = [(logits[b, : int(n)], targets[b, : int(n)]) for b, n in enumerate(lengths) if n > 0]
    return nn.functional.cross_entropy(torch.cat([z for z, _ in kept]), torch.cat([y for _, y in kept]))
