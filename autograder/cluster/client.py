"""The side that asks: sends submissions to a Dask cluster, and sees to it that each comes back, once."""

from __future__ import annotations

import asyncio
import contextlib
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from pathlib import Path
from typing import Any, cast

import msgspec

from autograder import bulk, model, wire
from autograder.cluster import host
from autograder.cluster.post import Order, Reply, versions
from autograder.flow import Flow
from autograder.sandbox.standing import SandboxError

NOT_INSTALLED = '--scheduler needs dask.distributed: pip install -e ".[cluster]" in the checkout'
CONNECT_SECONDS = 10.0
LOST = "the workers that graded this on the cluster were lost, each time, also when nothing else was graded"
TICK = 2.0  # seconds between two looks at who is there
PARTING_SECONDS = 10.0
UNDER_WAY = 3  # submissions a thread: so that none waits for us, and Dask does not heap them on one worker
GRAPH_BYTES = 1 << 30  # of a task, above which Dask warns: a submission may have 10 MB


class ClusterError(Exception):
    """The cluster can't be used, or no longer."""


class Cluster:
    """The workers of one Dask scheduler, as far as they are like this machine: a grade must not depend on where it
    was made."""

    def __init__(self, where: str, patience: float) -> None:
        """``where``: a scheduler's address or the path of its file; ``patience``: for how many seconds the cluster
        may be without workers. Raises ClusterError."""
        self.patience = patience
        self.client = _connected(where, min(patience, CONNECT_SECONDS))
        self.sent: weakref.WeakSet[futures.Future[bytes]] = weakref.WeakSet()
        self.where = where
        self.threads = 0
        self.looked = 0.0
        self.alive = time.monotonic()  # when there were workers

    def check(self, plan: bulk.Plan) -> None:
        """Waits for a worker, and asks all that are there whether they would grade. Raises ClusterError."""
        while not self._look():
            time.sleep(0.1)
        order = _order(plan)
        asked = {
            self._send(host.hello, order, workers=[address]): address for address in self.client.nthreads()
        }
        done, busy = futures.wait(asked, max(self.patience, CONNECT_SECONDS))
        for future in busy:  # asked again with each task
            future.cancel()
        for future in done:
            self._reply(future, asked[future])

    def grade_all(
        self, plan: bulk.Plan, submissions: Iterable[model.Submission], jobs: int = 0
    ) -> bulk.Graded:
        """Grades all, in the order in which they finish; ``jobs`` is the cluster's to choose. Who was so often on
        workers that were lost that Dask gives up is graded last and alone: then nobody else can be the reason.
        Raises ClusterError."""
        order = _order(plan)

        def send(submission: model.Submission) -> futures.Future[bytes]:
            return self._send(host.grade, order, msgspec.msgpack.encode(submission))

        suspects = []
        for submission, grade in self._through(Flow(submissions), send):
            if grade is None:
                suspects.append(submission)
            else:
                yield submission, grade
        for suspect in suspects:
            for submission, grade in self._through(Flow([suspect]), send):
                yield submission, grade or bulk.lost(submission, plan.topic, SandboxError(LOST))
        self._part(order)

    def _through(
        self, flow: Flow[bytes], send: Callable[[model.Submission], futures.Future[bytes]]
    ) -> Iterator[tuple[model.Submission, model.Grade | None]]:
        """Each submission with its grade, or None where its workers were lost."""
        for submission, future in flow.through(send, self._room, TICK):
            reply = self._reply(future)
            if reply and (reply.grade is None or reply.grade.student != submission.student):
                raise ClusterError(f"a worker of {self.where} did not answer what it was asked")
            yield submission, reply.grade if reply else None

    def _send(
        self, function: Callable[..., bytes], *words: bytes, workers: list[str] | None = None
    ) -> futures.Future[bytes]:
        """A task on its way. Not through Dask's own executor: it looks at what the scheduler thinks of a task after
        its answer has come, and takes an answer for an error where the worker is lost in between."""

        async def answer(task: Any) -> bytes:
            found: bytes = await task
            return found

        task = self.client.submit(function, *words, workers=workers, pure=False)  # a lost task is another one
        sent = asyncio.run_coroutine_threadsafe(answer(task), self.client.loop.asyncio_loop)
        self.sent.add(sent)
        return sent

    def _room(self) -> int:
        self._look()
        return UNDER_WAY * max(1, self.threads)

    def _look(self) -> int:
        """How many threads grade, looked up now and then. Raises ClusterError where there have been none for too
        long, or the scheduler has gone."""
        now = time.monotonic()
        if now - self.looked < TICK and self.threads:
            return self.threads
        try:
            self.threads, self.looked = sum(self.client.nthreads().values()), now
        except Exception as error:  # of many types: its connection has ended in one of many ways
            raise ClusterError(f"the scheduler {self.where} has gone ({type(error).__name__})") from error
        if self.threads:
            self.alive = now
        elif now - self.alive > self.patience:
            raise ClusterError(f"the scheduler {self.where} has had no workers for {self.patience:g} s")
        return self.threads

    def _reply(self, future: futures.Future[bytes], worker: str = "") -> Reply | None:
        """What a worker said; None where it was lost, and those after it. Raises ClusterError."""
        from distributed.scheduler import KilledWorker

        whom = f"the worker {worker}" if worker else f"a worker of {self.where}"
        try:
            reply = wire.decode(future.result(), Reply)
        except KilledWorker:
            return None
        except (futures.CancelledError, OSError):  # the answer was on its way from the scheduler
            raise ClusterError(f"the connection to the scheduler {self.where} was lost") from None
        except Exception as error:  # not of ours, which do not raise: most likely there is no attngrade
            raise ClusterError(f"{whom} can't grade: {type(error).__name__}: {str(error)[:300]}") from error
        if reply.refused:
            raise ClusterError(
                f"{whom} on {reply.machine} can't grade what is graded here: {reply.refused}. Every worker must "
                "be started from the same checkout and with the same packages"
            )
        return reply

    def _part(self, order: bytes) -> None:
        """Tells the workers that this was all. Who does not hear keeps its fork server until the next run."""
        with contextlib.suppress(Exception):
            told = [self._send(host.part, order, workers=[address]) for address in self.client.nthreads()]
            futures.wait(told, PARTING_SECONDS)

    def close(self) -> None:
        """Takes back what has not been graded, and hangs up."""
        with contextlib.suppress(Exception):
            for future in list(self.sent):
                future.cancel()
        with contextlib.suppress(Exception):
            self.client.close(PARTING_SECONDS)


def _order(plan: bulk.Plan) -> bytes:
    return msgspec.msgpack.encode(Order(plan, versions()))


def _connected(where: str, seconds: float) -> Any:
    """A Dask client, with TLS where Dask's own configuration says so. Raises ClusterError."""
    try:
        import dask
        from distributed import Client, Security
    except ModuleNotFoundError as error:
        raise ClusterError(NOT_INSTALLED) from error
    address = _address(where)
    security = cast(Any, Security)()
    if address.startswith("tls:") and not security.get_connection_args("client").get("ssl_context"):
        raise ClusterError(f"{address} needs TLS: name the certificates in Dask's configuration, comm.tls")
    dask.config.set({"distributed.admin.large-graph-warning-threshold": GRAPH_BYTES})
    try:
        return cast(Any, Client)(
            address, timeout=seconds, set_as_default=False, name="attngrade", security=security
        )
    except Exception as error:  # of many types: no such host, nobody listens, no scheduler, no certificate
        reason = str(error) or type(error).__name__
        raise ClusterError(f"no scheduler answers at {where}: {reason[:300]}") from error


class _File(msgspec.Struct):
    """What a scheduler writes for those who look for it."""

    address: str


def _address(where: str) -> str:
    if "://" in where:
        return where
    try:
        return msgspec.json.decode(Path(where).read_bytes(), type=_File).address
    except OSError:
        told = "neither an address (tcp://host:8786) nor a scheduler file"
    except msgspec.MsgspecError:
        told = "is not a file that a scheduler wrote"
    raise ClusterError(f"--scheduler {where}: {told}")
