"""The CPU clock of a worker, read from outside."""

from __future__ import annotations

import os
import socket
import sys
import time
import types
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autograder import protocol
from autograder.grading.responses import Reply
from autograder.grading.session import Session
from autograder.sandbox import clock
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.launch import SingleWorker
from tests.small_suite_helpers import X, call, program, script, suite

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

WORKS = """
def work(x, times):
    for _ in range(times):
        x = x + 1
    return x
"""


def asking(times: int) -> protocol.Program:
    """So many additions."""
    return program(call("work", "x", times), x=X)


def costs(session: Session, *programs: protocol.Program) -> list[float]:
    """What answering them costs."""
    return [session.ask_with_cost(one, msgspec.msgpack.encode(one))[1] for one in programs]


@linux
def test_the_kernel_says_which_process_the_worker_is(server: ForkServer) -> None:
    worker = server.launch()
    status = Path(f"/proc/{worker.visible_pid}/status").read_text()
    numbers = next(line.split()[1:] for line in status.splitlines() if line.startswith("NSpid:"))
    worker.end()
    assert int(numbers[0]) == worker.visible_pid
    assert int(numbers[-1]) == worker.pid  # the same process, as its server numbers it


@linux
def test_cpu_seconds_grow_with_the_work(server: ForkServer) -> None:
    session = Session(suite(), server, script(WORKS))
    session.begin()
    little, much = costs(session, asking(1), asking(20_000))
    session.end()
    assert 0 <= little < much / 5


@linux
def test_our_own_clock_is_read_too() -> None:
    before = time.process_time()
    told = clock.cpu_seconds(os.getpid())
    assert before <= told <= time.process_time()


@linux
def test_a_process_that_is_gone_has_no_clock(server: ForkServer) -> None:
    worker = server.launch()
    worker.end()
    with pytest.raises(OSError, match="Invalid argument"):
        worker.cpu_seconds()


def test_there_is_no_clock_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match="Linux only"):
        clock.cpu_seconds(0)  # what is not known is not another's, nor ours
    with pytest.raises(OSError, match="can't be read"):
        SingleWorker.cpu_seconds(object.__new__(SingleWorker))
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(OSError, match="Linux only"):
        clock.cpu_seconds(os.getpid())


def test_elsewhere_nobody_says_who_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        clock.ask_for_sender(ours)
        theirs.sendall(b"ready")
        assert clock.sender(ours, 5, time.monotonic() + 10) == 0


# ---------------------------------------------------------------- what a question is charged with


def scripted(*readings: float) -> Session:
    """A dialogue whose worker answers at once, and whose clock shows these in turn."""
    times = iter(readings)

    def read() -> float:
        try:
            return next(times)
        except StopIteration:
            raise OSError("no clock") from None

    launcher = types.SimpleNamespace(limits=types.SimpleNamespace(submission_seconds=60.0))
    session = Session(suite(), launcher, script(""))  # type: ignore[arg-type]
    session.worker = types.SimpleNamespace(cpu_seconds=read, end=lambda: "")  # type: ignore[assignment]
    session.reply = lambda *_: Reply(protocol.Answer("n", ()))  # type: ignore[method-assign]
    return session


def test_a_question_is_charged_with_all_since_the_answer_before() -> None:
    """So that nobody works between questions for nothing, nor is gone before the clock shows it."""
    assert costs(scripted(1.0, 3.0, 7.0), asking(1), asking(1)) == [2.0, 4.0]


def test_a_clock_that_is_not_told_is_our_trouble() -> None:
    with pytest.raises(SandboxError, match="no clock"):
        costs(scripted(1.0), asking(1))


def test_a_worker_that_is_gone_costs_nothing_and_answers_nothing() -> None:
    session = scripted()
    session.end()
    answer, cost = session.ask_with_cost(asking(1), b"")
    assert (getattr(answer, "symptom", ""), cost) == ("crashed", 0.0)


# ---------------------------------------------------------------- waiting for a processor


SLEEPS = "import time\n" + WORKS.replace("    return x\n", "    time.sleep(times / 1000)\n    return x\n")


def answer(server: ForkServer, text: str, times: int, monkeypatch: pytest.MonkeyPatch, **limits: float) -> Any:
    """What a session with these limits gets from ``work``."""
    monkeypatch.setattr(server, "limits", msgspec.structs.replace(server.limits, **limits))
    session = Session(suite(), server, script(text))
    session.begin()
    found = session.ask(asking(times))
    session.end()
    return found


@linux
def test_a_limit_is_in_cpu_seconds(server: ForkServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an honest submission can do about a busy machine: nothing. Here its clock hardly moves."""
    monkeypatch.setattr(clock, "_cpu_clock", lambda pid: 0.0)
    monkeypatch.setattr(clock, "waiting", lambda pid: clock.Waiting(time.monotonic(), "R"))
    found = answer(server, WORKS, 200_000, monkeypatch, case_seconds=0.05)
    assert isinstance(found, protocol.Answer)


@linux
def test_who_computes_for_longer_is_late(server: ForkServer, monkeypatch: pytest.MonkeyPatch) -> None:
    found = answer(server, WORKS, 10**9, monkeypatch, case_seconds=0.2)
    assert (found.symptom, found.facts["seconds"]) == ("timed-out", 0.2)


@linux
def test_who_sleeps_is_stalled(server: ForkServer, monkeypatch: pytest.MonkeyPatch) -> None:
    found = answer(server, SLEEPS, 600, monkeypatch, case_seconds=0.3)
    assert (found.symptom, found.facts["seconds"]) == ("did-nothing", 0.3)


@linux
def test_the_kernel_tells_how_a_process_waits() -> None:
    kernel = int(Path("/proc/self/schedstat").read_text().split()[1]) / 1e9
    told = clock.waiting(os.getpid())
    assert told
    assert told.seconds >= kernel > 0
    assert told.state == "R"  # it asks
    assert clock.cpu_now(os.getpid()) == pytest.approx(time.process_time(), abs=1)
    assert clock.waiting(0) is clock.cpu_now(0) is clock.cpu_now(1 << 25) is None
