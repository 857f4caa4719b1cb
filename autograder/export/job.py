"""What all formats share: whose grades they are, what a grade is worth, and cells that nothing can run."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Container, Iterable, Sequence

import msgspec

from autograder import model
from autograder.results import guarded
from autograder.roster import Matching, Person, Roster

NOT_GRADED = ("missing", "unreadable")  # nothing of it was looked at: a person should, before it is a 0
DIGITS = 4  # after the point; Moodle keeps five, Canvas shows two


class ExportError(Exception):
    """The grades can't be written so; the text is a sentence for the person at the keyboard."""


class Job(msgspec.Struct, frozen=True):
    """What is to be written, and how."""

    grades: tuple[model.Grade, ...]
    written_ns: dict[str, int]  # when each student's result was written, since 1970
    roster: Roster | None = None
    matching: Matching | None = None
    missing_as_zero: bool = False
    column: str | None = None  # of the gradebook that is edited
    columns: tuple[str, ...] = ()
    wide: bool = False

    @property
    def assignment(self) -> str:
        """The topic; all grades of a run are of one."""
        return self.grades[0].assignment

    def person(self, student: str) -> Person | None:
        """Who a student is, where a roster says so."""
        return self.matching.found.get(student) if self.matching else None


class Product(msgspec.Struct, frozen=True):
    """The files of an export, by their path below the output ("": the output itself); what to tell about them;
    and the students who have a grade and are in none of them."""

    files: dict[str, bytes]
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def worth(grade: model.Grade, missing_as_zero: bool) -> float | None:
    """The points to write for a grade; None where none may be: for what nobody has graded, for what is our fault, and
    where nothing could be checked. Zero for the first only when asked for."""
    if grade.status in NOT_GRADED:
        return 0.0 if missing_as_zero else None
    if grade.status == "infrastructure-error" or grade.score is None or not grade.max_score:
        return None
    return grade.score


def scaled(grade: model.Grade, points: float, missing_as_zero: bool) -> float | None:
    """The same, where the whole is worth ``points``."""
    value = worth(grade, missing_as_zero)
    return value * points / grade.max_score if value else value


def rescaled(grade: model.Grade, points: float) -> bool:
    """Whether that makes a difference to a grade."""
    return bool(grade.max_score) and not math.isclose(grade.max_score, points, rel_tol=1e-6)


def number(value: float | None) -> str:
    """A number as every importer reads it: a point, no exponent, no needless zeros; "" for None."""
    if value is None:
        return ""
    text = f"{value:.{DIGITS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def real(value: float) -> str:
    """A float as Python programs write it; sums of shares are rounded as the grader rounds a score."""
    return str(round(float(value), 6))


def csv_file(header: Sequence[str], rows: Iterable[Sequence[str]], ours: Container[str] = ()) -> bytes:
    """A table in RFC 4180 and UTF-8, in which no cell is a formula; ``ours`` are cells that need no such care."""
    text = io.StringIO(newline="")
    table = csv.writer(text)
    for row in (header, *rows):
        table.writerow(cell if cell in ours else guarded(cell) for cell in row)
    return text.getvalue().encode("utf-8", "replace")


def reasons(check: model.Outcome) -> str:
    """What a student is told of a check."""
    return "\n".join(filter(None, (check.message, check.hint)))
