"""What tests of known mistakes (tests/instructor/oracle) must know of this assignment."""

from typing import Any

from autograder.assignments.modern.causes import CAUSES
from autograder.assignments.modern.hidden.mistakes import additive, costs, grouped, layers, rotary, streams, windows

# Causes that it can have, beside those of any assignment, and those of any assignment that it can't have.
OWN = {*CAUSES, "missing-decoder-term", "missing-encoder-term", "heads-mixed", "missing-output-projection"}
OWN |= {"too-much-memory", "window-one-sided"}
NOT_IN: set[str] = set()
# What variants are made of, with no part replaced: answers as the references do.
STAND_INS: dict[str, Any] = {
    **additive.additive(),
    **streams.streamed(),
    **windows.window(),
    **windows.sparse(),
    "apply_rotary": rotary.rotary(),
    "grouped_attention": grouped.grouped(),
    **layers.layer(),
    **layers.block(),
    **costs.costs(),
    **costs.pairs(costs.union),
}
