"""Replaces nbgrader's execution: an exporter that reads submitted notebooks, and a preprocessor that grades them.

A course's ``nbgrader_config.py`` names both classes, and only nbgrader imports this module. Student code never runs in
this process or in a kernel. It runs in confined workers of one fork server, which lasts for the whole run.
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

from autograder import intake, model, protocol
from autograder.grading.seed import course_seed
from autograder.grading.usual import usual_limits
from autograder.intake.errors import Unreadable
from autograder.intake.files import MB, read_regular
from autograder.intake.notebook_cells import NotebookCell, notebook_cells
from autograder.integrations import startup
from autograder.integrations.nbgrader import other_files, restored_notebook
from autograder.integrations.nbgrader.cell_scores import CellScore, NotGraded, requested_checks, score_cells
from autograder.integrations.nbgrader.cells import ReleasedCell
from autograder.integrations.nbgrader.gradebook import CourseGradebook, Penalty, ReleasedNotebook
from autograder.runs import pool
from autograder.sandbox.limits import altered

LARGEST = 100 * MB
startup.relax_garbage_collection()


class SubmissionExporter(NotebookExporter):  # type: ignore[misc]  # nbconvert is half typed
    """Reads submitted notebooks as untrusted input: only the text is used, everything else comes from the gradebook.

    An unreadable notebook becomes a notebook with the reason, and its student gets a grade.
    """

    def from_filename(self, filename: str, resources: Any = None, **options: Any) -> Any:
        """See nbconvert. Restores notebooks in ``submitted``; reads the autograded ones unchanged."""
        labels = resources["nbgrader"]
        coursedir = self.parent.coursedir
        submitted = coursedir.format_path(coursedir.submitted_directory, labels["student"], labels["assignment"])
        if os.path.dirname(os.path.abspath(filename)) != os.path.abspath(submitted):
            return super().from_filename(filename, resources=resources, **options)
        folders = [(coursedir.source_directory, "."), (coursedir.autograded_directory, labels["student"])]
        course, target = [Path(coursedir.format_path(*folder, labels["assignment"])) for folder in folders]
        kept = self.parent.exclude_overwriting.get(labels["assignment"], [])
        other_files.remove_unsafe(Path(submitted), course, target, kept)
        original = run_of(self.parent).original(coursedir, labels["assignment"], labels["notebook"])
        made = restored_notebook.restored(cells_of(Path(filename)), original.sources, original.kernel)
        return self.from_notebook_node(nbformat.from_dict(made), resources)


class AttnGrade(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Grades a submission in a confined worker, and writes the scores and outputs of the test cells."""

    timing = Bool(True, help="Whether to grade speed where a test cell names a timing check.").tag(config=True)
    device = Enum(("cpu", "cuda"), "cpu", help="Device of the checks' tensors.").tag(config=True)
    seed_file = Unicode("", help="File with the course's secret seed; '' as in attngrade grade.").tag(config=True)
    limits = Dict(help="Limits by name, such as case_seconds: see attngrade grade --help.").tag(config=True)
    unconfined = Bool(False, help="Grade even if workers can't be confined.").tag(config=True)
    hidden_titles = Bool(False, help="Whether students see the titles of hidden checks.").tag(config=True)

    def plan(self, name: str, timed: bool) -> pool.RunPlan:
        """Return the settings of a grading process; ``timed`` says whether any test cell names a timing check.

        Raises SeedError, or msgspec.ValidationError for a wrong limit.
        """
        limits = altered(usual_limits(name), self.limits)
        seed = course_seed(Path(self.seed_file) if self.seed_file else None)
        timing = self.timing and timed
        device = cast(protocol.Device, self.device)
        return pool.RunPlan(name, seed, limits, timing, unconfined=self.unconfined, device=device)

    def penalty(self) -> Penalty | None:
        """Return the course's rule for late work. None: there is no rule, and penalties set by a person stay."""
        rule = AssignLatePenalties(parent=self.parent)
        rule.init_plugin()
        if type(rule.plugin_inst) is LateSubmissionPlugin and rule.plugin_inst.penalty_method == "none":
            return None
        penalty: Penalty = rule.plugin_inst.late_submission_penalty
        return penalty

    def preprocess(self, nb: Any, resources: Any) -> Any:
        """Grade one notebook.

        Raises NotGraded if there can be no grade. nbgrader then names the student, removes its partial files and ends
        with an error. The gradebook keeps its scores, marked for review by a person.
        """
        labels = resources["nbgrader"]
        assignment, notebook, student = labels["assignment"], labels["notebook"], labels["student"]
        converter = self.parent.parent
        run = run_of(converter)
        original = run.original(converter.coursedir, assignment, notebook)
        try:
            scores = self._scores(run, converter.coursedir, original, assignment, student)
        except Exception:
            run.gradebook.flag(assignment, notebook, student)
            raise
        nb, points, without = finished(nb, original.sources, scores, self.hidden_titles)
        run.gradebook.record(assignment, notebook, student, points, without, True, self.penalty())
        return nb, resources

    def _scores(
        self, run: Run, coursedir: Any, original: ReleasedNotebook, assignment: str, student: str
    ) -> list[CellScore]:
        name, checks = requested_checks(original.sources)
        if not name:  # no attngrade test cells: a person scores everything
            return score_cells(original.sources, model.Grade(student, "", 0.0, 0.0, "graded", (), {}))
        folder = Path(coursedir.format_path(coursedir.submitted_directory, student, assignment))
        submission = intake.read(model.Entry(student, (folder,)), name)
        timed = any(check.kind == "timing" for check in checks)
        grade = run.grader(self.plan(name, timed)).grade(submission)
        return score_cells(original.sources, grade, self.hidden_titles)


class Run:
    """The resources of one run of ``nbgrader autograde``: an open gradebook, and grading processes."""

    def __init__(self, coursedir: Any) -> None:
        self.gradebook = CourseGradebook(coursedir.db_url, coursedir.course_id)
        self.gradebook.lend()
        self._graders: dict[pool.RunPlan, pool.Grader] = {}

    def original(self, coursedir: Any, assignment: str, notebook: str) -> ReleasedNotebook:
        """Return the notebook as it was released."""
        return self.gradebook.original(assignment, notebook, order_in(coursedir, assignment, notebook))

    def grader(self, plan: pool.RunPlan) -> pool.Grader:
        """Return the grader for a plan. Raises SandboxError or SuiteError if it cannot start."""
        if plan not in self._graders:
            self._graders[plan] = pool.Grader(plan)
        return self._graders[plan]

    def close(self) -> None:
        """Stop the fork servers and close the gradebook."""
        for grader in self._graders.values():
            grader.close()
        self.gradebook.close()


_runs: weakref.WeakKeyDictionary[Any, Run] = weakref.WeakKeyDictionary()


def run_of(converter: Any) -> Run:
    """Return the run of an ``Autograde`` object. It closes when nbgrader deletes the object or exits."""
    if converter not in _runs:
        run = _runs[converter] = Run(converter.coursedir)
        weakref.finalize(converter, run.close)
    return _runs[converter]


def order_in(coursedir: Any, assignment: str, notebook: str) -> list[str]:
    """Return the names of nbgrader's cells in the order of the source notebook."""
    folder = Path(coursedir.format_path(coursedir.source_directory, ".", assignment))
    return [piece.name for piece in cells_of(folder / f"{notebook}.ipynb") if piece.name]


def cells_of(path: Path) -> list[NotebookCell]:
    """Return the cells of a notebook; for an unreadable one, a single cell with the reason."""
    try:
        return notebook_cells(read_regular(str(path), LARGEST))
    except Unreadable as error:
        return [NotebookCell("markdown", f"**{path.name} {error}.**")]


def finished(
    notebook: Any, sources: tuple[ReleasedCell, ...], scores: list[CellScore], hidden_titles: bool
) -> tuple[Any, dict[str, float | None], set[str]]:
    """Return the notebook with outputs, the scores for the gradebook, and the names of unanswered solution cells.

    A solution cell is unanswered if it is unchanged or missing. The scores are those of the test cells, 0 for an
    unanswered graded solution, and None for one that a person must score.
    """
    restored_notebook.fill_outputs(notebook, scores, hidden_titles)
    notebook = nbformat.from_dict(notebook)
    known = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    checksums = {cell.metadata.nbgrader["grade_id"]: compute_checksum(cell) for cell in known}
    solutions = [source for source in sources if source.solution]
    without = {source.name for source in solutions if checksums.get(source.name, source.checksum) == source.checksum}
    points = {source.name: 0.0 if source.name in without else None for source in solutions if source.graded}
    return notebook, {score.name: score.score for score in scores} | points, without


__all__ = ["AttnGrade", "NotGraded", "SubmissionExporter"]
