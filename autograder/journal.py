"""What has been graded, on disk as it happens, so that a run that was killed goes on where it stopped."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from autograder import model

# What makes each version of the schema of the one before. A new journal takes all steps, an old one those it lacks.
STEPS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE IF NOT EXISTS run (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        """CREATE TABLE IF NOT EXISTS grade (
            student TEXT PRIMARY KEY,
            work TEXT NOT NULL,   -- digest of the submission and of how it was found
            exam TEXT NOT NULL,   -- fingerprint of checks, seed and limits
            result BLOB NOT NULL  -- the grade as JSON
        ) WITHOUT ROWID""",
    ),
    (
        # What was graded, whoever handed it in and however it was found; empty where no other may share the grade.
        "ALTER TABLE grade ADD COLUMN content TEXT NOT NULL DEFAULT ''",
        # What the grade's message says besides how the file was found.
        "ALTER TABLE grade ADD COLUMN remarks TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX grade_content ON grade (content, exam) WHERE content != ''",
        # Grades that were replaced: when, and by which exam they had been given.
        """CREATE TABLE history (
            student TEXT NOT NULL,
            at TEXT NOT NULL,
            exam TEXT NOT NULL,
            result BLOB NOT NULL
        )""",
        "CREATE INDEX history_student ON history (student, at)",
    ),
)
VERSION = len(STEPS)
BUSY_SECONDS = 10.0  # to wait for another process that reads the journal


class JournalError(Exception):
    """The journal can't be used: another assignment's, a newer version's, damaged, or not writable."""


class Journal:
    """An SQLite file in WAL mode: each grade is committed by itself. Every method may raise JournalError.

    A commit is handed to the system and not waited for until it is on the disk (``synchronous=NORMAL``): what is
    killed loses nothing, and after a power cut the file is whole and the last few grades are given again.
    """

    def __init__(self, path: Path, assignment: str) -> None:
        self.path = path
        with self._told():
            self.database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            with self._told():
                self.database.execute("PRAGMA journal_mode=WAL")
                self.database.execute("PRAGMA synchronous=NORMAL")
                with self.transaction():
                    self._bring_up_to_date()
                    self._claim(assignment)
        except JournalError:
            self.database.close()
            raise

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise JournalError(f"the journal {self.path} can't be used: {error}") from error

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing, whatever happens."""
        self.database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.database.execute("COMMIT")
        except BaseException:
            if self.database.in_transaction:  # SQLite itself rolls back where the disk is full
                self.database.execute("ROLLBACK")
            raise

    def _bring_up_to_date(self) -> None:
        found = _version(self.database)
        if found > VERSION:
            raise JournalError(
                f"{self.path} was written by a newer attngrade (its schema is version {found}, this one knows "
                f"{VERSION}); update attngrade, or choose another --out folder"
            )
        for step in STEPS[found:]:
            for statement in step:
                self.database.execute(statement)
        if found < VERSION:
            self.database.execute("INSERT OR REPLACE INTO run VALUES ('version', ?)", (str(VERSION),))

    def _claim(self, assignment: str) -> None:
        self.database.execute("INSERT OR IGNORE INTO run VALUES ('assignment', ?)", (assignment,))
        (found,) = self.database.execute("SELECT value FROM run WHERE key = 'assignment'").fetchone()
        if found != assignment:
            raise JournalError(
                f"{self.path} belongs to assignment {found}, not {assignment}; choose another --out folder"
            )

    def note(self, key: str, value: str) -> None:
        """Keeps a fact about the run, in place of an earlier one of that name."""
        with self._told():
            self.database.execute("INSERT OR REPLACE INTO run VALUES (?, ?)", (key, value))

    def noted(self, key: str) -> str | None:
        """A fact about the run."""
        with self._told():
            row = self.database.execute("SELECT value FROM run WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else None

    def record(self, grade: model.Grade, work: str, exam: str, content: str = "", remarks: str = "") -> None:
        """Writes one grade, in place of an earlier one of the same student. ``content``, ``remarks``: see ``twin``."""
        row = (grade.student, work, exam, msgspec.json.encode(grade), content, remarks)
        with self._told():
            self.database.execute("INSERT OR REPLACE INTO grade VALUES (?, ?, ?, ?, ?, ?)", row)

    def known(self, student: str, work: str, exam: str) -> model.Grade | None:
        """The grade that this very work got under these very checks; never one that was our fault."""
        question = "SELECT result FROM grade WHERE student = ? AND work = ? AND exam = ?"
        with self._told():
            row = self.database.execute(question, (student, work, exam)).fetchone()
        grade = msgspec.json.decode(row[0], type=model.Grade) if row else None
        return grade if grade and grade.status != "infrastructure-error" else None

    def work(self, student: str) -> str | None:
        """The digest of the work for which a student's grade stands."""
        with self._told():
            row = self.database.execute("SELECT work FROM grade WHERE student = ?", (student,)).fetchone()
        return row[0] if row else None

    def twin(self, content: str, exam: str) -> tuple[model.Grade, str] | None:
        """The grade that the same work of anybody got under these very checks, and what its message says besides how
        that one's file was found."""
        # The index holds only what has a content; it is used where the question says so, too.
        where = "content = ? AND exam = ? AND content != ''"
        question = f"SELECT result, remarks FROM grade WHERE {where} ORDER BY student LIMIT 1"
        with self._told():
            row = self.database.execute(question, (content, exam)).fetchone() if content else None
        return (msgspec.json.decode(row[0], type=model.Grade), row[1]) if row else None

    def grades(self) -> Collection[model.Grade]:
        """All grades, by student; read anew each time that they are gone through, and never held together."""
        return _Grades(self)

    def others(self, students: set[str]) -> list[str]:
        """The students who have a row and are not among these."""
        with self._told():
            rows = self.database.execute("SELECT student FROM grade ORDER BY student")
            return [student for (student,) in rows if student not in students]

    def forget(self, students: list[str]) -> None:
        """Removes their rows."""
        with self._told(), self.transaction():
            rows = [(student,) for student in students]
            self.database.executemany("DELETE FROM grade WHERE student = ?", rows)

    def close(self) -> None:
        """Folds the write-ahead log into the file."""
        self.database.close()


class _Grades(Collection[model.Grade]):
    """See Journal.grades."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal

    def __iter__(self) -> Iterator[model.Grade]:
        with self.journal._told():
            for (result,) in self.journal.database.execute("SELECT result FROM grade ORDER BY student"):
                yield msgspec.json.decode(result, type=model.Grade)

    def __len__(self) -> int:
        with self.journal._told():
            (count,) = self.journal.database.execute("SELECT count(*) FROM grade").fetchone()
        return int(count)

    def __contains__(self, grade: object) -> bool:
        return any(one == grade for one in self)


def _version(database: sqlite3.Connection) -> int:
    """Of the schema; 0 where there is none yet. Raises sqlite3.Error."""
    tables = database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'run'").fetchone()[0]
    row = database.execute("SELECT value FROM run WHERE key = 'version'").fetchone() if tables else None
    if row is not None and not str(row[0]).isdecimal():
        raise sqlite3.DatabaseError(f"{row[0]!r} is no version of a journal")
    return int(row[0]) if row else 0


def owner(path: Path) -> str | None:
    """The assignment whose journal lies at ``path``; None where there is none that can be read."""
    if not path.is_file():
        return None
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(path)) as database:
        row = database.execute("SELECT value FROM run WHERE key = 'assignment'").fetchone()
        return str(row[0]) if row else None
    return None
