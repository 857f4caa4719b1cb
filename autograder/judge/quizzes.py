"""Assertions about the answers to a quiz whose options stand in another order for each student."""

from __future__ import annotations

from collections.abc import Sequence

from autograder import protocol
from autograder.judge.comparison import AssertionFailed, Comparison
from autograder.judge.registry import assertion
from autograder.model import tokens

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@assertion
def chosen(case: Comparison, step: str, place: int, question: str, options: Sequence[str], right: str) -> None:
    """The letter at ``place`` is that of the right option, in the order of the token in the file."""
    letters = letters_of(case.actual[step].value)
    given = letters[place].strip().upper() if place < len(letters) else ""
    shown = tokens.shuffled(tokens.written(case.work) if case.work else None, question, options)
    if given != LETTERS[shown.index(right)]:
        raise AssertionFailed(
            "broken-property", step, output="result", property=f"letter {place + 1} is right", cause="", got=""
        )


def letters_of(value: protocol.Value | None) -> list[str]:
    """Return the letters that a call returned, as one text or one by one. What is no text is empty."""
    match value:
        case protocol.Scalar(str(text)):
            return [*text]
        case protocol.Sequence(items=items):
            return [
                item.value if isinstance(item, protocol.Scalar) and isinstance(item.value, str) else ""
                for item in items
            ]
    return []
