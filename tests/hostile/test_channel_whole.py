"""Whole grades of a worker that knows every hidden input and tells it in each fact: no student reads a word of it.

``test_channel.py`` tries all facts, and looks at messages. Here some of them go all the way into a grade, and into what
programs for students make of it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from autograder import model, protocol
from autograder.feedback import templates
from autograder.grading.runner import Runner
from autograder.grading.suite import CheckSuite
from autograder.integrations import gradescope_results
from autograder.protocol import wire
from autograder.report import html
from autograder.sandbox.launch import Ended
from autograder.sandbox.limits import Limits
from tests.corpus.suites import SOME, drawn
from tests.hostile.forged_answers import SECRET, answers

TURNS = 40  # grades, each with another answer to every secret question
REQUEST = protocol.Load | protocol.Ask
TOLD = protocol.Raised(SECRET, (SECRET, "ValueError"), SECRET, int(SECRET), SECRET, "load")


class Knowing:
    """A launcher and its worker: right about public questions, and telling in every answer to a secret one."""

    limits = Limits()

    def __init__(self, suite: CheckSuite, turn: int) -> None:
        self.stream = self
        self.chance = random.Random(turn)
        self.knows = False
        self.out = b""
        self.cases = {encoded: suite.prepared[name] for name, encoded in suite.encoded.items()}
        self.secret = suite.secret
        self.forged: list[str] = []

    def launch(self) -> Knowing:
        self.out = b""
        return self

    def cpu_now(self) -> None:
        pass

    def waiting(self) -> None:
        pass

    def end(self, patience: float = 0.0) -> Ended:
        return Ended(1, by_itself=True)

    def close(self) -> None:
        pass

    def read(self, count: int, _: object) -> bytes:
        if len(self.out) < count:
            raise wire.Closed
        data, self.out = self.out[:count], self.out[count:]
        return data

    def write(self, data: bytes, _: object) -> None:
        while data:
            *_, length = wire.HEADER.unpack(data[: wire.HEADER.size])
            payload, data = data[wire.HEADER.size :][:length], data[wire.HEADER.size + length :]
            self.out += wire.encode(self.answer(wire.decode(payload, REQUEST)))  # type: ignore[arg-type]

    def answer(self, request: protocol.Load | protocol.Ask) -> protocol.Loaded | protocol.Answer:
        if isinstance(request, protocol.Load):
            return protocol.Loaded(request.nonce, None, (TOLD,) * self.knows, SECRET * self.knows)
        program = msgspec.structs.replace(request.program, chance=0)  # of a question that is asked again
        prepared = self.cases.get(msgspec.msgpack.encode(program))
        if prepared is None:  # one that is nudged
            return protocol.Answer(request.nonce, (), SECRET)
        if prepared.id not in self.secret:
            return protocol.Answer(request.nonce, prepared.expected_results)
        self.knows = True
        self.forged.append(prepared.id)
        forged = self.chance.choice(facts(prepared))
        return protocol.Answer(request.nonce, forged.results, SECRET)


FACTS: dict[str, list[protocol.Answer]] = {}


def facts(prepared: model.Prepared) -> list[protocol.Answer]:
    """Return all that may be told in one case."""
    if prepared.id not in FACTS:
        FACTS[prepared.id] = [one for one in answers(prepared) if sendable(one)]
    return FACTS[prepared.id]


def sendable(answer: protocol.Answer) -> bool:
    """Whether an answer gets through the wire: ``test_channel.py`` has those that do not."""
    try:
        return bool(wire.decode(wire.encode(answer)[wire.HEADER.size :], protocol.Answer))
    except wire.WireError:
        return False


def grades(suite: CheckSuite) -> Iterator[tuple[model.Grade, str]]:
    FACTS.clear()
    for turn in range(TURNS):
        work = model.Submission("eve", "ready", "script", "eve.py", (f"# {turn}".encode(),))
        worker = Knowing(suite, turn)
        yield Runner(suite, worker).grade_with_output(work)  # type: ignore[arg-type]
        assert len(set(worker.forged)) > len(suite.secret) / 2


@pytest.mark.thorough
@pytest.mark.parametrize("assignment", SOME)
def test_no_student_reads_what_a_worker_tells_of_a_hidden_input(assignment: str, tmp_path: Path) -> None:
    suite = drawn(assignment)
    failed, kept = set[str](), []
    for grade, printed in grades(suite):
        assert grade.status in ("graded", "partial")
        shown = gradescope_results.results(grade, hidden="visible")
        texts = printed, msgspec.json.encode(grade).decode(), msgspec.json.encode(shown).decode()
        assert [text for text in texts if SECRET in text] == []
        lost = [check for check in grade.checks if check.status != "passed"]
        failed.update(check.id for check in lost)
        kept.append(grade)
        told = {check.message for check in lost if check.visibility == "public" and check.status != "blocked"}
        assert told <= {templates.REDRAWN}
    html.write_report(tmp_path / "index.html", kept)
    assert SECRET not in (tmp_path / "index.html").read_text(encoding="utf-8")
    hidden = {check.id for check in suite.spec.checks if check.visibility == "hidden"}
    assert hidden <= failed  # each of them was tried
