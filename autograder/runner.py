"""The one loop: asks a worker, holds its answers to what is due, and writes the grade.

The only place that sees answers and expected values together.
"""

from __future__ import annotations

import time

from autograder import diagnose, judge, messages, model, score
from autograder.dialogue import Dialogue, Failure, Transcript, import_trouble
from autograder.environment import environment
from autograder.exam import Exam
from autograder.sandbox.launch import Launcher, SandboxError


class Runner:
    """Grades submissions of one assignment, one after another, with workers of one launcher."""

    def __init__(self, exam: Exam, launcher: Launcher) -> None:
        self.exam = exam
        self.launcher = launcher
        self.printed = ""  # what the last submission printed; for a student's own screen, never for a report

    def grade(self, submission: model.Submission) -> model.Grade:
        """One submission's grade. Never raises for what a submission does."""
        started = time.monotonic()
        try:
            status, outcomes, note = self._grade(submission)
        except SandboxError as error:
            status, outcomes = "infrastructure-error", self._all("skipped", "Could not be checked.")
            note = f"Our fault, not the student's: {error}"
        points, maximum = score.total(outcomes)
        lost = status == "infrastructure-error"
        return model.Grade(
            student=submission.student,
            assignment=self.exam.spec.topic,
            score=None if lost else points,
            max_score=maximum or sum(check.points for check in self.exam.spec.checks),
            status=status,
            checks=outcomes,
            environment=environment(),
            seconds=round(time.monotonic() - started, 3),
            message=messages.printable(note),
        )

    def _grade(
        self, submission: model.Submission
    ) -> tuple[model.GradeStatus, tuple[model.Outcome, ...], str]:
        if submission.status != "ready":
            return submission.status, self._all("skipped", "There was nothing to check."), submission.note
        transcript = Dialogue(self.exam, self.launcher, submission).run()
        self.printed = transcript.printed
        trouble = import_trouble(transcript.loaded)
        if trouble:
            sentence = messages.SENTENCES["import-error"][0]
            return (
                "import-error",
                self._all("error", sentence),
                " ".join(filter(None, (submission.note, trouble))),
            )
        outcomes = tuple(self._outcome(check, transcript) for check in self.exam.spec.checks)
        notes = [submission.note, *_cell_notes(transcript.loaded)]
        return "partial" if transcript.exhausted else "graded", outcomes, " ".join(filter(None, notes))

    def _outcome(self, check: model.Check, transcript: Transcript) -> model.Outcome:
        if check.kind == "timing":
            return _outcome(check, "skipped", "Not measured; this check carries no points.")
        for case in check.cases:
            prepared, reply = self.exam.prepared[case.id], transcript.replies[case.id]
            finding, answer = _failed(reply, prepared), reply if isinstance(reply, model.Answer) else None
            if finding is None and answer is not None:
                finding = judge.first_unmet(check.holds, prepared, answer)
            if finding is not None:
                diagnosis = diagnose.diagnose(finding, prepared, answer)
                text = messages.message(finding, prepared, check.visibility == "hidden", check.kind)
                return _outcome(check, finding.status, text, diagnosis)
        return _outcome(check, "passed")

    def _all(self, status: model.CheckStatus, message: str) -> tuple[model.Outcome, ...]:
        return tuple(_outcome(check, status, message) for check in self.exam.spec.checks)


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
        max_points=check.points,
        message=message,
        diagnosis=diagnosis,
        hint=messages.hint(diagnosis, check.section) if status in ("failed", "error", "timeout") else "",
    )


def _failed(reply: model.Answer | Failure, prepared: model.Prepared) -> model.Finding | None:
    if isinstance(reply, model.Answer):
        return None
    calls = [step.into for step in prepared.program.steps if isinstance(step, model.Call)]
    where = calls[0] if calls else ""
    return model.Finding(reply.symptom, where, reply.facts, reply.status)


def _cell_notes(loaded: model.Loaded | Failure) -> list[str]:
    if isinstance(loaded, Failure) or not loaded.cell_errors:
        return []
    first = loaded.cell_errors[0]
    where = f" ({first.code})" if first.code else ""
    return [f"{len(loaded.cell_errors)} statement(s) of the notebook failed and were passed over; the first: "
            f"{first.type}: {first.message}{where}."]  # fmt: skip
