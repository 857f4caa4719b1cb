"""What has been graded, on disk as it happens, so that a run that was killed goes on where it stopped."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec

from autograder import model

VERSION = 1
SCHEMA = """
CREATE TABLE IF NOT EXISTS run (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS grade (
    student TEXT PRIMARY KEY,
    work TEXT NOT NULL,   -- digest of the submission and of how it was found
    exam TEXT NOT NULL,   -- fingerprint of checks, seed and limits
    result BLOB NOT NULL  -- the grade as JSON
) WITHOUT ROWID;
"""


class JournalError(Exception):
    """The journal can't be used: another assignment's, another version's, damaged, or not writable."""


class Journal:
    """An SQLite file in WAL mode: each grade is committed by itself. Every method may raise JournalError."""

    def __init__(self, path: Path, assignment: str) -> None:
        self.path = path
        with self._told():
            self.database = sqlite3.connect(path)
        try:
            with self._told():
                self.database.execute("PRAGMA journal_mode=WAL")
                self.database.executescript(SCHEMA)
                self._claim("version", str(VERSION))
                self._claim("assignment", assignment)
        except JournalError:
            self.database.close()
            raise

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise JournalError(f"the journal {self.path} can't be used: {error}") from error

    def _claim(self, key: str, value: str) -> None:
        with self.database:
            self.database.execute("INSERT OR IGNORE INTO run VALUES (?, ?)", (key, value))
        (found,) = self.database.execute("SELECT value FROM run WHERE key = ?", (key,)).fetchone()
        if found != value:
            raise JournalError(
                f"{self.path} belongs to {key} {found}, not {value}; choose another --out folder"
            )

    def note(self, key: str, value: str) -> None:
        """Keeps a fact about the run, in place of an earlier one of that name."""
        with self._told(), self.database:
            self.database.execute("INSERT OR REPLACE INTO run VALUES (?, ?)", (key, value))

    def noted(self, key: str) -> str | None:
        """A fact about the run."""
        with self._told():
            row = self.database.execute("SELECT value FROM run WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else None

    def record(self, grade: model.Grade, work: str, exam: str) -> None:
        """Writes one grade, in place of an earlier one of the same student."""
        row = (grade.student, work, exam, msgspec.json.encode(grade))
        with self._told(), self.database:
            self.database.execute("INSERT OR REPLACE INTO grade VALUES (?, ?, ?, ?)", row)

    def known(self, student: str, work: str, exam: str) -> model.Grade | None:
        """The grade that this very work got under these very checks; never one that was our fault."""
        question = "SELECT result FROM grade WHERE student = ? AND work = ? AND exam = ?"
        with self._told():
            row = self.database.execute(question, (student, work, exam)).fetchone()
        grade = msgspec.json.decode(row[0], type=model.Grade) if row else None
        return grade if grade and grade.status != "infrastructure-error" else None

    def grades(self) -> Iterator[model.Grade]:
        """All grades, by student."""
        with self._told():
            for (result,) in self.database.execute("SELECT result FROM grade ORDER BY student"):
                yield msgspec.json.decode(result, type=model.Grade)

    def forget_all_but(self, students: set[str]) -> list[str]:
        """Removes the rows of students who are no longer among the submissions, and names them."""
        with self._told(), self.database:
            rows = self.database.execute("SELECT student FROM grade").fetchall()
            gone = [student for (student,) in rows if student not in students]
            self.database.executemany("DELETE FROM grade WHERE student = ?", [(student,) for student in gone])
        return gone

    def close(self) -> None:
        """Folds the write-ahead log into the file."""
        self.database.close()


def owner(path: Path) -> str | None:
    """The assignment whose journal lies at ``path``; None where there is none that can be read."""
    if not path.is_file():
        return None
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(path)) as database:
        row = database.execute("SELECT value FROM run WHERE key = 'assignment'").fetchone()
        return str(row[0]) if row else None
    return None
