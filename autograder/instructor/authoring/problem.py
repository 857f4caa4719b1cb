"""What is wrong with an assignment of a course, and where."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from autograder import model
from autograder.assignments import places


class Problem(NamedTuple):
    """What is wrong, and where: a file of the assignment's folder, and a line of it or 0.

    ``blocks``: nothing can be built or graded until it is mended.
    """

    file: str
    line: int
    text: str
    blocks: bool = False

    def __str__(self) -> str:
        where = f"{self.file}, line {self.line}" if self.line else self.file
        return f"{where}: {self.text}"


class Files:
    """The files of an assignment, to find the line that a problem is about."""

    def __init__(self, assignment: str) -> None:
        self.assignment = assignment
        self.folder = places.place(assignment).texts

    def text(self, name: str) -> str:
        """Return the text of a file; empty without one."""
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    def line(self, name: str, needle: str) -> int:
        """Return the first line of a file that holds ``needle``; 0 if none does."""
        lines = self.text(name).splitlines()
        return next((at for at, line in enumerate(lines, 1) if needle and needle in line), 0)

    def at(self, name: str, needle: str, text: str, blocks: bool = False) -> Problem:
        """Return a problem at the first line of a file that holds ``needle``."""
        return Problem(name, self.line(name, needle), text, blocks)

    def told(self, name: str, text: str, needle: str = "") -> Problem:
        """Return a problem that another program tells, at the line that it names, or at the first with ``needle``."""
        number = re.search(r"\bline (\d+)", text)
        return Problem(name, int(number[1]), text) if number else self.at(name, needle, text)

    def raised(self, error: model.CourseError) -> Problem:
        """Return the problem that an error in a file is."""
        file = error.file or Path("checks.py")
        name = file.relative_to(self.folder).as_posix() if file.is_relative_to(self.folder) else file.name
        return Problem(name, error.line, error.text, blocks=True)
