"""Submissions and references whose costs are made up."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np

from autograder import cases, model
from autograder.race import Race
from autograder.transcript import Failure
from autograder.wire import to_numpy
from tests.core.tools import call, program, script, shown

EMPTY = 10.0  # what a question without calls costs: more than a call
CALL = 1.0  # the reference's call, of any size
BUDGET = 1000.0
Costs = Callable[[int], float]  # the cost of a call by its size


class Fake:
    """A dialogue that doubles what it is given, at a cost that is made up."""

    def __init__(self, costs: Costs, factor: float = 2.0, **seen: Any) -> None:
        self.costs, self.factor, self.seen = costs, factor, seen
        self.submission = script("")
        self.worker = self
        self.asked: list[model.Program] = []

    def costing(self, asked: model.Program, encoded: bytes) -> tuple[model.Answer | Failure, float]:
        assert encoded == msgspec.msgpack.encode(asked)
        self.asked.append(asked)
        calls = [step for step in asked.steps if isinstance(step, model.Call)]
        values = [to_numpy(asked.arrays[step.args[0].name]) for step in calls]  # type: ignore[union-attr]
        seen = tuple(
            msgspec.structs.replace(shown(step.into, np.float32(self.factor) * given), **self.seen)
            for step, given in zip(calls, values, strict=True)
        )
        return model.Answer("n", seen), EMPTY + sum(self.costs(len(given)) for given in values)

    def begin(self) -> model.Loaded:
        return model.Loaded("n")

    def end(self) -> None:
        self.worker = None  # type: ignore[assignment]


def build(draw: cases.Draw, size: int, calls: int) -> model.Program:
    """So many calls of a function, each with an array of so many numbers."""
    arrays = {f"x{i}": draw.noise(size) for i in range(calls)}
    steps = (call("double", name, into=f"out{name}") for name in arrays)
    return program(*steps, dtype="float32", **arrays)


def timed(**changes: Any) -> model.Timed:
    """A call that may cost five times the reference's."""
    return model.Timed(
        **{"name": "lengths", "axis": "numbers", "build": build, "at": 100, "limit": 5.0} | changes
    )


def drawn(numbers: Iterator[int] | None = None) -> Callable[[model.Timed, int, int], model.Program]:
    """Programs with new inputs."""
    numbers = numbers or itertools.count()
    return lambda what, size, calls: what.build(cases.Draw("s", "t", what.name, next(numbers)), size, calls)


def reference() -> Fake:
    return Fake(lambda size: CALL)


def race(student: Any, other: Any = None, budget: float = BUDGET) -> Race:
    return Race(student, other or reference(), drawn(), budget)


def failing() -> Fake:
    """A worker that does not answer."""
    fake = reference()
    fake.costing = lambda *_: (Failure("crashed", "error", {"why": "signal SIGKILL"}), 0.0)  # type: ignore[method-assign]
    return fake
