"""What runs in a Dask worker: the graders of one plan, kept between tasks.

No function here raises: Dask would log an exception with all arguments, and so with the seed.
"""

import contextlib
import functools
import multiprocessing.util
import os
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import msgspec

from autograder import model
from autograder.grading.suite import SuiteError
from autograder.protocol import wire
from autograder.runs import pool
from autograder.runs.cluster.post import Reply, WorkerSetup, difference, versions
from autograder.sandbox.availability import SandboxError


class GraderPool:
    """The graders of one plan in this process, one for each thread: a grader holds one session at a time.

    Their fork servers are all forked from one, so torch is imported once.
    """

    def __init__(self, plan: pool.RunPlan) -> None:
        """Raises SuiteError or SandboxError if nothing can be graded here."""
        self.plan = plan
        self.first = pool.server_of(plan)  # starts while the suite is built
        self.idle: list[pool.Grader] = []
        self.closed = False
        self.lock = threading.Lock()
        try:
            pool.suite_of(plan)
        except BaseException:
            self.first.close()
            raise

    @contextlib.contextmanager
    def grader(self) -> Iterator[pool.Grader]:
        """Yield a grader that nobody else uses meanwhile."""
        with self.lock:
            grader = self.idle.pop() if self.idle else self._new()
        try:
            yield grader
        finally:
            with self.lock:
                if self.closed:
                    grader.close()
                else:
                    self.idle.append(grader)

    def _new(self) -> pool.Grader:
        if sys.platform != "linux":
            return pool.Grader(self.plan, timing_lock=_timing_lock())
        try:
            split = self.first.split()
        except SandboxError:  # the first server has died, for example because memory ran out
            self.first.close()
            self.first = pool.server_of(self.plan)
            split = self.first.split()
        return pool.Grader(self.plan, pool.server_of(self.plan, split), _timing_lock())

    def close(self) -> None:
        """End the fork servers. A busy grader ends when it has finished."""
        with self.lock:
            self.closed = True
            for grader in self.idle:
                grader.close()
            self.idle.clear()
            self.first.close()


_graders: GraderPool | None = None
_replacing = threading.Lock()


def _replying(answer: Callable[..., Reply]) -> Callable[..., bytes]:
    """Make a task of ``answer``: it gets the plan of a setup and more data, and its reply is encoded.

    Setups of other versions and errors become refusals.
    """

    @functools.wraps(answer)
    def task(setup: bytes, *data: bytes) -> bytes:
        try:
            reply = _refusal(setup) or answer(wire.decode(setup, WorkerSetup).plan, *data)
        except Exception as error:  # only the texts of these two are free of secrets
            safe = isinstance(error, SuiteError | SandboxError)
            reply = Reply(refused=str(error) if safe else f"{type(error).__name__} in the grader")
        if reply.refused:
            reply = msgspec.structs.replace(reply, machine=socket.gethostname())
        return msgspec.msgpack.encode(reply)

    return task


def _refusal(setup: bytes) -> Reply | None:
    try:
        asked = wire.decode(setup, WorkerSetup)
        other = difference(asked.versions, versions(), asked.plan.assignment)
    except wire.WireError:
        other = "its grader is of another version and does not understand the request"
    return Reply(refused=other) if other else None


@_replying
def hello(plan: pool.RunPlan) -> Reply:
    """Prepare the graders of ``plan``, to show that this process can grade."""
    _graders_for(plan)
    return Reply()


@_replying
def grade(plan: pool.RunPlan, submission: bytes) -> Reply:
    """Grade one submission."""
    work = wire.decode(submission, model.Submission)
    with _graders_for(plan).grader() as grader:
        return Reply(grader.grade(work))


@_replying
def part(plan: pool.RunPlan) -> Reply:
    """End the graders of ``plan`` with their fork servers, and forget the suite and the seed."""
    with _replacing:
        if _graders is not None and _graders.plan == plan:
            _close()
            pool.suite_of.cache_clear()
    return Reply()


def _graders_for(plan: pool.RunPlan) -> GraderPool:
    """Return the graders of a plan. Those of another plan end first: both together would need twice the memory."""
    global _graders
    with _replacing:
        if _graders is None or _graders.plan != plan:
            _close()
            _graders = GraderPool(plan)
            _close_at_exit()
        return _graders


def _close() -> None:
    global _graders
    if _graders is not None:
        _graders.close()
        _graders = None


@functools.cache
def _close_at_exit() -> None:
    """Register ``_close``. If this process is killed instead, the kernel ends its fork servers."""
    multiprocessing.util.Finalize(None, _close, exitpriority=10)


@functools.cache
def _timing_lock() -> IO[bytes]:
    """Return the file that this user's Dask workers on this machine lock while they measure time.

    If it can't be opened, or belongs to another user, this process uses a file of its own.
    """
    user = os.getuid() if hasattr(os, "getuid") else 0
    path = Path(tempfile.gettempdir()) / f"attngrade-lane-{user}"
    with contextlib.suppress(OSError):
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600), "r+b")
        if os.fstat(file.fileno()).st_uid == user:
            return file
        file.close()
    return tempfile.TemporaryFile()
