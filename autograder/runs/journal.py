"""The journal of a run: each grade is on disk as soon as it is known, so that a killed run can go on."""

import contextlib
import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import msgspec

from autograder import model
from autograder.runs.results import decoded

# The statements that lead from each version of the schema to the next. A new journal takes all steps.
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
        # Digest of the work alone; empty where nobody else may get the same grade.
        "ALTER TABLE grade ADD COLUMN content TEXT NOT NULL DEFAULT ''",
        # The grade's message without the part on how the file was found.
        "ALTER TABLE grade ADD COLUMN remarks TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX grade_content ON grade (content, exam) WHERE content != ''",
        # Replaced grades: when each was replaced, and the fingerprint that it was given under.
        """CREATE TABLE history (
            student TEXT NOT NULL,
            at TEXT NOT NULL,
            exam TEXT NOT NULL,
            result BLOB NOT NULL
        )""",
        "CREATE INDEX history_student ON history (student, at)",
    ),
    (
        # Who regraded; empty where that is not known.
        "ALTER TABLE history ADD COLUMN by TEXT NOT NULL DEFAULT ''",
        # What is known of students and of their files: see ``people``.
        """CREATE TABLE fact (
            student TEXT PRIMARY KEY,
            identity BLOB NOT NULL DEFAULT x'7b7d',  -- {}
            work BLOB NOT NULL DEFAULT x'6e756c6c'   -- null
        ) WITHOUT ROWID""",
        # What people decided. Rows are only ever added: an undo is a decision too.
        """CREATE TABLE decision (
            number INTEGER PRIMARY KEY,
            student TEXT NOT NULL,
            decision BLOB NOT NULL
        )""",
    ),
    # The code that each grade is about: see ``student_code``.
    ("CREATE TABLE code (student TEXT PRIMARY KEY, cells BLOB NOT NULL) WITHOUT ROWID",),
)
VERSION = len(STEPS)
# A journal has tables and indexes. A view or a trigger, which runs at each query, is somebody else's.
FOREIGN = "SELECT name FROM sqlite_master WHERE type NOT IN ('table', 'index')"
# SQLite lets a cell have any type, and a table lack what it was made with.
ODD = """SELECT
    (SELECT count(*) FROM grade WHERE (typeof(student), typeof(work), typeof(exam), typeof(result),
        typeof(content), typeof(remarks)) != ('text', 'text', 'text', 'blob', 'text', 'text'))
    + (SELECT count(*) FROM fact WHERE (typeof(student), typeof(identity), typeof(work)) != ('text', 'blob', 'blob'))
    + (SELECT count(*) FROM code WHERE (typeof(student), typeof(cells)) != ('text', 'blob'))
    + (SELECT count(*) FROM decision WHERE (typeof(student), typeof(decision)) != ('text', 'blob'))"""
LARGEST = 50_000_000  # bytes of a cell
BUSY_SECONDS = 10.0  # to wait for another process that reads the journal
KNOWN = "SELECT result FROM grade WHERE student = ? AND work = ? AND exam = ?"
# SQLite uses the partial index only if the query repeats its condition.
TWIN = """SELECT student, result, remarks FROM grade WHERE content = ? AND exam = ? AND content != ''
    ORDER BY student LIMIT 1"""


NO_RUN = "{} holds no journal of a run; it must be the --out folder of attngrade grade"


class JournalError(Exception):
    """The journal can't be used: another assignment's, a newer version's, damaged, or not writable."""


class Journal:
    """An SQLite file in WAL mode. Each grade is committed by itself. Every method may raise JournalError.

    A commit does not wait for the disk (``synchronous=NORMAL``). A killed run loses nothing. After a power cut the file
    is intact, but the last few grades may be missing and are made again.
    """

    def __init__(self, path: Path, assignment: str) -> None:
        self.path, self.assignment = path, assignment
        with self.errors():
            self.database = _connected(path)
        try:
            self.query("PRAGMA journal_mode=WAL")
            self.query("PRAGMA synchronous=NORMAL")
            with self.transaction():
                self._migrate()
                self._claim()
                if self.query(ODD) != [(0,)]:
                    raise JournalError(f"the journal {path} holds rows that attngrade did not write")
        except JournalError:
            self.database.close()
            raise

    @contextlib.contextmanager
    def errors(self) -> Iterator[None]:
        """Raise SQLite's errors, and rows that can't be decoded, as JournalError."""
        try:
            yield
        except (sqlite3.Error, msgspec.MsgspecError) as error:
            raise JournalError(f"the journal {self.path} can't be used: {error}") from error

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all that happens inside, or nothing."""
        with self.errors():
            self.database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.database.execute("COMMIT")
            except BaseException:
                if self.database.in_transaction:  # on a full disk SQLite itself has rolled back
                    self.database.execute("ROLLBACK")
                raise

    def query(self, statement: str, *values: object) -> list[Any]:
        """Run one statement and return its rows."""
        with self.errors():
            return self.database.execute(statement, values).fetchall()

    def _migrate(self) -> None:
        present = _version(self.database)
        if present > VERSION:
            raise JournalError(
                f"{self.path} was written by a newer attngrade (its schema is version {present}, this one knows "
                f"{VERSION}); update attngrade, or choose another --out folder"
            )
        for statement in (statement for step in STEPS[present:] for statement in step):
            self.database.execute(statement)
        if present < VERSION:
            self.note("version", str(VERSION))

    def _claim(self) -> None:
        self.query("INSERT OR IGNORE INTO run VALUES ('assignment', ?)", self.assignment)
        if (present := self.noted("assignment")) != self.assignment:
            mismatch = f"{self.path} belongs to assignment {present}, not {self.assignment}"
            raise JournalError(f"{mismatch}; choose another --out folder")

    def note(self, key: str, value: str) -> None:
        """Store a fact about the run; it replaces an earlier one of the same key."""
        self.query("INSERT OR REPLACE INTO run VALUES (?, ?)", key, value)

    def noted(self, key: str) -> str | None:
        """Return a fact about the run."""
        rows = self.query("SELECT value FROM run WHERE key = ?", key)
        return str(rows[0][0]) if rows else None

    def record(self, grade: model.Grade, work: str, run: str, content: str = "", remarks: str = "") -> None:
        """Store one grade; it replaces the student's earlier one. For ``content`` and ``remarks`` see ``twin``."""
        row = (grade.student, work, run, msgspec.json.encode(grade), content, remarks)
        self.query("INSERT OR REPLACE INTO grade VALUES (?, ?, ?, ?, ?, ?)", *row)

    def known(self, student: str, work: str, run: str) -> model.Grade | None:
        """Return the grade of exactly this work in exactly this run; never an infrastructure error."""
        rows = self.query(KNOWN, student, work, run)
        grade = self._grade(student, rows[0][0]) if rows else None
        return grade if grade and grade.status != "infrastructure-error" else None

    def work(self, student: str) -> str | None:
        """Return the digest of the submission that a student's grade belongs to."""
        rows = self.query("SELECT work FROM grade WHERE student = ?", student)
        return str(rows[0][0]) if rows else None

    def twin(self, content: str, run: str) -> tuple[model.Grade, str] | None:
        """Return the grade that anybody got for the same ``content`` in this run, with its message's ``remarks``."""
        rows = self.query(TWIN, content, run) if content else []
        return (self._grade(*rows[0][:2]), rows[0][2]) if rows else None

    def grades(self) -> Collection[model.Grade]:
        """Return all grades by student. Each iteration reads them anew, one at a time."""
        return _Grades(self)

    def others(self, students: set[str]) -> list[str]:
        """Return the students with a row who are not among ``students``."""
        rows = self.query("SELECT student FROM grade ORDER BY student")
        return [student for (student,) in rows if student not in students]

    def forget(self, students: list[str]) -> None:
        """Remove the rows of ``students``. What was decided about them stays, as they may come back."""
        with self.transaction():
            for table in ("grade", "fact", "code"):
                statement = f"DELETE FROM {table} WHERE student = ?"
                self.database.executemany(statement, [(student,) for student in students])

    def close(self) -> None:
        """Close the file; SQLite folds the write-ahead log into it."""
        self.database.close()

    def _grade(self, student: str, result: bytes) -> model.Grade:
        with self.errors():
            return grade_in_row(student, result)


class _Grades(Collection[model.Grade]):
    """See Journal.grades."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal

    def __iter__(self) -> Iterator[model.Grade]:
        with self.journal.errors():
            for row in self.journal.database.execute("SELECT student, result FROM grade ORDER BY student"):
                yield grade_in_row(*row)

    def __len__(self) -> int:
        return int(self.journal.query("SELECT count(*) FROM grade")[0][0])

    def __contains__(self, grade: object) -> bool:
        return any(each == grade for each in self)


def grade_in_row(student: str, result: bytes) -> model.Grade:
    """Return the grade in a student's row. Raises msgspec.MsgspecError for another's, or for none."""
    grade = decoded(result)
    if grade.student != student:
        raise msgspec.ValidationError(f"the row of {student!r} holds the grade of {grade.student!r}")
    return grade


def _connected(path: Path) -> sqlite3.Connection:
    """Open a journal, new or old. Raises sqlite3.Error."""
    database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
        if foreign := database.execute(FOREIGN).fetchone():
            raise sqlite3.DatabaseError(f"{foreign[0]!r} is not a table of ours")
    except sqlite3.Error:
        database.close()
        raise
    return database


def _version(database: sqlite3.Connection) -> int:
    """Return the schema's version; 0 for an empty file. Raises sqlite3.Error."""
    tables = database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'run'").fetchone()[0]
    row = database.execute("SELECT value FROM run WHERE key = 'version'").fetchone() if tables else None
    if row is not None and not str(row[0]).isdecimal():
        raise sqlite3.DatabaseError(f"{row[0]!r} is no version of a journal")
    return int(row[0]) if row else 0


def owner(path: Path) -> str | None:
    """Return the assignment of the journal at ``path``; None if no journal can be read there."""
    if not path.is_file():
        return None
    with contextlib.suppress(sqlite3.Error), contextlib.closing(_connected(path)) as database:
        row = database.execute("SELECT value FROM run WHERE key = 'assignment'").fetchone()
        return str(row[0]) if row else None
    return None
