"""What takes the place of nbgrader's execution: a reader of strangers' notebooks, and a preprocessor that grades.

Named in a course's ``nbgrader_config.py``, and imported by nbgrader alone. No code of a student's runs in this
process or in a kernel; it runs in confined workers of one fork server, which lives as long as the run does.
"""

from __future__ import annotations

import os
import weakref
from pathlib import Path
from typing import Any, cast

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import AssignLatePenalties, NbGraderPreprocessor
from nbgrader.utils import compute_checksum
from traitlets import Bool, Dict, Enum, Unicode

from autograder import bulk, intake, model, thrift
from autograder.intake.errors import Unreadable
from autograder.intake.files import MB, read_regular
from autograder.intake.pieces import Piece, pieces
from autograder.integrations.nbgrader import beside, restore
from autograder.integrations.nbgrader.cells import Source
from autograder.integrations.nbgrader.records import Original, Penalty, Records
from autograder.integrations.nbgrader.verdicts import NotGraded, Verdict, asked_checks, verdicts
from autograder.sandbox.limits import Limits, altered
from autograder.seed import course_seed

LARGEST = 100 * MB
thrift.seldom_look_for_garbage()


class SubmissionExporter(NotebookExporter):  # type: ignore[misc]  # nbconvert is half typed
    """Reads what students hand in without believing it: text alone is taken over, everything else comes from the
    gradebook. A notebook that can't be read gives one that says so; its student gets a grade as well."""

    def from_filename(self, filename: str, resources: Any = None, **options: Any) -> Any:
        """See nbconvert. What lies in ``submitted`` is restored; what we wrote ourselves is read as it is."""
        where = resources["nbgrader"]
        coursedir = self.parent.coursedir
        submitted = coursedir.format_path(
            coursedir.submitted_directory, where["student"], where["assignment"]
        )
        if os.path.dirname(os.path.abspath(filename)) != os.path.abspath(submitted):
            return super().from_filename(filename, resources=resources, **options)
        folders = [(coursedir.source_directory, "."), (coursedir.autograded_directory, where["student"])]
        course, target = [Path(coursedir.format_path(*one, where["assignment"])) for one in folders]
        kept = self.parent.exclude_overwriting.get(where["assignment"], [])
        beside.take_back(Path(submitted), course, target, kept)
        original = run_of(self.parent).original(coursedir, where["assignment"], where["notebook"])
        made = restore.restored(cells_of(Path(filename)), original.sources, original.kernel)
        return self.from_notebook_node(nbformat.from_dict(made), resources)


class AttnGrade(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Grades the submission's code in a confined worker, and writes points and outputs of the test cells."""

    timing = Bool(True, help="Whether speed is graded, where a test cell asks for it.").tag(config=True)
    device = Enum(("cpu", "cuda"), "cpu", help="Where the tensors of the checks live.").tag(config=True)
    seed_file = Unicode("", help="File with the course's secret seed; '': as attngrade grade.").tag(
        config=True
    )
    limits = Dict(help="Limits by name, such as case_seconds: see attngrade grade --help.").tag(config=True)
    unconfined = Bool(False, help="Grade even where workers can't be confined.").tag(config=True)

    def plan(self, topic: str, timed: bool) -> bulk.Plan:
        """What a grading process must know; ``timed``: whether speed is asked for at all. Raises SeedError, or
        msgspec.ValidationError for a wrong limit."""
        limits = altered(Limits(), self.limits)
        seed = course_seed(Path(self.seed_file) if self.seed_file else None)
        return bulk.Plan(
            topic,
            seed,
            limits,
            self.timing and timed,
            unconfined=self.unconfined,
            device=cast(model.Device, self.device),
        )

    def penalty(self) -> Penalty | None:
        """The course's rule for late work. None where it has none, so that what a person has set stays."""
        rule = AssignLatePenalties(parent=self.parent)
        rule.init_plugin()
        if type(rule.plugin_inst) is LateSubmissionPlugin and rule.plugin_inst.penalty_method == "none":
            return None
        found: Penalty = rule.plugin_inst.late_submission_penalty
        return found

    def preprocess(self, nb: Any, resources: Any) -> Any:
        """Grades one notebook. Raises NotGraded where there can be no grade: nbgrader then says whose, takes the
        half-made files away and ends with an error; what the gradebook had stays, marked for a person."""
        where = resources["nbgrader"]
        assignment, notebook, student = where["assignment"], where["notebook"], where["student"]
        converter = self.parent.parent
        run = run_of(converter)
        original = run.original(converter.coursedir, assignment, notebook)
        try:
            found = self._verdicts(run, converter.coursedir, original, assignment, student)
        except Exception:
            run.records.flag(assignment, notebook, student)
            raise
        restore.filled(nb, found)
        nb = nbformat.from_dict(nb)
        without = unanswered(nb, original.sources)
        points = scores(original.sources, found, without)
        run.records.record(assignment, notebook, student, points, without, True, self.penalty())
        return nb, resources

    def _verdicts(
        self, run: Run, coursedir: Any, original: Original, assignment: str, student: str
    ) -> list[Verdict]:
        topic, checks = asked_checks(original.sources)
        if not topic:  # a notebook of another kind: all of it is for a person
            return verdicts(original.sources, model.Grade(student, "", 0.0, 0.0, "graded", (), {}))
        folder = Path(coursedir.format_path(coursedir.submitted_directory, student, assignment))
        submission = intake.read(model.Entry(student, (folder,)), topic)
        timed = any(check.kind == "timing" for check in checks)
        return verdicts(original.sources, run.grader(self.plan(topic, timed)).grade(submission))


class Run:
    """What one run of ``nbgrader autograde`` needs once: an open gradebook, and a fork server."""

    def __init__(self, coursedir: Any) -> None:
        self.records = Records(coursedir.db_url, coursedir.course_id)
        self.records.lend()
        self._graders: dict[bulk.Plan, bulk.Grader] = {}

    def original(self, coursedir: Any, assignment: str, notebook: str) -> Original:
        """The notebook as it was released."""
        return self.records.original(assignment, notebook, order_in(coursedir, assignment, notebook))

    def grader(self, plan: bulk.Plan) -> bulk.Grader:
        """The grader of this run. Raises SandboxError or ExamError where there can be none."""
        if plan not in self._graders:
            self._graders[plan] = bulk.Grader(plan)
        return self._graders[plan]

    def close(self) -> None:
        """Ends the fork server, and lets go of the gradebook."""
        for grader in self._graders.values():
            grader.close()
        self.records.close()


_runs: weakref.WeakKeyDictionary[Any, Run] = weakref.WeakKeyDictionary()


def run_of(converter: Any) -> Run:
    """The run of one ``Autograde``: made when it is first needed, closed when nbgrader is done with it, or ends."""
    if converter not in _runs:
        run = _runs[converter] = Run(converter.coursedir)
        weakref.finalize(converter, run.close)
    return _runs[converter]


def order_in(coursedir: Any, assignment: str, notebook: str) -> list[str]:
    """How the cells that nbgrader knows follow each other in the source."""
    folder = Path(coursedir.format_path(coursedir.source_directory, ".", assignment))
    return [piece.name for piece in cells_of(folder / f"{notebook}.ipynb") if piece.name]


def cells_of(path: Path) -> list[Piece]:
    """The cells of a notebook; of one that can't be read, a sentence that says why."""
    try:
        return pieces(read_regular(str(path), LARGEST))
    except Unreadable as error:
        return [Piece("markdown", f"**{path.name} {error}.**")]


def unanswered(notebook: Any, sources: tuple[Source, ...]) -> set[str]:
    """The solutions that are as they were released, or not there."""
    there = {
        cell.metadata.nbgrader["grade_id"]: compute_checksum(cell)
        for cell in notebook.cells
        if "nbgrader" in cell.metadata
    }
    return {one.name for one in sources if one.solution and there.get(one.name, one.checksum) == one.checksum}


def scores(sources: tuple[Source, ...], found: list[Verdict], without: set[str]) -> dict[str, float | None]:
    """What goes into the gradebook: of tests what they say, of answers nothing but that there is none."""
    tested: dict[str, float | None] = {verdict.name: verdict.score for verdict in found}
    written = {
        one.name: 0.0 if one.name in without else None for one in sources if one.graded and one.solution
    }
    return tested | written


__all__ = ["AttnGrade", "NotGraded", "SubmissionExporter"]
