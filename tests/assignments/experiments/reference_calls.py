"""Calls of the reference on which its conventions are tested (see ../test_conventions.py)."""

import torch

from reference.experiments.cross import cross_attention
from reference.experiments.functions import mean_attention_map, split_projection
from tests.assignments.tensor_helpers import randn, tensors


def attend(query, memory, *weights):
    names = ("W_Q.weight", "W_K.weight", "W_V.weight", "W_O.weight")
    mask = torch.ones(memory.shape[:2], dtype=torch.bool)
    mask[:, 1::2] = False
    head_mask = torch.tensor([1.0, 0.5], dtype=query.dtype)
    return cross_attention(dict(zip(names, weights, strict=True)), query, memory, mask, head_mask, 2)


def mean_map(attention):
    targets, sources = (torch.full((len(attention),), size) for size in attention.shape[-2:])
    return mean_attention_map(attention.transpose(0, 1), sources, targets)


def calls(B, T_t, T_s):
    """name -> function, its tensors. Every floating-point tensor here must get its gradient."""
    layers = [randn(4, 4, seed=seed) for seed in range(4)]
    return {
        "cross_attention": (attend, [*tensors((B, T_t, 4), (B, T_s, 4)), *layers]),
        "split_projection dim 0": (split_projection, tensors((3 * (T_s + 1), T_s + 1))),
        "mean_attention_map": (mean_map, tensors((B, 2, 3, T_t, T_s))),
    }
