"""A submission's responses to all cases, and the reason where it gave no answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import msgspec

from autograder import model, protocol
from autograder.grading.fault import Fault
from autograder.judge import source
from autograder.model.text import harmless
from autograder.protocol import wire

MAX_PRINTED = 100_000  # characters
# Bytes of answers that are kept for the diagnosis. The largest honest ones have 1.2 MB together.
KEPT_BYTES = 4 << 20


class NoAnswer(msgspec.Struct, frozen=True):
    """Why a case has no answer."""

    symptom: str
    status: Literal["error", "timeout"]
    facts: dict[str, Any] = {}
    fault: Fault = "student"

    @property
    def late(self) -> bool:
        """Whether this call took too long."""
        return self.symptom in ("timed-out", "timed-out-wall", "did-nothing")

    @property
    def unreached(self) -> bool:
        """Whether the submission had used up what it may use in all."""
        return self.symptom in ("unreached", "did-nothing-in-all")


class Reply(NamedTuple):
    """An answer, and its encoded form; or the reason why there is none."""

    answer: protocol.Answer | NoAnswer
    encoded: bytes = b""


Judge = Callable[[str, protocol.Answer | NoAnswer], None]  # gets the name of a case and the reply


class Responses:
    """How loading a submission went, and what each case came to.

    A reply is judged at once. Answers are kept for the diagnosis only up to KEPT_BYTES, so that no submission fills the
    grader's memory.
    """

    def __init__(self, loaded: protocol.Loaded | NoAnswer, judge: Judge) -> None:
        self.loaded = loaded
        self.judge = judge
        self.judged: set[str] = set()  # names of cases
        self.encoded: dict[str, bytes] = {}  # answers
        self.exhausted = False  # the submission's time ran out
        self.printed = ""
        self._room = KEPT_BYTES

    def take(self, case_id: str, reply: protocol.Answer | NoAnswer, encoded: bytes = b"") -> None:
        """Judge the reply to a case. ``encoded`` is an answer as it came."""
        self.judged.add(case_id)
        self.judge(case_id, reply)
        if isinstance(reply, NoAnswer):
            self.exhausted |= reply.unreached
        elif len(encoded) <= self._room:
            self._room -= len(encoded)
            self.encoded[case_id] = encoded

    def answer(self, case_id: str) -> protocol.Answer | None:
        """Return the answer to a case; None where there is none, or where it was too large to keep."""
        return wire.decode(self.encoded[case_id], protocol.Answer) if case_id in self.encoded else None

    def print(self, text: str) -> None:
        """Add printed text, up to MAX_PRINTED characters."""
        self.printed += text[: MAX_PRINTED - len(self.printed)]


def import_trouble(loaded: protocol.Loaded | NoAnswer) -> str:
    """Return a sentence about why the file could not be run, or ""."""
    if isinstance(loaded, NoAnswer):
        return f"The file could not be run: {loaded.facts['why']}."
    if loaded.raised is None:
        return ""
    raised = loaded.raised
    where = f" (line {raised.line}: {raised.code})" if raised.line and "line " not in raised.message else ""
    return f"The file could not be run: {raised.type}: {raised.message}{where}."


def unparsed_line(submission: model.Submission) -> str:
    """Return the line of a script that Python cannot parse, with a caret below the place; "" if there is none."""
    error = source.syntax_error(submission)
    if error is None or not error.text:
        return ""
    return f"    {harmless(error.text.rstrip())}\n    {' ' * ((error.offset or 1) - 1)}^"
