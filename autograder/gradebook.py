"""One bulk run from folder to files: who is graded, what is taken from the journal, what is written when."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from autograder import bulk, model, results
from autograder.environment import environment
from autograder.intake import discover, read
from autograder.journal import Journal

Progress = Callable[[model.Grade, bool], None]  # a grade, and whether the journal had it


class OutputError(Exception):
    """The output folder can't be used."""


class Gradebook:
    """The output folder of one run."""

    def __init__(self, out: Path, assignment: str, *, resume: bool) -> None:
        self.out = out
        self.assignment = assignment
        try:
            out.mkdir(parents=True, exist_ok=True)
            if not resume:
                _check_owner(out, assignment)
                _set_aside(out)
            (out / "results").mkdir(exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"can't write to {out}: {error.strerror or error}; choose another --out"
            ) from error
        self.journal = Journal(out / "journal.sqlite", assignment)

    def entries(self, submissions: Path, layout: str) -> list[model.Entry]:
        """Who handed in; the output folder itself, where it lies among the submissions, is nobody's work.

        Raises IntakeError.
        """
        own = self.out.resolve()
        found = discover(submissions, self.assignment, layout)
        return [entry for entry in found if not any(part.resolve() == own for part in entry.parts)]

    def run(self, plan: bulk.Plan, entries: Iterable[model.Entry], jobs: int, progress: Progress) -> None:
        """Grades what the journal does not have yet; every result is on disk before the next is told."""
        entries = list(entries)
        seal = _seal(plan)
        works: dict[str, str] = {}

        def fresh() -> Iterator[model.Submission]:
            for entry in entries:
                submission = read(entry, self.assignment)
                work = _identity(submission)
                known = self.journal.known(entry.student, work, seal)
                if known is None:
                    works[entry.student] = work
                    yield submission
                else:
                    results.write_result(self.out / "results", known)
                    progress(known, True)

        for submission, grade in bulk.grade_all(plan, fresh(), jobs):
            self.journal.record(grade, works.pop(submission.student), seal)
            results.write_result(self.out / "results", grade)
            progress(grade, False)
        for student in self.journal.forget_all_but({entry.student for entry in entries}):
            (self.out / "results" / f"{results.file_name(student)}.json").unlink(missing_ok=True)

    def finish(self, write_report: Callable[[Path, list[model.Grade]], None]) -> list[model.Grade]:
        """Writes the table and the report from what the journal holds."""
        grades = list(self.journal.grades())
        results.write_grades(self.out / "grades.csv", grades)
        write_report(self.out / "report" / "index.html", grades)
        return grades

    def close(self) -> None:
        """Closes the journal."""
        self.journal.close()


def _check_owner(out: Path, assignment: str) -> None:
    """Another assignment's results are not to be set aside by a slip of the keyboard."""
    if (out / "journal.sqlite").exists():
        Journal(out / "journal.sqlite", assignment).close()


def _set_aside(out: Path) -> None:
    """Moves an earlier run's files into ``previous``, where nothing of them is lost."""
    earlier = [out / name for name in ("grades.csv", "results", "report", "journal.sqlite")]
    if not any(path.exists() for path in earlier):
        return
    (out / "previous").mkdir(exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix="run-", dir=out / "previous"))
    for path in earlier:
        if path.exists():
            shutil.move(path, place / path.name)
    for leftover in ("journal.sqlite-wal", "journal.sqlite-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.replace(out / leftover, place / leftover)


def _identity(submission: model.Submission) -> str:
    """Changes with the work and with what is told about how it was found."""
    parts = (submission.status, submission.kind, submission.filename, submission.note, submission.digest)
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def _seal(plan: bulk.Plan) -> str:
    """Changes with the checks, their numbers, the limits and the versions: with all that a grade depends on."""
    from autograder import exam

    parts = (exam.sources(), plan, environment())
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
