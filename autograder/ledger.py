"""A journal looked at and amended as a whole: all rows, what they were before, and never without a trace."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from autograder import model
from autograder.journal import Journal, JournalError, owner
from autograder.lock import LockError, undisturbed

# Others with the same work don't take a grade from here: what its message says besides is not known.
UPDATE = "UPDATE grade SET exam = ?, result = ?, content = '' WHERE student = ? AND work = ? AND exam = ?"


class Row(msgspec.Struct, frozen=True):
    """One student's line in a journal."""

    student: str
    work: str
    exam: str
    grade: model.Grade


class Earlier(msgspec.Struct, frozen=True):
    """A grade that was replaced, and when."""

    at: str
    exam: str
    grade: model.Grade


@contextlib.contextmanager
def untouched(out: Path) -> Iterator[Journal]:
    """A copy of an output folder's journal, to be read: opening the journal itself may fold its write-ahead log into
    it, and nothing is to be written there. Raises JournalError."""
    with tempfile.TemporaryDirectory(prefix="attngrade-") as folder:
        copy = Path(folder) / "journal.sqlite"
        try:
            with undisturbed(out):
                for end in ("", "-wal"):
                    with contextlib.suppress(FileNotFoundError):
                        shutil.copyfile(out / f"journal.sqlite{end}", f"{copy}{end}")
        except LockError as error:
            raise JournalError(str(error)) from error
        except OSError as error:
            raise JournalError(f"the journal in {out} can't be read: {error.strerror or error}") from error
        assignment = owner(copy)
        if assignment is None:
            raise JournalError(
                f"{out} holds no journal of a run; it must be the --out folder of attngrade grade"
            )
        with contextlib.closing(Journal(copy, assignment)) as journal:
            yield journal


def assignment_of(journal: Journal) -> str:
    """Whose journal it is."""
    return journal.noted("assignment") or ""


def row(journal: Journal, student: str) -> Row | None:
    """A student's row. Raises JournalError."""
    question = "SELECT student, work, exam, result FROM grade WHERE student = ?"
    with _told(journal):
        found = journal.database.execute(question, (student,)).fetchone()
    return _row(found) if found else None


def rows(journal: Journal) -> Iterator[Row]:
    """All rows, by student. Raises JournalError."""
    with _told(journal):
        for found in journal.database.execute(
            "SELECT student, work, exam, result FROM grade ORDER BY student"
        ):
            yield _row(found)


def amend(journal: Journal, changes: Iterable[tuple[Row, Row]], at: str) -> None:
    """Replaces rows (before, after), all or none; grades that become others go to the history. Raises JournalError."""
    with _told(journal), journal.transaction():
        for before, after in changes:
            if before.grade != after.grade:
                result = msgspec.json.encode(before.grade)
                row = (before.student, at, before.exam, result)
                journal.database.execute(
                    "INSERT INTO history (student, at, exam, result) VALUES (?, ?, ?, ?)", row
                )
            new = (after.exam, msgspec.json.encode(after.grade), before.student, before.work, before.exam)
            if journal.database.execute(UPDATE, new).rowcount != 1:
                raise JournalError(f"{before.student} has been graded meanwhile, by another run")


def history(journal: Journal, student: str) -> list[Earlier]:
    """The grades that a student's was, the oldest first. Raises JournalError."""
    question = "SELECT at, exam, result FROM history WHERE student = ? ORDER BY at, rowid"
    with _told(journal):
        found = journal.database.execute(question, (student,)).fetchall()
    return [Earlier(at, exam, msgspec.json.decode(result, type=model.Grade)) for at, exam, result in found]


def _row(found: tuple[str, str, str, bytes]) -> Row:
    return Row(*found[:3], msgspec.json.decode(found[3], type=model.Grade))


@contextlib.contextmanager
def _told(journal: Journal) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, msgspec.MsgspecError) as error:
        raise JournalError(f"the journal {journal.path} can't be used: {error}") from error
