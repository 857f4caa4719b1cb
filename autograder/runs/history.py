"""A journal read and amended as a whole: all rows, and the grades that they replaced."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from autograder import model
from autograder.course import decisions
from autograder.intake.errors import Unreadable
from autograder.intake.files import open_regular
from autograder.runs.journal import NO_RUN, Journal, JournalError, grade_in_row, owner
from autograder.runs.lock import LockError, undisturbed
from autograder.runs.results import decoded

# Clearing ``content`` keeps others from sharing the amended grade: its remarks are not known.
AMEND = "UPDATE grade SET exam = ?, result = ?, content = '' WHERE student = ? AND work = ? AND exam = ?"
ROWS = "SELECT student, work, exam, result FROM grade"
KEEP = "INSERT INTO history (student, at, exam, result, by) VALUES (?, ?, ?, ?, ?)"


class Row(msgspec.Struct, frozen=True):
    """One student's row in a journal. ``run`` is the fingerprint that the grade was given under."""

    student: str
    work: str
    run: str
    grade: model.Grade


class ReplacedGrade(msgspec.Struct, frozen=True):
    """A grade that another one replaced at the time ``at``. ``by``: who did that, where it is known."""

    at: str
    suite: str  # fingerprint of the run that gave it
    grade: model.Grade
    by: str = ""


@contextlib.contextmanager
def untouched(out: Path, *, ours: bool = False) -> Iterator[Journal]:
    """Yield a copy of the journal in ``out``. Raises JournalError.

    Opening the journal itself may fold its write-ahead log into it, but readers must not write to ``out``. ``ours``:
    this process has the folder already, so that nobody can write there while the journal is copied.
    """
    with tempfile.TemporaryDirectory(prefix="attngrade-") as folder:
        copy = Path(folder) / "journal.sqlite"
        try:
            with contextlib.nullcontext() if ours else undisturbed(out):
                for end in ("", "-wal"):
                    _copy(out / f"journal.sqlite{end}", Path(f"{copy}{end}"))
        except LockError as error:
            raise JournalError(str(error)) from error
        except (OSError, Unreadable) as error:
            raise JournalError(f"the journal in {out} can't be read: {error}") from error
        assignment = owner(copy)
        if assignment is None:
            raise JournalError(NO_RUN.format(out))
        with contextlib.closing(Journal(copy, assignment)) as journal:
            yield journal


def _copy(path: Path, to: Path) -> None:
    """Copy a file of the journal if it is there. Raises OSError, or Unreadable for a link and the like."""
    if os.path.lexists(path):
        with open_regular(str(path)) as source, to.open("wb") as copy:
            shutil.copyfileobj(source, copy)


def row(journal: Journal, student: str) -> Row | None:
    """Return a student's row. Raises JournalError."""
    found = journal.query(f"{ROWS} WHERE student = ?", student)
    with journal.errors():
        return _row(found[0]) if found else None


def rows(journal: Journal) -> Iterator[Row]:
    """Yield all rows, by student. Raises JournalError."""
    with journal.errors():
        yield from map(_row, journal.database.execute(f"{ROWS} ORDER BY student"))


def amend(journal: Journal, changes: Iterable[tuple[Row, Row]], at: str, by: str = "") -> None:
    """Replace rows, given as pairs (before, after), all or none. Raises JournalError.

    A grade that changes is kept in the history with the time ``at`` and who did it.
    """
    with journal.transaction():
        for before, after in changes:
            if before.grade != after.grade:
                journal.query(KEEP, before.student, at, before.run, msgspec.json.encode(before.grade), by)
            new = (after.run, msgspec.json.encode(after.grade), before.student, before.work, before.run)
            if journal.database.execute(AMEND, new).rowcount != 1:
                raise JournalError(f"another run has graded {before.student} meanwhile; regrade again")


def keep(journal: Journal, grade: model.Grade) -> None:
    """Keep the grade that ``grade`` is about to replace, unless both say the same. Raises JournalError."""
    before = row(journal, grade.student)
    if before is not None and timeless(before.grade) != timeless(grade):
        replaced = msgspec.json.encode(before.grade)
        journal.query(KEEP, before.student, decisions.now(), before.run, replaced, decisions.user())


def graded_otherwise(journal: Journal, run: str) -> int:
    """Return how many grades were given under another fingerprint than ``run``. Raises JournalError."""
    return int(journal.query("SELECT count(*) FROM grade WHERE exam != ?", run)[0][0])


def timeless(grade: model.Grade) -> model.Grade:
    """Return a grade without what differs from run to run although nothing has changed."""
    return msgspec.structs.replace(grade, seconds=0.0, environment={}, pictures=(), gradients=(), speeds=())


def history(journal: Journal, student: str) -> list[ReplacedGrade]:
    """Return a student's replaced grades, the oldest first. Raises JournalError."""
    found = journal.query("SELECT at, exam, result, by FROM history WHERE student = ? ORDER BY at, rowid", student)
    with journal.errors():
        return [ReplacedGrade(str(at), str(run), decoded(result), str(by)) for at, run, result, by in found]


def _row(found: tuple[str, str, str, bytes]) -> Row:
    return Row(*found[:3], grade_in_row(found[0], found[3]))
