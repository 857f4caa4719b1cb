"""Removes every trace of one student from the output folder of a run, also from the runs in ``previous``."""

import contextlib
import csv
import io
import shutil
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import msgspec

from autograder import model
from autograder.intake.errors import Unreadable
from autograder.intake.files import read_regular
from autograder.model.run_files import PREVIOUS
from autograder.runs import grades_csv, history, people, regrade, results
from autograder.runs.journal import Journal, JournalError, owner
from autograder.runs.lock import hold

Reader = Callable[[Path], contextlib.AbstractContextManager[Journal | None]]
Report = Callable[[Path, Collection[model.Grade], Journal], None]
LARGEST_TABLE = 500_000_000  # bytes of grades.csv
JOURNAL, TABLE = "journal.sqlite", "grades.csv"


class Traces(msgspec.Struct, frozen=True):
    """What one run's folder holds of a student: files, rows of the journal by table, and whether grades.csv has a row.

    ``derived`` are folders that are made from all grades, so that the student may stand in them too.
    """

    folder: Path
    files: tuple[Path, ...]
    rows: dict[str, int]
    listed: bool
    derived: tuple[Path, ...]

    def __bool__(self) -> bool:
        return bool(self.files or self.rows or self.listed)

    def lines(self, out: Path) -> Iterator[str]:
        """Yield what there is, a line each, with paths relative to ``out``."""
        place = self.folder.relative_to(out)
        for path in self.files:
            yield f"{path.relative_to(out)}: removed"
        for table, count in self.rows.items():
            yield f"{place / JOURNAL}: {count} row(s) of {table} removed"
        if self.listed:
            yield f"{place / TABLE}: row removed"
        for path in self.derived:
            anew = path.name == "report" and (self.folder / JOURNAL).is_file()
            yield f"{path.relative_to(out)}/: {'written anew without the student' if anew else 'removed'}"


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[Journal | None]:
    """Yield the journal in ``folder``, or None if there is none. Raises JournalError."""
    path = folder / JOURNAL
    assignment = None if path.is_symlink() else owner(path)
    if assignment is None:
        yield None
        return
    with contextlib.closing(Journal(path, assignment)) as journal:
        yield journal


@contextlib.contextmanager
def _copied(folder: Path) -> Iterator[Journal | None]:
    """Yield a copy of the journal in ``folder``, which is not written to, or None. Raises JournalError."""
    with history.untouched(folder) if (folder / JOURNAL).is_file() else contextlib.nullcontext() as journal:
        yield journal


def find(out: Path, student: str, journal_in: Reader = _copied) -> list[Traces]:
    """Return what ``out`` and each folder in ``previous`` hold of a student. Raises JournalError.

    Folders without a trace are left out. A link is never followed.
    """
    folders = [out, *sorted((out / PREVIOUS).glob("*"))]
    real = [folder for folder in folders if folder.is_dir() and not folder.is_symlink()]
    return [traces for folder in real if (traces := _traces(folder, student, journal_in))]


def purge(out: Path, student: str, write_report: Report) -> list[Traces]:
    """Remove a student and return what was removed. Raises JournalError, LockError or OSError.

    Earlier runs come first and the journal last. So after a kill, a second call finds what is left.
    """
    lock = hold(out)
    try:
        found = find(out, student, _opened)
        for traces in reversed(found):
            _remove(traces, student, write_report)
        regrade.discard(out)  # proposals, in the user's cache, hold grades too
    finally:
        lock.release()
    return found


def _traces(folder: Path, student: str, journal_in: Reader) -> Traces:
    name = results.file_name(student)
    candidates = [folder / f"{name}.json", *(folder / "results" / f"{name}.json{end}" for end in ("", results.PART))]
    if (feedback := folder / "feedback").is_dir() and not feedback.is_symlink():
        candidates += [path for path in sorted(feedback.iterdir()) if path.stem == name]
    files = tuple(path for path in candidates if path.is_symlink() or path.is_file())
    derived = tuple(path for path in (folder / "report", folder / "exports") if path.is_dir() and not path.is_symlink())
    with journal_in(folder) as journal:
        rows = _rows(journal, student) if journal else {}
    return Traces(folder, files, rows, any(_is_of(row, student) for row in _table(folder / TABLE)), derived)


def _tables(journal: Journal) -> list[str]:
    """Return the tables with a column ``student``, quoted. What is added to the schema later is among them."""
    names = [f'"{name}"' for (name,) in journal.query("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return [name for name in names if any(row[1] == "student" for row in journal.query(f"PRAGMA table_info({name})"))]


def _rows(journal: Journal, student: str) -> dict[str, int]:
    counts = {
        table.strip('"'): journal.query(f"SELECT count(*) FROM {table} WHERE student = ?", student)[0][0]
        for table in _tables(journal)
    }
    return {table: count for table, count in counts.items() if count}


def _remove(traces: Traces, student: str, write_report: Report) -> None:
    folder = traces.folder
    for path in traces.derived:
        if path.name == "exports":
            shutil.rmtree(path)
    for path in traces.files:
        path.unlink()
    with _opened(folder) as journal:
        if journal is None:
            _drop_row(folder / TABLE, student)
            shutil.rmtree(folder / "report", ignore_errors=True)  # nothing is left from which to write it anew
            return
        rest = [grade for grade in people.FinalGrades(journal) if grade.student != student]
        if traces.listed:
            _drop_row(folder / TABLE, student)
        if folder / "report" in traces.derived:
            write_report(folder / "report" / "index.html", rest, journal)
        _erase(journal, student)


def _erase(journal: Journal, student: str) -> None:
    """Delete a student's rows, and overwrite their bytes in the file and in its write-ahead log."""
    journal.query("PRAGMA secure_delete=ON")
    with journal.transaction():
        for table in _tables(journal):
            journal.query(f"DELETE FROM {table} WHERE student = ?", student)
    journal.query("VACUUM")
    if journal.query("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]:
        raise JournalError(f"{journal.path} is in use by another program; close it and purge again")


def _drop_row(path: Path, student: str) -> None:
    """Write grades.csv without a student's row."""
    if rows := _table(path):
        text = io.StringIO(newline="")
        csv.writer(text).writerows(row for row in rows if not _is_of(row, student))
        results.write_whole(path, text.getvalue().encode("utf-8", "replace"))


def _table(path: Path) -> list[list[str]]:
    with contextlib.suppress(Unreadable, csv.Error):
        text = read_regular(str(path), LARGEST_TABLE).decode("utf-8", "replace")
        return list(csv.reader(io.StringIO(text, newline="")))
    return []


def _is_of(row: list[str], student: str) -> bool:
    """Whether a row of grades.csv, where the student stands first, is this student's."""
    return row[:1] == [grades_csv.guarded(student)]
