"""The parts that all formats share: the grades of a run, and safe CSV cells."""

import csv
import io
from collections.abc import Container, Iterable, Sequence

import msgspec

from autograder import model
from autograder.intake.roster import Matching, Person, Roster
from autograder.model.text import harmless
from autograder.runs.grades_csv import guarded, without_formula


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
    view: model.StudentView = model.StudentView()  # what students may see

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
