"""Grade submissions: ask a worker, check the answers, diagnose failures and write the grade.

Only this room sees answers and expected results together.
"""

from __future__ import annotations

import contextlib
import functools
import time
from typing import NamedTuple

from autograder import assignments, model, protocol
from autograder.feedback import diagnose, templates
from autograder.grading.consequences import Consequences
from autograder.grading.environment import environment
from autograder.grading.findings import Findings
from autograder.grading.gpu import GPU
from autograder.grading.gradients import gradients
from autograder.grading.isolation import Isolation
from autograder.grading.outcomes import InCall, Outcomes, no_cause, outcome
from autograder.grading.pictures import pictures
from autograder.grading.precision import forgive_guards
from autograder.grading.responses import NoAnswer, Responses, import_trouble
from autograder.grading.session import Session
from autograder.grading.suite import CheckSuite
from autograder.grading.timing.checker import TimingChecker
from autograder.grading.timing.outcomes import TimedOutcomes
from autograder.judge import score, source
from autograder.model.text import printable
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.launch import Launcher

Lines = tuple[model.Outcome, ...]
Speeds = tuple[model.SpeedPicture, ...]


class GradeAndOutput(NamedTuple):
    """A submission's grade, and what it printed. The output is for the student's own screen, never for a report."""

    grade: model.Grade
    printed: str


class _Graded(NamedTuple):
    """A grade without its score."""

    status: model.GradeStatus
    outcomes: Lines
    note: str = ""
    printed: str = ""
    pictures: tuple[model.WeightPicture, ...] = ()
    gradients: tuple[model.GradientPicture, ...] = ()
    speeds: Speeds = ()


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
        strict: bool = False,
    ) -> None:
        """Without a ``timing_checker`` nothing is timed. ``gpu`` is the device of a suite on CUDA.

        ``strict``: every failed check costs all its points.
        """
        self.strict = strict
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
            pictures=graded.pictures,
            gradients=graded.gradients,
            speeds=graded.speeds,
        )
        return GradeAndOutput(grade, graded.printed)

    def _grade(self, submission: model.Submission) -> _Graded:
        if submission.status != "ready":
            return _Graded(submission.status, self._all("skipped", "There was nothing to check."), submission.note)
        if self.gpu and self.gpu.trouble:
            reason = f"Not checked: {self.gpu.trouble}."
            return _Graded("graded", self._all("skipped", reason), _joined(submission.note, reason))
        if error := source.syntax_error(submission):
            where = f"{submission.filename}, line {error.lineno}"
            return self._not_run(
                submission, f"The file could not be run: {type(error).__name__}: {error.msg} ({where})."
            )
        session = Session(self.suite, self.launcher, submission)
        try:
            return self._run(session)
        finally:
            session.end()

    def _run(self, session: Session) -> _Graded:
        """Grade a submission that can be parsed. The caller ends the session."""
        submission, findings = session.submission, Findings(self.suite, session.submission)
        responses = session.run(findings.judge)
        forgive_guards(session, findings)
        if self.gpu and (trouble := self.gpu.check()):  # answers from a broken device prove nothing
            raise SandboxError(trouble)
        trouble = import_trouble(responses.loaded)
        if trouble:
            return self._not_run(submission, trouble, responses.printed)
        with contextlib.closing(Isolation(session, findings)) as isolation:
            outcomes, problem, speeds = self._outcomes(findings, responses, isolation)
        status: model.GradeStatus = "partial" if responses.exhausted else "graded"
        note = _joined(submission.note, _cell_errors(responses.loaded), problem)
        weights, by_parameter = pictures(self.suite, responses), gradients(self.suite, responses, findings.cases)
        return _Graded(status, outcomes, note, responses.printed, weights, by_parameter, speeds)

    def _not_run(self, submission: model.Submission, trouble: str, printed: str = "") -> _Graded:
        outcomes = self._all("error", templates.SYMPTOMS["import-error"].general)
        return _Graded("import-error", outcomes, _joined(submission.note, trouble), printed)

    def _outcomes(self, findings: Findings, responses: Responses, isolation: Isolation) -> tuple[Lines, str, Speeds]:
        """Return all outcomes, a note if their causes could not be diagnosed, and what was measured of their speed."""
        submission, answers = findings.work, self._answers(responses, isolation)
        causes, problem = self._causes(isolation, answers, submission)
        consequences = Consequences(self.suite, submission, answers, self.variant_table, causes)
        consequences.explain(isolation.failing)
        in_call = self._in_call(answers) if causes else no_cause
        outcomes = Outcomes(self.suite, findings.failed(), isolation, consequences, in_call)
        timed = TimedOutcomes(self.timing_checker, outcomes, responses.exhausted)
        marked = [timed.of(check) if check.kind == "timing" else outcomes.of(check) for check in self.suite.spec.checks]
        return score.scored(tuple(marked), self.strict, self.suite.spec.shares), problem, tuple(timed.speeds)

    def _answers(self, responses: Responses, isolation: Isolation) -> dict[str, protocol.Answer | None]:
        """Return the answers that the causes are found from. Redrawn cases count only where they are reported."""
        redrawn = {case.id for check in self.suite.spec.checks for case in check.redrawn}
        unreported = redrawn - {case for check in isolation.failing.values() for case in check.findings}
        answers = {name: responses.answer(name) for name in self.suite.prepared if name not in unreported}
        return answers | {name: answer for name, answer in isolation.answers.items() if name in answers}

    def _causes(
        self, isolation: Isolation, answers: dict[str, protocol.Answer | None], submission: model.Submission
    ) -> tuple[dict[str, str | None], str]:
        """Return the causes of failures by check, and a note if that failed."""
        if not self.causes:
            return {}, ""
        own_backward = any(b"autograd.Function" in cell for cell in submission.cells)
        failing = list(isolation.failing.values())
        try:
            causes = diagnose.causes(
                failing,
                self.suite.prepared,
                answers,
                self.variant_table,
                isolation.rerun,
                own_backward,
                assignments.impossible(self.suite.spec.assignment),
                isolation.answers,
            )
        except Exception:
            return {}, "The causes could not be diagnosed."
        return causes, ""

    def _in_call(self, answers: dict[str, protocol.Answer | None]) -> InCall:
        """Return a function from a case to the cause of its wrong call. It is help, so it never fails.

        Few submissions need it, so the answers are compared once more only when it is first called.
        """

        @functools.cache
        def call_causes() -> diagnose.CallCauses:
            return diagnose.CallCauses(self.suite.prepared, answers, self.variant_table)

        def cause(case: str) -> str | None:
            try:
                return call_causes().of(case)
            except Exception:
                return None

        return cause

    def _all(self, status: model.CheckStatus, message: str) -> Lines:
        return tuple(outcome(check, status, message) for check in self.suite.spec.checks)


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _cell_errors(loaded: protocol.Loaded | NoAnswer) -> str:
    """Return a note about the cells of a notebook that failed, or ""."""
    if isinstance(loaded, NoAnswer) or not loaded.cell_errors:
        return ""
    count, first = len(loaded.cell_errors), loaded.cell_errors[0]
    error = f"{first.type}: {first.message}" + (f" ({first.code})" if first.code else "")
    return f"{count} statement(s) of the notebook failed and were skipped. The first: {error}."
