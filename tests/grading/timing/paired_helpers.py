"""Sessions of submissions and references with invented costs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np

from autograder import model, protocol
from autograder.assignments.kit import programs
from autograder.grading.fault import Fault
from autograder.grading.responses import NoAnswer
from autograder.grading.timing.questions import SharedQuestions
from autograder.grading.timing.verdict import SpeedVerdict
from autograder.protocol.wire import to_numpy
from autograder.sandbox.limits import Limits
from tests.small_suite_helpers import call, program, script, shown

EMPTY = 2.0  # what a question without calls costs: as much as its calls
CALL = 1.0  # the reference's call, of any size
BUDGET = 1000.0
Costs = Callable[[int], float]  # the cost of a call by its size


class Fake:
    """A session that doubles its inputs, at an invented cost."""

    def __init__(self, costs: Costs, factor: float = 2.0, **changes: Any) -> None:
        self.costs, self.factor, self.changes = costs, factor, changes
        self.submission = script("")
        self.worker: Fake | None = self
        self.limits = Limits()
        self.empty: Callable[[], float] = lambda: EMPTY
        self.allowed: list[tuple[float, float]] = []  # CPU seconds, and seconds of sleep
        self.asked: list[protocol.Program] = []

    def ask_with_cost(self, asked: protocol.Program, encoded: bytes) -> tuple[protocol.Answer | NoAnswer, float]:
        assert encoded == msgspec.msgpack.encode(asked)
        self.asked.append(asked)
        calls = [step for step in asked.steps if isinstance(step, protocol.Call)]
        values = [to_numpy(asked.arrays[step.args[0].name]) for step in calls]  # type: ignore[union-attr]
        results = tuple(
            msgspec.structs.replace(shown(step.into, np.float32(self.factor) * given), **self.changes)
            for step, given in zip(calls, values, strict=True)
        )
        return protocol.Answer("n", results), self.empty() + sum(self.costs(len(given)) for given in values)

    def allow(self, seconds: float, idle_seconds: float) -> None:
        self.allowed.append((seconds, idle_seconds))

    def cpu_now(self) -> float:
        return 0.0

    def begin(self) -> protocol.Loaded:
        self.worker = self
        return protocol.Loaded("n")

    def end(self) -> None:
        self.worker = None


def build(generator: programs.InputGenerator, size: int, calls: int) -> protocol.Program:
    """Return a program with this many calls, each with an array of this size."""
    arrays = {f"x{i}": generator.noise(size) for i in range(calls)}
    steps = (call("double", name, into=f"out{name}") for name in arrays)
    return program(*steps, dtype="float32", **arrays)


def timed(**changes: Any) -> model.TimedCall:
    """Return a call that may cost five times the reference's."""
    return model.TimedCall(**{"name": "lengths", "axis": "numbers", "build": build, "at": 100, "limit": 5.0} | changes)


def new_programs(numbers: Iterator[int] | None = None) -> Callable[[model.TimedCall, int, int], protocol.Program]:
    """Return a function that builds programs with new inputs."""
    numbers = numbers or itertools.count()
    return lambda what, size, calls: what.build(
        programs.InputGenerator("s", "t", what.name, next(numbers)), size, calls
    )


def shared_questions() -> SharedQuestions:
    """Return questions that differ from all others."""
    return SharedQuestions(
        lambda what, size, calls, number: what.build(
            programs.InputGenerator("s", "t", f"{what.name}-{size}-shared", number), size, calls
        )
    )


def reference() -> Fake:
    return Fake(lambda size: CALL)


def paired(student: Any, other: Any = None, budget: float = BUDGET) -> SpeedVerdict:
    program = new_programs()
    return SpeedVerdict(student, other or reference(), program, shared_questions(), budget)


def failing(fault: Fault = "student") -> Fake:
    """Return a session that does not answer."""
    fake = reference()
    fake.ask_with_cost = lambda *_: (NoAnswer("crashed", "error", {"why": "signal SIGKILL"}, fault), 0.0)  # type: ignore[method-assign]
    return fake
