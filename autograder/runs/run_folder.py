"""The output folder of a run: whose it is, and what is written to it."""

import contextlib
import itertools
import os
import shutil
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

import msgspec

from autograder import model
from autograder.course.deadlines import Deadlines
from autograder.course.decisions import active
from autograder.course.marks import Rules
from autograder.model.run_files import LOCK, PREVIOUS, RUN_FILES
from autograder.runs import grades_csv, history, journal, people, pool, results
from autograder.runs.journal import Journal, JournalError
from autograder.runs.lock import LockError, hold

NEXT = ".journal.next"  # a journal that takes the place of the one that is being set aside
Report = Callable[[Path, Collection[model.Grade], Journal], None]


class OutputError(Exception):
    """The output folder can't be used."""


class RunFolder:
    """The output folder of one run, which no other process writes to until ``close``."""

    def __init__(self, out: Path, assignment: str, *, resume: bool) -> None:
        """Raises OutputError if the folder can't be written to or is in use, JournalError for its journal."""
        self.out = out
        self.assignment = assignment
        try:
            out.mkdir(parents=True, exist_ok=True)
            _refuse(out, LOCK, PREVIOUS, NEXT)
            self.lock = hold(out)
        except LockError as error:
            raise OutputError(str(error)) from error
        except OSError as error:
            raise _unwritable(out, error) from error
        self.carried = ""  # what became of the decisions of an earlier run
        try:
            _take_up(out)
            if not resume:
                self.carried = _set_aside(out, assignment)
            _refuse(out, *RUN_FILES)
            (out / "results").mkdir(exist_ok=True)
            results.sweep(out / "results")
            self.journal = Journal(out / "journal.sqlite", assignment)
            self.marks = people.Marks(self.journal)
        except BaseException as error:
            self.lock.release()
            if isinstance(error, OSError):
                raise _unwritable(out, error) from error
            raise

    def save(self, grade: model.Grade, work: str, run: str, content: str = "", remarks: str = "") -> None:
        """Store a grade in the journal, then as a result. A resumed run writes a missing result again.

        A grade that it replaces goes to the journal's history.
        """
        history.keep(self.journal, grade)
        self.journal.record(grade, work, run, content, remarks)
        self.write_result(grade)

    def write_result(self, grade: model.Grade) -> None:
        """Write one student's result file, with the final score."""
        results.write_result(self.out / "results", self.marks.composed(grade))

    def rewrite_results(self) -> None:
        """Write the result files that a change of decisions or rules has made out of date."""
        for grade in people.FinalGrades(self.journal):
            results.renew_result(self.out / "results", grade)

    def identify(self, students: Iterable[str], identities: Mapping[str, model.Identity]) -> None:
        """Store who is in the run, before the first grade: names in ``deadlines.csv`` are looked up among them."""
        people.identify(self.journal, students, identities)
        self.marks = people.Marks(self.journal)

    def set_rules(
        self, rules: Rules | None = None, view: model.StudentView | None = None, deadlines: Deadlines | None = None
    ) -> None:
        """Store how marks are reckoned, and what students see; what is None stays as it was.

        ``rewrite_results`` and ``finish`` apply it.
        """
        for key, value in ((people.RULES, rules), (people.DEADLINES, deadlines), (people.VIEW, view)):
            if value is not None:
                self.journal.note(key, msgspec.json.encode(value).decode())
        self.marks = people.Marks(self.journal)

    def decide(self, decisions: Iterable[model.Decision]) -> None:
        """Store decisions, all or none. ``rewrite_results`` and ``finish`` apply them."""
        people.decide(self.journal, decisions)
        self.marks = people.Marks(self.journal)

    def remember(self, submissions: Path, layout: str, plan: pool.RunPlan) -> None:
        """Note what a later ``regrade`` needs to know, except the seed."""
        self.journal.note("submissions", os.path.abspath(submissions))
        self.journal.note("layout", layout)
        self.journal.note("plan", msgspec.json.encode(msgspec.structs.replace(plan, seed="")).decode())

    def part_with(self, students: list[str]) -> None:
        """Move the results of students without a submission to ``previous``, and remove their rows."""
        if students:
            place = new_place(self.out)
            for student in students:
                name = f"{results.file_name(student)}.json"
                with contextlib.suppress(FileNotFoundError):
                    shutil.move(self.out / "results" / name, place / name)
            self.journal.forget(students)

    def copy_aside(self, students: Iterable[str]) -> None:
        """Copy the table, the report and the results of ``students`` to ``previous`` before they are replaced."""
        place = new_place(self.out)
        (place / "results").mkdir()
        names = ("grades.csv", "report", *(f"results/{results.file_name(student)}.json" for student in students))
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                if (self.out / name).is_dir():
                    shutil.copytree(self.out / name, place / name, symlinks=True)
                else:
                    shutil.copy2(self.out / name, place / name, follow_symlinks=False)

    def finish(self, write_report: Report) -> Collection[model.Grade]:
        """Write the table and the report of final grades. The returned grades can be read until ``close``."""
        grades = people.FinalGrades(self.journal)
        grades_csv.write_grades(self.out / "grades.csv", grades)
        write_report(self.out / "report" / "index.html", grades, self.journal)
        return grades

    def close(self) -> None:
        """Close the journal and release the folder."""
        self.journal.close()
        self.lock.release()


def _unwritable(out: Path, error: OSError) -> OutputError:
    return OutputError(f"can't write to {out}: {error.strerror or error}; choose another --out")


def _refuse(out: Path, *names: str) -> None:
    """Raise OutputError if one of ``names`` leads elsewhere: a run writes into its output folder only."""
    for path in (out / name for name in names):
        if path.is_symlink() or (path.exists() and not (path.is_file() or path.is_dir())):
            raise OutputError(f"{path} is a link, or no file: remove it, or choose another --out")


def _take_up(out: Path) -> None:
    """Finish what a killed ``_set_aside`` began: the next journal counts once the earlier one is moved."""
    if (out / NEXT).exists() and not os.path.lexists(out / "journal.sqlite"):
        os.replace(out / NEXT, out / "journal.sqlite")
    for path in out.glob(f"{NEXT}*"):
        path.unlink()


def _set_aside(out: Path, assignment: str) -> str:
    """Move an earlier run's files into ``previous``, and carry its decisions over to a new journal.

    Return a line about these decisions, or an empty one. Raises JournalError if the files belong to another assignment.
    """
    earlier = [out / name for name in RUN_FILES if os.path.lexists(out / name)]
    if not earlier:
        return ""
    owner = journal.owner(out / "journal.sqlite")
    if owner not in (None, assignment):
        raise JournalError(f"{out} holds a run of {owner}, not {assignment}; choose another --out folder")
    decisions, note = _decided(out) if owner else ([], "")
    if decisions:
        with contextlib.closing(Journal(out / NEXT, assignment)) as new:
            people.decide(new, decisions)
    place = new_place(out)
    for path in earlier:
        with contextlib.suppress(FileNotFoundError):  # SQLite may have removed its write-ahead log meanwhile
            shutil.move(path, place / path.name)
    if decisions:
        os.replace(out / NEXT, out / "journal.sqlite")
    count = len(active(decisions))
    return note or (f"{count} decision(s) of the earlier run still count; adjust --list shows them" if count else "")


def _decided(out: Path) -> tuple[list[model.Decision], str]:
    """Return what people decided in an earlier run, and a line if that can't be read."""
    try:
        with history.untouched(out, ours=True) as earlier:
            return people.log(earlier), ""
    except JournalError as error:
        return [], f"what people decided in the earlier run is lost to this one, but kept in {out / PREVIOUS}: {error}"


def new_place(out: Path) -> Path:
    """Create and return a folder in ``previous``, named by the time."""
    stamp = time.strftime("%Y-%m-%dT%H-%M-%S")
    for number in itertools.count(1):
        place = out / PREVIOUS / (stamp if number == 1 else f"{stamp}-{number}")
        with contextlib.suppress(FileExistsError):
            place.mkdir(parents=True)
            return place
    raise AssertionError("unreachable")
