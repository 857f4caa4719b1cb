"""The order in which a submission is asked its cases: public ones and batches first, functions that time out last."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from copy import copy
from functools import partial
from typing import Protocol

from autograder import protocol
from autograder.grading.connection import Take, retry
from autograder.grading.patience import Allowance
from autograder.grading.responses import NoAnswer, Reply, Responses
from autograder.grading.suite import CheckSuite
from autograder.grading.timeouts import Timeouts
from autograder.protocol import wire

BATCH_SIZE = 16  # cases asked together


class Asking(Protocol):
    """What a session offers here."""

    suite: CheckSuite
    allowance: Allowance

    def reply(self, program: protocol.Program, encoded: bytes, secret: bool, seconds: float | None = None) -> Reply:
        """Return the reply to one program."""

    def replies(
        self, programs: list[protocol.Program], encoded: list[bytes], take: Take, secret: bool
    ) -> NoAnswer | None:
        """Ask several programs together, and give ``take`` each answer. Return the first problem, or None."""


class CaseOrder:
    """Asks a session all cases of its suite and collects the responses."""

    def __init__(self, session: Asking, responses: Responses) -> None:
        self.session = session
        self.suite = session.suite
        self.responses = responses
        self.timeouts = Timeouts()
        self.in_batches = True  # until one fails

    def ask_all(self) -> None:
        """Ask all cases: those whose inputs students have, then the secret ones.

        A worker that has seen a secret is not asked a public case again, for a public message may quote the submission.
        A function that timed out is asked last.
        """
        for group in self._groups():
            self._ask_in_batches(group)
            self._ask_one_by_one(group)
        for case_id in [name for name in self.suite.prepared if name not in self.responses.judged]:
            if given_up := self.timeouts.given_up(self._called(case_id)):
                self.responses.take(case_id, given_up)
            else:
                self._ask(case_id, self.timeouts.seconds(self._called(case_id)))

    def _groups(self) -> Iterator[list[str]]:
        """Yield the cases that may be asked together: public before secret, unrecorded before recorded.

        A submission can read what is sent while it runs. So it must not see a question whose answer is to be computed
        under observation before it is observed.
        """
        programs = {name: prepared.program for name, prepared in self.suite.prepared.items()}
        for secret, recorded in itertools.product((False, True), repeat=2):
            yield [
                name
                for name, program in programs.items()
                if (name in self.suite.secret, program.is_recorded) == (secret, recorded)
            ]

    def _called(self, case_id: str) -> frozenset[str]:
        """Return the functions and methods of the submission that a case calls."""
        return self.suite.prepared[case_id].program.targets

    def _ask_in_batches(self, group: list[str]) -> None:
        """Ask cases in batches until a batch fails. A batch saves two process switches a case.

        The caller asks the rest of the failed batch and all later cases one by one. The time of the failed batch does
        not count.
        """
        quick = [name for name in group if not self.suite.prepared[name].program.is_experiment]
        for batch in batches({name: self.suite.encoded[name] for name in quick}):
            if not self.in_batches:
                return
            used = copy(self.session.allowance.used)
            programs = [self.suite.prepared[case_id].program for case_id in batch]
            encoded = [self.suite.encoded[case_id] for case_id in batch]
            take = partial(self._take_from, batch)
            if self.session.replies(programs, encoded, take, batch[0] in self.suite.secret):
                self.session.allowance.used = used
                self.in_batches = False

    def _take_from(self, batch: list[str], number: int, answer: protocol.Answer, encoded: bytes) -> None:
        self._take(batch[number], answer, encoded)

    def _ask_one_by_one(self, group: list[str]) -> None:
        """Ask the cases that are left, except those of functions that timed out."""
        for case_id in group:
            if case_id not in self.responses.judged and not self.timeouts.any_of(self._called(case_id)):
                self._ask(case_id)

    def _ask(self, case_id: str, seconds: float | None = None) -> None:
        program, encoded = self.suite.prepared[case_id].program, self.suite.encoded[case_id]
        ask = partial(self.session.reply, program, encoded, case_id in self.suite.secret, seconds)
        reply = retry(ask, lambda reply: reply.answer)
        self._take(case_id, *reply)
        if isinstance(reply.answer, NoAnswer) and reply.answer.late:
            self.timeouts.add(self._called(case_id))

    def _take(self, case_id: str, reply: protocol.Answer | NoAnswer, encoded: bytes) -> None:
        self.responses.take(case_id, reply, encoded)
        if case_id not in self.suite.secret:
            self.responses.print(getattr(reply, "printed", ""))


def batches(encoded: Mapping[str, bytes]) -> Iterator[list[str]]:
    """Yield the names of the cases of each batch, in order. A batch has a maximum size in cases and in bytes."""
    batch: list[str] = []
    size = 0
    for case_id, question in encoded.items():
        if batch and (len(batch) == BATCH_SIZE or size + len(question) > wire.AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(case_id)
        size += len(question)
    if batch:
        yield batch
