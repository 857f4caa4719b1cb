"""Known mistakes of ``seq2seq``, by the part that is wrong."""

from __future__ import annotations

from autograder.assignments.kit.hidden.variant import Variant
from autograder.assignments.seq2seq.hidden.mistakes import bleu, decoders, encoder, search, training

VARIANTS: tuple[Variant, ...] = (
    *encoder.VARIANTS,
    *decoders.VARIANTS,
    *search.VARIANTS,
    *training.VARIANTS,
    *bleu.VARIANTS,
)
