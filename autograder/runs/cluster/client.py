"""The sending side: every submission goes to a Dask cluster and returns exactly once."""

import asyncio
import contextlib
import os
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from typing import Any, cast

import msgspec

from autograder import model
from autograder.intake.errors import Unreadable
from autograder.intake.files import read_regular
from autograder.model.courses import COURSE_VARIABLE
from autograder.protocol import wire
from autograder.runs import pool, results
from autograder.runs.cluster import host
from autograder.runs.cluster.post import Reply, WorkerSetup, versions
from autograder.runs.inflight import InFlight
from autograder.sandbox.availability import SandboxError

NOT_INSTALLED = '--scheduler needs dask.distributed: pip install -e ".[cluster]" in the checkout'
CONNECT_SECONDS = 10.0
LOST = "the cluster lost every worker that graded this submission, even with nothing else to grade"
TICK = 2.0  # seconds between two counts of the workers
PARTING_SECONDS = 10.0
IN_FLIGHT = 3  # submissions for each thread: no thread waits, and Dask does not heap them on one worker
FILE_BYTES = 1 << 20  # of a scheduler file, which has one thousand
GRAPH_BYTES = 1 << 30  # Dask warns above this size of a task; a submission may have 10 MB


class ClusterError(Exception):
    """The cluster can't be used, or not any longer."""


class Cluster:
    """The workers of one Dask scheduler. They must equal this machine: no grade depends on where it is made."""

    def __init__(self, where: str, patience: float) -> None:
        """``where``: a scheduler's address, or the path of its scheduler file.

        ``patience``: for how many seconds the cluster may have no workers. Raises ClusterError.
        """
        self.patience = patience
        self.client = _connected(where, min(patience, CONNECT_SECONDS))
        self.sent: weakref.WeakSet[futures.Future[bytes]] = weakref.WeakSet()
        self.where = where
        self.threads = 0
        self.counted = 0.0  # when the workers were last counted
        self.alive = time.monotonic()  # when there were workers last

    def check(self, plan: pool.RunPlan) -> None:
        """Wait for a worker, then ask all workers whether they can grade. Raises ClusterError."""
        while not self._count_threads():
            time.sleep(0.1)
        setup = _setup(plan)
        sent = {self._send(host.hello, setup, workers=[address]): address for address in self.client.nthreads()}
        done, busy = futures.wait(sent, max(self.patience, CONNECT_SECONDS))
        for future in busy:  # each task asks again
            future.cancel()
        for future in done:
            self._reply(future, sent[future])

    def grade_all(self, plan: pool.RunPlan, submissions: Iterable[model.Submission], jobs: int = 0) -> pool.Graded:
        """Grade all submissions, in the order in which they finish. The cluster ignores ``jobs``. Raises ClusterError.

        Dask gives up on a submission whose workers were lost several times. It is graded again, last and alone: then no
        other submission can be the cause.
        """
        setup = _setup(plan)

        def send(submission: model.Submission) -> futures.Future[bytes]:
            return self._send(host.grade, setup, msgspec.msgpack.encode(submission))

        suspects = []
        for submission, grade in self._through(InFlight(submissions), send, plan.assignment):
            if grade is None:
                suspects.append(submission)
            else:
                yield submission, grade
        for suspect in suspects:
            for submission, grade in self._through(InFlight([suspect]), send, plan.assignment):
                yield (
                    submission,
                    grade
                    or pool.infrastructure_error(submission, plan.assignment, SandboxError(LOST), plan.weights.total),
                )
        self._part(setup)

    def _through(
        self, flow: InFlight[bytes], send: Callable[[model.Submission], futures.Future[bytes]], assignment: str
    ) -> Iterator[tuple[model.Submission, model.Grade | None]]:
        """Yield each submission with its grade, or None if its workers were lost."""
        for submission, future in flow.through(send, self._room, TICK):
            reply = self._reply(future)
            if reply and (wrong := _wrong(reply.grade, submission, assignment)):
                raise ClusterError(f"a worker of {self.where} sent a reply that {wrong}")
            yield submission, reply.grade if reply else None

    def _send(
        self, function: Callable[..., bytes], *data: bytes, workers: list[str] | None = None
    ) -> futures.Future[bytes]:
        """Send a task and return its future.

        Dask's own executor is not used. It asks the scheduler about a task after the answer has arrived, and reports an
        error if the worker is lost in between.
        """

        async def answer(task: Any) -> bytes:
            result: bytes = await task
            return result

        task = self.client.submit(function, *data, workers=workers, pure=False)  # equal tasks stay separate
        sent = asyncio.run_coroutine_threadsafe(answer(task), self.client.loop.asyncio_loop)
        self.sent.add(sent)
        return sent

    def _room(self) -> int:
        self._count_threads()
        return IN_FLIGHT * max(1, self.threads)

    def _count_threads(self) -> int:
        """Return how many threads grade, counted at most every TICK seconds.

        Raises ClusterError if there were no workers for too long, or if the scheduler is gone.
        """
        now = time.monotonic()
        if now - self.counted < TICK and self.threads:
            return self.threads
        try:
            self.threads, self.counted = sum(self.client.nthreads().values()), now
        except Exception as error:  # of many types: a connection can end in many ways
            raise ClusterError(f"the scheduler {self.where} is gone ({type(error).__name__})") from error
        if self.threads:
            self.alive = now
        elif now - self.alive > self.patience:
            raise ClusterError(f"the scheduler {self.where} has had no workers for {self.patience:g} s")
        return self.threads

    def _reply(self, future: futures.Future[bytes], worker: str = "") -> Reply | None:
        """Return a worker's reply; None if Dask gave up because workers were lost. Raises ClusterError."""
        from distributed.scheduler import KilledWorker

        name = f"the worker {worker}" if worker else f"a worker of {self.where}"
        try:
            reply = wire.decode(future.result(), Reply)
        except KilledWorker:
            return None
        except (futures.CancelledError, OSError):  # the reply was on its way
            raise ClusterError(f"the connection to the scheduler {self.where} was lost") from None
        except Exception as error:  # our functions do not raise: attngrade is probably not installed there
            raise ClusterError(f"{name} can't grade: {type(error).__name__}: {str(error)[:300]}") from error
        if reply.refused:
            raise ClusterError(
                f"{name} on {reply.machine} can't grade what is graded here: {reply.refused}. Start every worker "
                f"from the same checkout, with the same packages and the same {COURSE_VARIABLE}"
            )
        return reply

    def _part(self, setup: bytes) -> None:
        """Tell the workers that the run is over. One that does not hear it keeps its fork server until the next run."""
        with contextlib.suppress(Exception):
            sent = [self._send(host.part, setup, workers=[address]) for address in self.client.nthreads()]
            futures.wait(sent, PARTING_SECONDS)

    def close(self) -> None:
        """Cancel what has not been graded, and disconnect."""
        with contextlib.suppress(Exception):
            for future in list(self.sent):
                future.cancel()
        with contextlib.suppress(Exception):
            self.client.close(PARTING_SECONDS)


def _wrong(grade: model.Grade | None, submission: model.Submission, assignment: str) -> str:
    """Return what is wrong with a reply; empty for a grade of this submission."""
    if grade is None or (grade.student, grade.assignment) != (submission.student, assignment):
        return "belongs to no request"
    defect = next(results.defects(grade), None)
    return f"is no grade: {defect}" if defect else ""


def _setup(plan: pool.RunPlan) -> bytes:
    return msgspec.msgpack.encode(WorkerSetup(plan, versions()))


def _connected(where: str, seconds: float) -> Any:
    """Return a Dask client, with TLS if Dask's configuration says so. Raises ClusterError."""
    try:
        import dask
        from distributed import Client, Security
    except ModuleNotFoundError as error:
        raise ClusterError(NOT_INSTALLED) from error
    address = _address(where)
    security = cast(Any, Security)()
    if address.startswith("tls:") and not security.get_connection_args("client").get("ssl_context"):
        raise ClusterError(f"{address} needs TLS: set the certificates in Dask's configuration, under comm.tls")
    dask.config.set({"distributed.admin.large-graph-warning-threshold": GRAPH_BYTES})
    try:
        return cast(Any, Client)(address, timeout=seconds, set_as_default=False, name="attngrade", security=security)
    except Exception as error:  # of many types: no such host, nobody listens, no scheduler, no certificate
        reason = str(error) or type(error).__name__
        raise ClusterError(f"no scheduler answers at {where}: {reason[:300]}") from error


class _File(msgspec.Struct):
    """A scheduler file: Dask writes it so that clients find the scheduler."""

    address: str


def _address(where: str) -> str:
    if "://" in where:
        return where
    try:
        return msgspec.json.decode(read_regular(os.path.realpath(where), FILE_BYTES), type=_File).address
    except Unreadable:
        problem = "neither an address (tcp://host:8786) nor a scheduler file"
    except (msgspec.MsgspecError, RecursionError):
        problem = "is not a file that a scheduler wrote"
    raise ClusterError(f"--scheduler {where}: {problem}")
