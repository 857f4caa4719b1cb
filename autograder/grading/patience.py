"""How long the grader waits for an answer: CPU seconds of the worker, sleep, and the wall clock.

A worker that computes is late after its limit in CPU seconds, however busy the machine is. One that sleeps is late much
earlier. The kernel tells what a worker does. Where it does not, the limit is in seconds of the wall clock.
"""

from __future__ import annotations

import math
import time
from typing import Literal, Protocol

import msgspec

from autograder.grading.responses import NoAnswer
from autograder.protocol import wire
from autograder.sandbox import clock
from autograder.sandbox.limits import STALL_SECONDS, STALLS_SECONDS, WALL_FACTOR

LOOK_SECONDS = 0.1  # from one look at the worker to the next; a faster answer costs no look
Late = Literal["", "cpu", "wall", "still"]


class Watched(Protocol):
    """What a worker offers here."""

    def cpu_now(self) -> float | None:
        """Return the CPU seconds used so far, None if unknown."""

    def waiting(self) -> clock.Waiting | None:
        """Return how long it has waited for a processor, None if unknown."""


class Used(msgspec.Struct):
    """Seconds that a submission has used while the grader waited for it."""

    cpu: float = 0.0  # wall-clock where the CPU time is unknown
    idle: float = 0.0  # of sleep
    wall: float = 0.0  # without the time in which it was ready to run and had no processor

    def add(self, cpu: float, idle: float = 0.0, wall: float = 0.0) -> None:
        """Add more. Negative ``idle`` corrects what was waiting for a processor, which the kernel tells afterwards."""
        self.cpu += cpu
        self.idle = max(0.0, self.idle + idle)
        self.wall += max(0.0, wall)

    def late(self, seconds: float, idle_seconds: float) -> Late:
        """Return which limit is reached, "" if none is."""
        if self.cpu >= seconds:
            return "cpu"
        if self.idle >= idle_seconds:
            return "still"
        return "wall" if self.wall >= WALL_FACTOR * seconds else ""


class Allowance(msgspec.Struct):
    """What a submission may use in all, and what it has used over all its workers."""

    seconds: float
    idle_seconds: float = STALLS_SECONDS
    used: Used = msgspec.field(default_factory=Used)
    waited: float = 0.0  # for a processor, by the worker of the moment

    @property
    def late(self) -> Late:
        """Which limit is reached, "" if none is."""
        return self.used.late(self.seconds, self.most_idle)

    @property
    def most_idle(self) -> float:
        """The seconds of sleep that end it."""
        return min(self.idle_seconds, self.seconds)


class Patience(wire.Deadline):
    """The wait for one worker's answer to one message."""

    def __init__(self, worker: Watched, seconds: float, allowance: Allowance) -> None:
        """``seconds``: the limit of this message, beside the ``allowance`` of the submission."""
        self.worker, self.seconds, self.allowance = worker, seconds, allowance
        self.used = Used()
        self.still = 0.0  # seconds since it last used a processor
        self.still_seconds = min(STALL_SECONDS, seconds)
        self.cpu = worker.cpu_now()
        self.seen = time.monotonic()
        super().__init__(self.seen + self._next())

    @property
    def late(self) -> Late:
        """Which limit of this message is reached, "" if none is."""
        return self.used.late(self.seconds, math.inf) or ("still" if self.still >= self.still_seconds else "")

    @property
    def over(self) -> bool:
        """Whether any limit is reached."""
        return bool(self.late or self.allowance.late)

    def remaining(self) -> float:
        """Return the seconds until the next look at the worker, 0 only if a limit is reached.

        The clock is read once: between two readings the grader may lose its processor, which is no limit of the worker.
        """
        if left := super().remaining():
            return left
        self._look()
        left = 0.0 if self.over else self._next()
        self.at = self.seen + left
        return left

    def no_answer(self) -> NoAnswer:
        """Return which limit is reached, as the reason why there is no answer."""
        seconds = self.still_seconds if self.late == "still" else self.seconds
        if self.late == "still":
            return NoAnswer("did-nothing", "timeout", {"seconds": seconds, "why": f"it did nothing for {seconds:g} s"})
        if self.late == "cpu" and self.cpu is not None:
            why = f"it did not finish in {seconds:g} s of processor time"
            return NoAnswer("timed-out", "timeout", {"seconds": seconds, "why": why})
        seconds *= WALL_FACTOR if self.late == "wall" else 1
        why = f"it did not finish in {seconds:g} s"
        return NoAnswer("timed-out-wall", "timeout", {"seconds": seconds, "why": why})

    def finish(self) -> None:
        """Count what the worker has used since the last look."""
        self._add(self._step()[1])

    def _next(self) -> float:
        if self.cpu is not None:
            return LOOK_SECONDS
        return max(0.001, min(self.seconds - self.used.cpu, self.allowance.seconds - self.allowance.used.cpu))

    def _step(self) -> tuple[float, float]:
        """Return the wall and the CPU seconds since the last look. Where the CPU time is unknown, both are the same."""
        now, cpu = time.monotonic(), self.worker.cpu_now()
        wall = now - self.seen
        used = wall if self.cpu is None or cpu is None else cpu - self.cpu
        self.seen, self.cpu = now, cpu
        return wall, used

    def _look(self) -> None:
        """Count what the worker has done since the last look."""
        (wall, cpu), waiting = self._step(), self.worker.waiting()
        if self.cpu is None or waiting is None:
            self.cpu = None
            self._add(wall)
            return
        waited, self.allowance.waited = waiting.seconds - self.allowance.waited, waiting.seconds
        wall = min(wall, LOOK_SECONDS)  # a look that comes late says that the grader had no processor, or was suspended
        rest = wall - cpu - waited if waiting.state != "D" else 0.0
        asleep = waiting.state not in ("R", "D") and not cpu
        self.still = self.still + rest if asleep else 0.0
        self._add(cpu, rest, wall - waited)

    def _add(self, cpu: float, idle: float = 0.0, wall: float = 0.0) -> None:
        for used in (self.used, self.allowance.used):
            used.add(cpu, idle, wall)
