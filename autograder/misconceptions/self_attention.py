"""Known mistakes of ``self_attention``."""

from __future__ import annotations

from autograder.misconceptions import self_attention_classes, self_attention_functions, self_attention_rest
from autograder.misconceptions.variant import Variant

VARIANTS: tuple[Variant, ...] = (
    *self_attention_functions.VARIANTS,
    *self_attention_classes.VARIANTS,
    *self_attention_rest.VARIANTS,
)
