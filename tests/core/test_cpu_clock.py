"""The CPU clock of a worker, read from outside."""

from __future__ import annotations

import os
import socket
import sys
import time
import types
from pathlib import Path

import msgspec
import pytest

from autograder import model
from autograder.dialogue import Dialogue
from autograder.sandbox import clock
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.launch import SingleWorker
from autograder.sandbox.standing import SandboxError
from tests.core.tools import X, call, exam, program, script

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

WORKS = """
def work(x, times):
    for _ in range(times):
        x = x + 1
    return x
"""


def asking(times: int) -> model.Program:
    """So many additions."""
    return program(call("work", "x", times), x=X)


def costs(dialogue: Dialogue, *programs: model.Program) -> list[float]:
    """What answering them costs."""
    return [dialogue.costing(one, msgspec.msgpack.encode(one))[1] for one in programs]


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
    dialogue = Dialogue(exam(), server, script(WORKS))
    dialogue.begin()
    little, much = costs(dialogue, asking(1), asking(20_000))
    dialogue.end()
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


def scripted(*readings: float) -> Dialogue:
    """A dialogue whose worker answers at once, and whose clock shows these in turn."""
    times = iter(readings)

    def read() -> float:
        try:
            return next(times)
        except StopIteration:
            raise OSError("no clock") from None

    launcher = types.SimpleNamespace(limits=types.SimpleNamespace(submission_seconds=60.0))
    dialogue = Dialogue(exam(), launcher, script(""))  # type: ignore[arg-type]
    dialogue.worker = types.SimpleNamespace(cpu_seconds=read, end=lambda: "")  # type: ignore[assignment]
    dialogue._reply = lambda *_: model.Answer("n", ())  # type: ignore[method-assign]
    return dialogue


def test_a_question_is_charged_with_all_since_the_answer_before() -> None:
    """So that nobody works between questions for nothing, nor is gone before the clock shows it."""
    assert costs(scripted(1.0, 3.0, 7.0), asking(1), asking(1)) == [2.0, 4.0]


def test_a_clock_that_is_not_told_is_our_trouble() -> None:
    with pytest.raises(SandboxError, match="no clock"):
        costs(scripted(1.0), asking(1))


def test_a_worker_that_is_gone_costs_nothing_and_answers_nothing() -> None:
    dialogue = scripted()
    dialogue.end()
    answer, cost = dialogue.costing(asking(1), b"")
    assert (getattr(answer, "symptom", ""), cost) == ("crashed", 0.0)


# ---------------------------------------------------------------- waiting for a processor


@linux
def test_who_had_no_processor_is_not_late(server: ForkServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an honest submission can do about a busy machine: nothing."""
    monkeypatch.setattr(server, "limits", msgspec.structs.replace(server.limits, case_seconds=0.0))
    waited = []
    monkeypatch.setattr(clock, "waited_seconds", lambda pid: waited.append(pid) or 30.0)
    dialogue = Dialogue(exam(), server, script(WORKS))
    before = dialogue.deadline
    dialogue.begin()
    worker = dialogue.worker
    answer = dialogue.ask(asking(10_000))
    dialogue.end()
    assert isinstance(answer, model.Answer)
    assert dialogue.deadline >= before + 30
    assert set(waited) == {getattr(worker, "visible_pid", 0)}


@linux
def test_who_is_late_while_others_rest_is_late(server: ForkServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "limits", msgspec.structs.replace(server.limits, case_seconds=0.0))
    monkeypatch.setattr(clock, "waited_seconds", lambda pid: 0.0)
    dialogue = Dialogue(exam(), server, script(WORKS))
    dialogue.begin()
    answer = dialogue.ask(asking(10_000))
    dialogue.end()
    assert getattr(answer, "symptom", "") == "timed-out"


@linux
def test_the_kernel_tells_how_long_a_process_has_waited() -> None:
    kernel = int(Path("/proc/self/schedstat").read_text().split()[1]) / 1e9
    assert clock.waited_seconds(os.getpid()) >= kernel > 0
    assert clock.waited_seconds(0) == 0.0
