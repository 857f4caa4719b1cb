"""Timed questions, the same for every submission of a run. The reference's answers to those asked first are kept.

A submission's worker is asked each question once. Its inputs come from the secret seed, and no message shows them. So
submissions may share it, as they share hidden cases.

Disturbances only add to a cost. So the smallest measured cost of the reference is the one to compare with. It is
measured again from time to time, for a machine may become faster.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from autograder import model, protocol
from autograder.grading.responses import NoAnswer
from autograder.grading.session import Session
from autograder.grading.timing import reference as reference_source
from autograder.sandbox.availability import SandboxError

MAX_CALLS = 4  # in one question, at small sizes
SAMPLES = 5  # of the reference's cost before the first submission
AGAIN = 4  # submissions after which the reference is asked again
OBSERVED = -1  # the number of the question that is observed, not timed

NewProgram = Callable[[model.TimedCall, int, int], protocol.Program]  # gets a size and a number of calls
SharedProgram = Callable[[model.TimedCall, int, int, int], protocol.Program]  # gets the question's number too
Key = tuple[str, int, int]


class Question(NamedTuple):
    """A program with its encoded form, and the reference's answer. ``id`` is the same in every run of a seed."""

    id: str
    program: protocol.Program
    encoded: bytes
    expected: protocol.Answer


class Costs(NamedTuple):
    """The smallest measured costs of the reference, in seconds: of a question, and of sending it."""

    whole: float
    empty: float

    @property
    def calls(self) -> float:
        """The cost of the calls alone."""
        return self.whole - self.empty


def calls_at(timed: model.TimedCall, size: int) -> int:
    """Return how many calls a question of this size has.

    They are few: a submission that finds the inputs of all of them might do them in one loop.
    """
    return max(timed.calls, min(MAX_CALLS, timed.calls * timed.at // size))


def bare(program: protocol.Program) -> protocol.Program:
    """Return the program without its calls."""
    return msgspec.structs.replace(
        program, steps=tuple(step for step in program.steps if not isinstance(step, protocol.Call))
    )


def ask_reference(reference: Session, program: protocol.Program, encoded: bytes = b"") -> tuple[protocol.Answer, float]:
    """Return the reference's answer and its cost. Raises SandboxError if it does not answer."""
    expected, cost = reference.ask_with_cost(program, encoded or msgspec.msgpack.encode(program))
    if isinstance(expected, NoAnswer) or any(result.raised for result in expected.results):
        raise SandboxError(f"the reference could not be timed: {reference_source.trouble(expected)}")
    return expected, cost


class SharedQuestions:
    """The questions of one assignment. Those that are asked first are kept, with what they cost the reference."""

    def __init__(self, program: SharedProgram) -> None:
        """``program`` returns the same program for the same arguments."""
        self._program = program
        self._questions: dict[Key, Question] = {}
        self._costs: dict[Key, Costs] = {}
        self._uses: dict[Key, int] = {}

    def question(self, reference: Session, timed: model.TimedCall, size: int, number: int = 0) -> Question:
        """Return a question. ``number`` tells those of one size apart. Raises SandboxError."""
        key = (timed.name, size, number)
        if key not in self._questions:
            name, program = self.drawn(timed, size, calls_at(timed, size), number)
            encoded = msgspec.msgpack.encode(program)
            expected, _ = ask_reference(reference, program, encoded)  # its cost includes one-off costs
            self._questions[key] = Question(name, program, encoded, expected)
        return self._questions[key]

    def drawn(self, timed: model.TimedCall, size: int, calls: int, number: int) -> tuple[str, protocol.Program]:
        """Return the id of a question with this number, and its program. The reference is not asked."""
        return f"timed-{timed.name}-{size}-{calls}-{number}", self._program(timed, size, calls, number)

    def costs(self, reference: Session, timed: model.TimedCall, size: int, number: int = 0) -> Costs:
        """Return what the reference's answer to a question costs. Raises SandboxError."""
        key, question = (timed.name, size, number), self.question(reference, timed, size, number)
        uses = self._uses.get(key, 0)
        samples = int(uses % AGAIN == 0) if uses else SAMPLES
        for _ in range(samples):
            self._measure(reference, key, question)
        self._uses[key] = uses + 1
        return self._costs[key]

    def _measure(self, reference: Session, key: Key, question: Question) -> None:
        _, whole = ask_reference(reference, question.program, question.encoded)
        _, empty = ask_reference(reference, bare(question.program))
        known = self._costs.get(key, Costs(whole, empty))
        self._costs[key] = Costs(min(whole, known.whole), min(empty, known.empty))
