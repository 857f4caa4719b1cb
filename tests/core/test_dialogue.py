"""Many questions at once: as long as all goes well, and never at a submission's cost."""

from __future__ import annotations

import warnings
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder import dialogue, model, wire
from autograder.dialogue import Dialogue, batches
from autograder.sandbox.limits import Limits
from autograder.transcript import Failure, Transcript
from tests.core.tools import RIGHT, exam, script

EXAM = exam()
DUE = {case.program.calls[0].name: case.expected for case in EXAM.prepared.values()}
REQUEST: Any = model.Load | model.Ask


class Played:
    """A worker and its launcher, played in this process. Questions that come together meet with ``trouble``."""

    limits = Limits(case_seconds=4.0, submission_seconds=20.0)

    def __init__(self, trouble: wire.WireError | None = None, forged: bool = False) -> None:
        self.trouble, self.forged = trouble, forged
        self.stream = self
        self.launched = self.ended = 0
        self.asked: list[list[str]] = []  # what came with each message: functions
        self.until: list[float] = []  # by when each message was to be answered
        self.answers = b""
        self.together = False

    def launch(self) -> Played:
        self.launched += 1
        return self

    def waited_seconds(self) -> float:
        return 0.0

    def end(self) -> str:
        self.ended += 1
        self.answers = b""
        return "exit code 1"

    def write(self, data: bytes, deadline: wire.Deadline) -> None:
        asked = []
        self.until.append(deadline.at)
        while data:
            *_, length = wire.HEADER.unpack(data[: wire.HEADER.size])
            payload, data = data[wire.HEADER.size :][:length], data[wire.HEADER.size + length :]
            request = wire.decode(payload, REQUEST)
            if isinstance(request, model.Load):
                self.answers += wire.encode(model.Loaded(request.nonce))
                continue
            name = request.program.calls[0].name
            asked.append(name)
            nonce = "another" if self.forged and len(asked) == 2 else request.nonce
            assert request.more == bool(data)
            self.answers += wire.encode(model.Answer(nonce, DUE[name], f"{name}\n"))
        self.asked += [asked] if asked else []
        self.together = len(asked) > 1

    def read(self, count: int, _: Any) -> bytes:
        if self.trouble and self.together:
            raise self.trouble
        data, self.answers = self.answers[:count], self.answers[count:]
        return data


def told(played: Played) -> tuple[Dialogue, Transcript]:
    """What a submission says that such a worker has."""
    talk = Dialogue(EXAM, played, script(RIGHT))  # type: ignore[arg-type]
    return talk, talk.run()


def test_all_is_asked_at_once() -> None:
    played = Played()
    _, transcript = told(played)
    assert played.asked == [["double", "halve", "negate"]]
    assert played.launched == 1
    assert {name: reply.seen for name, reply in transcript.replies.items()} == DUE  # type: ignore[union-attr]
    assert transcript.printed == "double\nhalve\nnegate\n"


@pytest.mark.parametrize(
    "played", [Played(wire.Closed()), Played(wire.Late()), Played(wire.WireError()), Played(forged=True)]
)
def test_where_something_goes_wrong_each_is_asked_by_itself_of_another_worker(played: Played) -> None:
    _, transcript = told(played)
    assert played.asked == [["double", "halve", "negate"], ["double"], ["halve"], ["negate"]]
    assert played.launched == played.ended == 2
    assert not [reply for reply in transcript.replies.values() if isinstance(reply, Failure)]
    assert transcript.printed == "double\nhalve\nnegate\n"


def test_time_lost_so_is_not_the_submissions(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        now = 0.0

        def monotonic(self) -> float:
            return self.now

    class Slow(Played):
        def read(self, count: int, deadline: Any) -> bytes:
            if self.together:
                clock.now = deadline.at if isinstance(deadline, wire.Deadline) else deadline
                raise wire.Late
            return super().read(count, deadline)

    clock = Clock()
    monkeypatch.setattr(dialogue, "time", clock)
    talk, _ = told(slow := Slow())
    assert talk.deadline - clock.now == Slow.limits.submission_seconds
    late = dialogue.TOGETHER_SECONDS
    case, load = Slow.limits.case_seconds, Slow.limits.load_seconds
    assert slow.until == [load, late, late + load, *[late + case] * 3]


@given(st.lists(st.integers(0, 3 * wire.AT_ONCE // 2), min_size=1, max_size=60))
def test_batches_are_all_questions_in_their_order_and_not_too_many(sizes: list[int]) -> None:
    encoded = {str(number): bytes(size) for number, size in enumerate(sizes)}
    made = list(batches(encoded))
    assert [name for batch in made for name in batch] == list(encoded)
    for batch in made:
        assert 1 <= len(batch) <= dialogue.TOGETHER
        assert len(batch) == 1 or sum(len(encoded[name]) for name in batch) <= wire.AT_ONCE


def test_a_worker_keeps_answers_back_until_it_has_all_but_not_too_many_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Played here: what it writes, and when."""
    from autograder.worker import serve

    answers = [b"a" * 10, b"b" * 10, b"c" * 10, b"d" * (wire.AT_ONCE + 1), b"e" * 10]
    written: list[bytes] = []
    program = next(iter(EXAM.prepared.values())).program
    requests = iter([model.Ask(text[:1].decode(), program, more) for text, more in
                     zip(answers, (True, True, False, True, False), strict=True)])  # fmt: skip
    by_nonce = {text[:1].decode(): text for text in answers}

    def receive(*_: Any) -> model.Ask:
        for request in requests:
            return request
        raise wire.Closed

    class Out:
        def write(self, data: bytes) -> None:
            written.append(data)

    monkeypatch.setattr(serve.wire, "receive", receive)
    monkeypatch.setattr(serve.wire, "encode", lambda answer: by_nonce[answer.nonce])
    monkeypatch.setattr(serve.Conversation, "run", lambda self: ())
    monkeypatch.setattr(serve, "sealed", lambda: lambda: None)
    # They would be put aside in this process, for all tests after this one.
    for owner, name in ((serve, "put_aside_tools"), (serve.compiler, "put_aside")):
        monkeypatch.setattr(owner, name, lambda: None)
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(serve.sys, name, getattr(serve.sys, name))
    with warnings.catch_warnings():
        serve.serve(Out())  # type: ignore[arg-type]
    assert written == [b"".join(answers[:3]), answers[3], answers[4]]


def test_more_is_told_only_where_it_is_so() -> None:
    assert msgspec.msgpack.decode(wire.ask("n", b"\xc0")[wire.HEADER.size :])["more"] is False
