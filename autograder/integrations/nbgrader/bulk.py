"""Grades a whole class into nbgrader's gradebook, in parallel; ``nbgrader autograde`` grades students one by one.

Grading uses the journal of ``attngrade grade``, so a killed run continues where it stopped. One transaction writes a
student's scores, and then the autograded notebook is written. So an up-to-date notebook means up-to-date scores.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import nbformat
from nbgrader.api import MissingEntry
from nbgrader.apps import AutogradeApp
from nbgrader.converters import Autograde
from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError

from autograder import intake, model
from autograder.intake.notebook_cells import NotebookCell
from autograder.integrations.nbgrader import other_files, restored_notebook
from autograder.integrations.nbgrader.autograde import AttnGrade, cells_of, finished, order_in
from autograder.integrations.nbgrader.cell_scores import NotGraded, requested_checks, score_cells
from autograder.integrations.nbgrader.course import CONFIG_NAME, CourseError
from autograder.integrations.nbgrader.gradebook import CellGrade, CourseGradebook, GradebookError, ReleasedNotebook
from autograder.runs import pool, results

TOLERANCE = 1e-6  # points


class ScoreChange(msgspec.Struct, frozen=True):
    """A student's score before (None: not graded) and after, and the same for each cell that changes."""

    student: str
    before: float | None
    after: float
    cells: tuple[tuple[str, float | None, float], ...] = ()


class NotScored(msgspec.Struct, frozen=True):
    """A student who gets no score, the reason, and whether the grader is at fault."""

    student: str
    why: str
    ours: bool


@contextlib.contextmanager
def opened(folder: Path, assignment: str) -> Iterator[CourseAssignment]:
    """Open an assignment of a course, with the course's configuration as nbgrader reads it. Raises CourseError."""
    if not (folder / CONFIG_NAME).is_file():
        raise CourseError(f"{folder} is no nbgrader course: it has no {CONFIG_NAME}; see attngrade nbgrader init")
    with contextlib.chdir(folder):  # nbgrader looks for its configuration here
        app = AutogradeApp()
        app.initialize(["--log-level=WARN"])
        url = make_url(app.coursedir.db_url)
        if url.drivername.startswith("sqlite") and not os.path.isfile(url.database or ""):
            raise CourseError(f"{folder} has no gradebook yet; run: nbgrader generate_assignment {assignment}")
        try:
            with CourseGradebook(app.coursedir.db_url, app.coursedir.course_id) as gradebook:
                yield CourseAssignment(app, gradebook, assignment)
        except MissingEntry as error:
            raise CourseError(f"{error}; run: nbgrader generate_assignment {assignment}") from error
        except GradebookError as error:
            raise CourseError(f"{error}; run: nbgrader generate_assignment --force {assignment}") from error
        except DBAPIError as error:  # locked, of an old version, or no database
            raise CourseError(f"can't use the gradebook: {error.orig}; grades so far are kept") from error


class CourseAssignment:
    """One assignment of an nbgrader course. Raises nbgrader's MissingEntry if it is not released."""

    def __init__(self, app: Any, gradebook: CourseGradebook, assignment: str) -> None:
        self.coursedir = app.coursedir
        self.assignment = assignment
        self.gradebook = gradebook
        self.converter = Autograde(coursedir=self.coursedir, parent=app)
        self.settings = AttnGrade(parent=self.converter)
        order = order_in(self.coursedir, assignment, assignment)
        self.original: ReleasedNotebook = gradebook.original(assignment, assignment, order)

    def plan(self) -> pool.RunPlan:
        """Return the settings of the course's configuration. Raises CourseError for invalid test cells."""
        try:
            assignment, checks = requested_checks(self.original.sources)
        except ValueError as error:
            raise CourseError(f"{error}; fix it in source/, then run: nbgrader generate_assignment --force") from error
        if assignment != self.assignment:
            raise CourseError(f"the notebook {self.assignment} has no attngrade test cells for {self.assignment}")
        return self.settings.plan(assignment, any(check.kind == "timing" for check in checks))

    def entries(self) -> tuple[list[model.Entry], list[NotScored]]:
        """Return the submissions that nbgrader counts, and those whose name a gradebook can't hold."""
        step = self.coursedir.submitted_directory
        pattern = self.coursedir.format_path(step, "(?P<student>.*)", self.assignment, escape=True)
        excluded = self.coursedir.student_id_exclude.split(",")
        entries, nameless = {}, []
        for folder in glob.glob(self.coursedir.format_path(step, "*", glob.escape(self.assignment))):
            match = re.fullmatch(pattern, folder, re.DOTALL)
            if not match or match["student"] in excluded or not os.path.isdir(folder):
                continue
            student = match["student"]
            readable = student.encode("utf-8", "backslashreplace").decode()
            if student == readable:
                entries[student] = model.Entry(student, (Path(folder),))
            else:
                nameless.append(NotScored(readable, "the folder's name is not UTF-8; rename it", True))
        return [entries[student] for student in sorted(entries)], nameless

    def take(self, grade: model.Grade, dry: bool) -> ScoreChange | NotScored:
        """Write one student's grade, unless ``dry``, and return what it changes."""
        student = grade.student
        before = self.gradebook.cell_grades(self.assignment, self.assignment, student)
        try:
            scores = score_cells(self.original.sources, grade, self.settings.hidden_titles)
        except NotGraded as error:
            ours = grade.status != "missing"
            if ours and before and not dry:
                self.gradebook.flag(self.assignment, self.assignment, student)
            return NotScored(student, str(error), ours)
        made = restored_notebook.restored(self._handed_in(student), self.original.sources, self.original.kernel)
        notebook, points, without = finished(made, self.original.sources, scores, self.settings.hidden_titles)
        if not dry:
            self._write(student, notebook, points, without)
        return _change(student, before, points)

    def _folder(self, step: str, student: str) -> Path:
        return Path(self.coursedir.format_path(step, student, self.assignment))

    def _handed_in(self, student: str) -> list[NotebookCell]:
        """Return the cells of the notebook; for a submission in another format, its code."""
        folder = self._folder(self.coursedir.submitted_directory, student)
        if (path := folder / f"{self.assignment}.ipynb").exists():
            return cells_of(path)
        work = intake.read(model.Entry(student, (folder,)), self.assignment)
        return [NotebookCell("code", text) for text in work.texts]

    def _write(self, student: str, notebook: Any, points: dict[str, float | None], without: set[str]) -> None:
        folder = self._folder(self.coursedir.submitted_directory, student)
        path = self._folder(self.coursedir.autograded_directory, student) / f"{self.assignment}.ipynb"
        data = (nbformat.writes(notebook) + "\n").encode()
        fresh = not path.is_file() or path.read_bytes() != data
        self.gradebook.enrol(self.assignment, student, self.coursedir.get_existing_timestamp(str(folder)))
        self.gradebook.record(
            self.assignment, self.assignment, student, points, without, fresh, self.settings.penalty()
        )
        mode = int(str(self.converter.permissions), 8)
        kept = self.converter.exclude_overwriting.get(self.assignment, [])
        course = self._folder(self.coursedir.source_directory, ".")
        other_files.copy(folder, course, path.parent, self.coursedir.ignore, kept, mode)
        if fresh:
            results.write_whole(path, data)
        path.chmod(mode)


def _change(student: str, before: dict[str, CellGrade], points: dict[str, float | None]) -> ScoreChange:
    """Return the change to a student's score. Manual scores take precedence, and extra credit stays."""
    was = {name: grade.score(grade.auto) for name, grade in before.items()}
    now = {name: before.get(name, CellGrade()).score(score) for name, score in points.items()}
    known = any(grade.auto is not None or grade.manual is not None for grade in before.values())
    cells = tuple(
        (name, was.get(name) if known else None, score)
        for name, score in now.items()
        if not known or abs(score - was.get(name, 0.0)) > TOLERANCE
    )
    after = round(sum((was | now).values()), 6)
    return ScoreChange(student, sum(was.values()) if known else None, after, cells)
