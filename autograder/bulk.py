"""Many submissions over a ``concurrent.futures.Executor``, each result as soon as it is there."""

from __future__ import annotations

import concurrent.futures as futures
import contextlib
import functools
import multiprocessing
import multiprocessing.util
import os
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from typing import IO

import msgspec

from autograder import exam as exams
from autograder import model
from autograder.environment import environment
from autograder.flow import Flow
from autograder.gpu import GPU
from autograder.runner import Runner
from autograder.sandbox import confine, standing
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.limits import Limits
from autograder.sandbox.standing import SandboxError
from autograder.stopwatch import Stopwatch

POOL_RESTARTS = 3


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that a grading process needs to know; it builds the rest itself, wherever it runs."""

    topic: str
    seed: str
    limits: Limits
    timing: bool = True
    dtype: model.Dtype | None = None  # forced on all inputs, for an audit
    causes: bool = True  # whether the causes of what fails are looked for
    unconfined: bool = False  # graded even where workers can't be confined
    device: model.Device = "cpu"


Graded = Generator[tuple[model.Submission, model.Grade], None, None]
GradeAll = Callable[[Plan, Iterable[model.Submission], int], Graded]


class Grader:
    """A runner with its fork server, for one process."""

    def __init__(self, plan: Plan, server: ForkServer | None = None, lane: IO[bytes] | None = None) -> None:
        """``lane``: see stopwatch.Stopwatch."""
        self.plan = plan
        self.server = server or server_of(plan)  # starts while the exam is drawn up
        self.stopwatch = Stopwatch(exam_of(plan), self.server, lane) if plan.timing else None
        gpu = GPU(exam_of(plan), self.server) if plan.device == "cuda" else None
        self.runner = Runner(exam_of(plan), self.server, plan.causes, standing.warning(), self.stopwatch, gpu)

    def grade(self, submission: model.Submission) -> model.Grade:
        """One submission's grade; whatever goes wrong in the grader itself is told as our fault, if it does so twice:
        the memory or the process that was not to be had may be there a moment later."""
        found = self._grade(submission)
        return self._grade(submission) if found.status == "infrastructure-error" else found

    def _grade(self, submission: model.Submission) -> model.Grade:
        try:
            return self.runner.grade(submission)
        except Exception as error:
            return lost(submission, self.plan.topic, error)

    def close(self) -> None:
        """Ends the fork server and what it serves."""
        if self.stopwatch:
            self.stopwatch.close()
        self.server.close()


def lost(submission: model.Submission, topic: str, error: BaseException) -> model.Grade:
    """The grade of a submission that we could not grade: no score, and not a 0. Only what a SandboxError says is
    told: any other error's text may hold anything."""
    place = traceback.extract_tb(error.__traceback__)[-1:] if error.__traceback__ else []
    where = f" in {place[0].name}" if place else ""
    told = str(error) if isinstance(error, SandboxError) else f"{type(error).__name__}{where}"
    return model.Grade(
        student=submission.student,
        assignment=topic,
        score=None,
        max_score=100.0,
        status="infrastructure-error",
        checks=(),
        environment=environment(),
        message=f"Our fault, not the student's: {told}.",
    )


_grader: Grader | None = None


@functools.lru_cache(maxsize=2)  # a process may outlive many plans
def exam_of(plan: Plan) -> exams.Exam:
    """Built once a process, and before the pool forks, once for all of them. Raises ExamError."""
    return exams.full(plan.topic, plan.seed, plan.timing, plan.dtype, plan.device)


def server_of(plan: Plan, split: socket.socket | None = None) -> ForkServer:
    """A fork server for a plan's workers; ``split``: see ForkServer."""
    return ForkServer(plan.limits, split=split, unconfined=plan.unconfined, device=plan.device)


def _begin(
    plan: Plan, sockets: list[socket.socket], tickets: SimpleQueue[int] | None, lane: IO[bytes] | None
) -> None:
    """Sets a process of the pool up. A forked one takes one of the sockets that lead to fork servers, and shares
    the lane in which calls are timed."""
    global _grader
    confine.die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the main process's to handle
    mine = sockets[tickets.get()] if tickets else None
    for other in sockets:
        if other is not mine:
            other.close()
    _grader = Grader(plan, server_of(plan, mine), lane)
    multiprocessing.util.Finalize(None, _grader.close, exitpriority=10)


def _grade(submission: model.Submission) -> model.Grade:
    assert _grader is not None
    return _grader.grade(submission)


def grade_all(plan: Plan, submissions: Iterable[model.Submission], jobs: int = 1) -> Graded:
    """Grades all, ``jobs`` at a time, in the order in which they finish; to be closed where it is left before its end.
    Raises ExamError or SandboxError where nothing can be graded at all."""
    if jobs == 1:
        yield from _one_by_one(plan, submissions)
    else:
        yield from _pooled(plan, submissions, jobs)


def _one_by_one(
    plan: Plan, submissions: Iterable[model.Submission]
) -> Iterator[tuple[model.Submission, model.Grade]]:
    grader = Grader(plan)
    try:
        for submission in submissions:
            yield submission, grader.grade(submission)
    finally:
        grader.close()


def _pooled(
    plan: Plan, submissions: Iterable[model.Submission], jobs: int
) -> Iterator[tuple[model.Submission, model.Grade]]:
    flow: Flow[model.Grade] = Flow(submissions)
    for _ in range(POOL_RESTARTS + 1):
        with _pool(plan, jobs) as pool:
            try:
                for submission, future in flow.through(
                    lambda one: pool.submit(_grade, one), lambda: 3 * jobs
                ):
                    yield submission, future.result()
                return
            except BrokenProcessPool:  # what was under way is graded again
                flow.put_back()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for process in multiprocessing.active_children():
                    process.kill()
                raise
    for submission in flow.rest():
        yield submission, lost(submission, plan.topic, SandboxError("the grading processes keep dying"))


@contextlib.contextmanager
def _pool(plan: Plan, jobs: int) -> Iterator[futures.Executor]:
    """Processes that grade. On Linux they and their fork servers are forked from one of each, so that what is
    dear - importing torch, drawing the exam up - is done once whatever ``jobs`` is."""
    if sys.platform != "linux":
        with futures.ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (plan, [], None, None)) as pool:
            yield pool
        return
    server = server_of(plan)
    try:
        exam_of(plan)
        context = get_context("fork")
        sockets, tickets = [server.split() for _ in range(jobs)], context.SimpleQueue()
        for number in range(jobs):
            tickets.put(number)
        with (
            tempfile.TemporaryFile() as lane,
            futures.ProcessPoolExecutor(jobs, context, _begin, (plan, sockets, tickets, lane)) as pool,
        ):
            yield pool
        for ours in sockets:
            ours.close()
    finally:
        server.close()


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
