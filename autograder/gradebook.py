"""One bulk run from folder to files: who is graded, what is taken from the journal, what is written when."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from autograder import bulk, journal, model, prints, results
from autograder.environment import environment
from autograder.intake import read
from autograder.journal import Journal, JournalError

RUN_FILES = ("grades.csv", "results", "report", "journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm")
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
                _set_aside(out, assignment)
            (out / "results").mkdir(exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"can't write to {out}: {error.strerror or error}; choose another --out"
            ) from error
        self.journal = Journal(out / "journal.sqlite", assignment)
        self.noted: set[str] = set()  # exams that this run has told the journal of

    def run(
        self,
        plan: bulk.Plan,
        entries: Iterable[model.Entry],
        jobs: int,
        progress: Progress,
        grade_all: bulk.GradeAll | None = None,
    ) -> None:
        """Grades what the journal does not have yet; every result is on disk before the next is told. ``grade_all``:
        who grades where it is not this machine."""
        entries = list(entries)
        seal = seal_of(plan)
        works: dict[str, str] = {}

        def keep(grade: model.Grade) -> None:
            self.journal.record(grade, works.pop(grade.student), seal)
            self._note_exam(plan, seal)
            results.write_result(self.out / "results", grade)
            progress(grade, False)

        def fresh() -> Iterator[model.Submission]:
            for entry in entries:
                try:
                    submission = read(entry, self.assignment)
                except Exception as error:  # which no submission should be able to cause; the others go on
                    works[entry.student] = ""
                    keep(bulk.lost(model.Submission(entry.student, "unreadable"), self.assignment, error))
                    continue
                work = identity(submission)
                known = self.journal.known(entry.student, work, seal)
                if known is None:
                    works[entry.student] = work
                    yield submission
                else:
                    results.write_result(self.out / "results", known)
                    progress(known, True)

        for _, grade in (grade_all or bulk.grade_all)(plan, fresh(), jobs):
            keep(grade)
        self._part_with(self.journal.forget_all_but({entry.student for entry in entries}))

    def remember(self, submissions: Path, layout: str, plan: bulk.Plan) -> None:
        """Notes what a later ``regrade`` should not have to be told again; the seed is not noted."""
        self.journal.note("submissions", os.path.abspath(submissions))
        self.journal.note("layout", layout)
        self.journal.note("plan", msgspec.json.encode(msgspec.structs.replace(plan, seed="")).decode())

    def _note_exam(self, plan: bulk.Plan, exam: str) -> None:
        """What this exam consists of, so that another can be held against it. After the first result, because by then
        the exam has been drawn up."""
        if exam not in self.noted:
            self.noted.add(exam)
            told = prints.prints(plan, bulk.exam_of(plan))
            self.journal.note(prints.key(exam), msgspec.json.encode(told).decode())

    def _part_with(self, students: list[str]) -> None:
        """Sets the results of students who are no longer among the submissions aside."""
        if students:
            place = new_place(self.out)
            for student in students:
                name = f"{results.file_name(student)}.json"
                with contextlib.suppress(FileNotFoundError):
                    shutil.move(self.out / "results" / name, place / name)

    def finish(self, write_report: Callable[[Path, list[model.Grade]], None]) -> list[model.Grade]:
        """Writes the table and the report from what the journal holds."""
        grades = list(self.journal.grades())
        results.write_grades(self.out / "grades.csv", grades)
        write_report(self.out / "report" / "index.html", grades)
        return grades

    def close(self) -> None:
        """Closes the journal."""
        self.journal.close()


def _set_aside(out: Path, assignment: str) -> None:
    """Moves an earlier run's files into ``previous``, where nothing of them is lost. Raises JournalError where they
    are another assignment's, which a slip of the keyboard is not to move."""
    earlier = [out / name for name in RUN_FILES if (out / name).exists()]
    if not earlier:
        return
    owner = journal.owner(out / "journal.sqlite")
    if owner not in (None, assignment):
        raise JournalError(f"{out} holds a run of {owner}, not {assignment}; choose another --out folder")
    place = new_place(out)
    for path in earlier:
        shutil.move(path, place / path.name)


def new_place(out: Path) -> Path:
    """A new folder in ``previous``, named by the time."""
    stamp = time.strftime("%Y-%m-%dT%H-%M-%S")
    for number in itertools.count(1):
        place = out / "previous" / (stamp if number == 1 else f"{stamp}-{number}")
        with contextlib.suppress(FileExistsError):
            place.mkdir(parents=True)
            return place
    raise AssertionError("unreachable")


def is_output(folder: Path) -> bool:
    """Whether a folder is what an earlier run wrote, and nothing else; it may well lie among the submissions."""
    try:
        names = {name for name in os.listdir(folder) if not name.startswith(".")}
    except OSError:
        return False  # a file, or a student's folder that is closed to us
    return {"journal.sqlite", "results"} <= names <= {*RUN_FILES, "previous"}


def identity(submission: model.Submission) -> str:
    """Changes with the work and with what is told about how it was found."""
    parts = (submission.status, submission.kind, submission.filename, submission.note, submission.digest)
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def seal_of(plan: bulk.Plan) -> str:
    """Changes with the checks, their numbers, the limits and the versions: with all that a grade depends on."""
    from autograder import exam

    parts = (exam.sources(), plan, environment())
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
