"""The conversation with one submission: every case asked, whatever its worker does in the meantime."""

from __future__ import annotations

import secrets
import select
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

import msgspec

from autograder import model, wire
from autograder.exam import Exam
from autograder.sandbox.launch import KILLED, SERVER_DIED, Launcher, Worker
from autograder.sandbox.standing import SandboxError
from autograder.transcript import Failure, Transcript, import_trouble

T = TypeVar("T")
TOGETHER = 16  # cases that are asked at once
TOGETHER_SECONDS = 2.0  # for all of them; honest ones take a tenth
TIMEOUTS_TRIED = 3  # of one function; then it is taken to be endless


class Dialogue:
    """Asks one submission all cases. A worker that dies or hangs is replaced, and the rest is asked of the next."""

    def __init__(
        self, exam: Exam, launcher: Launcher, submission: model.Submission, seconds: float | None = None
    ) -> None:
        """``seconds``: for all of it; None: as much as a submission has."""
        self.exam = exam
        self.launcher = launcher
        self.submission = submission
        self.limits = launcher.limits
        self.deadline = time.monotonic() + (seconds or self.limits.submission_seconds)
        self.worker: Worker | None = None
        self.waited = 0.0  # seconds for which the worker had no processor, of those that are accounted for
        self.charged: float | None = None  # CPU seconds of the worker that are in the costs told so far

    def run(self) -> Transcript:
        """Everything that the submission has to say. Raises SandboxError where the sandbox fails."""
        try:
            transcript = Transcript(_again(self._load))
            transcript.print(getattr(transcript.loaded, "printed", ""))
            if not import_trouble(transcript.loaded):
                self._ask_all(transcript)
            return transcript
        finally:
            self.end()

    def again(self, program: model.Program, times: int) -> tuple[model.Answer | Failure, ...]:
        """One program asked several times of a new worker, in which nothing else was called before."""
        encoded = msgspec.msgpack.encode(program)
        for _ in range(2):
            try:
                replies = tuple(self._reply(program, encoded) for _ in range(times))
            finally:
                self.end()
            if not any(isinstance(reply, Failure) and reply.ours for reply in replies):
                break
        return replies

    def begin(self) -> model.Loaded | Failure:
        """A worker of its own, with the submission loaded. To be ended with ``end``."""
        return _again(self._load)

    def ask(self, program: model.Program) -> model.Answer | Failure:
        """One program's answer. After ``begin``."""
        return self._reply(program, msgspec.msgpack.encode(program))

    def costing(self, program: model.Program, encoded: bytes) -> tuple[model.Answer | Failure, float]:
        """One program's answer, and its cost in seconds: all CPU time that its worker has used since the answer before,
        in which is all that the submission may do with these inputs, and what it did while others were asked. (The
        kernel may tell of a running process what it had used some milliseconds ago; the rest is then in the next
        cost.) Where tensors live on another device it is the grader's own time from the question to the answer, which
        is read from the device when all work there is done. After ``begin``; a worker that has died is not replaced.
        Raises SandboxError where the kernel does not tell."""
        if self.worker is None:
            return Failure("crashed", "error", {"why": "it had ended before"}), 0.0
        worker = self.worker
        try:
            on_cpu = program.device == "cpu"
            clock = worker.cpu_seconds if on_cpu else time.perf_counter
            before = self.charged if on_cpu and self.charged is not None else clock()
            reply = self._reply(program, encoded)
            if self.worker is None:
                return reply, 0.0
            self.charged = clock()
            return reply, self.charged - before
        except OSError as error:
            raise SandboxError(f"the worker's CPU time can't be read: {error}") from error

    def _ask_all(self, transcript: Transcript) -> None:
        """Cases of a function that has run out of time wait until all others had their turn, so that one endless
        loop does not cost the points of everything else; after a few more they are not tried any further."""
        slow: Counter[str] = Counter()
        waiting: list[str] = []
        self._ask_together(transcript)
        for case_id in [one for one in self.exam.prepared if one not in transcript.replies]:
            if slow.keys() & _called(self.exam.prepared[case_id].program):
                waiting.append(case_id)
            else:
                self._ask(case_id, transcript, slow)
        for case_id in waiting:
            names = _called(self.exam.prepared[case_id].program)
            if any(slow[name] >= TIMEOUTS_TRIED for name in names):
                transcript.replies[case_id] = Failure("given-up", "timeout", {"tries": TIMEOUTS_TRIED})
            else:
                self._ask(case_id, transcript, slow)
        transcript.exhausted = any(
            isinstance(reply, Failure) and reply.symptom == "unreached"
            for reply in transcript.replies.values()
        )

    def _ask_together(self, transcript: Transcript) -> None:
        """Asks many cases at a time, which saves two changes of process a case, as long as all goes well. Where
        something does not, all of that batch and what follows is to be asked one by one; what the batch took is not the
        submission's time."""
        for batch in batches(self.exam.encoded):
            asked = time.monotonic()
            programs = [self.exam.prepared[case_id].program for case_id in batch]
            answers = self._replies(programs, [self.exam.encoded[case_id] for case_id in batch])
            if isinstance(answers, Failure):
                self.deadline += time.monotonic() - asked
                return
            transcript.replies.update(zip(batch, answers, strict=True))
            for answer in answers:
                transcript.print(answer.printed)

    def _ask(self, case_id: str, transcript: Transcript, slow: Counter[str]) -> None:
        reply = transcript.replies[case_id] = _again(
            partial(self._reply, self.exam.prepared[case_id].program, self.exam.encoded[case_id])
        )
        transcript.print(getattr(reply, "printed", ""))
        if isinstance(reply, Failure) and reply.symptom == "timed-out":
            slow.update(_called(self.exam.prepared[case_id].program))

    def _reply(self, program: model.Program, encoded: bytes) -> model.Answer | Failure:
        if time.monotonic() >= self.deadline:
            return Failure("unreached", "timeout", {"seconds": self.limits.submission_seconds})
        if self.worker is None:
            again = _again(self._load)
            if isinstance(again, Failure) and (again.ours or again.symptom == "unreached"):
                return again
            if import_trouble(again):  # it loaded before, and its worker has died since
                self.end()
                return Failure("crashed", "error", {"why": "it could not be started again"})
        answers = self._replies([program], [encoded])
        return answers if isinstance(answers, Failure) else answers[0]

    def _replies(self, programs: list[model.Program], encoded: list[bytes]) -> list[model.Answer] | Failure:
        """An answer to each, in time; or what went wrong first."""
        nonces = [secrets.token_hex(16) for _ in programs]
        more = [*[True] * (len(programs) - 1), False]
        frames = b"".join(map(wire.ask, nonces, encoded, more))
        case = self.limits.case_seconds
        seconds = case if len(programs) == 1 else min(case, TOGETHER_SECONDS)
        answers = self._exchange(frames, model.Answer, seconds, len(programs))
        if isinstance(answers, Failure):
            return answers
        for nonce, program, answer in zip(nonces, programs, answers, strict=True):
            asked = [getattr(step, "into", getattr(step, "module", "")) for step in program.steps]
            if answer.nonce != nonce or [seen.into for seen in answer.seen] != asked:
                self.end()
                return Failure("malformed", "error", {"why": "it does not belong to the question"})
        return answers

    def _load(self) -> model.Loaded | Failure:
        asked = time.monotonic()
        self.worker, self.charged, self.waited = self.launcher.launch(), None, 0.0
        self.deadline += time.monotonic() - asked  # importing torch is our time, not the submission's
        work = self.submission
        nonce = secrets.token_hex(16)
        filename = work.filename.encode("utf-8", "replace").decode()  # names of files need not be UTF-8
        request = model.Load(
            nonce, self.exam.spec.topic, work.kind, filename, work.cells, self.limits.cell_seconds
        )
        loaded = self._exchange(wire.encode(request), model.Loaded, self.limits.load_seconds)
        if isinstance(loaded, Failure):
            return loaded
        if loaded[0].nonce != nonce:
            self.end()
            return Failure("malformed", "error", {"why": "it sent something before it was asked"})
        return loaded[0]

    def _exchange(self, frames: bytes, kind: type[T], seconds: float, count: int = 1) -> list[T] | Failure:
        """``count`` questions and their answers. A worker that does not answer well is ended."""
        assert self.worker is not None
        deadline = wire.Deadline(min(time.monotonic() + seconds, self.deadline), self._held_up)
        watchdog = _watchdog(self.worker, deadline.at)
        try:
            self.worker.stream.write(frames, deadline)
            return [
                wire.receive(self.worker.stream, kind, self.limits.answer_bytes, deadline)
                for _ in range(count)
            ]
        except wire.Closed:
            how = self.end()
            if not deadline.remaining():
                return self._late(seconds)
            return Failure("crashed", "error", {"why": how}, ours=how in (KILLED, SERVER_DIED))
        except wire.Late:
            self.end()
            return self._late(seconds)
        except wire.WireError as error:
            self.end()
            return Failure("malformed", "error", {"why": str(error)})
        finally:
            if watchdog:
                watchdog.cancel()

    def _held_up(self) -> float:
        """For how long its worker has waited for a processor, in seconds since this was asked before; which is not
        the submission's time."""
        if self.worker is None:
            return 0.0
        waited = self.worker.waited_seconds()
        more, self.waited = waited - self.waited, waited
        self.deadline += more
        return more

    def _late(self, seconds: float) -> Failure:
        if time.monotonic() >= self.deadline:
            return Failure(
                "unreached",
                "timeout",
                {"seconds": self.limits.submission_seconds, "why": "it ran out of time"},
            )
        return Failure(
            "timed-out", "timeout", {"seconds": seconds, "why": f"it did not finish in {seconds:g} s"}
        )

    def end(self) -> str:
        """Ends its worker, if there is one; says how it ended."""
        worker, self.worker = self.worker, None
        return worker.end() if worker else ""


def batches(encoded: Mapping[str, bytes]) -> Iterator[list[str]]:
    """The names of questions that are asked together, in their order."""
    batch: list[str] = []
    size = 0
    for case_id, question in encoded.items():
        if batch and (len(batch) == TOGETHER or size + len(question) > wire.AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(case_id)
        size += len(question)
    yield batch


def _again(ask: Callable[[], T | Failure]) -> T | Failure:
    """What is answered; asked a second time where the worker was killed, which may be another's doing."""
    answer = ask()
    return ask() if isinstance(answer, Failure) and answer.ours else answer


def _watchdog(worker: Worker, deadline: float) -> threading.Timer | None:
    """Where a pipe can't be waited on with a time limit (Windows), a timer kills the worker instead."""
    if hasattr(select, "poll"):
        return None
    timer = threading.Timer(max(0.0, deadline - time.monotonic()), worker.end)
    timer.start()
    return timer


def _called(program: model.Program) -> set[str]:
    """The names of the submission that a program uses."""
    made = {step.into for step in program.steps if isinstance(step, model.Make)}
    names = {step.name.split(".")[0] for step in program.steps if isinstance(step, model.Make | model.Call)}
    return names - made
