"""Decides the checks of speed: who is measured, when, and what is told of it."""

from __future__ import annotations

import contextlib
import itertools
import math
import threading
from collections.abc import Iterator
from typing import IO

import msgspec

from autograder import cases, forms, model, timing
from autograder.dialogue import Dialogue
from autograder.exam import Exam
from autograder.race import Race, Result, Wrong
from autograder.sandbox.launch import Launcher
from autograder.sandbox.standing import SandboxError
from autograder.transcript import import_trouble

with contextlib.suppress(ImportError):
    import fcntl  # where there is none, nobody measures beside us either

BUDGET = 0.7  # CPU seconds a check; what is undecided then stays so
_HERE = threading.Lock()  # a lane is locked by processes; a process may have several threads that grade
COUNTED = (8, 64)  # sizes at which operations are counted, for the message


class Timing(msgspec.Struct, frozen=True):
    """What measuring a check came to: the results, and what is to be said where one is over or an answer wrong."""

    results: tuple[Result, ...] = ()
    finding: model.Finding | None = None
    prepared: model.Prepared | None = None

    @property
    def undecided(self) -> Result | None:
        """A result that is neither ``within`` nor ``over``, if there is one."""
        return next((one for one in self.results if one.verdict == timing.INCONCLUSIVE), None)


class Stopwatch:
    """Measures submissions of one assignment, one after another. ``lane`` is a file that is locked meanwhile, so that
    of all processes of a run only one measures."""

    def __init__(self, exam: Exam, launcher: Launcher, lane: IO[bytes] | None = None) -> None:
        self.exam = exam
        self.launcher = launcher
        self.lane = lane
        self.reference: Dialogue | None = None
        self.drawn = itertools.count()  # so that no inputs come twice

    def measure(self, check: model.Check, submission: model.Submission) -> Timing:
        """Compares the calls of ``check``. Raises SandboxError, or forms.NotInstalled, where nothing can be
        measured."""
        with self._alone():
            try:
                return self._against(self._reference(), check, submission)
            except SandboxError:  # the reference's worker may have died with a server that another one hurt
                self.close()
                return self._against(self._reference(), check, submission)

    def _against(self, reference: Dialogue, check: model.Check, submission: model.Submission) -> Timing:
        student = Dialogue(self.exam, self.launcher, submission)
        try:
            student.begin()
            return self._compare(check, Race(student, reference, self._draw, BUDGET))
        finally:
            student.end()

    def _compare(self, check: model.Check, race: Race) -> Timing:
        results: list[Result] = []
        try:
            for timed in check.timed:
                results.append(race.run(timed))
                if results[-1].verdict == timing.OVER:
                    return self._over(results, race)
        except Wrong as wrong:
            return Timing(tuple(results), wrong.finding, wrong.prepared)
        return Timing(tuple(results))

    def _over(self, results: list[Result], race: Race) -> Timing:
        """With what a loop looks like from outside."""
        timed = results[-1].timed
        facts = results[-1].facts | {"operations": [(size, race.operations(timed, size)) for size in COUNTED]}
        symptom = "too-slow" if results[-1].of == "ratio" else "grows-too-fast"
        program = self._draw(timed, timed.at, 1)
        finding = model.Finding(symptom, program.calls[0].into, facts, diagnosis="too-slow")
        return Timing(tuple(results), finding, model.Prepared(timed.name, program, ()))

    def close(self) -> None:
        """Ends the reference's worker."""
        if self.reference:
            self.reference.end()

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        with _HERE:
            if self.lane is None:
                yield
                return
            fcntl.lockf(self.lane, fcntl.LOCK_EX)  # the kernel lets go of it where this process dies
            try:
                yield
            finally:
                fcntl.lockf(self.lane, fcntl.LOCK_UN)

    def _reference(self) -> Dialogue:
        """The worker of the reference, which serves all submissions; a new one where it has died."""
        if self.reference is None or self.reference.worker is None:
            form = forms.reference_form(self.exam.spec.topic)
            self.reference = Dialogue(self.exam, self.launcher, form, seconds=math.inf)
            trouble = import_trouble(self.reference.begin())
            if trouble:
                raise SandboxError(f"the reference can't be timed: {trouble}")
        return self.reference

    def _draw(self, timed: model.Timed, size: int, calls: int) -> model.Program:
        draw = cases.Draw(self.exam.seed, self.exam.spec.topic, f"{timed.name}-{size}", next(self.drawn))
        return timed.build(draw, size, calls).on(self.exam.device)
