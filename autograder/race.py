"""A submission and the reference side by side: what one costs in terms of the other.

One call is one question to a worker, on inputs that it has never seen, and its cost is all the CPU time that the
worker uses from its last answer to this one. So there is no moment at which a submission is not on the clock, and
nothing that it may replace tells the time. What sending and reading cost is measured on the reference's worker, by the
same question without its calls, and taken off. Every answer is held to the reference's; what is timed can't be told
from what is graded.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from autograder import judge, model, timing
from autograder.dialogue import Dialogue
from autograder.sandbox.standing import SandboxError
from autograder.transcript import Failure

MOST_CALLS = 4  # in one question, of small ones
MOST_BLOCKS = 20
# Beyond what noise explains, where it comes twice:
HOPELESS = 3.0  # times the limit
CLEAR = 2.0  # times below it
COUNTED = 2.0  # times the limit: more is not counted, or who is slow could be so by any factor, and nothing be decided
TRIES = 5  # where the reference seems to cost nothing
LEAST = 0.02  # a call that seems to cost less than this share of the reference's costs this


class Wrong(Exception):
    """A timed call was not answered, or not rightly."""

    def __init__(self, finding: model.Finding, prepared: model.Prepared) -> None:
        super().__init__(finding.symptom)
        self.finding, self.prepared = finding, prepared


class Result(msgspec.Struct, frozen=True):
    """How one timed call came out: ``figure`` is the ratio of costs at its size, or by how much the exponent is
    larger (``of``)."""

    timed: model.Timed
    verdict: timing.Verdict
    of: Literal["ratio", "exponent"]
    figure: timing.Interval

    @property
    def facts(self) -> dict[str, Any]:
        """The figures, for a sentence."""
        timed, exponent = self.timed, self.of == "exponent"
        return {
            "figure": self.figure.middle,
            "low": self.figure.low,
            "high": self.figure.high,
            "limit": timed.slack if exponent else timed.limit,
            "axis": timed.axis,
            "size": timed.at,
            "sizes": ", ".join(map(str, timed.sizes)),
        }


class Race:
    """Compares costs until ``budget``, CPU seconds of all that take part, is spent. ``draw`` gives programs with new
    inputs."""

    def __init__(
        self,
        student: Dialogue,
        reference: Dialogue,
        draw: Callable[[model.Timed, int, int], model.Program],
        budget: float,
    ) -> None:
        self.student, self.reference, self.draw = student, reference, draw
        self.left = budget
        self.empty: dict[tuple[str, int], list[float]] = {}  # costs of questions without calls, seconds

    def run(self, timed: model.Timed) -> Result:
        """The verdict on one call. Raises Wrong, or SandboxError where the reference does not answer."""
        levels: list[float] = []
        level = self._level(timed, levels)
        if level.verdict != timing.WITHIN or not timed.sizes:
            return level
        grown = self._growth(timed, levels)
        return level if grown.verdict == timing.WITHIN else grown

    def _level(self, timed: model.Timed, samples: list[float]) -> Result:
        """The ratio of costs at size ``at``, from ``samples`` that are taken here."""
        first = self.ratio(timed, timed.at, turns=1)  # pays for first times; counts only where all is clear
        before = secrets.randbelow(2)  # nobody foresees which question is looked at
        if before:
            self._look(timed)
        samples.append(self.ratio(timed, timed.at))
        if not before:
            self._look(timed)
        clear = _clear((first, samples[0]), timed.limit)
        if clear:
            low, high = sorted((first, samples[0]))
            return Result(timed, clear, "ratio", timing.Interval(low, samples[0], high))
        while True:
            samples.append(self.ratio(timed, timed.at))
            found = timing.ratio_interval([min(sample, COUNTED * timed.limit) for sample in samples])
            found = msgspec.structs.replace(found, middle=timing.ratio_interval(samples).middle)  # to be told
            verdict = timing.verdict(found, timed.limit)
            if verdict != timing.INCONCLUSIVE or self._enough(samples, found.middle > timed.limit):
                return Result(timed, verdict, "ratio", found)

    def _growth(self, timed: model.Timed, levels: list[float]) -> Result:
        """By how much the exponent of the cost is above the reference's; the ratios at size ``at`` are there."""
        samples: list[float] = []
        while True:
            ratios = {size: self.ratio(timed, size, turns=1) for size in timed.sizes if size != timed.at}
            ratios[timed.at] = levels[len(samples) % len(levels)]
            samples.append(timing.growth(ratios))
            found = timing.interval(samples)
            verdict = timing.verdict(found, timed.slack)
            if len(samples) == 2 and max(samples) < timed.slack / CLEAR:
                verdict = timing.WITHIN
            if verdict != timing.INCONCLUSIVE or self._enough(samples, found.middle > timed.slack):
                return Result(timed, verdict, "exponent", found)

    def _enough(self, samples: list[float], slow: bool) -> bool:
        """Who seems to be too slow does not get away by using the budget up."""
        spent = self.left <= 0 and not slow
        return len(samples) >= timing.FEWEST and (spent or len(samples) >= MOST_BLOCKS)

    def ratio(self, timed: model.Timed, size: int, turns: int = 2) -> float:
        """How many times the reference's cost the submission's is. Raises Wrong or SandboxError."""
        for _ in range(TRIES):
            mine, theirs = self._costs(timed, size, turns)
            if theirs > 0:
                return max(mine, LEAST * theirs) / theirs
        raise SandboxError("this machine's clock does not tell what the reference costs")

    def _costs(self, timed: model.Timed, size: int, turns: int) -> tuple[float, float]:
        """What the calls of ``turns`` programs cost the submission and the reference, in the order student, reference,
        reference, student. Raises Wrong or SandboxError."""
        began = time.process_time()
        calls = max(timed.calls, min(MOST_CALLS, timed.calls * timed.at // size))
        programs = [self.draw(timed, size, calls) for _ in range(turns)]
        mine = theirs = 0.0
        for turn, program in enumerate(programs):
            encoded = msgspec.msgpack.encode(program)
            if turn % 2 == 0:
                came, cost = self.student.costing(program, encoded)
            due, other = self._due(program, encoded)
            if turn % 2:
                came, cost = self.student.costing(program, encoded)
            mine, theirs = mine + cost, theirs + other
            hold(program, came, due, right(program))
        empty = self._empty(timed, size, programs[0])
        self.left -= min(mine, timed.limit * theirs) + theirs + time.process_time() - began
        return mine - turns * empty, theirs - turns * empty

    def _empty(self, timed: model.Timed, size: int, program: model.Program) -> float:
        """The cost of a question without its calls: the least, because what disturbs a question only adds to it."""
        steps = tuple(step for step in program.steps if not isinstance(step, model.Call))
        bare = msgspec.structs.replace(program, steps=steps)
        _, cost = self._due(bare, msgspec.msgpack.encode(bare))
        self.left -= cost
        known = self.empty.setdefault((timed.name, size), [])
        known.append(cost)
        return min(known)

    def _due(self, program: model.Program, encoded: bytes) -> tuple[model.Answer, float]:
        due, cost = self.reference.costing(program, encoded)
        if isinstance(due, Failure) or any(seen.raised for seen in due.seen):
            raise SandboxError(f"the reference could not be timed: {due}")
        return due, cost

    def _look(self, timed: model.Timed) -> None:
        """One question that is not measured: what its calls use is looked at instead, where something is forbidden."""
        if not timed.watch:
            return
        program = self.draw(timed, timed.at, 1)
        due, _ = self._due(program, msgspec.msgpack.encode(program))
        program = program.with_calls(watch=timed.watch)
        came, cost = self.student.costing(program, msgspec.msgpack.encode(program))
        self.left -= 2 * cost
        holds = (*right(program), timed.allowed) if timed.allowed else right(program)
        hold(program, came, due, holds, self.student.submission.cells)

    def operations(self, timed: model.Timed, size: int) -> int:
        """How many torch operations one call runs; 0 where that can't be told."""
        program = self.draw(timed, size, 1).with_calls(trace=True)
        came, _ = self.student.costing(program, msgspec.msgpack.encode(program))
        return 0 if isinstance(came, Failure) else sum(seen.count for seen in came.seen)


def _clear(ratios: Sequence[float], limit: float) -> timing.Verdict | None:
    """What a few ratios say that are all far from the limit, if they are."""
    if min(ratios) > HOPELESS * limit:
        return timing.OVER
    return timing.WITHIN if max(ratios) < limit / CLEAR else None


def right(program: model.Program) -> tuple[model.Hold, ...]:
    """What is due of every call: shapes, values, dtypes."""
    return tuple(
        model.Hold(what, call.into) for call in program.calls for what in ("shapes", "values", "dtypes")
    )


def hold(
    program: model.Program,
    came: model.Answer | Failure,
    due: model.Answer,
    holds: tuple[model.Hold, ...],
    cells: tuple[bytes, ...] = (),
) -> None:
    """Raises Wrong where an answer does not meet ``holds``, SandboxError where there is none by our fault."""
    if isinstance(came, Failure) and came.ours:
        raise SandboxError(f"the submission's worker was lost: {came.facts.get('why', came.symptom)}")
    prepared = model.Prepared("timed", program, due.seen)
    if isinstance(came, Failure):
        raise Wrong(model.Finding(came.symptom, program.calls[0].into, came.facts, came.status), prepared)
    finding = judge.first_unmet(holds, prepared, came, cells)
    if finding:
        raise Wrong(finding, prepared)
