"""The one loop: asks a worker, holds its answers to what is due, and writes the grade.

The only place that sees answers and expected values together.
"""

from __future__ import annotations

import time

from autograder import diagnose, judge, messages, model, score, sentences
from autograder.dialogue import Dialogue
from autograder.environment import environment
from autograder.exam import Exam
from autograder.forms import NotInstalled
from autograder.gpu import GPU
from autograder.sandbox.launch import Launcher
from autograder.sandbox.standing import SandboxError
from autograder.stopwatch import Stopwatch
from autograder.transcript import Failure, Transcript, import_trouble


class Runner:
    """Grades submissions of one assignment, one after another, with workers of one launcher."""

    def __init__(
        self,
        exam: Exam,
        launcher: Launcher,
        causes: bool = True,
        warning: str = "",
        stopwatch: Stopwatch | None = None,
        gpu: GPU | None = None,
    ) -> None:
        """Without a ``stopwatch`` nothing is timed; ``gpu``: the device of an exam that is held on one."""
        self.gpu = gpu
        self.exam = exam
        self.stopwatch = stopwatch
        self.causes = causes  # whether the causes of what fails are looked for
        self.warning = warning  # told with every grade
        self.launcher = launcher
        self.album = diagnose.Album(exam.mistaken)
        self.untold = ""  # why the causes could not be told of the last submission
        self.printed = ""  # what the last submission printed; for a student's own screen, never for a report

    def grade(self, submission: model.Submission) -> model.Grade:
        """One submission's grade. Never raises for what a submission does."""
        started = time.monotonic()
        try:
            status, outcomes, note = self._grade(submission)
        except SandboxError as error:
            status, outcomes = "infrastructure-error", self._all("skipped", "Could not be checked.")
            note = f"Our fault, not the student's: {error}"
        points, maximum = score.standing(status, outcomes, self.exam.points)
        return model.Grade(
            student=submission.student,
            assignment=self.exam.spec.topic,
            score=points,
            max_score=maximum,
            status=status,
            checks=outcomes,
            environment=environment(),
            seconds=round(time.monotonic() - started, 3),
            message=messages.printable(" ".join(filter(None, (note, self.warning)))),
        )

    def _grade(
        self, submission: model.Submission
    ) -> tuple[model.GradeStatus, tuple[model.Outcome, ...], str]:
        if submission.status != "ready":
            return submission.status, self._all("skipped", "There was nothing to check."), submission.note
        if self.gpu and self.gpu.trouble:
            why = f"Not checked: {self.gpu.trouble}."
            return "graded", self._all("skipped", why), " ".join(filter(None, (submission.note, why)))
        dialogue = Dialogue(self.exam, self.launcher, submission)
        transcript = dialogue.run()
        if self.gpu and (trouble := self.gpu.check()):  # what it answered on such a device says nothing
            raise SandboxError(trouble)
        self.printed = transcript.printed
        trouble = import_trouble(transcript.loaded)
        if trouble:
            sentence = sentences.SENTENCES["import-error"][0]
            return (
                "import-error",
                self._all("error", sentence),
                " ".join(filter(None, (submission.note, trouble))),
            )
        self.untold = ""
        outcomes = self._outcomes(transcript, dialogue)
        notes = [submission.note, *_cell_notes(transcript.loaded), self.untold]
        return "partial" if transcript.exhausted else "graded", outcomes, " ".join(filter(None, notes))

    def _outcomes(self, transcript: Transcript, dialogue: Dialogue) -> tuple[model.Outcome, ...]:
        failing = {
            check.id: diagnose.Failing(check, findings)
            for check in self.exam.spec.checks
            if (findings := self._findings(check, transcript, dialogue.submission.cells))
        }
        causes = self._causes(list(failing.values()), transcript, dialogue)
        return tuple(
            self._timed(check, transcript, dialogue.submission)
            if check.kind == "timing"
            else self._outcome(check, failing.get(check.id), causes.get(check.id))
            for check in self.exam.spec.checks
        )

    def _timed(
        self, check: model.Check, transcript: Transcript, submission: model.Submission
    ) -> model.Outcome:
        """A check of speed. What could not be measured, or not be decided, costs nothing."""
        if self.stopwatch is None:
            return _outcome(check, "skipped", "Speed is measured when the submission is graded.")
        if transcript.exhausted:
            return _outcome(check, "timeout", "Not reached: the submission's whole time was used up before.")
        try:
            found = self.stopwatch.measure(check, submission)
        except (SandboxError, NotInstalled) as error:
            return _outcome(check, "skipped", f"Speed could not be measured: {error}")
        if found.finding is not None:
            cause = found.finding.diagnosis
            text = messages.message(found.finding, found.prepared, False, "timing", cause)
            return _outcome(check, found.finding.status, text, cause)
        result = found.undecided or found.results[0]
        told = messages.speed(result.of, result.verdict, result.facts)
        return _outcome(check, "skipped" if found.undecided else "passed", told)

    def _causes(
        self, failing: list[diagnose.Failing], transcript: Transcript, dialogue: Dialogue
    ) -> dict[str, str | None]:
        """The causes of what failed. They are help, not judgement: where telling them goes wrong, the grade stands."""
        if not self.causes:
            return {}
        answers = {name: _answer(reply) for name, reply in transcript.replies.items()}
        try:
            return diagnose.causes(
                failing,
                self.exam.prepared,
                answers,
                self.album,
                lambda program: tuple(_answer(reply) for reply in dialogue.again(program, 3)),
                any(b"autograd.Function" in cell for cell in dialogue.submission.cells),
            )
        except Exception as error:
            self.untold = f"The causes could not be told: {type(error).__name__}."
            return {}

    def _findings(
        self, check: model.Check, transcript: Transcript, cells: tuple[bytes, ...]
    ) -> dict[str, model.Finding]:
        """Of each case of a check that failed: the first thing that was wrong. Empty: all is well."""
        found = {}
        for case in check.cases:
            prepared, reply = self.exam.prepared[case.id], transcript.replies[case.id]
            if isinstance(reply, model.Answer):
                finding = judge.first_unmet(check.holds, prepared, reply, cells)
            else:
                finding = _failed(reply, prepared)
            if finding is not None:
                found[case.id] = finding
        return found

    def _outcome(
        self, check: model.Check, failing: diagnose.Failing | None, cause: str | None
    ) -> model.Outcome:
        if failing is None:
            return _outcome(check, "passed")
        case, finding = next(iter(failing.findings.items()))
        text = messages.message(
            finding, self.exam.prepared[case], check.visibility == "hidden", check.kind, cause
        )
        return _outcome(check, finding.status, text, cause)

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
        max_points=float(check.points),  # so that a result reads the same whichever way it took
        message=message,
        diagnosis=diagnosis,
        hint=messages.hint(diagnosis, check.section) if status in ("failed", "error", "timeout") else "",
    )


def _answer(reply: model.Answer | Failure) -> model.Answer | None:
    return reply if isinstance(reply, model.Answer) else None


def _failed(reply: Failure, prepared: model.Prepared) -> model.Finding:
    calls = prepared.program.calls
    where = calls[0].into if calls else ""
    return model.Finding(reply.symptom, where, reply.facts, reply.status)


def _cell_notes(loaded: model.Loaded | Failure) -> list[str]:
    if isinstance(loaded, Failure) or not loaded.cell_errors:
        return []
    first = loaded.cell_errors[0]
    where = f" ({first.code})" if first.code else ""
    return [f"{len(loaded.cell_errors)} statement(s) of the notebook failed and were passed over; the first: "
            f"{first.type}: {first.message}{where}."]  # fmt: skip
