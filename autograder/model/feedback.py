"""What an assignment contributes to its feedback: causes in words, and the names of axes."""

from __future__ import annotations

from typing import NamedTuple


class Cause(NamedTuple):
    """A cause of failure: a sentence that says what is wrong, and a hint."""

    sentence: str
    hint: str


class CallAxes(NamedTuple):
    """The names of the axes of a call's arguments, in order, and of its results. ``...`` is any number of axes.

    ``mask`` names those of a mask, if they are not those of the weights.
    """

    arguments: tuple[str, ...]
    results: tuple[str, ...]
    mask: str = ""
