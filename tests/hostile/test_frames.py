"""Raw frames of a worker that speaks the protocol wrongly: every case gets its own answer, or none at its own cost."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from autograder import protocol
from autograder.grading import patience
from autograder.grading.responses import NoAnswer
from autograder.grading.session import Session
from autograder.protocol import wire
from autograder.sandbox import clock
from autograder.sandbox.launch import Ended
from autograder.sandbox.limits import Limits
from tests.small_suite_helpers import RIGHT, script, suite

SUITE = suite()
EXPECTED = {case.program.calls[0].name: case.expected_results for case in SUITE.prepared.values()}
REQUEST: Any = protocol.Load | protocol.Ask
LIMITS = Limits(case_seconds=4.0, submission_seconds=20.0)
Attack = Callable[[list[bytes]], bytes]  # from the right frames of a message to what is sent


class Scripted:
    """A launcher and its worker, which answers through a real pipe and hangs up after each message."""

    limits = LIMITS

    def __init__(self, attack: Attack, *, loading: bool = False) -> None:
        self.attack, self.loading = attack, loading
        self.stream = self
        self.launched = 0
        self.pipe: wire.Stream | None = None

    def launch(self) -> Scripted:
        self.launched += 1
        return self

    def cpu_now(self) -> None:
        pass

    def waiting(self) -> None:
        pass

    def end(self, patience: float = 0.0) -> Ended:
        if self.pipe:
            self.pipe.close()
        self.pipe = None
        return Ended(1, by_itself=True)

    def write(self, data: bytes, deadline: wire.Deadline) -> None:
        frames, loads = [], False
        while data:
            *_, length = wire.HEADER.unpack(data[: wire.HEADER.size])
            request = wire.decode(data[wire.HEADER.size :][:length], REQUEST)
            data = data[wire.HEADER.size + length :]
            loads = isinstance(request, protocol.Load)
            frames.append(wire.encode(right(request)))
        sent = self.attack(frames) if loads == self.loading else b"".join(frames)
        ahead = self.pipe.ahead if self.pipe else bytearray()  # what was sent too much, and lies in the pipe still
        if self.pipe:
            self.pipe.close()
        reading, writing = os.pipe()
        os.write(writing, sent[:60_000])
        os.close(writing)
        self.pipe = wire.Stream(reading, reading)
        self.pipe.ahead = ahead

    def read(self, count: int, deadline: Any) -> bytes:
        assert self.pipe
        return self.pipe.read(count, deadline)


def right(request: protocol.Load | protocol.Ask) -> protocol.Loaded | protocol.Answer:
    if isinstance(request, protocol.Load):
        return protocol.Loaded(request.nonce)
    return protocol.Answer(request.nonce, EXPECTED[request.program.calls[0].name])


def replies(attack: Attack, **how: bool) -> tuple[dict[str, Any], Scripted]:
    """What the session makes of all cases."""
    found: dict[str, Any] = {}
    worker = Scripted(attack, **how)
    responses = Session(SUITE, worker, script(RIGHT)).run(found.__setitem__)  # type: ignore[arg-type]
    return found or {"loading": responses.loaded}, worker


def header(length: int, magic: bytes = wire.MAGIC, version: int = wire.VERSION) -> bytes:
    return wire.HEADER.pack(magic, version, length)


def changed(frame: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """A frame after a change to its document."""
    document = msgspec.msgpack.decode(frame[wire.HEADER.size :])
    change(document)
    return wire.frame(msgspec.msgpack.encode(document))


def each(change: Callable[[dict[str, Any]], object]) -> Attack:
    return lambda frames: b"".join(changed(frame, change) for frame in frames)


def array(**fields: object) -> Attack:
    """The first step of every answer holds an array with such fields."""
    value = {"is": "tensor", "array": {"dtype": "float64", "shape": [], "data": b"\0" * 8} | fields}
    return each(lambda document: document.get("results", [{}])[0].update(value=value))


BOMB = b"\x83\xa2is\xa8sequence\xa4type\xa1t\xa5items\x91"
NEVER: dict[str, Attack] = {  # no case gets an answer
    "nothing": lambda frames: b"",
    "half-a-header": lambda frames: frames[0][:7],
    "header-only": lambda frames: frames[0][: wire.HEADER.size],
    "all-but-a-byte": lambda frames: frames[0][:-1],
    "a-byte-before": lambda frames: b"\0" + b"".join(frames),
    "length-0": lambda frames: header(0) * 9,
    "length-2-to-31": lambda frames: header(2**31) + frames[0],
    "length-minus-1": lambda frames: header(2**64 - 1) + frames[0],
    "length-over-the-limit": lambda frames: header(LIMITS.answer_bytes + 1) + frames[0],
    "length-too-long-by-1": lambda frames: (
        header(len(frames[0]) - wire.HEADER.size + 1) + frames[0][wire.HEADER.size :]
    ),
    "length-too-short-by-1": lambda frames: (
        header(len(frames[0]) - wire.HEADER.size - 1) + frames[0][wire.HEADER.size :]
    ),
    "another-version": lambda frames: header(5, version=2) + b"\0" * 9,
    "another-protocol": lambda frames: b"HTTP/1.1 200 OK\r\n\r\n" * 9,
    "depth-bomb": lambda frames: wire.frame(
        b"\x82\xa5nonce\xa1n\xa7results\x91\x82\xa4into\xa1o\xa5value" + BOMB * 1500
    ),
    "lists-in-lists": lambda frames: wire.frame(b"\x91" * 50_000),
    "length-of-a-list": lambda frames: wire.frame(b"\x82\xa5nonce\xa1n\xa7results\xdd\xff\xff\xff\xff"),
    "the-question-back": lambda frames: wire.frame(b"\x82\xa2is\xa3ask\xa5nonce\xa1n"),
    "another-nonce": each(lambda document: document.update(nonce="0" * 32)),
    "no-nonce": each(lambda document: document.pop("nonce")),
    "endless-nonce": each(lambda document: document.update(nonce="0" * 5000)),
    "a-verdict-too": each(lambda document: document.update(score=100)),
    "frames-before": lambda frames: wire.encode(protocol.Answer("", ())) + b"".join(frames),
}
STEPS: dict[str, Attack] = {  # of answers, which loading has not
    "no-steps": each(lambda document: document.update(results=[])),
    "a-step-too-much": each(lambda document: document["results"].append({"into": "more"})),
    "a-step-twice": each(lambda document: document["results"].append(document["results"][0])),
    "another-step": each(lambda document: document["results"][0].update(into="other")),
    "a-negative-count": each(lambda document: document["results"][0].update(count="-1")),
    "loaded-again": lambda frames: wire.encode(protocol.Loaded("n")),
}


@pytest.mark.parametrize("name", [*NEVER, *STEPS])
def test_what_is_no_answer_counts_for_no_case(name: str) -> None:
    found, worker = replies((NEVER | STEPS)[name])
    assert found.keys() == SUITE.prepared.keys()
    assert {type(reply) for reply in found.values()} == {NoAnswer}
    assert {reply.symptom for reply in found.values()} <= {"malformed", "crashed", "skipped"}
    assert worker.launched < 10


@pytest.mark.parametrize("name", NEVER)
def test_what_is_no_answer_to_loading_is_said(name: str) -> None:
    found, _ = replies(NEVER[name], loading=True)
    assert isinstance(found["loading"], NoAnswer)
    assert found["loading"].symptom in ("malformed", "crashed")


MIXED: dict[str, Attack] = {  # some frames are right, in another order or number than they were asked for
    "reversed": lambda frames: b"".join(reversed(frames)),
    "each-twice": lambda frames: b"".join(frame * 2 for frame in frames),
    "first-only": lambda frames: frames[0] * len(frames),
    "last-only": lambda frames: frames[-1] * len(frames),
    "one-after-the-end": lambda frames: b"".join(frames) + frames[0],
    "garbage-after-the-end": lambda frames: b"".join(frames) + b"\0" * 100,
    "header-after-the-end": lambda frames: b"".join(frames) + header(2**64 - 1),
    "frames-of-others-first": lambda frames: b"".join(frames[1:] + frames[:1]),
}


@pytest.mark.parametrize("name", MIXED)
def test_no_case_gets_the_answer_of_another(name: str) -> None:
    found, worker = replies(MIXED[name])
    assert found.keys() == SUITE.prepared.keys()
    for case, reply in found.items():
        if isinstance(reply, protocol.Answer):
            assert reply.results == SUITE.prepared[case].expected_results
        else:
            assert reply.symptom in ("malformed", "crashed")
    assert worker.launched < 10


ODD: dict[str, Attack] = {
    "negative-axis": array(shape=[-1]),
    "negative-axes": array(shape=[-1, -1]),
    "endless-axis": array(shape=[2**63 - 1]),
    "empty-and-endless": array(shape=[0, 2**62], data=b""),
    "more-than-the-bytes": array(shape=[2]),
    "many-axes": array(shape=[1] * 17),
    "not-a-number": array(data=b"\xff" * 8),
}


@pytest.mark.parametrize("name", ODD)
def test_an_array_of_odd_size_is_refused_when_it_is_read(name: str) -> None:
    found, _ = replies(ODD[name])
    for reply in found.values():
        assert isinstance(reply, NoAnswer | protocol.Answer)
        if isinstance(reply, protocol.Answer) and name != "not-a-number":
            with pytest.raises(wire.WireError):
                wire.to_numpy(reply.results[0].value.array)  # type: ignore[union-attr]


class Trickling:
    """A worker that sends a byte each time somebody is about to give up. It sleeps in between."""

    def __init__(self, every: float, cpu: float) -> None:
        self.every, self.cpu, self.now, self.sent = every, cpu, 0.0, 0

    def cpu_now(self) -> float:
        return self.sent * self.cpu

    def waiting(self) -> clock.Waiting:
        return clock.Waiting(0.0, "S")


@pytest.mark.parametrize(("every", "cpu"), [(0.05, 0.0), (0.5, 0.0), (0.05, 0.001), (1.0, 0.01)])
def test_bytes_that_trickle_do_not_hold_the_grader(every: float, cpu: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever comes between, a submission sleeps for 30 s in all, and no more."""
    worker = Trickling(every, cpu)
    monkeypatch.setattr(patience.time, "monotonic", lambda: worker.now)
    allowance = patience.Allowance(60.0)
    waited = patience.Patience(worker, 6.0, allowance)
    while waited.remaining():
        worker.now += min(every, patience.LOOK_SECONDS)
        worker.sent += 1
        assert worker.now < 70
    assert waited.over
