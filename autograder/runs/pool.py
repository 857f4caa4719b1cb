"""A pool of grading processes on this machine: many submissions, each grade as soon as it is ready."""

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

from autograder import model, protocol
from autograder.grading import suite
from autograder.grading.environment import environment
from autograder.grading.gpu import GPU
from autograder.grading.runner import Runner
from autograder.grading.timing.checker import TimingChecker
from autograder.runs.inflight import InFlight
from autograder.sandbox import availability, confine
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.limits import Limits

POOL_RESTARTS = 3


class RunPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that a grading process needs to know. It builds the rest itself, on any machine."""

    assignment: str
    seed: str
    limits: Limits
    timing: bool = True
    dtype: protocol.Dtype | None = None  # forced on all inputs, for an audit
    causes: bool = True  # look for the causes of failures
    unconfined: bool = False  # grade even where workers can't be confined
    device: protocol.Device = "cpu"
    strict: bool = False  # every failed check costs all its points
    weights: model.Weights = model.Weights()


Graded = Generator[tuple[model.Submission, model.Grade], None, None]
GradeAll = Callable[[RunPlan, Iterable[model.Submission], int], Graded]


class Grader:
    """A runner with its fork server, for one process."""

    def __init__(
        self,
        plan: RunPlan,
        server: ForkServer | None = None,
        timing_lock: IO[bytes] | None = None,
        checks: suite.CheckSuite | None = None,
    ) -> None:
        """``timing_lock``: see TimingChecker. ``checks`` replace the plan's own. Raises SuiteError or SandboxError if
        nothing can be graded here."""
        self.plan = plan
        self.server = server or server_of(plan)  # starts while the suite is built
        checks = checks or suite_of(plan)
        self.timing_checker = TimingChecker(checks, self.server, timing_lock) if plan.timing else None
        gpu = GPU(checks, self.server) if plan.device == "cuda" else None
        self.runner = Runner(
            checks, self.server, plan.causes, availability.warning(plan.device), self.timing_checker, gpu, plan.strict
        )

    def grade(self, submission: model.Submission) -> model.Grade:
        """Return one submission's grade. It retries once: memory or a process may be missing only for a moment."""
        grade = self._grade(submission)
        return self._grade(submission) if grade.status == "infrastructure-error" else grade

    def _grade(self, submission: model.Submission) -> model.Grade:
        try:
            return self.runner.grade(submission)
        except Exception as error:
            return infrastructure_error(submission, self.plan.assignment, error, self.plan.weights.total)

    def close(self) -> None:
        """End the fork server and its workers."""
        if self.timing_checker:
            self.timing_checker.close()
        self.server.close()


def infrastructure_error(
    submission: model.Submission, assignment: str, error: BaseException, total: float = 100.0
) -> model.Grade:
    """Return the grade of a submission that the grader failed to grade: it has no score.

    ``total`` is the most that the assignment gives. Only a SandboxError's text is shown. Other errors may quote the
    submission, so they are shown by type and function.
    """
    place = traceback.extract_tb(error.__traceback__)[-1:] if error.__traceback__ else []
    where = f" in {place[0].name}" if place else ""
    reason = str(error) if isinstance(error, SandboxError) else f"{type(error).__name__}{where}"
    return model.Grade(
        student=submission.student,
        assignment=assignment,
        score=None,
        max_score=total,
        status="infrastructure-error",
        checks=(),
        environment=environment(),
        message=f"Our fault, not the student's: {reason}.",
    )


_grader: Grader | None = None


@functools.lru_cache(maxsize=2)  # a process may outlive many plans
def suite_of(plan: RunPlan) -> suite.CheckSuite:
    """Return a plan's suite, built once a process, or once for all processes forked later. Raises SuiteError."""
    return suite.full(plan.assignment, plan.seed, plan.timing, plan.dtype, plan.device, plan.weights)


def server_of(plan: RunPlan, split: socket.socket | None = None) -> ForkServer:
    """Start a fork server for a plan's workers. ``split``: see ForkServer."""
    return ForkServer(plan.limits, split=split, unconfined=plan.unconfined, device=plan.device)


def _begin(
    plan: RunPlan,
    sockets: list[socket.socket],
    tickets: SimpleQueue[int] | None,
    timing_lock: IO[bytes] | None,
    checks: suite.CheckSuite | None,
) -> None:
    """Set up a process of the pool. A forked one takes one of ``sockets`` to its fork server; all share the lock."""
    global _grader
    confine.die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process handles Ctrl-C
    mine = sockets[tickets.get()] if tickets else None
    for other in sockets:
        if other is not mine:
            other.close()
    _grader = Grader(plan, server_of(plan, mine), timing_lock, checks)
    multiprocessing.util.Finalize(None, _grader.close, exitpriority=10)


def _grade(submission: model.Submission) -> model.Grade:
    assert _grader is not None
    return _grader.grade(submission)


def grade_all(
    plan: RunPlan, submissions: Iterable[model.Submission], jobs: int = 1, checks: suite.CheckSuite | None = None
) -> Graded:
    """Grade all submissions, ``jobs`` at a time, in the order in which they finish.

    ``checks`` replace the plan's own. Only forked processes get them, so without these one process grades.
    Close the generator if you leave it early. Raises SuiteError or SandboxError if nothing can be graded at all.
    """
    several = jobs > 1 and (checks is None or sys.platform == "linux")
    return _pooled(plan, submissions, jobs, checks) if several else _one_by_one(plan, submissions, checks)


def _one_by_one(plan: RunPlan, submissions: Iterable[model.Submission], checks: suite.CheckSuite | None) -> Graded:
    with contextlib.closing(Grader(plan, checks=checks)) as grader:
        for submission in submissions:
            yield submission, grader.grade(submission)


def _pooled(
    plan: RunPlan, submissions: Iterable[model.Submission], jobs: int, checks: suite.CheckSuite | None
) -> Graded:
    flow: InFlight[model.Grade] = InFlight(submissions)
    for _ in range(POOL_RESTARTS + 1):
        with _pool(plan, jobs, checks) as pool:
            try:
                for submission, future in flow.through(
                    lambda submission: pool.submit(_grade, submission), lambda: 3 * jobs
                ):
                    yield submission, future.result()
                return
            except BrokenProcessPool:  # what was in flight is graded again
                flow.put_back()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for process in multiprocessing.active_children():
                    process.kill()
                raise
    for submission in flow.rest():
        yield (
            submission,
            infrastructure_error(
                submission, plan.assignment, SandboxError("the grading processes keep dying"), plan.weights.total
            ),
        )


@contextlib.contextmanager
def _pool(plan: RunPlan, jobs: int, checks: suite.CheckSuite | None) -> Iterator[futures.Executor]:
    """Start the grading processes.

    On Linux they and their fork servers are forked from one of each: torch is imported once, the suite built once.
    """
    if sys.platform != "linux":
        with futures.ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (plan, [], None, None, None)) as pool:
            yield pool
        return
    server = server_of(plan)
    try:
        checks = checks or suite_of(plan)
        context = get_context("fork")
        sockets, tickets = [server.split() for _ in range(jobs)], context.SimpleQueue()
        for number in range(jobs):
            tickets.put(number)
        with (
            tempfile.TemporaryFile() as timing_lock,
            futures.ProcessPoolExecutor(jobs, context, _begin, (plan, sockets, tickets, timing_lock, checks)) as pool,
        ):
            yield pool
        for ours in sockets:
            ours.close()
    finally:
        server.close()


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
