"""One path from the command line: a student's file, or a folder or zip with several."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from autograder.assignments import NAMES
from autograder.intake.errors import IntakeError
from autograder.intake.files import read_regular
from autograder.intake.names import (
    ARCHIVE,
    assignment_of,
    expected_name,
    printable_ids,
    quoted,
    shown,
    stem_of,
    suffix_of,
)
from autograder.intake.reading import load, pick
from autograder.intake.tree import Leaf
from autograder.model import Entry, Submission


def open_path(path: Path, assignment: str | None = None) -> list[tuple[str, Submission]]:
    """Return the submissions at ``path`` with their assignments: one of a file, one or more of a folder or zip.

    Without ``assignment`` a file's name decides; with it, any name will do. A broken file is returned as "unreadable".
    Raises ``IntakeError`` if nothing is at ``path``, a name fits no assignment, or nothing inside fits.
    """
    real = Path(os.path.realpath(path))  # a person may name a link
    name = Path(os.path.abspath(path)).name
    if not os.path.lexists(real):
        inner = path.with_suffix("") / path.name
        if inner.is_file():
            raise IntakeError(f"{shown(str(path), 300)} does not exist: use {shown(str(inner), 300)}")
        raise IntakeError(f"{shown(str(path), 300)} does not exist: check the spelling of the path")
    student = printable_ids([name if real.is_dir() else stem_of(name)]).popitem()[1]
    if real.is_dir() or suffix_of(name) == ARCHIVE:
        return _assignments_in(Entry(student, (real,)), path, (assignment,) if assignment else NAMES)
    known = assignment or assignment_of(name)
    if known is None:
        names = ", ".join(NAMES)
        raise IntakeError(
            f"{quoted(name)} names no assignment: use --assignment NAME, one of {names}; or --course FOLDER, if it "
            "is one of a course's own"
        )
    return [(known, load(student, Leaf((name,), "exact", partial(read_regular, str(real))), known))]


def _assignments_in(entry: Entry, path: Path, assignments: tuple[str, ...]) -> list[tuple[str, Submission]]:
    """Return the assignments of which ``entry`` holds a file, or several look-alikes."""
    looks = {name: pick(entry, name) for name in assignments}
    found = [(name, work) for name, (work, several) in looks.items() if work.status != "missing" or several]
    closed = len(assignments) > 1 and all(work.status == "unreadable" for work, _ in looks.values())
    if found and not closed:
        return found
    place = shown(str(path), 300)
    if closed or len(assignments) == 1:
        raise IntakeError(f"nothing to check in {place}: {looks[assignments[0]][0].note}")
    names = ", ".join(assignments)
    raise IntakeError(f"nothing to check in {place}: expected {expected_name('ASSIGNMENT')}, one of {names}")
