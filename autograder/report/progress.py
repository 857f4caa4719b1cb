"""The progress of a run: a bar on a terminal, a line every few seconds elsewhere, or events for a program.

Events (``--log-json``) are JSON objects, one a line on stderr. Each has ``event`` and ``at`` (UTC, ISO 8601):

    started   assignment, submissions, jobs, out
    graded    student, status, score (null if the fault is ours), max_score, seconds,
              how: "graded" now, "before" in an earlier run, "copy" of another student's same work
    progress  every few seconds: done, of, per_second, seconds_left, statuses, slowest {student, seconds}
    warning   message
    failed    message: why the run ended early; go on with --resume
    finished  students, statuses, how (their counts), seconds, slowest, grades, report
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click
import msgspec

from autograder import model
from autograder.model.text import escaped_json, one_line, visible
from autograder.report.summary import status_counts

if TYPE_CHECKING:
    from rich.console import Console

EVERY = 5.0  # seconds between two lines, or two progress events
RECENT = 200  # submissions that the rate is computed from


class Pace:
    """How much is done and how fast. It holds counts only, so that its size does not depend on the class."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.clock = total, clock
        self.done = 0
        self.statuses: Counter[str] = Counter()
        self.how: Counter[str] = Counter()
        self.slowest: tuple[float, str] | None = None  # seconds, student
        self.started = clock()
        self.ends: deque[float] = deque([self.started], maxlen=RECENT + 1)  # times at which gradings ended

    def add(self, grade: model.Grade, how: str) -> None:
        """Count one more. The rate and the slowest cover only what is graded now."""
        self.done += 1
        self.statuses[grade.status] += 1
        self.how[how] += 1
        if how == "graded":
            self.ends.append(self.clock())
            if self.slowest is None or grade.seconds > self.slowest[0]:
                self.slowest = grade.seconds, grade.student

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return self.clock() - self.started

    @property
    def rate(self) -> float | None:
        """Submissions per second, over the last ``RECENT``. None if none is graded yet."""
        elapsed = self.clock() - self.ends[0]
        return (len(self.ends) - 1) / elapsed if len(self.ends) > 1 and elapsed > 0 else None

    @property
    def left(self) -> float | None:
        """Estimated seconds until the end."""
        rate = self.rate
        return (self.total - self.done) / rate if rate else None

    def sentence(self) -> str:
        """Return ``3.1 a second, 1:20 left; 40 graded, 2 missing; slowest: ana, 12.3 s``."""
        pace = [f"{self.rate:.2g} a second"] if self.rate else []
        pace += [f"{_clock(self.left)} left"] if self.left is not None and self.done < self.total else []
        slowest = f"slowest: {visible(self.slowest[1])}, {self.slowest[0]:.1f} s" if self.slowest else ""
        return "; ".join(filter(None, (", ".join(pace), status_counts(self.statuses), slowest)))

    def facts(self) -> dict[str, Any]:
        """Return the fields of the event ``progress``."""
        rate, left = self.rate, self.left
        return {
            "done": self.done,
            "of": self.total,
            "per_second": rate and round(rate, 3),
            "seconds_left": left if left is None else round(left, 1),
            "statuses": dict(self.statuses),
            "slowest": self.slowest_one(),
        }

    def slowest_one(self) -> dict[str, Any] | None:
        """Return the field ``slowest`` of an event."""
        return {"student": self.slowest[1], "seconds": self.slowest[0]} if self.slowest else None


class Watch:
    """Reports the events of a run. This class prints lines for people; subclasses report otherwise."""

    def __init__(self, console: Console, pace: Pace) -> None:
        self.console, self.pace = console, pace
        self.reported_at = pace.clock()

    def advance(self, grade: model.Grade, how: str) -> None:
        """One more submission is done, and its result is on disk."""
        self.pace.add(grade, how)
        facts = {name: getattr(grade, name) for name in ("student", "status", "score", "max_score", "seconds")}
        self.event("graded", **facts, how=how)
        if self.pace.clock() - self.reported_at >= EVERY:
            self.reported_at = self.pace.clock()
            self.event("progress", **self.pace.facts())

    def event(self, name: str, **facts: Any) -> None:
        """Report an event; ``facts`` are its fields."""
        if name == "progress":
            click.echo(f"{self.pace.done} of {self.pace.total}: {self.pace.sentence()}", err=True)
        elif name in ("warning", "failed"):
            warn(facts["message"])

    def end(self) -> None:
        """No more submissions follow."""


class Bar(Watch):
    """A bar. It has no thread of its own, because the grading processes are forked from this process."""

    REFRESHED = 0.1  # seconds

    def __init__(self, console: Console, pace: Pace) -> None:
        super().__init__(console, pace)
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False)
        self.bar = Progress(*columns, console=console, transient=True, auto_refresh=False)
        self.task = self.bar.add_task("", total=pace.total)
        self.drawn_at = 0.0

    def event(self, name: str, **facts: Any) -> None:
        if name == "started":
            what = f"{facts['submissions']} submissions of {facts['assignment']}"
            self.console.print(f"Grading {what}, {facts['jobs']} at a time", style="dim")
        elif name == "graded":
            self._draw()
        elif name == "failed":
            self.end()
        if name in ("warning", "failed"):
            super().event(name, **facts)

    def _draw(self) -> None:
        self.bar.start()
        now = self.pace.clock()
        if now - self.drawn_at >= self.REFRESHED or self.pace.done == self.pace.total:
            self.drawn_at = now
            description = self.pace.sentence()
            self.bar.update(self.task, completed=self.pace.done, description=description, refresh=True)

    def end(self) -> None:
        self.bar.stop()


class Events(Watch):
    """JSON objects for a program to read."""

    def event(self, name: str, **facts: Any) -> None:
        event(name, **facts)


def watch(console: Console, total: int, events: bool) -> Watch:
    """Return events if they are wanted, else what the console can show."""
    kind = Events if events else Bar if console.is_terminal else Watch
    return kind(console, Pace(total))


def warn(message: str, as_event: bool = False) -> None:
    """Write a line for people, or an event for programs, to stderr."""
    if as_event:
        event("warning", message=message)
    else:
        click.echo(f"attngrade: {one_line(message)}", err=True)


def event(name: str, **facts: Any) -> None:
    """Write one event to stderr."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    click.echo(escaped_json(msgspec.json.encode({"event": name, "at": at, **facts})).decode(), err=True)


def _clock(seconds: float) -> str:
    """Return ``1:02:03`` or ``2:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
