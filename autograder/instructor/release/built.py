"""What a build makes of a course's own assignment: the students' files, the shipped values, and the causes."""

from __future__ import annotations

from pathlib import Path

import msgspec

from autograder import model
from autograder.assignments import CAUSES, declarations, places
from autograder.instructor.authoring.words import mistakes
from autograder.instructor.release.generate import artefacts


def files(assignment: str) -> dict[Path, bytes]:
    """Return the files that a build makes, but for the shipped values: path -> content."""
    made = {path: text.encode() for path, text in artefacts(assignment, places.ROOT).items()}
    return made | {places.built(assignment, CAUSES): causes(assignment)}


def causes(assignment: str) -> bytes:
    """Return the causes that the known mistakes explain, as JSON. Raises CourseError for two sentences of one cause."""
    table: dict[str, dict[str, object]] = {}
    for one in mistakes(assignment):
        if not one.sentence:
            continue
        share: dict[str, object] = {} if one.share is None else {"share": one.share}
        entry: dict[str, object] = {"sentence": one.sentence, "hint": one.hint, **share}
        if table.setdefault(one.variant.cause, entry) != entry:
            path = places.folder(assignment) / "mistakes.py"
            line = declarations.line_of(path, f'"{one.variant.cause}"')
            raise model.CourseError(f"the cause {one.variant.cause} is explained twice; keep one text", path, line)
    return msgspec.json.format(msgspec.json.encode(table), indent=1)
