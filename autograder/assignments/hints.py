"""``T/hints.toml``: hints in three steps for each part of an assignment, or for each method of a part.

["BahdanauAttention.score"]
question = "..."      # step 1: makes the student think
read = "Shapes"       # step 2: the section of the handout that answers it
example = '''...'''   # step 3: a worked smaller case, in Markdown; never the line to write
"""

from __future__ import annotations

import tomllib

import msgspec

from autograder.assignments import places

STEPS = 3


class Hint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The three steps of a hint."""

    question: str
    read: str
    example: str


def hints(assignment: str) -> dict[str, Hint]:
    """Return the hints of an assignment: ``Part`` or ``Part.method`` -> hint, in the order of the parts."""
    path = places.folder(assignment) / "hints.toml"
    return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), dict[str, Hint]) if path.is_file() else {}


def of_part(assignment: str, part: str) -> dict[str, Hint]:
    """Return the hints for a part with its methods, or for one ``Part.method``."""
    return {name: hint for name, hint in hints(assignment).items() if part in (name, name.partition(".")[0])}


def step(hint: Hint, number: int) -> str:
    """Return one step of a hint as Markdown, from 1."""
    return (hint.question, f'Read the section "{hint.read}" of README.md again.', hint.example)[number - 1].strip()
