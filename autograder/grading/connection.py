"""The connection to one submission's worker: starts it, sends questions and reads answers within the time limits."""

from __future__ import annotations

import math
import secrets
import select
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from autograder import model, protocol
from autograder.grading import fault
from autograder.grading.given import given_code
from autograder.grading.patience import Allowance, Patience
from autograder.grading.responses import NoAnswer
from autograder.grading.suite import CheckSuite
from autograder.protocol import wire
from autograder.sandbox import machine
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.launch import ENDING_SECONDS, Launcher, Worker

T = TypeVar("T")
Take = Callable[[int, protocol.Answer, bytes], None]  # gets an answer, its number in a batch, and its encoded form
BATCH_SECONDS = 2.0  # for all cases of a batch; honest submissions take a tenth


class Connection:
    """The worker of one submission. It is ended when it dies, hangs or sends something wrong."""

    def __init__(
        self,
        suite: CheckSuite,
        launcher: Launcher,
        submission: model.Submission,
        seconds: float | None = None,
        right: protocol.RightParts | None = None,
    ) -> None:
        """``seconds`` is the time limit of the whole connection. By default it is the submission's own limit.

        ``right`` parts take the place of the submission's own. A worker that holds them counts as one that knows
        secrets.
        """
        self.suite = suite
        self.launcher = launcher
        self.submission = submission
        self.right = right or given_code(suite.spec)
        self.limits = launcher.limits
        self.allowance = Allowance(seconds or self.limits.submission_seconds)
        self.worker: Worker | None = None
        self.room = math.inf  # bytes that all answers together may still have
        self.knows_secrets = False  # whether the worker has been asked about inputs from the secret seed
        self._billed: float | None = None  # CPU seconds of the worker that earlier costs include

    def begin(self) -> protocol.Loaded | NoAnswer:
        """Start a worker and load the submission. Call ``end`` afterwards. Raises SandboxError: see ``retry``."""
        return retry(self._load)

    def allow(self, seconds: float, idle_seconds: float) -> None:
        """Set what the submission may use from now on, in all: CPU seconds, and seconds of sleep.

        What it has used and answered before does not count.
        """
        self.room = math.inf
        self.allowance = Allowance(seconds, idle_seconds, waited=self.allowance.waited)

    def replies(
        self,
        programs: list[protocol.Program],
        encoded: list[bytes],
        take: Take,
        secret: bool = True,
        seconds: float | None = None,
    ) -> NoAnswer | None:
        """Ask programs, and give ``take`` each answer as it comes. Return the first problem, if there is one.

        The worker must be loaded. Unless ``secret``, its answers may be shown, so it must not know any secret.
        """
        if self.knows_secrets and not secret:
            raise RuntimeError("this worker has seen secret questions")
        self.knows_secrets = secret
        nonces = [secrets.token_hex(16) for _ in programs]
        more = [*[True] * (len(programs) - 1), False]
        frames = b"".join(map(wire.ask, nonces, encoded, more))
        case = self.limits.case_seconds
        seconds = min(case, seconds or case) if len(programs) == 1 else min(case, BATCH_SECONDS)

        def accept(number: int, answer: protocol.Answer, encoded: bytes) -> None:
            steps = [getattr(step, "into", getattr(step, "module", "")) for step in programs[number].steps]
            if answer.nonce != nonces[number] or [result.into for result in answer.results] != steps:
                raise wire.WireError("the answer does not belong to the question")
            self.room -= len(encoded)
            if self.room < 0:
                raise wire.WireError(f"all answers together have more than {self.limits.submission_bytes} bytes")
            take(number, answer, encoded)

        return self._exchange(frames, protocol.Answer, seconds, accept, len(programs))

    def _load(self) -> protocol.Loaded | NoAnswer:
        self.worker, self._billed, self.allowance.waited = self.launcher.launch(), None, 0.0
        self.knows_secrets = bool(self.right and self.right.names)
        work = self.submission
        nonce = secrets.token_hex(16)
        filename = work.filename.encode("utf-8", "replace").decode()  # file names need not be UTF-8
        request = protocol.Load(
            nonce, self.suite.spec.assignment, work.kind, filename, work.cells, self.limits.cell_seconds, self.right
        )
        answers: list[protocol.Loaded] = []

        def accept(_: int, answer: protocol.Loaded, __: bytes) -> None:
            if answer.nonce != nonce:
                raise wire.WireError("the program sent data before it was asked")
            answers.append(answer)

        return self._exchange(wire.encode(request), protocol.Loaded, self.limits.load_seconds, accept) or answers[0]

    def _exchange(
        self, frames: bytes, kind: type[T], seconds: float, accept: Callable[[int, T, bytes], None], count: int = 1
    ) -> NoAnswer | None:
        """Send ``count`` questions, and give ``accept`` each answer, decoded and encoded, with its number as it comes.

        Ends a worker that does not answer properly, and returns the problem.
        """
        assert self.worker is not None
        stream, patience = self.worker.stream, Patience(self.worker, seconds, self.allowance)
        watchdog = _watchdog(self.worker, patience.at)
        try:
            stream.write(frames, patience)
            for number in range(count):
                payload = wire.receive_payload(stream, self.limits.answer_bytes, patience)
                accept(number, wire.decode(payload, kind), payload)
        except wire.WireError as error:
            return self._no_answer(error, patience)
        finally:
            if watchdog:
                watchdog.cancel()
        patience.finish()
        return None

    def _no_answer(self, error: wire.WireError, patience: Patience) -> NoAnswer:
        """End the worker, and return why it did not answer."""
        patience.finish()
        late, closed = patience.over or isinstance(error, wire.TimedOut), isinstance(error, wire.Closed)
        assert self.worker is not None
        ended, self.worker = self.worker.end(ENDING_SECONDS if closed and not late else 0.0), None
        if closed and not late and ended.lived_on:
            self.allowance.used.add(0.0, idle=ENDING_SECONDS)
        whose = fault.decide(fault.Evidence(ended, late, closed, self.limits, machine.memory_bytes()))
        if late:
            return self._unreached() if self.allowance.late else patience.no_answer()
        why = ended.how if closed else str(error)
        return NoAnswer("crashed" if closed else "malformed", "error", {"why": why}, whose)

    def _unreached(self) -> NoAnswer:
        """Return why the rest of the submission is not run."""
        if self.allowance.late == "still":
            idle = self.allowance.most_idle
            return NoAnswer(
                "did-nothing-in-all", "timeout", {"seconds": idle, "why": f"it did nothing for {idle:g} s in all"}
            )
        return NoAnswer("unreached", "timeout", {"seconds": self.allowance.seconds, "why": "it ran out of time"})

    def end(self) -> None:
        """End the worker, if there is one."""
        worker, self.worker = self.worker, None
        if worker:
            worker.end()


def retry(ask: Callable[[], T], answer_of: Callable[[T], object] = lambda reply: reply) -> T:
    """Return the reply. Asks once more if there is no answer, and that may be our fault.

    Raises SandboxError if it is our fault again.
    """
    reply = ask()
    answer = answer_of(reply)
    if not isinstance(answer, NoAnswer) or answer.fault == "student":
        return reply
    reply = ask()
    answer = answer_of(reply)
    if isinstance(answer, NoAnswer) and answer.fault == "ours":
        raise SandboxError(f"something outside ended two workers ({answer.facts['why']})")
    return reply


def _watchdog(worker: Worker, deadline: float) -> threading.Timer | None:
    """Return a timer that kills the worker where a pipe has no deadline (Windows), otherwise None."""
    if hasattr(select, "poll"):
        return None
    timer = threading.Timer(max(0.0, deadline - time.monotonic()), worker.end)
    timer.start()
    return timer
