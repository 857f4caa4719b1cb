"""Known mistakes of ``seq2seq``, by what is wrong."""

from __future__ import annotations

from autograder.misconceptions import (
    seq2seq_bleu,
    seq2seq_decoders,
    seq2seq_encoder,
    seq2seq_search,
    seq2seq_training,
)
from autograder.misconceptions.variant import Variant

VARIANTS: tuple[Variant, ...] = (
    *seq2seq_encoder.VARIANTS,
    *seq2seq_decoders.VARIANTS,
    *seq2seq_search.VARIANTS,
    *seq2seq_training.VARIANTS,
    *seq2seq_bleu.VARIANTS,
)
