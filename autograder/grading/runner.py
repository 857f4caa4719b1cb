"""Grade submissions: ask a worker, check the answers, diagnose failures and write the grade.

Only this room sees answers and expected results together.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from autograder import model, protocol
from autograder.feedback import diagnose, messages, templates
from autograder.grading.environment import environment
from autograder.grading.findings import Findings
from autograder.grading.gpu import GPU
from autograder.grading.responses import NoAnswer, Responses, import_trouble
from autograder.grading.session import Session
from autograder.grading.suite import CheckSuite
from autograder.grading.timing.checker import TimingChecker
from autograder.grading.timing.reference import NotInstalled
from autograder.judge import score
from autograder.model.text import printable
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.launch import Launcher

Outcomes = tuple[model.Outcome, ...]


class GradeAndOutput(NamedTuple):
    """A submission's grade, and what it printed. The output is for the student's own screen, never for a report."""

    grade: model.Grade
    printed: str


class _Graded(NamedTuple):
    """A grade without its score."""

    status: model.GradeStatus
    outcomes: Outcomes
    note: str = ""
    printed: str = ""


class Runner:
    """Grades submissions of one assignment, one after another, with workers of one launcher."""

    def __init__(
        self,
        suite: CheckSuite,
        launcher: Launcher,
        causes: bool = True,
        warning: str = "",
        timing_checker: TimingChecker | None = None,
        gpu: GPU | None = None,
    ) -> None:
        """Without a ``timing_checker`` nothing is timed. ``gpu`` is the device of a suite on CUDA."""
        self.gpu = gpu
        self.suite = suite
        self.timing_checker = timing_checker
        self.causes = causes  # whether to diagnose the causes of failures
        self.warning = warning  # part of every grade's message
        self.launcher = launcher
        self.variant_table = diagnose.VariantTable(suite.variant_answers)

    def grade(self, submission: model.Submission) -> model.Grade:
        """Return one submission's grade. Nothing that a submission does raises an exception here."""
        return self.grade_with_output(submission).grade

    def grade_with_output(self, submission: model.Submission) -> GradeAndOutput:
        """Return one submission's grade and what it printed."""
        started = time.monotonic()
        try:
            graded = self._grade(submission)
        except SandboxError as error:
            outcomes = self._all("skipped", "Could not be checked.")
            graded = _Graded("infrastructure-error", outcomes, f"Our fault, not the student's: {error}")
        points, maximum = score.of_grade(graded.status, graded.outcomes, self.suite.points)
        grade = model.Grade(
            student=submission.student,
            assignment=self.suite.spec.assignment,
            score=points,
            max_score=maximum,
            status=graded.status,
            checks=graded.outcomes,
            environment=environment(),
            seconds=round(time.monotonic() - started, 3),
            message=printable(_joined(graded.note, self.warning)),
        )
        return GradeAndOutput(grade, graded.printed)

    def _grade(self, submission: model.Submission) -> _Graded:
        if submission.status != "ready":
            return _Graded(submission.status, self._all("skipped", "There was nothing to check."), submission.note)
        if self.gpu and self.gpu.trouble:
            reason = f"Not checked: {self.gpu.trouble}."
            return _Graded("graded", self._all("skipped", reason), _joined(submission.note, reason))
        session, findings = Session(self.suite, self.launcher, submission), Findings(self.suite, submission)
        responses = session.run(findings.judge)
        if self.gpu and (trouble := self.gpu.check()):  # answers from a broken device prove nothing
            raise SandboxError(trouble)
        trouble = import_trouble(responses.loaded)
        if trouble:
            outcomes = self._all("error", templates.SYMPTOMS["import-error"].general)
            return _Graded("import-error", outcomes, _joined(submission.note, trouble), responses.printed)
        outcomes, problem = self._outcomes(findings.failed(), responses, session)
        status: model.GradeStatus = "partial" if responses.exhausted else "graded"
        note = _joined(submission.note, _cell_errors(responses.loaded), problem)
        return _Graded(status, outcomes, note, responses.printed)

    def _outcomes(
        self, failing: dict[str, diagnose.FailedCheck], responses: Responses, session: Session
    ) -> tuple[Outcomes, str]:
        """Return all outcomes, and a note if their causes could not be diagnosed."""
        causes, problem = self._causes(list(failing.values()), responses, session)
        outcomes = tuple(
            self._timed(check, responses, session.submission)
            if check.kind == "timing"
            else self._outcome(check, failing.get(check.id), causes.get(check.id))
            for check in self.suite.spec.checks
        )
        return outcomes, problem

    def _timed(self, check: model.Check, responses: Responses, submission: model.Submission) -> model.Outcome:
        """Return the outcome of a timing check. Calls that could not be measured or decided cost no points."""
        if self.timing_checker is None:
            return _outcome(check, "skipped", "Speed is measured when the submission is graded.")
        if responses.exhausted:
            return _outcome(check, "timeout", "Not run: the submission used up its time before this check.")
        try:
            timing = self.timing_checker.measure(check, submission)
        except (SandboxError, NotInstalled) as error:
            return _outcome(check, "skipped", f"Speed could not be measured: {error}")
        if timing.finding is not None:
            cause = timing.finding.diagnosis
            text = messages.message(timing.finding, timing.prepared, True, "timing", cause)  # of secret inputs
            return _outcome(check, timing.finding.status, text, cause)
        result = timing.undecided or timing.results[0]
        text = messages.speed(result.quantity, result.verdict, result.facts)
        return _outcome(check, "skipped" if timing.undecided else "passed", text)

    def _causes(
        self, failing: list[diagnose.FailedCheck], responses: Responses, session: Session
    ) -> tuple[dict[str, str | None], str]:
        """Return the causes of failures by check, and a note. Causes are hints: without them the grade is the same."""
        if not self.causes:
            return {}, ""
        redrawn = {case.id for check in self.suite.spec.checks for case in check.redrawn}
        unreported = redrawn - {case for check in failing for case in check.findings}
        answers = {name: responses.answer(name) for name in self.suite.prepared if name not in unreported}
        own_backward = any(b"autograd.Function" in cell for cell in session.submission.cells)
        try:
            causes = diagnose.causes(
                failing, self.suite.prepared, answers, self.variant_table, session.rerun, own_backward
            )
        except Exception:
            return {}, "The causes could not be diagnosed."
        return causes, ""

    def _outcome(self, check: model.Check, failing: diagnose.FailedCheck | None, cause: str | None) -> model.Outcome:
        if failing is None:
            return _outcome(check, "passed")
        case, finding = next(iter(failing.findings.items()))
        if check.visibility == "public" and case in self.suite.secret:
            return _outcome(check, finding.status, templates.REDRAWN, cause)
        text = messages.message(finding, self.suite.prepared[case], check.visibility == "hidden", check.kind, cause)
        return _outcome(check, finding.status, text, cause)

    def _all(self, status: model.CheckStatus, message: str) -> Outcomes:
        return tuple(_outcome(check, status, message) for check in self.suite.spec.checks)


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _outcome(
    check: model.Check, status: model.CheckStatus, message: str = "", diagnosis: str | None = None
) -> model.Outcome:
    return model.Outcome(
        id=check.id,
        title=check.title,
        kind=check.kind,
        visibility=check.visibility,
        status=status,
        points=score.points(check, status),
        max_points=float(check.points),  # a float, also in results that were read from JSON
        message=message,
        diagnosis=diagnosis,
        hint=messages.hint(diagnosis, check.section) if status in ("failed", "error", "timeout") else "",
    )


def _cell_errors(loaded: protocol.Loaded | NoAnswer) -> str:
    """Return a note about the cells of a notebook that failed, or ""."""
    if isinstance(loaded, NoAnswer) or not loaded.cell_errors:
        return ""
    count, first = len(loaded.cell_errors), loaded.cell_errors[0]
    error = f"{first.type}: {first.message}" + (f" ({first.code})" if first.code else "")
    return f"{count} statement(s) of the notebook failed and were skipped. The first: {error}."
