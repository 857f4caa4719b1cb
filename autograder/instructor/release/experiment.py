"""``solutions/T/experiment.py``: what works in the end with the student's own code.

It is a percent script that imports the student's file. Students get it as it is, and its cells at the end of the
notebook, which needs no import of the assignment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from autograder.assignments.places import place
from autograder.instructor.release.solution_script import percent_cells

NAME = "experiment.py"


def script(assignment: str, root: Path) -> str:
    """Return the script; empty if the assignment has none."""
    path = place(assignment, root).texts / NAME
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def cells(assignment: str, root: Path) -> Iterator[tuple[str, str]]:
    """Yield the kind and the source of each cell, without imports of the assignment."""
    for cell in percent_cells(script(assignment, root)):
        names = r"(?:\([^)]*\)|.*)"  # in brackets, over several lines; or to the end of the line
        source = re.sub(rf"^from {assignment} import {names}\n?\n?", "", cell.source, flags=re.MULTILINE).strip("\n")
        if source:
            yield ("markdown" if cell.cell_type == "markdown" else "code"), source
