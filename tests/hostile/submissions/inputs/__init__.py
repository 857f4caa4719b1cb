"""Bad inputs as data: what a student may hand in, by mischief or by accident, and what must come of it."""

from __future__ import annotations

from . import archives, files, names, notebooks, scripts
from .base import SOLUTION, Bad
from .classes import CHANGES, CLASSES

INPUTS: dict[str, Bad] = {
    **archives.INPUTS,
    **files.INPUTS,
    **notebooks.INPUTS,
    **scripts.INPUTS,
    **names.INPUTS,
}

__all__ = ["CHANGES", "CLASSES", "INPUTS", "SOLUTION", "Bad"]
