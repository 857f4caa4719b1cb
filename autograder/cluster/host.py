"""What runs in a Dask worker: the graders of one plan, kept between tasks.

No function here raises: what Dask makes of an exception, a line in a log with all arguments, would tell the seed.
"""

from __future__ import annotations

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

from autograder import bulk, model, wire
from autograder.cluster.post import Order, Reply, difference, versions
from autograder.exam import ExamError
from autograder.sandbox.standing import SandboxError


class Crew:
    """The graders of one plan in this process: one a thread, because a grader holds one conversation at a time. All
    take their workers from fork servers that were forked from one, so that torch is imported once."""

    def __init__(self, plan: bulk.Plan) -> None:
        """Raises ExamError or SandboxError where nothing can be graded here."""
        self.plan = plan
        self.first = bulk.server_of(plan)  # starts while the exam is drawn up
        self.idle: list[bulk.Grader] = []
        self.over = False
        self.lock = threading.Lock()
        try:
            bulk.exam_of(plan)
        except BaseException:
            self.first.close()
            raise

    @contextlib.contextmanager
    def grader(self) -> Iterator[bulk.Grader]:
        """One that nobody else uses meanwhile."""
        with self.lock:
            grader = self.idle.pop() if self.idle else self._new()
        try:
            yield grader
        finally:
            with self.lock:
                if self.over:
                    grader.close()
                else:
                    self.idle.append(grader)

    def _new(self) -> bulk.Grader:
        if sys.platform != "linux":
            return bulk.Grader(self.plan, lane=_lane())
        try:
            split = self.first.split()
        except SandboxError:  # the first server has died, of hunger say
            self.first.close()
            self.first = bulk.server_of(self.plan)
            split = self.first.split()
        return bulk.Grader(self.plan, bulk.server_of(self.plan, split), _lane())

    def close(self) -> None:
        """Ends the fork servers; of a grader that is at work when it has done."""
        with self.lock:
            self.over = True
            for grader in self.idle:
                grader.close()
            self.idle.clear()
            self.first.close()


_crew: Crew | None = None
_hiring = threading.Lock()


def hello(order: bytes) -> bytes:
    """Whether this process would grade by this order: a Reply."""
    return _told(lambda: _would(order))


def grade(order: bytes, submission: bytes) -> bytes:
    """One submission's grade: a Reply."""
    return _told(lambda: _graded(order, submission))


def part(order: bytes) -> bytes:
    """Lets this order's graders go, with their fork servers, the exam and the seed: a Reply."""
    return _told(lambda: _parted(order))


def _told(answer: Callable[[], Reply]) -> bytes:
    try:
        reply = answer()
    except Exception as error:  # of our own kind their text is for people; any other's may hold anything
        known = isinstance(error, ExamError | SandboxError)
        reply = Reply(refused=str(error) if known else f"{type(error).__name__} in the grader")
    if reply.refused:
        reply = msgspec.structs.replace(reply, machine=socket.gethostname())
    return msgspec.msgpack.encode(reply)


def _opened(order: bytes) -> Order | Reply:
    """The order; or why it is refused."""
    try:
        opened = wire.decode(order, Order)
    except wire.WireError:
        return Reply(refused="its grader is of another version: it does not understand what is asked")
    other = difference(opened.versions, versions())
    return Reply(refused=other) if other else opened


def _would(order: bytes) -> Reply:
    opened = _opened(order)
    if isinstance(opened, Order):
        _crew_for(opened.plan)
        return Reply()
    return opened


def _graded(order: bytes, submission: bytes) -> Reply:
    opened = _opened(order)
    if isinstance(opened, Reply):
        return opened
    work = wire.decode(submission, model.Submission)
    with _crew_for(opened.plan).grader() as grader:
        return Reply(grader.grade(work))


def _crew_for(plan: bulk.Plan) -> Crew:
    """The crew of a plan. Another plan's is let go first: two exams and servers would take twice the memory."""
    global _crew
    with _hiring:
        if _crew is None or _crew.plan != plan:
            if _crew is not None:
                _crew.close()
                _crew = None
            _crew = Crew(plan)
            _close_at_exit()
        return _crew


def _parted(order: bytes) -> Reply:
    global _crew
    opened = _opened(order)
    with _hiring:
        if isinstance(opened, Order) and _crew is not None and _crew.plan == opened.plan:
            _crew.close()
            _crew = None
            bulk.exam_of.cache_clear()
    return Reply()


def _close() -> None:
    if _crew is not None:
        _crew.close()


@functools.cache
def _close_at_exit() -> None:
    """Where this process is killed instead, the kernel ends its servers with it."""
    multiprocessing.util.Finalize(None, _close, exitpriority=10)


@functools.cache
def _lane() -> IO[bytes]:
    """A file that all Dask workers of this user on this machine know: who measures locks it. Where it can't be had,
    or is a stranger's, this process has one of its own."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    path = Path(tempfile.gettempdir()) / f"attngrade-lane-{user}"
    with contextlib.suppress(OSError):
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600), "r+b")
        if os.fstat(file.fileno()).st_uid == user:
            return file
        file.close()
    return tempfile.TemporaryFile()
