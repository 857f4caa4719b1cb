"""Known mistakes of ``masking``."""

from __future__ import annotations

from autograder.assignments.kit.hidden.variant import Variant
from autograder.assignments.masking.hidden.mistakes import loss, masks, softmax

VARIANTS: tuple[Variant, ...] = (*masks.VARIANTS, *softmax.VARIANTS, *loss.VARIANTS)
