"""nbgrader's gradebook, through its own tables: what it knows of a notebook, and one transaction a student.

A person's grades, comments and extra credit are never touched. nbgrader is imported here.
"""

from __future__ import annotations

import datetime
import json
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

from autograder.integrations.nbgrader.cells import Source

Penalty = Callable[[str, float, float], float | None]  # student, score, seconds late -> points


class Original(msgspec.Struct, frozen=True):
    """A notebook as it was released."""

    sources: tuple[Source, ...]
    kernel: dict[str, Any] | None


class Standing(msgspec.Struct, frozen=True):
    """What the gradebook has for a graded cell."""

    auto: float | None = None
    manual: float | None = None
    extra: float | None = None

    def score(self, auto: float | None) -> float:
        """What counts when ``auto`` is what tests say: a person's word comes first."""
        return (self.manual if self.manual is not None else auto or 0.0) + (self.extra or 0.0)


class Lent(api.Gradebook):  # type: ignore[misc]  # nbgrader has no types
    """A session of its own on the engine of an open gradebook."""

    def __init__(self, gradebook: Any) -> None:
        self.engine, self.course_id = gradebook.engine, gradebook.course_id
        self.authenticator = gradebook.authenticator
        self.db = scoped_session(sessionmaker(autoflush=True, bind=self.engine, future=True))

    def close(self) -> None:
        """The engine stays: it is another's."""
        self.db.remove()


class Records:
    """An open gradebook. Raises what SQLAlchemy and nbgrader raise: ``MissingEntry`` for what is not there."""

    def __init__(self, db_url: str, course_id: str) -> None:
        _alembic_is_found()
        self.db_url = db_url
        self.gradebook = api.Gradebook(db_url, course_id)
        self.db: Any = self.gradebook.db
        self._originals: dict[tuple[str, str], Original] = {}

    def __enter__(self) -> Records:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def lend(self) -> None:
        """Lets ``nbgrader autograde`` use this engine until it is closed: it makes a new one otherwise, and looks for
        all tables, five times a student."""

        def opened(url: str, course: str = "default_course", *more: Any) -> Any:
            ours = (url, course) == (self.db_url, self.gradebook.course_id) and not more
            return Lent(self.gradebook) if ours else api.Gradebook(url, course, *more)

        autograde.Gradebook = opened

    def close(self) -> None:
        """Gives the connection back, and what was lent; what is not committed is gone."""
        autograde.Gradebook = api.Gradebook
        self.gradebook.close()

    def original(self, assignment: str, notebook: str, order: Sequence[str] = ()) -> Original:
        """A released notebook, read once. ``order``: names of cells as they follow each other, for a database keeps
        its rows in any order."""
        if (assignment, notebook) not in self._originals:
            self._originals[assignment, notebook] = self._read(assignment, notebook, order)
        return self._originals[assignment, notebook]

    def _read(self, assignment: str, notebook: str, order: Sequence[str]) -> Original:
        entry = self.gradebook.find_notebook(notebook, assignment)
        graded = {cell.name: cell.max_score for cell in (*entry.grade_cells, *entry.task_cells)}
        tasks = {cell.name for cell in entry.task_cells}
        solutions = {cell.name for cell in entry.solution_cells}
        found = [
            Source(
                name=cell.name, kind=cell.cell_type, text=cell.source or "", checksum=cell.checksum,
                locked=cell.locked, graded=cell.name in graded and cell.name not in tasks,
                solution=cell.name in solutions, task=cell.name in tasks, points=float(graded.get(cell.name, 0.0)),
            )
            for cell in entry.source_cells
        ]  # fmt: skip
        places = {name: place for place, name in enumerate(order)}
        found.sort(key=lambda source: places.get(source.name, len(places)))
        kernel = json.loads(entry.kernelspec) if entry.kernelspec else None
        self.db.commit()  # ends the reading transaction, which would hold nbgrader's own up
        return Original(tuple(found), kernel or None)

    def standings(self, assignment: str, notebook: str, student: str) -> dict[str, Standing]:
        """What a student's graded cells have; empty where nothing was graded yet."""
        try:
            submitted = self.gradebook.find_submission_notebook(notebook, assignment, student)
        except api.MissingEntry:
            return {}
        finally:
            self.db.rollback()
        found = {
            name: Standing(grade.auto_score, grade.manual_score, grade.extra_credit)
            for grade, name in self._grades(submitted)
        }
        self.db.rollback()
        return found

    def enrol(self, assignment: str, student: str, timestamp: datetime.datetime | None) -> None:
        """Sees to it that the student and the submission are there, as nbgrader autograde does, in the transaction
        that ``record`` will commit."""
        task = self.gradebook.find_assignment(assignment)
        person = self.db.get(api.Student, student)
        if person is None:
            person = api.Student(id=student)
            self.db.add(person)
        wanted = select(api.SubmittedAssignment).filter_by(assignment_id=task.id, student_id=student)
        submission = self.db.execute(wanted).scalar_one_or_none()
        if submission is None:
            with self.db.no_autoflush:  # half of it would be written too early, with a page of warnings
                submission = self._new_submission(task, person)
        if timestamp is not None:
            submission.timestamp = timestamp
        self.db.flush()

    def _new_submission(self, task: Any, person: Any) -> Any:
        submission = api.SubmittedAssignment(assignment=task, student=person)
        for notebook in task.notebooks:
            own = api.SubmittedNotebook(notebook=notebook, assignment=submission)
            self.db.add_all(api.Grade(cell=cell, notebook=own)
                            for cell in (*notebook.grade_cells, *notebook.task_cells))  # fmt: skip
            self.db.add_all(api.Comment(cell=cell, notebook=own)
                            for cell in (*notebook.solution_cells, *notebook.task_cells))  # fmt: skip
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
        """Writes what tests and nbgrader itself have to say, and commits. ``scores``: of graded cells, None where a
        person must give them; ``unanswered``: solutions as they were released. A person's grade that stands is
        marked to be looked at again where the work is ``fresh``, or what the tests say has changed."""
        submitted = self.gradebook.find_submission_notebook(notebook, assignment, student)
        for grade, name in self._grades(submitted):
            if name in scores:
                changed = grade.auto_score != scores[name]
                grade.auto_score = scores[name]
                if grade.manual_score is None:
                    grade.needs_manual_grade = grade.auto_score is None
                elif fresh or changed:
                    grade.needs_manual_grade = True
        for comment, name in self._comments(submitted):
            comment.auto_comment = "No response." if name in unanswered else None
        self.db.flush()
        if penalty is not None:
            self._penalise(submitted, penalty)
        self.db.commit()

    def flag(self, assignment: str, notebook: str, student: str) -> None:
        """Marks all of a student's tests as in need of a person. What they had before stays."""
        self.db.rollback()
        for grade, _ in self._grades(self.gradebook.find_submission_notebook(notebook, assignment, student)):
            grade.needs_manual_grade = True
        self.db.commit()

    def _grades(self, submitted: Any) -> list[tuple[Any, str]]:
        return self._with_names(api.Grade, submitted)

    def _comments(self, submitted: Any) -> list[tuple[Any, str]]:
        return self._with_names(api.Comment, submitted)

    def _with_names(self, table: Any, submitted: Any) -> list[tuple[Any, str]]:
        """The rows of one student's notebook, each with the name of its cell, in one question."""
        cells = api.BaseCell.__table__
        wanted = select(table, cells.c.name).join(cells, table.cell_id == cells.c.id)
        return [(row, name) for row, name in self.db.execute(wanted.where(table.notebook_id == submitted.id))]

    def _penalise(self, submitted: Any, penalty: Penalty) -> None:
        """As nbgrader does: no more than the score, and nothing for work that is in time."""
        seconds = submitted.assignment.total_seconds_late
        self.db.refresh(submitted, ["score"])
        points = penalty(submitted.student.id, submitted.score, seconds) if seconds > 0 else None
        submitted.late_submission_penalty = None if points is None else min(max(points, 0), submitted.score)


def _alembic_is_found() -> None:
    """nbgrader starts alembic by its name alone, and it lies beside this Python, whose folder may be on no PATH."""
    beside, path = os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)
    if beside not in path.split(os.pathsep):
        os.environ["PATH"] = f"{beside}{os.pathsep}{path}"
