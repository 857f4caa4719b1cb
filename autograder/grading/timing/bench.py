"""Measure what one call costs as its inputs grow: a submission's, the reference's, or both mechanisms' of an exercise.

A bench grades nothing, so it may repeat a call on the same inputs. A question with one call is subtracted from the same
question with many. The rest is the calls alone, without sending and copying inputs, which cost more than a dot product.
The cost is CPU time of the worker, as the kernel counts it. On CUDA it is the time until the device has answered.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec

from autograder import model, protocol
from autograder.assignments.kit import programs
from autograder.grading.gpu import GPU
from autograder.grading.responses import NoAnswer, import_trouble
from autograder.grading.session import Session
from autograder.grading.suite import empty_suite
from autograder.grading.timing import intervals, paired, reference
from autograder.grading.timing.bench_plans import SEED, plans
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.launch import Launcher

Role = Literal["student", "reference"]
ENOUGH = 0.01  # seconds of calls in a question; the cost of a question varies by much less
FEWEST_TIMES, MOST_TIMES = 4, 2048  # calls in a question
LEAST = 1e-7  # seconds; a smaller cost is noise and counts as this
REPEATED = "attngrade_repeated"
REPEATER = f'''

def {REPEATED}(function, times, *args, **kwargs):
    """Added by attngrade bench: the same call several times; gives the last result."""
    function = globals()[function] if isinstance(function, str) else function
    for _ in range(times - 1):
        function(*args, **kwargs)
    return function(*args, **kwargs)
'''
TITLE_SUFFIX: dict[protocol.Device, str] = {"cpu": "", "cuda": ", on CUDA"}


class Unmeasurable(Exception):
    """There is nothing to measure. The message tells the user why."""


class CostLine(msgspec.Struct, frozen=True):
    """The costs of one call by size, and the exponent k of a cost that grows as size^k.

    Each cost is a median with its interval, in milliseconds of CPU time, or of time on CUDA.
    """

    assignment: str
    call: str
    who: Role
    device: str
    costs: dict[int, intervals.Interval]
    exponent: float


class Panel(msgspec.Struct, frozen=True):
    """Lines over the same sizes. ``axis`` says what the size counts."""

    title: str
    axis: str
    lines: tuple[CostLine, ...]


class BenchResult(msgspec.Struct, frozen=True):
    """All panels of a bench."""

    panels: tuple[Panel, ...]
    wrong: dict[str, paired.WrongAnswer]  # by call: why the student's has no line
    references: bool  # whether there is anything to compare with
    rounds: int


def merged(results: Sequence[BenchResult]) -> BenchResult:
    """Return the results of several devices as one."""
    panels = tuple(panel for result in results for panel in result.panels)
    wrong = {name: reason for result in results for name, reason in result.wrong.items()}
    return BenchResult(panels, wrong, results[0].references, results[0].rounds)


class CostSampler:
    """Samples one session's costs of a call, in seconds by size."""

    def __init__(self, who: Role, session: Session) -> None:
        self.who = who
        self.session = session
        self.times: dict[int, int] = {}  # calls in a question, by size
        self.costs: dict[int, list[float]] = {}

    def measure(self, size: int, program: protocol.Program, expected: protocol.Answer | None) -> protocol.Answer:
        """Add a sample of the cost of one call of ``program``, and return its answer.

        ``expected`` None: any answer without exceptions is right. Raises WrongAnswer, and SandboxError if the kernel
        does not report CPU time.
        """
        answer, once = self._ask(program, program, expected)
        times = self.times.get(size, FEWEST_TIMES)
        while True:
            _, cost = self._ask(program, repeated(program, times), answer)
            if cost - once >= ENOUGH or times >= MOST_TIMES:
                break
            times *= 2
        self.times[size] = times
        self.costs.setdefault(size, []).append(max((cost - once) / (times - 1), LEAST))
        return answer

    def _ask(
        self, program: protocol.Program, question: protocol.Program, expected: protocol.Answer | None
    ) -> tuple[protocol.Answer, float]:
        actual, cost = self.session.ask_with_cost(question, msgspec.msgpack.encode(question))
        paired.require(program, actual, expected or _without_errors(actual), paired.correctness(program))
        assert isinstance(actual, protocol.Answer)  # ``require`` raises otherwise
        return actual, cost


def _without_errors(actual: protocol.Answer | NoAnswer) -> protocol.Answer:
    """Return the answer without its exceptions, as the expected answer where there is no reference."""
    results = () if isinstance(actual, NoAnswer) else actual.results
    return protocol.Answer("", tuple(msgspec.structs.replace(one, raised=None) for one in results))


def repeated(program: protocol.Program, times: int) -> protocol.Program:
    """Return the program with each call made ``times`` times on the same inputs."""

    def many(call: protocol.Call) -> protocol.Call:
        made = isinstance(program.named.get(call.name), protocol.Make)
        function: Any = protocol.Ref(call.name) if made else call.name
        return msgspec.structs.replace(call, name=REPEATED, args=[function, times, *call.args])

    steps = tuple(many(step) if isinstance(step, protocol.Call) else step for step in program.steps)
    return msgspec.structs.replace(program, steps=steps)


class CallBench:
    """One call, and the samplers of the sessions that answer it: the reference first, then the student."""

    def __init__(self, assignment: str, timed: model.TimedCall, device: protocol.Device) -> None:
        self.assignment, self.timed, self.device = assignment, timed, device
        self.samplers: list[CostSampler] = []
        self.wrong: paired.WrongAnswer | None = None  # the student's
        self.programs = itertools.count()  # numbers them, so no two have the same inputs

    def measure(self, size: int) -> None:
        """Sample each session once, with new inputs. Drops a student whose answer is wrong. Raises SandboxError."""
        generator = programs.InputGenerator(SEED, self.assignment, f"{self.timed.name}-{size}", next(self.programs))
        program, expected = self.timed.build(generator, size, 1).on(self.device), None
        for sampler in tuple(self.samplers):
            try:
                expected = sampler.measure(size, program, expected)
            except paired.WrongAnswer as wrong:
                if sampler.who == "reference":
                    raise SandboxError(f"the reference could not be measured: {wrong}") from wrong
                self.wrong = wrong
                self.samplers.remove(sampler)

    def lines(self) -> Iterator[CostLine]:
        """Yield the costs of each session, in milliseconds."""
        for sampler in self.samplers:
            costs = {
                size: intervals.median_interval([1000 * cost for cost in costs])
                for size, costs in sampler.costs.items()
            }
            exponent = intervals.growth({size: cost.middle for size, cost in costs.items()})
            yield CostLine(self.assignment, self.timed.name, sampler.who, self.device, costs, exponent)


class Bench:
    """Measures one assignment's calls, with workers of one launcher."""

    def __init__(
        self, assignment: str, work: model.Submission | None, launcher: Launcher, device: protocol.Device = "cpu"
    ) -> None:
        """``work`` None: only the references. Raises Unmeasurable."""
        self.assignment, self.work, self.launcher, self.device = assignment, work, launcher, device
        trouble = GPU(empty_suite(assignment), launcher).trouble if device == "cuda" else ""
        if trouble:
            raise Unmeasurable(trouble)
        self.references = reference.to_compare_with(assignment) is not None
        if not self.references and work is None:
            raise Unmeasurable(
                f"there are no references in this installation; name your own file: attngrade bench {assignment} PATH"
            )

    def run(self, rounds: int, advance: Callable[[str, int, int], None]) -> BenchResult:
        """Measure all panels. After each step, call ``advance`` with the panel's title, the steps done, and all steps.

        Raises Unmeasurable if the student's file does not run, and SandboxError if nothing can be measured.
        """
        panels: list[Panel] = []
        wrong: dict[str, paired.WrongAnswer] = {}
        for plan in plans(self.assignment):
            with contextlib.ExitStack() as workers:
                calls = [self._call_bench(assignment, timed, workers) for assignment, timed in plan.calls]
                steps = [(size, call) for size in plan.sizes for call in calls] * rounds
                for done, (size, call) in enumerate(steps, 1):
                    call.measure(size)
                    advance(plan.title, done, len(steps))
            lines = tuple(itertools.chain.from_iterable(call.lines() for call in calls))
            wrong |= {call.timed.name: call.wrong for call in calls if call.wrong}
            if lines:
                panels.append(Panel(plan.title + TITLE_SUFFIX[self.device], plan.calls[0][1].axis, lines))
        return BenchResult(tuple(panels), wrong, self.references, rounds)

    def _call_bench(self, assignment: str, timed: model.TimedCall, workers: contextlib.ExitStack) -> CallBench:
        bench = CallBench(assignment, timed, self.device)
        works: Iterable[tuple[Role, model.Submission | None]] = (
            ("reference", reference.to_compare_with(assignment)),
            ("student", self.work if assignment == self.assignment else None),
        )
        for who, work in works:
            if work is None:
                continue
            session = Session(empty_suite(assignment), self.launcher, _with_repeater(work), seconds=math.inf)
            workers.callback(session.end)
            trouble = import_trouble(session.begin())
            if trouble:
                raise Unmeasurable(trouble)
            bench.samplers.append(CostSampler(who, session))
        return bench


def _with_repeater(work: model.Submission) -> model.Submission:
    """Add the function that repeats a call: as a cell of a notebook, or at the end of a script."""
    text = REPEATER.encode()
    cells = (*work.cells, text) if work.kind == "notebook" else (b"".join((*work.cells, text)),)
    return msgspec.structs.replace(work, cells=cells)
