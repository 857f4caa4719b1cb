"""The costs of a submission's calls as multiples of the reference's, measured side by side.

One call is one question to a worker, on new inputs. Its cost is all CPU time that the worker uses between its previous
answer and this one. So a submission is always on the clock, and nothing that it can replace measures the time. The cost
of sending and reading is measured on the reference's worker, by the same question without calls, and subtracted. Every
answer is compared with the reference's. A submission cannot tell a timed call from a graded one.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

import msgspec

from autograder import judge, model, protocol
from autograder.grading.responses import NoAnswer
from autograder.grading.session import Session
from autograder.grading.timing import reference as reference_source
from autograder.sandbox.availability import SandboxError

MAX_CALLS = 4  # in one question, at small sizes
TRIES = 5  # while the reference seems to cost nothing
LEAST_RATIO = 0.02  # a smaller ratio counts as this


Results = Callable[[protocol.Program], tuple[protocol.StepResult, ...]]


class WrongAnswer(Exception):
    """A timed call gave no answer, or a wrong one. ``unclear``: it may be our fault that there is no answer."""

    def __init__(self, finding: model.Finding, prepared: model.Prepared, unclear: bool = False) -> None:
        super().__init__(finding.symptom)
        self.finding, self.prepared, self.unclear = finding, prepared, unclear


class PairedCosts:
    """Measures the costs of two sessions beside each other."""

    def __init__(
        self,
        student: Session,
        reference: Session,
        program: Callable[[model.TimedCall, int, int], protocol.Program],
        budget: float,
        accepted: Sequence[Results] = (),
    ) -> None:
        """``program`` returns a program with new inputs for a size and a number of calls.

        ``budget`` is in CPU seconds, of both workers and of this process. ``accepted`` compute other results that count
        as right.
        """
        self.accepted = accepted
        self.student, self.reference, self.program = student, reference, program
        self.left = budget
        self.empty: dict[tuple[str, int], list[float]] = {}  # seconds that questions without calls cost
        self.measured: dict[tuple[str, int], list[tuple[float, float]]] = {}  # seconds of a call: both costs

    def ratio(self, timed: model.TimedCall, size: int, turns: int = 2) -> float:
        """Return the submission's cost as a multiple of the reference's. Raises WrongAnswer or SandboxError."""
        for _ in range(TRIES):
            student, reference = self._costs(timed, size, turns)
            if reference > 0:
                return max(student / reference, LEAST_RATIO)
        raise SandboxError("this machine's clock is too coarse to measure the reference")

    def _costs(self, timed: model.TimedCall, size: int, turns: int) -> tuple[float, float]:
        """Return what the calls of ``turns`` programs cost the submission and the reference, in seconds.

        The order is student, reference, reference, student, so whatever slows the machine down slows both. Raises
        WrongAnswer or SandboxError.
        """
        started = time.process_time()
        calls = max(timed.calls, min(MAX_CALLS, timed.calls * timed.at // size))
        programs = [self.program(timed, size, calls) for _ in range(turns)]
        student = reference = 0.0
        for turn, program in enumerate(programs):
            encoded = msgspec.msgpack.encode(program)
            if turn % 2 == 0:
                actual, cost = self.student.ask_with_cost(program, encoded)
            expected, reference_cost = self._ask_reference(program, encoded)
            if turn % 2:
                actual, cost = self.student.ask_with_cost(program, encoded)
            student, reference = student + cost, reference + reference_cost
            self._require(program, actual, expected)
        empty = turns * self._empty(timed, size, programs[0])
        self.left -= min(student, timed.limit * reference) + reference + time.process_time() - started
        costs = student - empty, reference - empty
        if min(costs) > 0:  # a smaller cost can't be measured
            of_call = costs[0] / (turns * calls), costs[1] / (turns * calls)
            self.measured.setdefault((timed.name, size), []).append(of_call)
        return costs

    def costs(self, timed: model.TimedCall) -> tuple[model.SizeCost, ...]:
        """Return the medians of what was measured, by size. The first at ``at`` includes one-off costs: left out."""
        found = []
        for size in sorted({timed.at, *timed.sizes}):
            samples = self.measured.get((timed.name, size), [])[size == timed.at :]
            if samples:
                middle = (float(f"{1000 * statistics.median(costs):.3g}") for costs in zip(*samples, strict=True))
                found.append(model.SizeCost(size, *middle))
        return tuple(found)

    def _require(
        self, program: protocol.Program, actual: protocol.Answer | NoAnswer, expected: protocol.Answer
    ) -> None:
        """Raise WrongAnswer unless the answer is the reference's, or one that counts as right."""
        try:
            require(program, actual, expected, correctness(program))
        except WrongAnswer:
            if isinstance(actual, NoAnswer) or not any(_agrees(program, actual, one) for one in self.accepted):
                raise

    def _empty(self, timed: model.TimedCall, size: int, program: protocol.Program) -> float:
        """Return the smallest measured cost of a question without its calls. Disturbances only add to a cost."""
        steps = tuple(step for step in program.steps if not isinstance(step, protocol.Call))
        bare = msgspec.structs.replace(program, steps=steps)
        _, cost = self._ask_reference(bare, msgspec.msgpack.encode(bare))
        self.left -= cost
        costs = self.empty.setdefault((timed.name, size), [])
        costs.append(cost)
        return min(costs)

    def _ask_reference(self, program: protocol.Program, encoded: bytes) -> tuple[protocol.Answer, float]:
        expected, cost = self.reference.ask_with_cost(program, encoded)
        if isinstance(expected, NoAnswer) or any(result.raised for result in expected.results):
            raise SandboxError(f"the reference could not be timed: {reference_source.trouble(expected)}")
        return expected, cost

    def observe(self, timed: model.TimedCall) -> None:
        """Ask one question that is not timed, and check the operations that it runs. Raises WrongAnswer."""
        if not timed.watch:
            return
        program = self.program(timed, timed.at, 1)
        expected, _ = self._ask_reference(program, msgspec.msgpack.encode(program))
        program = program.with_calls(watch=timed.watch)
        actual, cost = self.student.ask_with_cost(program, msgspec.msgpack.encode(program))
        self.left -= 2 * cost
        assertions = (*correctness(program), timed.allowed) if timed.allowed else correctness(program)
        require(program, actual, expected, assertions, self.student.submission)

    def operations(self, timed: model.TimedCall, size: int) -> int:
        """Return how many torch operations one call runs. 0: unknown."""
        program = self.program(timed, size, 1).with_calls(trace=True)
        actual, _ = self.student.ask_with_cost(program, msgspec.msgpack.encode(program))
        return 0 if isinstance(actual, NoAnswer) else sum(result.count for result in actual.results)


def _agrees(program: protocol.Program, actual: protocol.Answer, results: Results) -> bool:
    """Whether an answer is the one that ``results`` computes."""
    prepared = model.Prepared("timed", program, results(program))
    return judge.first_failure(correctness(program), prepared, actual) is None


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
        why = model.Finding(symptom, program.calls[0].into, actual.facts, actual.status)
        raise WrongAnswer(why, prepared, unclear=actual.fault == "unclear")
    finding = judge.first_failure(assertions, prepared, actual, work, guarded=True)
    if finding:
        raise WrongAnswer(finding, prepared)
