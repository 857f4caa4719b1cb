"""Batches of questions: used while all goes well, and never at a submission's cost."""

from __future__ import annotations

import warnings
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from autograder import protocol
from autograder.grading import connection, patience
from autograder.grading.case_order import BATCH_SIZE, CaseOrder, batches
from autograder.grading.responses import Responses
from autograder.grading.session import Session
from autograder.grading.suite import CheckSuite
from autograder.protocol import wire
from autograder.sandbox.launch import Ended
from autograder.sandbox.limits import Limits
from tests.small_suite_helpers import RIGHT, script, suite

SUITE = suite()
EXPECTED = {case.program.calls[0].name: case.expected_results for case in SUITE.prepared.values()}
REQUEST: Any = protocol.Load | protocol.Ask


class Played:
    """A worker and its launcher, played in this process. Batches fail with ``trouble``."""

    limits = Limits(case_seconds=4.0, submission_seconds=20.0)

    def __init__(self, trouble: wire.WireError | None = None, forged: bool = False) -> None:
        self.trouble, self.forged = trouble, forged
        self.stream = self
        self.launched = self.ended = 0
        self.asked: list[list[str]] = []  # the functions of each message
        self.workers: list[list[str]] = []  # the functions that each worker was asked, in turn
        self.until: list[float] = []  # the deadline of each message
        self.answers = b""
        self.together = False

    def launch(self) -> Played:
        self.launched += 1
        self.workers.append([])
        return self

    def cpu_now(self) -> None:
        pass

    def waiting(self) -> None:
        pass

    def end(self, patience: float = 0.0) -> Ended:
        self.ended += 1
        self.answers = b""
        return Ended(1, by_itself=True)

    def write(self, data: bytes, deadline: wire.Deadline) -> None:
        asked = []
        self.until.append(deadline.at)
        while data:
            *_, length = wire.HEADER.unpack(data[: wire.HEADER.size])
            payload, data = data[wire.HEADER.size :][:length], data[wire.HEADER.size + length :]
            request = wire.decode(payload, REQUEST)
            if isinstance(request, protocol.Load):
                self.answers += wire.encode(protocol.Loaded(request.nonce))
                continue
            name = request.program.calls[0].name
            asked.append(name)
            self.workers[-1].append(name)
            nonce = "another" if self.forged and len(asked) == 2 else request.nonce
            assert request.more == bool(data)
            self.answers += wire.encode(protocol.Answer(nonce, EXPECTED[name], f"{name}\n"))
        self.asked += [asked] if asked else []
        self.together = len(asked) > 1

    def read(self, count: int, _: Any) -> bytes:
        if self.trouble and self.together:
            raise self.trouble
        data, self.answers = self.answers[:count], self.answers[count:]
        return data


def ran(played: Played) -> tuple[Session, Responses]:
    """Return a session with such a worker, and its responses."""
    talk = Session(SUITE, played, script(RIGHT))  # type: ignore[arg-type]
    return talk, talk.run(lambda *_: None)


def results(responses: Responses) -> dict[str, Any]:
    """Return the results of all cases."""
    return {name: getattr(responses.answer(name), "results", None) for name in SUITE.prepared}


def test_cases_are_asked_together_and_public_ones_never_with_secret_ones() -> None:
    played = Played()
    _, responses = ran(played)
    assert SUITE.secret == {"negate"}
    assert played.asked == [["double", "halve"], ["negate"]]
    assert played.launched == 1
    assert results(responses) == EXPECTED


def test_a_recorded_question_is_never_sent_while_unrecorded_code_runs() -> None:
    watched = {"double", "negate"}
    prepared = {
        name: replace(case, program=case.program.with_calls(watch="softmax")) if name in watched else case
        for name, case in SUITE.prepared.items()
    }
    order = CaseOrder(Session(CheckSuite(SUITE.spec, prepared, lambda _: ()), Played(), script(RIGHT)), Any)  # type: ignore[arg-type]
    assert list(order._groups()) == [["halve"], ["double"], [], ["negate"]]


def test_only_what_is_printed_about_public_cases_is_shown() -> None:
    assert ran(Played())[1].printed == "double\nhalve\n"


def test_a_worker_that_knows_a_secret_is_asked_nothing_public(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a public case is put off until the secret ones have been asked, a new worker gets it."""

    class Late(Played):
        def read(self, count: int, _: Any) -> bytes:
            if self.workers[-1] in (["double", "halve"], ["double"]):
                raise wire.TimedOut
            return super().read(count, _)

    played = Late()
    monkeypatch.setattr(CaseOrder, "_called", lambda self, name: frozenset({"one" if name != "negate" else "other"}))
    ran(played)
    assert played.asked == [["double", "halve"], ["double"], ["negate"], ["halve"]]
    assert played.workers == [["double", "halve"], ["double"], ["negate"], ["halve"]]


def test_a_public_question_to_a_worker_that_knows_a_secret_is_refused() -> None:
    talk = Session(SUITE, Played(), script(RIGHT))  # type: ignore[arg-type]
    talk.begin()
    program, encoded = SUITE.prepared["negate"].program, SUITE.encoded["negate"]
    assert talk.replies([program], [encoded], lambda *_: None) is None
    with pytest.raises(RuntimeError, match="secret"):
        talk.replies([program], [encoded], lambda *_: None, secret=False)


def test_large_answers_are_judged_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []
    monkeypatch.setattr("autograder.grading.responses.KEPT_BYTES", 0)
    talk = Session(SUITE, Played(), script(RIGHT))  # type: ignore[arg-type]
    responses = talk.run(lambda name, reply: judged.append(name))
    assert judged == [*EXPECTED]
    assert results(responses) == dict.fromkeys(EXPECTED)


@pytest.mark.parametrize(
    "played", [Played(wire.Closed()), Played(wire.TimedOut()), Played(wire.WireError()), Played(forged=True)]
)
def test_after_a_failed_batch_a_new_worker_gets_the_cases_one_by_one(played: Played) -> None:
    talk, responses = ran(played)
    assert (played.launched, played.ended) == (2, 1)  # the second one stays for what may follow
    talk.end()
    first = [] if played.forged else [["double"]]  # a batch's answers count up to the one that fails
    assert played.asked == [["double", "halve"], *first, ["halve"], ["negate"]]
    assert played.ended == 2
    assert results(responses) == EXPECTED
    assert responses.printed == "double\nhalve\n"


def test_the_time_of_a_failed_batch_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        now = 0.0

        def monotonic(self) -> float:
            return self.now

    class Slow(Played):
        def read(self, count: int, deadline: Any) -> bytes:
            if self.together:
                clock.now = deadline.at if isinstance(deadline, wire.Deadline) else deadline
                raise wire.TimedOut
            return super().read(count, deadline)

    clock = Clock()
    for module in (patience, wire):
        monkeypatch.setattr(module, "time", clock)
    talk, _ = ran(slow := Slow())
    assert talk.allowance.used.cpu == 0
    late = connection.BATCH_SECONDS
    case, load = Slow.limits.case_seconds, Slow.limits.load_seconds
    assert slow.until == [load, late, late + load, *[late + case] * 3]


@given(st.lists(st.integers(0, 3 * wire.AT_ONCE // 2), min_size=1, max_size=60))
def test_batches_hold_all_questions_in_order_and_have_a_maximum_size(sizes: list[int]) -> None:
    encoded = {str(number): bytes(size) for number, size in enumerate(sizes)}
    made = list(batches(encoded))
    assert [name for batch in made for name in batch] == list(encoded)
    for batch in made:
        assert 1 <= len(batch) <= BATCH_SIZE
        assert len(batch) == 1 or sum(len(encoded[name]) for name in batch) <= wire.AT_ONCE


def test_a_worker_sends_its_answers_together_up_to_a_maximum_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Played here: what it writes, and when."""
    from autograder.worker import serve

    answers = [b"a" * 10, b"b" * 10, b"c" * 10, b"d" * (wire.AT_ONCE + 1), b"e" * 10]
    written: list[bytes] = []
    program = next(iter(SUITE.prepared.values())).program
    requests = iter(
        [
            protocol.Ask(text[:1].decode(), program, more)
            for text, more in zip(answers, (True, True, False, True, False), strict=True)
        ]
    )
    by_nonce = {text[:1].decode(): text for text in answers}

    def receive(*_: Any) -> protocol.Ask:
        for request in requests:
            return request
        raise wire.Closed

    class Out:
        def write(self, data: bytes) -> None:
            written.append(data)

    monkeypatch.setattr(serve.wire, "receive", receive)
    monkeypatch.setattr(serve.wire, "encode", lambda answer: by_nonce[answer.nonce])
    monkeypatch.setattr(serve.Interpreter, "run", lambda self: ())
    monkeypatch.setattr(serve, "snapshot", lambda: lambda: None)
    # They would be put aside in this process, for all tests after this one.
    for owner, name in ((serve.imports, "install"), (serve.fast_torch, "defer_compiler")):
        monkeypatch.setattr(owner, name, lambda: None)
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(serve.sys, name, getattr(serve.sys, name))
    with warnings.catch_warnings():
        serve.serve(Out())  # type: ignore[arg-type]
    assert written == [b"".join(answers[:3]), answers[3], answers[4]]


def test_more_is_told_only_where_it_is_so() -> None:
    assert msgspec.msgpack.decode(wire.ask("n", b"\xc0")[wire.HEADER.size :])["more"] is False
