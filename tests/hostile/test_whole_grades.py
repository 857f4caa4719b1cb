"""Whole grades of a worker that sends whatever it likes: none is our fault, and no student reads a hidden input.

``test_channel.py`` tries every fact and looks at messages, ``test_fuzz.py`` at the wire and the judge. Here some of the
same answers go all the way into a grade, through right parts, causes and precision, and into what students are shown.
"""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from autograder import model, protocol
from autograder.feedback import templates
from autograder.feedback.causes import CAUSES
from autograder.feedback.shown import as_seen
from autograder.grading.runner import Runner
from autograder.grading.suite import CheckSuite
from autograder.integrations import gradescope_results
from autograder.protocol import wire
from autograder.report.feedback_text import markdown
from autograder.report.web import write_report
from autograder.report.web.student_page import student_page
from autograder.sandbox.launch import Ended
from autograder.sandbox.limits import Limits
from tests.corpus.suites import ONE_BY_DAY, drawn
from tests.hostile.forged_answers import SECRET, answers

TURNS = 40  # grades, each with other answers
REQUEST = protocol.Load | protocol.Ask
TOLD = protocol.Raised(SECRET, (SECRET, "ValueError"), SECRET, int(SECRET), SECRET, "load")
GUARD = 1 + 3e-7  # what a guard explains


class Forger:
    """A launcher and its worker. The answer to any question may be forged; by default the right one is sent.

    The same question in other numbers, or with other chance, counts as the same.
    """

    limits = Limits()

    def __init__(self, suite: CheckSuite, turn: int) -> None:
        self.stream = self
        self.suite = suite
        self.chance = random.Random(turn)
        self.out = b""
        self.asked = {suite.encoded[name]: case for name, case in suite.prepared.items()}
        self.alike = {msgspec.msgpack.encode(case.program.steps): case for case in suite.prepared.values()}
        self.forged = set[str]()

    def launch(self) -> Forger:
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
            request: protocol.Load | protocol.Ask = wire.decode(payload, REQUEST)  # type: ignore[arg-type]
            answer = self.load(request) if isinstance(request, protocol.Load) else self.ask(request)
            self.out += wire.encode(answer)

    def load(self, request: protocol.Load) -> protocol.Loaded:
        return protocol.Loaded(request.nonce)

    def ask(self, request: protocol.Ask) -> protocol.Answer:
        program = msgspec.msgpack.encode(replace(request.program, chance=0))
        case = self.asked.get(program) or self.alike.get(msgspec.msgpack.encode(request.program.steps))
        results = self.results(case) if case else ()
        return protocol.Answer(request.nonce, results, SECRET * (case is None or case.id in self.suite.secret))

    def results(self, case: model.Prepared) -> tuple[protocol.StepResult, ...]:
        return case.expected_results

    def forge(self, case: model.Prepared) -> tuple[protocol.StepResult, ...]:
        self.forged.add(case.id)
        return self.chance.choice(facts(case)).results


class Telling(Forger):
    """Right about public questions, and telling in each answer to a secret one, and whenever it is loaded again."""

    def load(self, request: protocol.Load) -> protocol.Loaded:
        knows = bool(self.forged)
        return protocol.Loaded(request.nonce, None, (TOLD,) * knows, SECRET * knows)

    def results(self, case: model.Prepared) -> tuple[protocol.StepResult, ...]:
        return self.forge(case) if case.id in self.suite.secret else case.expected_results


class Random(Forger):
    """Forges a share of all answers. In most grades the others are off by what a guard explains, so more is asked."""

    def __init__(self, suite: CheckSuite, turn: int) -> None:
        super().__init__(suite, turn)
        self.share = (0.02, 0.1, 0.5, 1.0)[turn % 4]
        self.off = GUARD if turn % 3 else 1.0

    def results(self, case: model.Prepared) -> tuple[protocol.StepResult, ...]:
        sent = self.forge(case) if self.chance.random() < self.share else case.expected_results
        return tuple(replace(one, value=scaled(one.value, self.off)) for one in sent)


def scaled(value: protocol.Value | None, by: float) -> protocol.Value | None:
    if (
        not isinstance(value, protocol.Tensor)
        or value.array.dtype not in ("float32", "float64")
        or not value.array.data
    ):
        return value
    with np.errstate(all="ignore"):
        numbers = (wire.to_numpy(value.array) * by).astype(value.array.dtype)
    return protocol.Tensor(replace(value.array, data=numbers.tobytes()))


FACTS: dict[tuple[str, bytes], list[protocol.Answer]] = {}


def facts(case: model.Prepared) -> list[protocol.Answer]:
    """Return all that may be told in one case, and gets through the wire: ``test_channel.py`` has the rest."""
    key = case.id, msgspec.msgpack.encode(case.program.steps)
    if key not in FACTS:
        FACTS[key] = [one for one in answers(case) if is_sendable(one)]
    return FACTS[key]


def is_sendable(answer: protocol.Answer) -> bool:
    try:
        return bool(wire.decode(wire.encode(answer)[wire.HEADER.size :], protocol.Answer))
    except wire.WireError:
        return False


def graded(worker: Forger) -> tuple[model.Grade, str]:
    """Return a grade, and what was printed. The runner raises nothing: its caller would take that for our own fault."""
    work = model.Submission("eve", "ready", "script", "eve.py", (b"# other parts are none",))
    grade, printed = Runner(worker.suite, worker).grade_with_output(work)  # type: ignore[arg-type]
    assert grade.status in ("graded", "partial"), grade.message
    assert "could not be diagnosed" not in grade.message
    return grade, printed


def public(grade: model.Grade) -> set[str]:
    """Return what is said of public checks that fail, without causes, which are the grader's own."""
    lost = [one for one in grade.checks if one.status not in ("passed", "blocked") and one.visibility == "public"]
    said = {one.message for one in lost}
    for cause in CAUSES.values():
        said = {text.replace(f" Cause: {cause.sentence}", "") for text in said}
    return said


def feedback_of(grade: model.Grade) -> tuple[str, str]:
    """Return what goes back to the student."""
    seen = as_seen(grade)
    return student_page(seen, "title", staff=False), markdown(seen, "title")


@pytest.mark.thorough
@pytest.mark.parametrize("assignment", ONE_BY_DAY)
def test_no_student_reads_what_a_worker_tells_of_a_hidden_input(assignment: str, tmp_path: Path) -> None:
    suite = drawn(assignment)
    usual, _ = graded(Forger(suite, 0))  # the references keep no record of operations
    failed, kept, hidden = set[str](), [], {c.id for c in suite.spec.checks if c.visibility == "hidden"}
    for turn in range(TURNS):
        grade, printed = graded(worker := Telling(suite, turn))
        assert len(worker.forged) > len(suite.secret) / 2
        shown = gradescope_results.results(grade, hidden="visible")
        pages = feedback_of(grade)
        # The score is the grader's own, and may have any digits.
        texts = printed, msgspec.json.encode(grade).decode(), msgspec.json.encode(shown).decode(), *pages
        assert [text for text in texts if SECRET in text.replace(str(grade.score), "")] == []
        assert public(grade) <= {templates.REDRAWN, *public(usual)}
        failed.update(check.id for check in grade.checks if check.status != "passed")
        kept.append(grade)
    write_report(tmp_path / "index.html", kept)
    assert not [path for path in tmp_path.rglob("*.html") if SECRET in path.read_text(encoding="utf-8")]
    assert failed >= hidden  # each was tried


@pytest.mark.parametrize("assignment", ONE_BY_DAY)
def test_no_answer_is_our_fault(assignment: str) -> None:
    suite = drawn(assignment)
    for turn in range(TURNS):
        graded(Random(suite, turn))
