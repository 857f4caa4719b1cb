"""Calls of the reference on which its conventions are tested (see ../test_conventions.py)."""

from reference.self_attention.functions import (
    attention_entropy,
    multi_head_attention,
    projected_self_attention,
    scaled_dot_product_attention,
    self_attention,
)
from tests.assignments.tensor_helpers import mask_of, queries_keys_values, randn, tensors


def calls(B, T_t, T_s):
    """name -> function, its tensors. Every floating-point tensor here must get its gradient."""
    qkv = queries_keys_values(B, T_t, T_s)
    square = tensors((4, 4), (4, 4), (4, 4), (4, 4))
    return {
        "self_attention": (lambda x: self_attention(x, 0.7), tensors((B, T_s, 3))),
        "scaled_dot_product_attention": (scaled_dot_product_attention, qkv),
        "scaled_dot_product_attention masked": (scaled_dot_product_attention, [*qkv, mask_of(B, T_t, T_s)]),
        "projected_self_attention": (projected_self_attention, [qkv[1], *square[:3], mask_of(T_s, T_s)]),
        "multi_head_attention": (lambda *x: multi_head_attention(*x, 2), [*qkv, *square]),
        "multi_head_attention masked": (
            lambda *x: multi_head_attention(*x[:-1], 2, x[-1]),
            [*qkv, *square, mask_of(B, T_t, T_s)],
        ),
        "attention_entropy": (attention_entropy, [randn(B, T_s).softmax(-1)]),
    }
