"""Reads and writes nbgrader's gradebook through its own tables, with one transaction for each student.

It never changes manual scores, comments or extra credit.
"""

from __future__ import annotations

import datetime
import json
import math
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from types import TracebackType
from typing import Any

import msgspec
from nbgrader import api
from nbgrader.converters import autograde
from sqlalchemy import select
from sqlalchemy.orm import scoped_session, sessionmaker

from autograder.integrations.nbgrader.cells import ReleasedCell

Penalty = Callable[[str, float, float], float | None]  # student, score, seconds late -> points to subtract


class ReleasedNotebook(msgspec.Struct, frozen=True):
    """A notebook as it was released: its cells, and its kernel specification."""

    sources: tuple[ReleasedCell, ...]
    kernel: dict[str, Any] | None


class GradebookError(Exception):
    """The gradebook holds something that nbgrader does not write."""


class CellGrade(msgspec.Struct, frozen=True):
    """The scores of a graded cell in the gradebook; None where there is none."""

    auto: float | None = None
    manual: float | None = None
    extra: float | None = None

    def score(self, auto: float | None) -> float:
        """Return the score that counts if tests give ``auto``. A manual score replaces it; extra credit is added."""
        return (self.manual if self.manual is not None else auto or 0.0) + (self.extra or 0.0)


class SharedGradebook(api.Gradebook):  # type: ignore[misc]  # nbgrader has no types
    """A new session on the engine of an open gradebook."""

    def __init__(self, owner: Any) -> None:
        self.engine, self.course_id, self.authenticator = owner.engine, owner.course_id, owner.authenticator
        self.db = scoped_session(sessionmaker(autoflush=True, bind=self.engine, future=True))

    def close(self) -> None:
        """Close the session. The engine stays open for its owner."""
        self.db.remove()


class CourseGradebook:
    """An open gradebook. Raises the errors of SQLAlchemy and nbgrader, such as ``MissingEntry``."""

    def __init__(self, db_url: str, course_id: str) -> None:
        _add_alembic_to_path()
        self.db_url = db_url
        self.gradebook = api.Gradebook(db_url, course_id)
        self.db: Any = self.gradebook.db
        self._originals: dict[tuple[str, str], ReleasedNotebook] = {}

    def __enter__(self) -> CourseGradebook:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def lend(self) -> None:
        """Let ``nbgrader autograde`` use this engine until ``close``.

        Otherwise nbgrader makes a new engine, and looks for all tables, five times for each student.
        """

        def opened(url: str, course: str = "default_course", *more: Any) -> Any:
            ours = (url, course) == (self.db_url, self.gradebook.course_id) and not more
            return SharedGradebook(self.gradebook) if ours else api.Gradebook(url, course, *more)

        autograde.Gradebook = opened

    def close(self) -> None:
        """Close the connection and restore nbgrader's class. Uncommitted changes are lost."""
        autograde.Gradebook = api.Gradebook
        self.gradebook.close()

    def original(self, assignment: str, notebook: str, order: Sequence[str] = ()) -> ReleasedNotebook:
        """Return a released notebook, read once. Raises GradebookError for a damaged one.

        ``order`` holds the names of the cells in sequence, since a database returns rows in any order.
        """
        if (assignment, notebook) not in self._originals:
            entry = self.gradebook.find_notebook(notebook, assignment)
            try:
                self._originals[assignment, notebook] = self._read(entry, order)
            except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
                raise GradebookError(f"the gradebook is damaged where it describes {notebook}: {error}") from error
        return self._originals[assignment, notebook]

    def _read(self, entry: Any, order: Sequence[str]) -> ReleasedNotebook:
        graded = {cell.name: cell.max_score for cell in (*entry.grade_cells, *entry.task_cells)}
        tasks = {cell.name for cell in entry.task_cells}
        solutions = {cell.name for cell in entry.solution_cells}
        cells = [
            ReleasedCell(
                name=cell.name,
                kind=cell.cell_type,
                text=cell.source or "",
                checksum=cell.checksum,
                locked=cell.locked,
                graded=cell.name in graded and cell.name not in tasks,
                solution=cell.name in solutions,
                task=cell.name in tasks,
                points=float(graded.get(cell.name, 0.0)),
            )
            for cell in entry.source_cells
        ]
        places = {name: place for place, name in enumerate(order)}
        cells.sort(key=lambda cell: places.get(cell.name, len(places)))
        kernel = json.loads(entry.kernelspec) if entry.kernelspec else None
        self.db.commit()  # ends the reading transaction, which would block nbgrader's own
        _check(cells, kernel)
        return ReleasedNotebook(tuple(cells), kernel or None)

    def cell_grades(self, assignment: str, notebook: str, student: str) -> dict[str, CellGrade]:
        """Return a student's scores by cell name; empty if nothing is graded yet."""
        try:
            submitted = self.gradebook.find_submission_notebook(notebook, assignment, student)
        except api.MissingEntry:
            return {}
        finally:
            self.db.rollback()
        grades = {
            name: CellGrade(grade.auto_score, grade.manual_score, grade.extra_credit)
            for grade, name in self._rows(api.Grade, submitted)
        }
        self.db.rollback()
        return grades

    def enrol(self, assignment: str, student: str, timestamp: datetime.datetime | None) -> None:
        """Add the student and the submission if they are missing, as ``nbgrader autograde`` does.

        ``record`` commits the transaction.
        """
        task = self.gradebook.find_assignment(assignment)
        person = self.db.get(api.Student, student)
        if person is None:
            person = api.Student(id=student)
            self.db.add(person)
        query = select(api.SubmittedAssignment).filter_by(assignment_id=task.id, student_id=student)
        submission = self.db.execute(query).scalar_one_or_none()
        if submission is None:
            with self.db.no_autoflush:  # autoflush would write an incomplete submission, with many warnings
                submission = self._new_submission(task, person)
        if timestamp is not None:
            submission.timestamp = timestamp
        self.db.flush()

    def _new_submission(self, task: Any, person: Any) -> Any:
        submission = api.SubmittedAssignment(assignment=task, student=person)
        for notebook in task.notebooks:
            own = api.SubmittedNotebook(notebook=notebook, assignment=submission)
            for table, cells in ((api.Grade, notebook.grade_cells), (api.Comment, notebook.solution_cells)):
                self.db.add_all(table(cell=cell, notebook=own) for cell in (*cells, *notebook.task_cells))
        self.db.add(submission)
        return submission

    def record(
        self,
        assignment: str,
        notebook: str,
        student: str,
        scores: Mapping[str, float | None],
        unanswered: Collection[str],
        fresh: bool,
        penalty: Penalty | None,
    ) -> None:
        """Write the scores of graded cells and nbgrader's own comments, and commit.

        A score is None if a person must give it. ``unanswered`` holds the solution cells that the student left
        unchanged. A manual score is marked for review if the work is ``fresh`` or the test score changed.
        """
        submitted = self.gradebook.find_submission_notebook(notebook, assignment, student)
        for grade, name in self._rows(api.Grade, submitted):
            if name in scores:
                changed = grade.auto_score != scores[name]
                grade.auto_score = scores[name]
                if grade.manual_score is None:
                    grade.needs_manual_grade = grade.auto_score is None
                elif fresh or changed:
                    grade.needs_manual_grade = True
        for comment, name in self._rows(api.Comment, submitted):
            comment.auto_comment = "No response." if name in unanswered else None
        self.db.flush()
        if penalty is not None:
            self._penalise(submitted, penalty)
        self.db.commit()

    def flag(self, assignment: str, notebook: str, student: str) -> None:
        """Mark all of a student's graded cells for review by a person. Their scores stay."""
        self.db.rollback()
        submitted = self.gradebook.find_submission_notebook(notebook, assignment, student)
        for grade, _ in self._rows(api.Grade, submitted):
            grade.needs_manual_grade = True
        self.db.commit()

    def _rows(self, table: Any, submitted: Any) -> list[tuple[Any, str]]:
        """Return the rows of one student's notebook, each with the name of its cell, in one query."""
        cells = api.BaseCell.__table__
        query = select(table, cells.c.name).join(cells, table.cell_id == cells.c.id)
        return [(row, name) for row, name in self.db.execute(query.where(table.notebook_id == submitted.id))]

    def _penalise(self, submitted: Any, penalty: Penalty) -> None:
        """Subtract at most the score, and nothing for work in time, as nbgrader does."""
        seconds = submitted.assignment.total_seconds_late
        self.db.refresh(submitted, ["score"])
        points = penalty(submitted.student.id, submitted.score, seconds) if seconds > 0 else None
        submitted.late_submission_penalty = None if points is None else min(max(points, 0), submitted.score)


def _check(cells: Sequence[ReleasedCell], kernel: object) -> None:
    """Raise TypeError or ValueError for values that the database takes and nbgrader never writes."""
    if not isinstance(kernel, dict | None):
        raise TypeError("the kernel specification is no table")
    for cell in cells:
        if not isinstance(cell.text, str):
            raise TypeError(f"the source of {cell.name} is no text")
        if not 0 <= cell.points < math.inf:
            raise ValueError(f"{cell.name} is worth {cell.points} points")


def _add_alembic_to_path() -> None:
    """Add this Python's folder to PATH: nbgrader runs ``alembic`` by name, and it is installed there."""
    folder, path = os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)
    if folder not in path.split(os.pathsep):
        os.environ["PATH"] = f"{folder}{os.pathsep}{path}"
