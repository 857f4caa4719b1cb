"""Decide timing checks: measure a submission beside the reference, one at a time on a machine."""

from __future__ import annotations

import contextlib
import itertools
import math
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from typing import IO

import msgspec

from autograder import model, protocol
from autograder.assignments.kit import programs
from autograder.feedback.closed import two_digits
from autograder.grading.session import Session
from autograder.grading.suite import CheckSuite
from autograder.grading.timing import reference as reference_source
from autograder.grading.timing.paired import SLOW, WrongAnswer
from autograder.grading.timing.questions import SharedQuestions
from autograder.grading.timing.verdict import CallTiming, SpeedVerdict
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.launch import Launcher
from autograder.sandbox.limits import STALLS_SECONDS

with contextlib.suppress(ImportError):
    import fcntl  # Windows has none; no other process measures there

BUDGET = 0.7  # CPU seconds for a check; a call that is undecided by then stays undecided
# While one submission is timed, others wait. These end it and its points; an honest one takes a tenth of the first, and
# never sleeps. Time that its worker waits for a processor does not count.
LANE_SECONDS = 20.0  # CPU seconds of the submission's worker
LANE_IDLE_SECONDS = 5.0  # seconds in which it sleeps
# CPU seconds after which a worker is replaced, so that the kernel's limit leaves room for the lane. The start of CUDA's
# driver takes some.
USED_SECONDS = {"cpu": 5.0, "cuda": 15.0}
_THREADS = threading.Lock()  # the timing lock excludes other processes, this one other threads
# Sizes at which operations are counted, for the message: SMALL, and the first other one that is counted in no time.
SMALL, OTHERS = 4, (64, 32, 16, 8, 2)
MOST_COUNTED = 5_000  # operations


class CheckTiming(msgspec.Struct, frozen=True):
    """The timing of a check's calls, and a finding if a call is too slow or its answer is wrong."""

    results: tuple[CallTiming, ...] = ()
    finding: model.Finding | None = None
    prepared: model.Prepared | None = None
    unclear: bool = False  # there was no answer, and that may be our fault

    @property
    def undecided(self) -> CallTiming | None:
        """The first call that is neither ``within`` nor ``over``, or None."""
        return next((one for one in self.results if one.verdict == "inconclusive"), None)


class TimingChecker:
    """Measures submissions of one assignment, one after another.

    It locks the file ``timing_lock`` meanwhile, so only one process of a run measures at a time.
    """

    def __init__(self, suite: CheckSuite, launcher: Launcher, timing_lock: IO[bytes] | None = None) -> None:
        self.suite = suite
        self.launcher = launcher
        self.timing_lock = timing_lock
        self.reference: Session | None = None
        self.programs = itertools.count()  # numbers them, so no two have the same inputs
        self.questions = SharedQuestions(self._shared_program)

    def measure(self, check: model.Check, student: Session, mistakes: Sequence[str] = ()) -> CheckTiming:
        """Return the timing of the calls of ``check``. The student's worker stays, for further checks.

        Answers of the reference with one of ``mistakes`` in it count as right. Measures again, in a new worker, only
        if there is evidence that the grader failed. Raises SandboxError if it fails again, and reference.NotInstalled.
        """
        try:
            timing = self._measure(check, student, mistakes)
        except SandboxError:  # another submission may have killed the reference's worker
            self.close()
            student.end()
            return self._measure(check, student, mistakes)
        if not timing.unclear:
            return timing
        student.end()
        return self._measure(check, student, mistakes)

    def _measure(self, check: model.Check, student: Session, mistakes: Sequence[str]) -> CheckTiming:
        accepted = [partial(self._mistaken, mistake) for mistake in mistakes] if self.suite.play else []
        self._ready(student)  # others need not wait for that
        student.allow(LANE_SECONDS, LANE_IDLE_SECONDS)
        with self._alone():
            speed = SpeedVerdict(student, self._reference(), self._program, self.questions, BUDGET, accepted)
            return self._compare(check, speed)

    def _ready(self, student: Session) -> None:
        """See that there is a worker which has used little time."""
        used = student.worker.cpu_now() if student.worker else None
        if used is not None and used < USED_SECONDS[self.suite.device]:
            return
        student.end()
        student.allow(student.limits.submission_seconds, STALLS_SECONDS)
        student.begin()

    def _mistaken(self, mistake: str, asked: model.Prepared) -> tuple[protocol.StepResult, ...]:
        """Return the results of the reference with a mistake in it."""
        assert self.suite.play is not None
        return self.suite.play(asked, mistake)

    def _compare(self, check: model.Check, speed: SpeedVerdict) -> CheckTiming:
        results: list[CallTiming] = []
        try:
            for timed in check.timed:
                results.append(speed.run(timed))
                if results[-1].verdict == "over":
                    return self._over(results, speed)
        except WrongAnswer as wrong:
            return CheckTiming(tuple(results), wrong.finding, wrong.prepared, wrong.unclear)
        return CheckTiming(tuple(results))

    def _over(self, results: list[CallTiming], speed: SpeedVerdict) -> CheckTiming:
        """Return the timing with a finding. It counts operations by size, which reveals a loop."""
        timed = results[-1].timed
        facts = results[-1].facts | {"operations": _operations(speed, timed)}
        symptom = "too-slow" if results[-1].quantity == "ratio" else "grows-too-fast"
        program = self._program(timed, timed.at, 1)
        finding = model.Finding(symptom, program.calls[0].into, facts, diagnosis=SLOW)
        return CheckTiming(tuple(results), finding, model.Prepared(timed.name, program, ()))

    def close(self) -> None:
        """End the reference's worker."""
        if self.reference:
            self.reference.end()

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        with _THREADS:
            if self.timing_lock is None:
                yield
                return
            fcntl.lockf(self.timing_lock, fcntl.LOCK_EX)  # the kernel releases it if this process dies
            try:
                yield
            finally:
                fcntl.lockf(self.timing_lock, fcntl.LOCK_UN)

    def _reference(self) -> Session:
        """Return the reference's session, which serves all submissions. Starts a new worker if the last one died."""
        if self.reference is None or self.reference.worker is None:
            source = reference_source.reference_form(self.suite.spec.assignment)
            self.reference = Session(self.suite, self.launcher, source, seconds=math.inf)
            trouble = reference_source.trouble(self.reference.begin())
            if trouble:
                raise SandboxError(f"the reference can't be timed: {trouble}")
        return self.reference

    def _program(self, timed: model.TimedCall, size: int, calls: int) -> protocol.Program:
        return self._drawn(timed, size, calls, f"{timed.name}-{size}", next(self.programs))

    def _shared_program(self, timed: model.TimedCall, size: int, calls: int, number: int) -> protocol.Program:
        return self._drawn(timed, size, calls, f"{timed.name}-{size}-shared", number)

    def _drawn(self, timed: model.TimedCall, size: int, calls: int, name: str, number: int) -> protocol.Program:
        generator = programs.InputGenerator(self.suite.seed, self.suite.spec.assignment, name, number)
        return timed.build(generator, size, calls).on(self.suite.device)


def _operations(speed: SpeedVerdict, timed: model.TimedCall) -> list[tuple[int, int]]:
    """Return the numbers of operations at two sizes, the smaller size first."""
    count = speed.operations(timed, SMALL)
    other = _other_size(count)
    return sorted([(SMALL, count), (other, speed.operations(timed, other))])


def _other_size(count: int) -> int:
    """Return the size at which operations are counted again. It depends only on what the message says of ``count``."""
    said = two_digits(count)
    return next((size for size in OTHERS if said * (size / SMALL) ** 2 <= MOST_COUNTED), OTHERS[-1])
