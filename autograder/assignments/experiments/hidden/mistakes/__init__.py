"""Known mistakes of ``experiments``, by the part that is wrong."""

from __future__ import annotations

from autograder.assignments.experiments.hidden.mistakes import bleu, curves, epoch, heads, small
from autograder.assignments.kit.hidden.variant import Variant

VARIANTS: tuple[Variant, ...] = (*small.VARIANTS, *epoch.VARIANTS, *curves.VARIANTS, *bleu.VARIANTS, *heads.VARIANTS)
