"""Known mistakes of ``masking``."""

from __future__ import annotations

from autograder.misconceptions import masking_loss, masking_masks, masking_softmax
from autograder.misconceptions.variant import Variant

VARIANTS: tuple[Variant, ...] = (*masking_masks.VARIANTS, *masking_softmax.VARIANTS, *masking_loss.VARIANTS)
