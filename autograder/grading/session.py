"""A session with one submission: asks every case, whatever the submission's worker does meanwhile."""

from __future__ import annotations

import time

import msgspec

from autograder import protocol
from autograder.grading.case_order import CaseOrder
from autograder.grading.connection import Connection
from autograder.grading.responses import Judge, NoAnswer, Reply, Responses, import_trouble
from autograder.sandbox.availability import SandboxError

RERUNS = 3  # of one program, for the diagnosis


class Session(Connection):
    """Asks one submission all cases. A new worker replaces one that dies or hangs, and gets the remaining cases."""

    def run(self, judge: Judge) -> Responses:
        """Load the submission and ask all cases. ``judge`` gets each reply as it comes.

        The worker stays for questions that may follow, until ``end``. Raises SandboxError if the sandbox fails.
        """
        self.room = self.limits.submission_bytes
        responses = Responses(self.begin(), judge)
        responses.print(getattr(responses.loaded, "printed", ""))
        if not import_trouble(responses.loaded):
            CaseOrder(self, responses).ask_all()
        return responses

    def rerun(self, program: protocol.Program) -> tuple[protocol.Answer | None, ...]:
        """Return RERUNS answers to one program, from a new worker that has run nothing else. None: no answer.

        What the submission draws differs from answer to answer.

        This is a ``feedback.diagnose.Rerun``. It asks for all answers once more if the worker was killed.
        """
        self.end()
        programs = [msgspec.structs.replace(program, chance=number) for number in range(1, RERUNS + 1)]
        for _ in range(2):
            try:
                replies = [self.reply(one, msgspec.msgpack.encode(one)).answer for one in programs]
            finally:
                self.end()
            if not any(isinstance(reply, NoAnswer) and reply.fault != "student" for reply in replies):
                break
        return tuple(reply if isinstance(reply, protocol.Answer) else None for reply in replies)

    def ask(self, program: protocol.Program) -> protocol.Answer | NoAnswer:
        """Return one program's answer. Call ``begin`` first."""
        return self.reply(program, msgspec.msgpack.encode(program)).answer

    def ask_with_cost(self, program: protocol.Program, encoded: bytes) -> tuple[protocol.Answer | NoAnswer, float]:
        """Return one program's answer and its cost in seconds. Call ``begin`` first; a dead worker is not replaced.

        On the CPU the cost is all CPU time that the worker used since its previous answer. So it includes anything the
        worker did between questions. The kernel's figure may lag by some milliseconds; the next cost includes the rest.
        On another device the cost is the time from the question to the answer, which waits for the device. Raises
        SandboxError if the kernel does not report CPU time.
        """
        if self.worker is None:
            return NoAnswer("crashed", "error", {"why": "its process had already ended"}), 0.0
        on_cpu = program.device == "cpu"
        clock = self.worker.cpu_seconds if on_cpu else time.perf_counter
        try:
            before = self._billed if on_cpu and self._billed is not None else clock()
            reply = self.reply(program, encoded).answer
            if self.worker is None:
                return reply, 0.0
            self._billed = clock()
            return reply, self._billed - before
        except OSError as error:
            raise SandboxError(f"the worker's CPU time can't be read: {error}") from error

    def reply(
        self, program: protocol.Program, encoded: bytes, secret: bool = True, seconds: float | None = None
    ) -> Reply:
        """Return the reply to an encoded program, from a new worker if the last one has died.

        ``seconds`` is its limit in CPU seconds, by default that of any case.

        A worker that knows secrets is replaced for a question that is not ``secret``: what a student may read must come
        from a worker that could not write a secret there.
        """
        if self.knows_secrets and not secret:
            self.end()
        replies: list[Reply] = []
        trouble = self._ready() or self.replies(
            [program], [encoded], lambda _, *reply: replies.append(Reply(*reply)), secret, seconds
        )
        return Reply(trouble) if trouble else replies[0]

    def _ready(self) -> NoAnswer | None:
        """Start a worker if there is none. Return the reason if there is no time or no worker."""
        if self.allowance.late:
            return self._unreached()
        if self.worker is not None:
            return None
        loaded = self.begin()
        if isinstance(loaded, NoAnswer) and (loaded.fault != "student" or loaded.unreached):
            return loaded
        if import_trouble(loaded):  # it loaded before, and its worker has died since
            self.end()
            return NoAnswer("crashed", "error", {"why": "its process could not be restarted"})
        return None
