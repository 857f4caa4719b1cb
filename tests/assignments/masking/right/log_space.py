# whole file: Tables for the masks, log-probabilities for the rest, and small callable objects.

from dataclasses import dataclass

import torch
from torch.distributions import Categorical


def padding_mask(lengths, max_len=None):
    n = int(lengths.amax()) if max_len is None else max_len
    table = torch.ones(n + 1, n, dtype=torch.bool, device=lengths.device).tril(-1)  # row k: k real tokens
    return table[lengths.long().clamp(max=n)]


def causal_mask(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    rows, columns = torch.tril_indices(length, length)
    mask[rows, columns] = True
    return mask


def window_mask(length, radius):
    near = torch.arange(1 - length, length).abs() <= radius
    return near.unfold(0, length, 1).flip(0)


def strided_mask(length, stride):
    i = torch.arange(length)
    mask = torch.isin(i, i[::stride]).tile(length, 1)
    mask.diagonal().fill_(True)
    return mask


def combine_masks(key_padding, attention):
    both = torch.broadcast_tensors(key_padding.unsqueeze(1), attention.unsqueeze(0))
    return torch.stack(both).all(dim=0)


@dataclass
class MaskedLogSoftmax:
    dim: int = -1

    def __call__(self, scores, mask):
        lowest = torch.finfo(scores.dtype).min
        return torch.log_softmax(torch.where(mask, scores, lowest), self.dim)


@dataclass
class Attention:
    power: float = 0.25

    def scores(self, query, key):
        root = query.shape[-1] ** self.power  # half of the scale on each side
        return torch.einsum("...id,...jd->...ij", query / root, key / root)

    def __call__(self, query, key, value, mask):
        weights = masked_softmax(self.scores(query, key), mask)
        return weights.matmul(value), weights


def masked_softmax(scores, mask, dim=-1):
    log_weights = MaskedLogSoftmax(dim)(scores, mask)
    return torch.where(mask, log_weights.exp(), 0.0)


def masked_attention(query, key, value, mask):
    return Attention()(query, key, value, mask)


def masked_cross_entropy(logits, targets, lengths):
    log_p = Categorical(logits=logits).log_prob(targets)
    real = padding_mask(lengths, logits.shape[1])
    return -(log_p * real).sum() / real.sum()
