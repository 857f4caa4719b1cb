import torch
from torch.nn import functional as F


def padding_mask(lengths, max_len=None):
    if max_len is None:
        max_len = int(lengths.max())
    return torch.arange(max_len, device=lengths.device) < lengths[:, None]


def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).tril()


def window_mask(length, radius):
    i = torch.arange(length)
    return (i[:, None] - i).abs() <= radius


def strided_mask(length, stride):
    return (torch.arange(length) % stride == 0) | torch.eye(length, dtype=torch.bool)


def combine_masks(key_padding, attention):
    return key_padding[:, None, :] & attention


def masked_softmax(scores, mask, dim=-1):
    mask = mask.broadcast_to(scores.shape)
    dead = ~mask.any(dim, keepdim=True)
    e = scores.masked_fill(~mask, -torch.inf).masked_fill(dead, 0)
    return e.softmax(dim).masked_fill(~mask, 0)


def masked_attention(query, key, value, mask):
    weights = masked_softmax(query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5, mask)
    return weights @ value, weights


def masked_cross_entropy(logits, targets, lengths):
    real = padding_mask(lengths, logits.shape[1])
    return F.cross_entropy(logits[real], targets[real])


if __name__ == "__main__":
    mask = combine_masks(padding_mask(torch.tensor([2, 4])), causal_mask(4))
    print(mask.int())
    print(masked_softmax(torch.zeros(2, 4, 4), mask))
