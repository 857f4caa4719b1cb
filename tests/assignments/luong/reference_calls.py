"""Calls of the reference on which its conventions are tested (see ../test_conventions.py)."""

import torch

from reference.luong.functions import attend, attentional_hidden, concat_score, dot_score, general_score, local_weights
from tests.assignments.tensor_helpers import randn, tensors


def calls(B, T_t, T_s):
    """name -> function, its tensors. Every floating-point tensor here must get its gradient."""
    enc, dec, attn = 3, 2, 4
    centers = torch.linspace(0.3, T_s + 4.2, B, dtype=torch.float64)  # the last window is empty where B > 1
    return {
        "dot_score": (dot_score, tensors((B, T_t, enc), (B, T_s, enc))),
        "general_score": (general_score, tensors((B, T_t, dec), (B, T_s, enc), (dec, enc))),
        "concat_score": (concat_score, tensors((B, T_t, dec), (B, T_s, enc), (attn, dec + enc), (1, attn))),
        "attend": (attend, tensors((B, T_t, T_s), (B, T_s, enc))),
        "attentional_hidden": (attentional_hidden, tensors((B, T_t, enc), (B, T_t, dec), (dec, enc + dec))),
        "local_weights": (lambda e, p: local_weights(e, p, 2), [randn(B, T_s), centers]),
    }
