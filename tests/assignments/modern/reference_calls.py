"""Calls of the reference on which its conventions are tested (see ../test_conventions.py)."""

import torch

from reference.modern import functions, heads
from tests.assignments.tensor_helpers import queries_keys_values, tensors


def calls(B, T_t, T_s):
    """name -> function, its tensors. Every floating-point tensor here must get its gradient."""
    layers = [*tensors((B, T_t, 3), (B, T_s, 2), (B, T_s, 4)), *tensors((4, 3), (1, 4))]
    words, places = tensors((B, T_s, 6))[0], torch.arange(T_s) + 3
    square = [one / 2 for one in tensors((4, 4), (2, 4), (2, 4), (4, 4))]
    cache = tensors((B, 1, T_s, 2), (B, 1, T_s, 2))
    grouped = tensors((B, 4, T_t, 3), (B, 2, T_t + T_s, 3), (B, 2, T_t + T_s, 2))
    rows = [torch.cat([one, one.flip(1)], 1) for one in tensors((B, T_s, 3), (B, T_s, 3), (B, T_s, 2))]
    return {
        "cached additive attention": (functions.projected_attention, layers),
        "streamed_attention": (
            lambda q, k, v: functions.streamed_attention(q, k, v, 3),
            queries_keys_values(B, T_t, T_s),
        ),
        "window_attention": (lambda q, k, v: functions.window_attention(q, k, v, 2), rows),
        "sparse_attention": (lambda q, k, v: functions.sparse_attention(q, k, v, 1, 3), rows),
        "apply_rotary": (heads.apply_rotary, [words, places]),
        "grouped_attention of a batch": (heads.grouped_attention, grouped),
        "extend": (
            lambda x, k, v, *W: heads.extend(x, k, v, *W, heads=2, groups=1),
            [tensors((B, T_t, 4))[0], *cache, *square],
        ),
    }
