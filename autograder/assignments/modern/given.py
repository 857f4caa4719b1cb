"""What the checks of ``modern`` share."""

from __future__ import annotations

from autograder.assignments.modern.programs import BLOCK, GROUPED, LAYER, PROJECTED, SPARSE, STREAMED, USUAL, WINDOW

WATCHED = (PROJECTED, STREAMED, WINDOW, SPARSE, GROUPED, LAYER, BLOCK)
interface, both = USUAL.interface, USUAL.both
