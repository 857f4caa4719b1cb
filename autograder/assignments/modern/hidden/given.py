"""What the hidden checks of ``modern`` share: sizes, and cases of every function."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import Any

from autograder import model
from autograder.assignments.kit.hidden.usual_cases import in_layouts, steady
from autograder.assignments.kit.kinds import invariance
from autograder.assignments.modern.programs import (
    BLOCK,
    EXTEND,
    FORWARD,
    GROUPED,
    LAYER,
    ROTARY,
    SPARSE,
    STEP,
    STREAMED,
    USUAL,
    WINDOW,
    Additive,
    Heads,
)

ADDED = Additive(2, 3, 5, 4, 2, 3)
WORDS = Heads(2, 4, 4, 2, 2)
# Three sizes for calls in turn, and two that no other case has, for the devices.
SIZES: dict[str, list[tuple[Any, ...]]] = {
    FORWARD: [
        (ADDED,),
        (ADDED._replace(targets=2, sources=6),),
        (ADDED,),
        (Additive(3, 2, 8, 3, 4, 5),),
        (Additive(3, 4, 8, 3, 4, 5),),
    ],
    STEP: [
        (ADDED,),
        (ADDED._replace(batch=3, sources=6),),
        (ADDED,),
        (Additive(3, 1, 9, 3, 4, 5),),
        (Additive(3, 1, 8, 3, 4, 5),),
    ],
    STREAMED: [(2, 3, 7, 4, 5, 3), (1, 4, 6, 4, 5, 3), (2, 3, 7, 4, 5, 3), (3, 2, 11, 4, 3, 4), (3, 2, 10, 4, 3, 4)],
    WINDOW: [(2, 7, 4, 3, 2), (1, 9, 4, 3, 2), (2, 7, 4, 3, 2), (3, 10, 2, 3, 1), (3, 12, 2, 3, 1)],
    SPARSE: [(2, 7, 4, 3, 1, 3), (1, 9, 4, 3, 1, 3), (2, 7, 4, 3, 1, 3), (3, 10, 2, 3, 1, 4), (3, 12, 2, 3, 1, 4)],
    ROTARY: [(2, 5, 6), (3, 4, 6), (2, 5, 6), (3, 7, 10), (3, 8, 10)],
    GROUPED: [
        (2, 4, 2, 3, 5, 2, 3),
        (1, 4, 2, 4, 6, 2, 3),
        (2, 4, 2, 3, 5, 2, 3),
        (3, 6, 2, 4, 7, 2, 3),
        (3, 6, 2, 4, 8, 2, 3),
    ],
    LAYER: [(WORDS,), (WORDS._replace(length=6),), (WORDS,), (Heads(3, 7, 2, 1, 4),), (Heads(3, 8, 2, 1, 4),)],
    EXTEND: [
        (WORDS, 3),
        (WORDS._replace(length=2), 5),
        (WORDS, 3),
        (Heads(3, 2, 2, 1, 4), 7),
        (Heads(3, 2, 2, 1, 4), 6),
    ],
    BLOCK: [(WORDS,), (WORDS._replace(length=6),), (WORDS,), (Heads(3, 7, 2, 1, 4),), (Heads(3, 8, 2, 1, 4),)],
}


def rules(id: str, subject: str, points: float, *names: str) -> model.Check:
    """Return the check that calls keep no state, leave their inputs alone, and stay on their device."""
    asked = [steady(USUAL, name, SIZES[name]) for name in names]
    cases, assertions = (list(chain.from_iterable(parts)) for parts in zip(*asked, strict=True))
    title = f"{subject} keeps no state, leaves its inputs alone and works on any device"
    return invariance(f"{id}-rules", points, title).on(*cases).expects(*assertions)


sizes = partial(in_layouts, USUAL)
