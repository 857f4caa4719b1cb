"""A run as it goes: a bar on a terminal, a line now and then elsewhere, or events for a program to read.

Events (``--log-json``) are JSON objects, one a line on stderr. Each has ``event`` and ``at`` (UTC, ISO 8601):

    started   assignment, submissions, jobs, out
    graded    student, status, score (null where the fault is ours), max_score, seconds,
              how: "graded" now, "before" in an earlier run, "copy" of another student's same work
    progress  every few seconds: done, of, per_second, seconds_left, statuses, slowest {student, seconds}
    warning   message: what nobody is to overlook
    failed    message: why the run ended before its end; go on with --resume
    finished  students, statuses, how (their counts), seconds, slowest, grades, report
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import click
import msgspec

from autograder import model
from autograder.report.summary import one_line, status_counts

EVERY = 5.0  # seconds between two lines, or two events of progress
RECENT = 200  # submissions from which the rate is told


class Pace:
    """What has been done so far, and how fast: counts only, whatever the number of submissions."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.clock = total, clock
        self.done = 0
        self.statuses: Counter[str] = Counter()
        self.how: Counter[str] = Counter()
        self.slowest: tuple[float, str] | None = None  # seconds, student
        self.started = clock()
        self.ends: deque[float] = deque([self.started], maxlen=RECENT + 1)  # of what was graded

    def add(self, grade: model.Grade, how: str) -> None:
        """One more is done. What the journal had is not counted in the rate, and is none of the slowest."""
        self.done += 1
        self.statuses[grade.status] += 1
        self.how[how] += 1
        if how == "graded":
            self.ends.append(self.clock())
            if self.slowest is None or grade.seconds > self.slowest[0]:
                self.slowest = grade.seconds, grade.student

    @property
    def seconds(self) -> float:
        """Since the start."""
        return self.clock() - self.started

    @property
    def rate(self) -> float | None:
        """Submissions graded a second, of late; None before there are any."""
        took = self.clock() - self.ends[0]
        return (len(self.ends) - 1) / took if len(self.ends) > 1 and took > 0 else None

    @property
    def left(self) -> float | None:
        """Seconds until the end, if it goes on so."""
        rate = self.rate
        return (self.total - self.done) / rate if rate else None

    def sentence(self) -> str:
        """``3.1 a second, 1:20 left; 40 graded, 2 missing; slowest: ana, 12.3 s``."""
        pace = [f"{self.rate:.2g} a second"] if self.rate else []
        pace += [f"{_clock(self.left)} left"] if self.left is not None and self.done < self.total else []
        parts = [", ".join(pace), status_counts(self.statuses)]
        if self.slowest:
            parts.append(f"slowest: {one_line(self.slowest[1])}, {self.slowest[0]:.1f} s")
        return "; ".join(filter(None, parts))

    def facts(self) -> dict[str, Any]:
        """For an event."""
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
        """For an event."""
        return {"student": self.slowest[1], "seconds": self.slowest[0]} if self.slowest else None


class Watch:
    """Tells how a run goes: here, with a line now and then."""

    def __init__(self, console: Any, pace: Pace) -> None:
        self.console, self.pace = console, pace
        self.told_at = pace.clock()

    def begin(self, **facts: Any) -> None:
        """The run starts; ``facts`` as in the event ``started``."""

    def advance(self, grade: model.Grade, how: str) -> None:
        """One more is done, and on disk."""
        self.pace.add(grade, how)
        self.graded(grade, how)
        if self.pace.clock() - self.told_at >= EVERY:
            self.told_at = self.pace.clock()
            self.tell()

    def graded(self, grade: model.Grade, how: str) -> None:
        """What is told of each of them."""

    def tell(self) -> None:
        """What is told every few seconds."""
        click.echo(f"{self.pace.done} of {self.pace.total}: {self.pace.sentence()}", err=True)

    def warn(self, message: str) -> None:
        """Something that nobody is to overlook."""
        warn(message, False)

    def fail(self, message: str) -> None:
        """The run ends before its end."""
        self.end()
        warn(message, False)

    def finish(self, **facts: Any) -> None:
        """The run has ended well; ``facts`` as in the event ``finished``."""

    def end(self) -> None:
        """Nothing more is told of submissions."""


class Bar(Watch):
    """A bar. It is drawn here and not by a thread of its own: grading processes are forked from this one."""

    REFRESHED = 0.1  # seconds

    def __init__(self, console: Any, pace: Pace) -> None:
        super().__init__(console, pace)
        self.bar: Any = None
        self.drawn_at = 0.0

    def begin(self, **facts: Any) -> None:
        """See Watch."""
        self.console.print(
            f"Grading {facts['submissions']} submissions of {facts['assignment']}, {facts['jobs']} at a time",
            style="dim",
        )

    def graded(self, grade: model.Grade, how: str) -> None:
        """See Watch."""
        if self.bar is None:
            from rich import progress

            self.bar = progress.Progress(
                progress.BarColumn(), progress.MofNCompleteColumn(),
                progress.TextColumn("{task.description}", markup=False),
                console=self.console, transient=True, auto_refresh=False,
            )  # fmt: skip
            self.task = self.bar.add_task("", total=self.pace.total)
            self.bar.start()
        now = self.pace.clock()
        if now - self.drawn_at >= self.REFRESHED or self.pace.done == self.pace.total:
            self.drawn_at = now
            description = self.pace.sentence()
            self.bar.update(self.task, completed=self.pace.done, description=description, refresh=True)

    def tell(self) -> None:
        """The bar says it all."""

    def end(self) -> None:
        """See Watch."""
        if self.bar is not None:
            self.bar.stop()
            self.bar = None


class Events(Watch):
    """JSON objects for a program to read."""

    def begin(self, **facts: Any) -> None:
        """See Watch."""
        event("started", **facts)

    def graded(self, grade: model.Grade, how: str) -> None:
        """See Watch."""
        told = {name: getattr(grade, name) for name in ("student", "status", "score", "max_score", "seconds")}
        event("graded", **told, how=how)

    def tell(self) -> None:
        """See Watch."""
        event("progress", **self.pace.facts())

    def warn(self, message: str) -> None:
        """See Watch."""
        warn(message, True)

    def fail(self, message: str) -> None:
        """See Watch."""
        event("failed", message=message)

    def finish(self, **facts: Any) -> None:
        """See Watch."""
        event("finished", **facts)


def watch(console: Any, total: int, events: bool) -> Watch:
    """What fits: ``events`` where they were asked for, else what ``console`` can show."""
    kind = Events if events else Bar if console.is_terminal else Watch
    return kind(console, Pace(total))


def warn(message: str, events: bool) -> None:
    """A line for people, or the event for programs."""
    if events:
        event("warning", message=message)
    else:
        click.echo(f"attngrade: {message}", err=True)


def event(name: str, **facts: Any) -> None:
    """One event."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    click.echo(msgspec.json.encode({"event": name, "at": at, **facts}).decode(), err=True)


def _clock(seconds: float) -> str:
    """``1:02:03`` or ``2:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
