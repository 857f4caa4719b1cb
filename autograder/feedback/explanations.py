"""What an instructor says in class about a cause. It names the right answer, so students never get it."""

from __future__ import annotations

import contextlib
from pathlib import Path

from autograder import assignments
from autograder.assignments import explanations

SHARED = Path(__file__).with_name(explanations.NAME)


def explained(assignment: str) -> dict[str, str]:
    """Return the paragraphs by cause: an assignment's own, the shared ones, and those of all other assignments.

    An assignment's own words win. A file that can't be read explains nothing; ``attngrade author check`` names it.
    """
    found: dict[str, str] = {}
    for file in (explanations.file_of(assignment), SHARED, *map(explanations.file_of, assignments.NAMES)):
        with contextlib.suppress(OSError, ValueError):
            found = explanations.read(file) | found
    return found
