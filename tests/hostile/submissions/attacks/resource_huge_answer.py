"""Returns more than an answer may hold: 200 MB, and a view that seems to be a terabyte."""
import torch


def padding_mask(lengths, max_len=None):
    return torch.zeros(25_000_000, dtype=torch.float64)


def causal_mask(length):
    return torch.zeros(1).expand(10**12)


def window_mask(length, radius):
    return "x" * 200_000_000


def strided_mask(length, stride):
    return [torch.zeros(1)] * 10_000
