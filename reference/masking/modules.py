"""The reference of ``masking`` under the contract's names."""

from reference.masking.functions import (
    causal_mask,
    combine_masks,
    masked_attention,
    masked_cross_entropy,
    masked_softmax,
    padding_mask,
    strided_mask,
    window_mask,
)

__all__ = [
    "causal_mask",
    "combine_masks",
    "masked_attention",
    "masked_cross_entropy",
    "masked_softmax",
    "padding_mask",
    "strided_mask",
    "window_mask",
]
