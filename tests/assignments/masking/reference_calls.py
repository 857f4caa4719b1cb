"""Calls of the reference on which its conventions are tested (see ../test_conventions.py)."""

import torch

from reference.masking.functions import masked_attention, masked_cross_entropy, masked_softmax
from tests.assignments.tensor_helpers import mask_of, queries_keys_values, randn


def calls(B, T_t, T_s):
    """name -> function, its tensors. Every floating-point tensor here must get its gradient."""
    V = 5
    lengths = torch.arange(B) % T_t + 1
    targets = torch.randint(V, (B, T_t), generator=torch.Generator().manual_seed(0))
    return {
        "masked_softmax": (masked_softmax, [randn(B, T_t, T_s), mask_of(T_t, T_s)]),
        "masked_softmax dim 1": (lambda e, m: masked_softmax(e, m, 1), [randn(B, T_t, T_s), mask_of(B, T_s, T_t).mT]),
        "masked_attention": (masked_attention, [*queries_keys_values(B, T_t, T_s), mask_of(B, T_t, T_s)]),
        "masked_cross_entropy": (masked_cross_entropy, [randn(B, T_t, V), targets, lengths]),
    }
