"""The parts that all formats share: the grades of a run, scores to write, and safe CSV cells."""

import csv
import io
import math
from collections.abc import Container, Iterable, Sequence

import msgspec

from autograder import model
from autograder.intake.roster import Matching, Person, Roster
from autograder.model.text import harmless
from autograder.runs.results import guarded, without_formula

NOT_GRADED = ("missing", "unreadable")  # nothing was graded; a person decides whether it is a 0
DIGITS = 4  # after the point; Moodle keeps five, Canvas shows two


class ExportError(Exception):
    """The grades can't be exported. The message is for the user."""


class Job(msgspec.Struct, frozen=True):
    """The grades to export, and the options."""

    grades: tuple[model.Grade, ...]
    written_ns: dict[str, int]  # student -> time of the result file, ns since 1970
    roster: Roster | None = None
    matching: Matching | None = None
    missing_as_zero: bool = False
    column: str | None = None  # heading in the gradebook that the export edits
    columns: tuple[str, ...] = ()
    wide: bool = False
    hidden_titles: bool = False  # whether students see the titles of hidden checks

    @property
    def assignment(self) -> str:
        """The assignment of the run."""
        return self.grades[0].assignment

    def person(self, student: str) -> Person | None:
        """Return the student's entry on the roster, if any."""
        return self.matching.found.get(student) if self.matching else None


class Product(msgspec.Struct, frozen=True):
    """The files of an export, notes for the user, and students who have a score but no row in the roster.

    The keys of ``files`` are paths below the output; "" is the output itself.
    """

    files: dict[str, bytes]
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def worth(grade: model.Grade, missing_as_zero: bool) -> float | None:
    """Return the score to write, or None.

    None means: nothing was graded (0 with ``missing_as_zero``), the grader failed, or no check gave a result.
    """
    if grade.status in NOT_GRADED:
        return 0.0 if missing_as_zero else None
    if grade.status == "infrastructure-error" or grade.score is None or not grade.max_score:
        return None
    return grade.score


def scaled(grade: model.Grade, points: float, missing_as_zero: bool) -> float | None:
    """Return ``worth``, scaled to a maximum of ``points``."""
    value = worth(grade, missing_as_zero)
    return value * points / grade.max_score if value else value


def rescaled(grade: model.Grade, points: float) -> bool:
    """Whether a maximum of ``points`` changes a score."""
    return bool(grade.max_score) and not math.isclose(grade.max_score, points, rel_tol=1e-6)


def differs(old: str, value: float) -> bool:
    """Whether ``value`` overwrites another score. Canvas and Moodle export two digits."""
    try:
        return abs(float(old.replace(",", ".")) - value) >= 0.005
    except ValueError:
        return False


def number(value: float | None) -> str:
    """Return a number as all importers read it: decimal point, no exponent, no trailing zeros; "" for None."""
    if value is None:
        return ""
    text = f"{value:.{DIGITS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def real(value: float) -> str:
    """Return a float as Python writes it, with at most 6 digits after the point, as in the result files."""
    return str(round(float(value), 6))


def csv_file(
    header: Sequence[str], rows: Iterable[Sequence[str]], ours: Container[str] = (), *, returns: bool = False
) -> bytes:
    """Return a CSV file (RFC 4180, UTF-8). Cells are ``guarded``, except those in ``ours``.

    If the file ``returns`` to the program that made its cells, they are only kept from being formulas.
    """
    text = io.StringIO(newline="")
    table = csv.writer(text)
    safe = without_formula if returns else guarded
    for row in (header, *rows):
        table.writerow(cell if cell in ours else safe(cell) for cell in row)
    return text.getvalue().encode("utf-8", "replace")


def reasons(check: model.Outcome) -> str:
    """Return the message and the hint of a check, as lines."""
    return "\n".join(harmless(text) for text in (check.message, check.hint) if text)
