"""The costs of a submission's calls as multiples of the reference's, measured side by side.

One call is one question to a worker, on inputs that are new to it. Its cost is all CPU time that the worker uses
between its previous answer and this one. So a submission is always on the clock, and nothing that it can replace
measures the time. The cost of sending and reading is measured on the reference's worker, by the same question without
calls, and subtracted. Every answer is compared with the reference's. A submission cannot tell a timed call from a
graded one.
"""

from __future__ import annotations

import math
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from autograder import judge, model, protocol
from autograder.grading.responses import NoAnswer
from autograder.grading.session import Session
from autograder.grading.timing.questions import OBSERVED, NewProgram, SharedQuestions, ask_reference, bare, calls_at
from autograder.sandbox.availability import SandboxError

SLOW = "too-slow"  # the cause of what takes too long
TOO_LONG = ("timed-out", "timed-out-wall", "unreached")  # why there is no answer
TRIES = 5  # while the reference seems to cost nothing
LEAST_RATIO = 0.02  # a smaller ratio counts as this
SENDING = 0.5  # of the measured cost of sending, if the machine was busier then: so little it may cost the submission

_Costs = defaultdict[tuple[str, int], list[tuple[float, float]]]  # by call and size: the student's, the reference's
Results = Callable[[model.Prepared], tuple[protocol.StepResult, ...]]


class WrongAnswer(Exception):
    """A timed call gave no answer, or a wrong one. ``unclear``: it may be our fault that there is no answer."""

    def __init__(self, finding: model.Finding, prepared: model.Prepared, unclear: bool = False) -> None:
        super().__init__(finding.symptom)
        self.finding, self.prepared, self.unclear = finding, prepared, unclear


class Ratio(NamedTuple):
    """A submission's cost as a multiple of the reference's: as measured, and what it may be at most (see SENDING)."""

    measured: float
    most: float


class PairedCosts:
    """Measures the costs of two sessions beside each other."""

    def __init__(
        self,
        student: Session,
        reference: Session,
        program: NewProgram,
        questions: SharedQuestions,
        budget: float,
        accepted: Sequence[Results] = (),
    ) -> None:
        """``program`` returns a program with new inputs. ``questions`` are those that all submissions are asked.

        ``budget`` is in CPU seconds, of both workers and of this process. ``accepted`` compute other results that count
        as right, of a case with its program.
        """
        self.accepted = accepted
        self.student, self.reference, self.program, self.questions = student, reference, program, questions
        self.left = budget
        self.latest = 0.0  # seconds that the latest shared question cost the submission
        self.asked = Counter[tuple[str, int]]()  # timed questions, by call and size
        self.measured = _Costs(list)  # seconds of a call

    def shared_ratio(self, timed: model.TimedCall, size: int) -> Ratio:
        """Return the submission's cost of the next shared question as a multiple of the reference's smallest one.

        NaN where the reference seems to cost nothing. Raises WrongAnswer or SandboxError.
        """
        number = self._number(timed, size)
        question = self.questions.question(self.reference, timed, size, number)
        reference = self.questions.costs(self.reference, timed, size, number)
        actual, cost = self.student.ask_with_cost(question.program, question.encoded)
        self._require(question.program, actual, question.expected, question.id)
        self.latest = cost
        if reference.calls <= 0:
            return Ratio(math.nan, math.nan)
        self._keep(timed, size, cost - reference.empty, reference.calls, calls_at(timed, size))
        return Ratio(
            *(max((cost - share * reference.empty) / reference.calls, LEAST_RATIO) for share in (1.0, SENDING))
        )

    def _number(self, timed: model.TimedCall, size: int) -> int:
        """Return the number of the next question: the same one for all submissions, and asked once of each."""
        number = self.asked[timed.name, size]
        self.asked[timed.name, size] += 1
        return number

    def ratio(self, timed: model.TimedCall, size: int, turns: int = 2, calls: int = 0) -> float:
        """Return the submission's cost as a multiple of the reference's. Raises WrongAnswer or SandboxError.

        ``calls``: in one question; 0: as many as the size needs.
        """
        for _ in range(TRIES):
            student, reference = self._costs(timed, size, turns, calls or calls_at(timed, size))
            if reference > 0:
                return max(student / reference, LEAST_RATIO)
        raise SandboxError("this machine's clock is too coarse to measure the reference")

    def _costs(self, timed: model.TimedCall, size: int, turns: int, calls: int) -> tuple[float, float]:
        """Return what the calls of ``turns`` programs cost the submission and the reference, in seconds.

        The order is student, reference, reference, student, so whatever slows the machine down slows both. Raises
        WrongAnswer or SandboxError.
        """
        started = time.process_time()
        drawn = [self.questions.drawn(timed, size, calls, self._number(timed, size)) for _ in range(turns)]
        costs: list[tuple[float, float]] = []
        sending: list[float] = []
        for turn, (name, program) in enumerate(drawn):
            encoded = msgspec.msgpack.encode(program)
            if turn % 2 == 0:
                actual, cost = self.student.ask_with_cost(program, encoded)
            expected, reference_cost = ask_reference(self.reference, program, encoded)
            sending.append(ask_reference(self.reference, bare(program))[1])
            if turn % 2:
                actual, cost = self.student.ask_with_cost(program, encoded)
            costs.append((cost, reference_cost))
            self._require(program, actual, expected, name)
        student, reference = (sum(side) for side in zip(*costs, strict=True))
        self.left -= min(student, timed.limit * reference) + reference + sum(sending) + time.process_time() - started
        empty = turns * min(sending)  # measured at the same time: a machine that has become busier makes it dearer too
        self._keep(timed, size, student - empty, reference - empty, turns * calls)
        return student - empty, reference - empty

    def _keep(self, timed: model.TimedCall, size: int, student: float, reference: float, calls: int) -> None:
        if min(student, reference) > 0:  # a smaller cost can't be measured
            self.measured[timed.name, size].append((student / calls, reference / calls))

    def costs(self, timed: model.TimedCall) -> tuple[model.SizeCost, ...]:
        """Return the medians of what was measured, by size. The first at ``at`` includes one-off costs, so it counts
        only where it is the only one."""
        found = []
        for size in sorted({timed.at, *timed.sizes}):
            samples = self.measured[timed.name, size]
            samples = samples[size == timed.at :] or samples
            if samples:
                middle = (float(f"{1000 * statistics.median(costs):.3g}") for costs in zip(*samples, strict=True))
                found.append(model.SizeCost(size, *middle))
        return tuple(found)

    def _require(
        self, program: protocol.Program, actual: protocol.Answer | NoAnswer, expected: protocol.Answer, case: str
    ) -> None:
        """Raise WrongAnswer unless the answer is the reference's, or one that counts as right.

        ``case``: the id of a question that is the same in every run.
        """
        try:
            require(program, actual, expected, correctness(program))
        except WrongAnswer:
            asked = model.Prepared(case, program, ())
            if isinstance(actual, NoAnswer) or not any(_agrees(asked, actual, results) for results in self.accepted):
                raise

    def observe(self, timed: model.TimedCall) -> None:
        """Ask one question that is not timed, and check the operations that it runs. Raises WrongAnswer."""
        if not timed.watch:
            return
        question = self.questions.question(self.reference, timed, timed.at, OBSERVED)
        program = question.program.with_calls(watch=timed.watch)
        actual, _ = self.student.ask_with_cost(program, msgspec.msgpack.encode(program))
        self._require(question.program, actual, question.expected, question.id)
        if timed.allowed:
            require(program, actual, question.expected, (timed.allowed,), self.student.submission)

    def operations(self, timed: model.TimedCall, size: int) -> int:
        """Return how many torch operations one call runs. 0: unknown."""
        program = self.program(timed, size, 1).with_calls(trace=True)
        actual, _ = self.student.ask_with_cost(program, msgspec.msgpack.encode(program))
        return 0 if isinstance(actual, NoAnswer) else sum(result.count for result in actual.results)


def _agrees(asked: model.Prepared, actual: protocol.Answer, results: Results) -> bool:
    """Whether an answer is the one that ``results`` computes."""
    expected = msgspec.structs.replace(asked, expected_results=results(asked))
    try:
        return judge.first_failure(correctness(asked.program), expected, actual) is None
    except (AssertionError, IndexError, ValueError):  # the mistake raises, or its results have another form
        return False


def correctness(program: protocol.Program) -> tuple[model.Assertion, ...]:
    """Return the assertions for every call: shapes, values, dtypes."""
    names: tuple[model.AssertionName, ...] = ("shapes", "values", "dtypes")
    return tuple(model.Assertion(name, call.into) for call in program.calls for name in names)


def require(
    program: protocol.Program,
    actual: protocol.Answer | NoAnswer,
    expected: protocol.Answer,
    assertions: tuple[model.Assertion, ...],
    work: model.Submission | None = None,
) -> None:
    """Raise WrongAnswer if an assertion fails or there is no answer, and SandboxError if that is our fault."""
    if isinstance(actual, NoAnswer) and actual.fault == "ours":
        raise SandboxError(f"the submission's worker was lost: {actual.facts.get('why', actual.symptom)}")
    prepared = model.Prepared("timed", program, expected.results)
    if isinstance(actual, NoAnswer):
        symptom = {"unreached": "timed-too-long", "did-nothing-in-all": "timed-idle"}.get(
            actual.symptom, actual.symptom
        )
        cause = SLOW if actual.symptom in TOO_LONG else None
        why = model.Finding(symptom, program.calls[0].into, actual.facts, actual.status, diagnosis=cause)
        raise WrongAnswer(why, prepared, unclear=actual.fault == "unclear")
    finding = judge.first_failure(assertions, prepared, actual, work, guarded=True)
    if finding:
        raise WrongAnswer(finding, prepared)
