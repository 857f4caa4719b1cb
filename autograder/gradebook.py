"""One bulk run from folder to files: who is graded, what is taken from the journal, what is written when."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import shutil
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

import msgspec

from autograder import bulk, journal, model, prints, results, sharing
from autograder.environment import environment
from autograder.intake import read
from autograder.journal import Journal, JournalError
from autograder.lock import Lock, LockError
from autograder.sharing import How

# In the order in which they are set aside: the journal last, so that a run that dies meanwhile still has it.
RUN_FILES = (
    *("grades.csv", "report", "results", "exports"),
    *("journal.sqlite-wal", "journal.sqlite-shm", "journal.sqlite"),
)
Progress = Callable[[model.Grade, How], None]
Report = Callable[[Path, Collection[model.Grade]], None]


class OutputError(Exception):
    """The output folder can't be used."""


class Gradebook:
    """The output folder of one run, which no other process writes to until ``close``."""

    def __init__(self, out: Path, assignment: str, *, resume: bool) -> None:
        """Raises OutputError where the folder can't be written to or is in use, JournalError."""
        self.out = out
        self.assignment = assignment
        try:
            out.mkdir(parents=True, exist_ok=True)
            self.lock = Lock(out)
        except LockError as error:
            raise OutputError(str(error)) from error
        except OSError as error:
            raise _unwritable(out, error) from error
        try:
            if not resume:
                _set_aside(out, assignment)
            (out / "results").mkdir(exist_ok=True)
            results.sweep(out / "results")
            self.journal = Journal(out / "journal.sqlite", assignment)
            self.noted: set[str] = set()  # exams that this run has told the journal of
        except BaseException as error:
            self.lock.close()
            if isinstance(error, OSError):
                raise _unwritable(out, error) from error
            raise

    def run(
        self,
        plan: bulk.Plan,
        entries: Iterable[model.Entry],
        jobs: int,
        progress: Progress,
        grade_all: bulk.GradeAll | None = None,
    ) -> list[str]:
        """Grades what the journal does not have yet; every result is on disk before the next is told. Returns the
        students whose work is no longer what was graded, because it was changed meanwhile. ``grade_all``: who grades
        where it is not this machine."""
        entries = list(entries)
        seal = seal_of(plan)
        work = _Round(self, plan, seal, progress)
        todo: Iterable[model.Entry] = entries
        while todo:
            with contextlib.closing((grade_all or bulk.grade_all)(plan, work.fresh(todo), jobs)) as graded:
                for submission, grade in graded:
                    work.keep(submission.student, grade)
                    self._note_exam(plan, seal)
            todo = tuple(work.again)  # where the last that was under way may not be shared
            work.again.clear()
        self._part_with(self.journal.others({entry.student for entry in entries}))
        return [entry.student for entry in entries if self._changed(entry)]

    def keep(self, grade: model.Grade, work: str, seal: str, content: str = "", remarks: str = "") -> None:
        """Journal first: a result that is missing is written again when the run goes on."""
        self.journal.record(grade, work, seal, content, remarks)
        results.write_result(self.out / "results", grade)

    def _changed(self, entry: model.Entry) -> bool:
        """Whether a submission is another than the one that the journal knows."""
        with contextlib.suppress(Exception):  # our own fault, which has a row that says so
            return sharing.identity(read(entry, self.assignment)) != self.journal.work(entry.student)
        return False

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
            self.journal.forget(students)

    def finish(self, write_report: Report) -> Collection[model.Grade]:
        """Writes the table and the report from what the journal holds. The grades that are returned lie there, too: to
        be gone through before ``close``, as often as one likes."""
        grades = self.journal.grades()
        results.write_grades(self.out / "grades.csv", grades)
        write_report(self.out / "report" / "index.html", grades)
        return grades

    def close(self) -> None:
        """Closes the journal, and lets others have the folder."""
        self.journal.close()
        self.lock.close()


class _Round:
    """What is under way, and who waits for the grade of the same work. Memory grows with these alone."""

    def __init__(self, book: Gradebook, plan: bulk.Plan, seal: str, progress: Progress) -> None:
        self.book, self.seal, self.progress = book, seal, progress
        limits = plan.limits
        self.shortest = min(limits.load_seconds, limits.cell_seconds, limits.case_seconds)
        self.works: dict[str, model.Submission] = {}  # by student, without the text
        self.waiting: dict[str, list[model.Entry]] = {}  # by content that is under way
        self.alone: set[str] = set()  # contents whose grade is not shared
        self.again: deque[model.Entry] = deque()  # who waited in vain

    def fresh(self, entries: Iterable[model.Entry]) -> Iterator[model.Submission]:
        """What is to be graded; what is known already is kept at once."""
        source = iter(entries)
        while entry := self.again.popleft() if self.again else next(source, None):
            submission = self._read(entry)
            if submission is None or self._known(submission):
                continue
            content = sharing.content(submission)
            if content in self.waiting:
                self.waiting[content].append(entry)
                continue
            if content and content not in self.alone:
                self.waiting[content] = []
            self.works[entry.student] = msgspec.structs.replace(submission, cells=())
            yield sharing.anonymous(submission, self.book.assignment)

    def keep(self, student: str, grade: model.Grade) -> None:
        """A grade that was given just now, and those of the same work that waited for it."""
        submission = self.works.pop(student)
        told = sharing.addressed(grade, submission)
        content = sharing.content(submission)
        shared = content if content and sharing.may_be_shared(grade, self.shortest) else ""
        self.book.keep(told, sharing.identity(submission), self.seal, shared, grade.message)
        self.progress(told, "graded")
        waiting = self.waiting.pop(content, [])
        if not shared:
            self.alone.add(content)
            self.again.extend(waiting)
            return
        for entry in waiting:
            copy = self._read(entry)
            if copy is not None and not self._known(copy):  # it has been changed since
                self.again.append(entry)

    def _read(self, entry: model.Entry) -> model.Submission | None:
        """A submission, read once: what it was then is what is graded. None where it can't be read by our fault,
        which no submission should be able to cause; the others go on."""
        try:
            return read(entry, self.book.assignment)
        except Exception as error:
            nothing = model.Submission(entry.student, "unreadable")
            grade = bulk.lost(nothing, self.book.assignment, error)
            self.book.keep(grade, sharing.identity(nothing), self.seal)
            self.progress(grade, "graded")
            return None

    def _known(self, submission: model.Submission) -> bool:
        """Takes a grade from the journal, if it is there: this student's, or another's for the same work."""
        work, content = sharing.identity(submission), sharing.content(submission)
        grade = self.book.journal.known(submission.student, work, self.seal)
        if grade is not None:
            results.write_result(self.book.out / "results", grade)
            self.progress(grade, "before")
            return True
        twin = self.book.journal.twin(content, self.seal)
        if twin is None:
            return False
        grade, remarks = twin
        grade = msgspec.structs.replace(grade, message=remarks, seconds=0.0)  # which is what it took
        grade = sharing.addressed(grade, submission)
        self.book.keep(grade, work, self.seal, content, remarks)
        self.progress(grade, "copy")
        return True


def _unwritable(out: Path, error: OSError) -> OutputError:
    return OutputError(f"can't write to {out}: {error.strerror or error}; choose another --out")


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
        with contextlib.suppress(FileNotFoundError):  # the write-ahead log, which SQLite has folded in
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


def seal_of(plan: bulk.Plan) -> str:
    """Changes with the checks, their numbers, the limits and the versions: with all that a grade depends on."""
    from autograder import exam

    parts = (exam.sources(), plan, environment())
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
