"""``T/explanations.toml``: for each cause of mistakes, a paragraph that an instructor says in class. For staff only.

missing-scale = '''...'''   # what goes wrong, a small number that shows it, and what is right. Code in backticks.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

from autograder.assignments import places

NAME = "explanations.toml"


def file_of(assignment: str) -> Path:
    """Return where an assignment has its paragraphs, if it has any."""
    return places.folder(assignment) / NAME


def read(path: Path) -> dict[str, str]:
    """Return the paragraphs of a file by cause, each in one line; none without a file. Raises OSError or ValueError."""
    if not path.is_file():
        return {}
    found = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), dict[str, str])
    return {cause: " ".join(text.split()) for cause, text in found.items()}
