"""What tests that grade a text share."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from autograder import model
from autograder.grading.session import Session
from autograder.grading.timing.checker import CheckTiming, TimingChecker
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.limits import Limits


@contextlib.contextmanager
def fork_servers(**options: Any) -> Iterator[Callable[[Limits], ForkServer]]:
    """Yield a function from limits to a fork server with them. It starts one for each, and all end with the block."""
    with contextlib.ExitStack() as running:
        yield cache(lambda limits: running.enter_context(contextlib.closing(ForkServer(limits, **options))))


def submission(text: str, assignment: str) -> model.Submission:
    """Return a script with this text, as it is read from a folder."""
    return model.Submission("ana", "ready", "script", f"{assignment}.py", (text.encode(),))


def outcome(check: model.Check, status: str, points: float, message: str = "") -> model.Outcome:
    """Return a made-up outcome of a check."""
    state: Any = status
    return model.Outcome(
        check.id,
        check.title,
        check.kind,
        check.visibility,
        state,
        points,
        float(check.points),
        message,
        part=check.part,
    )


def failures(grade: model.Grade) -> str:
    """Return why a grade is not full, for the message of a failing test."""
    failed = [c for c in grade.checks if c.status not in ("passed", "skipped")]
    lines = [f"{c.id}: {c.status}: {c.message}" for c in failed]
    return "\n".join([f"{grade.status} {grade.score} {grade.message}", *lines])


def measured_alone(watch: TimingChecker, check: model.Check, work: model.Submission) -> CheckTiming:
    """Return the timing of a submission that is asked nothing else."""
    student = Session(watch.suite, watch.launcher, work)
    try:
        return watch.measure(check, student)
    finally:
        student.end()
