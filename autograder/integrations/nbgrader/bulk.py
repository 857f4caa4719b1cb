"""A whole class at once, into nbgrader's gradebook: what ``nbgrader autograde`` does one by one.

Grading goes the way of ``attngrade grade``, with its journal, so that a run that was killed goes on where it
stopped. A student's scores are one transaction; the autograded notebook follows it, and one that is as it would be
written says that all was written before.
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

from autograder import bulk, intake, model, results
from autograder.intake.pieces import Piece
from autograder.integrations.nbgrader import beside, restore
from autograder.integrations.nbgrader.autograde import AttnGrade, cells_of, order_in, scores, unanswered
from autograder.integrations.nbgrader.course import CONFIG_NAME, CourseError
from autograder.integrations.nbgrader.records import Original, Records, Standing
from autograder.integrations.nbgrader.verdicts import NotGraded, asked_checks, verdicts

SMALLEST = 1e-6  # a difference of points that is one


class Change(msgspec.Struct, frozen=True):
    """A student's score before (None: there was none) and after, and so of the cells in which it differs."""

    student: str
    before: float | None
    after: float
    cells: tuple[tuple[str, float | None, float], ...] = ()


class Skipped(msgspec.Struct, frozen=True):
    """A student of whom no score is written; whether that is our own fault."""

    student: str
    why: str
    ours: bool


@contextlib.contextmanager
def opened(folder: Path, topic: str) -> Iterator[Course]:
    """A course with its own configuration, as nbgrader itself reads it. Raises CourseError."""
    if not (folder / CONFIG_NAME).is_file():
        raise CourseError(
            f"{folder} is no nbgrader course: it has no {CONFIG_NAME}; see attngrade nbgrader init"
        )
    with contextlib.chdir(folder):  # where nbgrader looks for its configuration
        app = AutogradeApp()
        app.initialize(["--log-level=WARN"])
        url = make_url(app.coursedir.db_url)
        if url.drivername.startswith("sqlite") and not os.path.isfile(url.database or ""):
            raise CourseError(f"{folder} has no gradebook yet; run: nbgrader generate_assignment {topic}")
        try:
            with Records(app.coursedir.db_url, app.coursedir.course_id) as records:
                yield Course(app, records, topic)
        except MissingEntry as error:
            raise CourseError(f"{error}; run: nbgrader generate_assignment {topic}") from error
        except DBAPIError as error:  # locked, of an old version, no database at all
            raise CourseError(
                f"the gradebook can't be used: {error.orig}; what was graded is kept"
            ) from error


class Course:
    """One assignment of an nbgrader course. Raises nbgrader's MissingEntry where it was not released."""

    def __init__(self, app: Any, records: Records, topic: str) -> None:
        self.coursedir = app.coursedir
        self.topic = topic
        self.records = records
        self.converter = Autograde(coursedir=self.coursedir, parent=app)
        self.settings = AttnGrade(parent=self.converter)
        order = order_in(self.coursedir, topic, topic)
        self.original: Original = records.original(topic, topic, order)

    def plan(self) -> bulk.Plan:
        """What the configuration says of grading. Raises CourseError for test cells that nothing can be made of."""
        try:
            topic, checks = asked_checks(self.original.sources)
        except ValueError as error:
            raise CourseError(
                f"{error}; mend it in source/, then: nbgrader generate_assignment --force"
            ) from error
        if topic != self.topic:
            raise CourseError(f"the notebook {self.topic} has no test cells of attngrade's for it")
        return self.settings.plan(topic, any(check.kind == "timing" for check in checks))

    def entries(self) -> tuple[list[model.Entry], list[Skipped]]:
        """Who handed in, as nbgrader counts it; and who can't be in a gradebook by that name."""
        step = self.coursedir.submitted_directory
        pattern = self.coursedir.format_path(step, "(?P<student>.*)", self.topic, escape=True)
        excluded = self.coursedir.student_id_exclude.split(",")
        found, nameless = {}, []
        for folder in glob.glob(self.coursedir.format_path(step, "*", glob.escape(self.topic))):
            match = re.fullmatch(pattern, folder, re.DOTALL)
            if not match or match["student"] in excluded or not os.path.isdir(folder):
                continue
            student = match["student"]
            readable = student.encode("utf-8", "backslashreplace").decode()
            if student == readable:
                found[student] = model.Entry(student, (Path(folder),))
            else:
                nameless.append(Skipped(readable, "the name of the folder is not UTF-8; rename it", True))
        return [found[student] for student in sorted(found)], nameless

    def take(self, grade: model.Grade, dry: bool) -> Change | Skipped:
        """Writes one student's grade, unless ``dry``; tells what it changes."""
        student = grade.student
        before = self.records.standings(self.topic, self.topic, student)
        try:
            found = verdicts(self.original.sources, grade)
        except NotGraded as error:
            ours = grade.status != "missing"
            if ours and before and not dry:
                self.records.flag(self.topic, self.topic, student)
            return Skipped(student, str(error), ours)
        made = restore.restored(self._handed_in(student), self.original.sources, self.original.kernel)
        restore.filled(made, found)
        notebook = nbformat.from_dict(made)
        without = unanswered(notebook, self.original.sources)
        points = scores(self.original.sources, found, without)
        if not dry:
            self._write(student, notebook, points, without)
        return _change(student, before, points)

    def _folder(self, step: str, student: str) -> Path:
        return Path(self.coursedir.format_path(step, student, self.topic))

    def _handed_in(self, student: str) -> list[Piece]:
        """The cells of the notebook; of work in another form its code."""
        folder = self._folder(self.coursedir.submitted_directory, student)
        if (path := folder / f"{self.topic}.ipynb").exists():
            return cells_of(path)
        work = intake.read(model.Entry(student, (folder,)), self.topic)
        return [Piece("code", cell.decode("utf-8", "replace")) for cell in work.cells]

    def _write(self, student: str, notebook: Any, points: dict[str, float | None], without: set[str]) -> None:
        folder = self._folder(self.coursedir.submitted_directory, student)
        path = self._folder(self.coursedir.autograded_directory, student) / f"{self.topic}.ipynb"
        data = (nbformat.writes(notebook) + "\n").encode()
        fresh = not path.is_file() or path.read_bytes() != data
        self.records.enrol(self.topic, student, self.coursedir.get_existing_timestamp(str(folder)))
        self.records.record(self.topic, self.topic, student, points, without, fresh, self.settings.penalty())
        mode = int(str(self.converter.permissions), 8)
        kept = self.converter.exclude_overwriting.get(self.topic, [])
        course = self._folder(self.coursedir.source_directory, ".")
        beside.lay(folder, course, path.parent, self.coursedir.ignore, kept, mode)
        if fresh:
            results.write_whole(path, data)
        path.chmod(mode)


def _change(student: str, before: dict[str, Standing], points: dict[str, float | None]) -> Change:
    """What ``points`` make of a score, in which a person's word comes first and extra credit stays."""
    was = {name: standing.score(standing.auto) for name, standing in before.items()}
    now = {name: before.get(name, Standing()).score(score) for name, score in points.items()}
    after = was | now
    known = any(standing.auto is not None or standing.manual is not None for standing in before.values())
    cells = tuple(
        (name, was.get(name) if known else None, score)
        for name, score in now.items()
        if not known or abs(score - was.get(name, 0.0)) > SMALLEST
    )
    return Change(student, sum(was.values()) if known else None, round(sum(after.values()), 6), cells)
