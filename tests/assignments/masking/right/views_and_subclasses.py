# whole file: Results as views of larger tensors and as instances of a subclass of Tensor.
import torch
from torch import nn


class Mask(torch.Tensor):
    """A subclass changes nothing."""


class MaskedSoftmax(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, scores, mask):
        weights = torch.zeros_like(scores)
        low = torch.where(mask, scores, scores.new_full((), torch.finfo(scores.dtype).min))
        weights = weights + torch.where(mask, low.softmax(self.dim), scores.new_zeros(()))
        return weights.transpose(0, -1).contiguous().transpose(0, -1)


def padding_mask(lengths, max_len=None):
    width = int(lengths.max()) if max_len is None else max_len
    columns = torch.arange(width, device=lengths.device).unsqueeze(1) < lengths
    return columns.t().as_subclass(Mask)


def causal_mask(length):
    wide = torch.ones(length, 2 * length, dtype=torch.bool).tril()
    return wide[:, :length]


def window_mask(length, radius):
    i = torch.arange(length)
    return ((i - i[:, None]).abs() > radius).logical_not()


def strided_mask(length, stride):
    i = torch.arange(length)
    return torch.where(i % stride == 0, True, i[:, None] == i)


def combine_masks(key_padding, attention):
    return torch.movedim(attention.unsqueeze(-1) & key_padding.t().unsqueeze(0), -1, 0)


def masked_softmax(scores, mask, dim=-1):
    return MaskedSoftmax(dim)(scores, mask)


def masked_attention(query, key, value, mask):
    w = masked_softmax(query.div(query.size(-1) ** 0.5) @ key.mT, mask)
    both = torch.cat([w @ value, w], -1)
    return both[..., : value.size(-1)], both[..., value.size(-1) :]


def masked_cross_entropy(logits, targets, lengths):
    real = padding_mask(lengths, targets.size(1)).as_subclass(torch.Tensor)
    safe = torch.where(real.unsqueeze(-1), logits, torch.zeros_like(logits))
    nll = safe.logsumexp(-1) - safe.take_along_dim(targets.unsqueeze(-1), -1).squeeze(-1)
    return torch.where(real, nll, 0.0).sum().div(real.count_nonzero())
