"""Calls of the reference on which its conventions are tested (see ../test_conventions.py)."""

from reference.bahdanau.functions import additive_attention, additive_score, softmax_vjp, stable_softmax
from tests.assignments.tensor_helpers import tensors


def calls(B, T_t, T_s):
    """name -> function, its tensors. Every floating-point tensor here must get its gradient."""
    enc, dec, attn = 3, 2, 4
    additive = tensors((B, dec), (B, T_s, enc), (attn, dec), (attn, enc), (1, attn))
    return {
        "stable_softmax": (stable_softmax, tensors((B, T_s))),
        "stable_softmax dim 0": (lambda e: stable_softmax(e, 0), tensors((T_s, B))),
        "softmax_vjp": (softmax_vjp, tensors((B, T_s), (B, T_s))),
        "additive_score": (additive_score, additive),
        "additive_attention": (additive_attention, additive),
    }
