"""The reference of ``bottleneck`` under the contract's names."""

from reference.bottleneck.counts import (
    Own,
    attention_bytes,
    binary_channel_capacity,
    bits_per_token,
    context_capacity,
    longest_lossless,
    own_answers,
    path_decay,
    path_length,
    reach,
    score_multiplications,
)
from reference.bottleneck.functions import (
    conditional_entropy,
    decay_along,
    entropy_bits,
    mutual_information,
    processing_chain,
    uniform_context,
    weight_of_dot,
)
from reference.bottleneck.given import own_numbers

__all__ = [
    "Own",
    "attention_bytes",
    "binary_channel_capacity",
    "bits_per_token",
    "conditional_entropy",
    "context_capacity",
    "decay_along",
    "entropy_bits",
    "longest_lossless",
    "mutual_information",
    "own_answers",
    "own_numbers",
    "path_decay",
    "path_length",
    "processing_chain",
    "reach",
    "score_multiplications",
    "uniform_context",
    "weight_of_dot",
]
