"""Tensors for the tests of references."""

import torch


def randn(*shape, seed=0):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def tensors(*shapes):
    return [randn(*shape, seed=i) for i, shape in enumerate(shapes)]


def mask_of(*shape):
    """A random mask with a row of False."""
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(0)) < 0.6
    mask[..., -1, :] = False
    return mask


def queries_keys_values(B, T_t, T_s):
    return tensors((B, T_t, 4), (B, T_s, 4), (B, T_s, 4))
