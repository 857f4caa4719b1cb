"""Forged answers gain no points, and failures of the grader cost none."""

from __future__ import annotations

import os
import signal
from typing import Any

import msgspec
import numpy as np
import pytest

from autograder import model, protocol
from autograder.grading import session
from autograder.grading.runner import Runner
from autograder.protocol import wire
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.launch import SERVER_DIED
from tests.small_suite_grading import graded, halving, limited, linux, statuses
from tests.small_suite_helpers import LIMITS, RIGHT, script, suite, tensor

# ---------------------------------------------------------------- forged frames


# Finds the worker's own descriptor and the nonce of the question in the frames below.
FORGE = """
import sys, os
wire, model = sys.modules['autograder.protocol.wire'], sys.modules['autograder.protocol']
def question():
    frame = sys._getframe()
    while not {'stream', 'request'} <= frame.f_locals.keys():
        frame = frame.f_back
    return frame.f_locals['stream'], frame.f_locals['request']
def send(message):
    question()[0].write(wire.encode(message))
"""
LOADED_EARLY = FORGE + "send(model.Loaded('guessed'))\n"
LOADED_TWICE = FORGE + "send(model.Loaded(question()[1].nonce))\n"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (LOADED_EARLY, "import-error"),
        (FORGE + "send(model.Answer(question()[1].nonce, ()))", "import-error"),
        (FORGE + "question()[0].write(b'{\"score\": 100}' * 10)", "import-error"),
        (LOADED_TWICE, "graded"),
    ],
)
def test_frames_before_a_question_are_never_points(server: ForkServer, text: str, status: str) -> None:
    grade = graded(server, RIGHT + text)
    assert (grade.status, grade.score) == (status, 0)


@pytest.mark.parametrize(
    "forgery",
    [
        "send(model.Answer('guessed', ()))",
        "send(model.Answer(question()[1].nonce, ()))",
        "send(model.Answer(question()[1].nonce, (model.StepResult('out'),)))",
        "send(model.Answer(question()[1].nonce, (model.StepResult('other'),)))",
        "send(model.Answer(question()[1].nonce, (model.StepResult('out'), model.StepResult('out'))))",
        "send(model.Loaded(question()[1].nonce))",
        "send({'nonce': question()[1].nonce, 'results': [], 'score': 100})",
        "question()[0].write(b'x' * 500_000)",
        "question()[0].write(b'ATTN')",
    ],
)
def test_extra_frames_are_never_points(server: ForkServer, forgery: str) -> None:
    """The frame after the forged one belongs to no question either. Then there is a new worker."""
    grade = graded(server, FORGE + halving(f"{forgery}\nreturn x / 2"))
    assert grade.status == "graded"
    assert statuses(grade)[0] == "passed"
    assert statuses(grade)[1] in ("error", "failed")
    assert grade.score is not None
    assert grade.score <= 20


def test_an_answer_to_another_question_is_an_error(server: ForkServer) -> None:
    grade = graded(server, FORGE + halving("send(model.Answer('guessed', (model.StepResult('out'),)))\nreturn x / 2"))
    assert statuses(grade) == ["passed", "error", "passed"]
    assert "the answer does not belong to the question" in grade.checks[1].message


def test_two_answering_processes_gain_nothing(server: ForkServer) -> None:
    grade = graded(server, halving("import os; os.fork(); return x / 2"))
    assert grade.status == "graded"
    assert grade.checks[0].status == "passed"
    assert grade.score is not None
    assert grade.score <= 30


def test_a_worker_that_does_not_read_times_out(server: ForkServer) -> None:
    """The next question is larger than the socket's buffer and must not block the grader."""
    text = FORGE + halving(
        "stream, request = question()\n"
        "send(model.Answer(request.nonce, (model.StepResult('out'),)))\n"
        "import time\n"
        "while True: time.sleep(100)"
    )
    questions = suite()
    large = np.zeros((1000, 1000))
    step = questions.prepared["negate"].program.steps
    questions.prepared["negate"] = model.Prepared(
        "negate",
        protocol.Program("float64", {"x": wire.to_array(large)}, step),
        (protocol.StepResult("out", tensor(-large)),),
    )
    questions.encoded["negate"] = msgspec.msgpack.encode(questions.prepared["negate"].program)
    with limited(server, answer_bytes=16 << 20) as wide:
        grade = Runner(questions, wide).grade(script(text))
    assert statuses(grade) == ["passed", "failed", "timeout"]


# ---------------------------------------------------------------- our own faults


class Broken:
    """A launcher that fails from some launch on."""

    def __init__(self, server: Any = None, launches: int = 0) -> None:
        self.server, self.launches, self.limits = server, launches, LIMITS

    def launch(self) -> Any:
        self.launches -= 1
        if self.launches < 0:
            raise SandboxError("no processes left")
        return self.server.launch()

    def close(self) -> None:
        pass


def test_a_launcher_that_fails_is_our_fault(server: ForkServer) -> None:
    for launcher, text in ((Broken(), RIGHT), (Broken(server, 1), halving("import os; os._exit(1)"))):
        grade = graded(launcher, text)
        assert (grade.status, grade.score, grade.max_score) == ("infrastructure-error", None, 30)
        assert statuses(grade) == ["skipped"] * 3
        assert "Our fault" in grade.message
        assert "no processes left" in grade.message


@linux
@pytest.mark.thorough
def test_a_submission_that_kills_the_server_costs_only_its_own_points(porous: ForkServer) -> None:
    grade = graded(porous, halving("import os, time; os.kill(os.getppid(), 9); time.sleep(100)"))
    assert (grade.status, grade.score, statuses(grade)) == ("graded", 20, ["passed", "error", "passed"])
    assert SERVER_DIED in grade.checks[1].message
    grade = graded(porous, "import os, time; os.kill(os.getppid(), 9); time.sleep(100)")
    assert (grade.status, grade.score) == ("import-error", 0)
    assert graded(porous, RIGHT).score == 30


class Hurt:
    """Kills the server, or a worker, when the given exchange begins."""

    def __init__(self, server: ForkServer, moment: int, victim: str) -> None:
        self.server, self.left, self.victim = server, moment, victim
        self.limits = server.limits

    def launch(self) -> Any:
        worker = self.server.launch()
        write = worker.stream.write

        def hurt(data: bytes, deadline: float | None = None) -> None:
            self.left -= 1
            if self.left == 0 and self.victim == "worker":
                os.kill(worker.visible_pid, signal.SIGKILL)
            elif self.left == 0:
                assert self.server._process
                self.server._process.send_signal(signal.SIGKILL)
                self.server._process.wait()
            write(data, deadline)

        worker.stream.write = hurt  # type: ignore[method-assign]
        return worker

    def close(self) -> None:
        pass


@linux
@pytest.mark.parametrize("victim", ["server", "worker"])
@pytest.mark.parametrize("moment", [1, 2, 3])
def test_a_server_or_worker_killed_from_outside_costs_nothing(server: ForkServer, moment: int, victim: str) -> None:
    grade = graded(Hurt(server, moment, victim), RIGHT)
    assert (grade.status, grade.score) == ("graded", 30), grade


@linux
@pytest.mark.parametrize("moment", [1, 2, 3, 4])
def test_a_rerun_for_the_diagnosis_survives_a_killed_worker(server: ForkServer, moment: int) -> None:
    """A new worker gives all answers again: a second answer shows a cause only beside the first."""
    counting = RIGHT.replace("    return x / 2\n", "    kept.append(x)\n    return x * len(kept)\n") + "kept = []\n"
    question = next(one.program for one in suite().prepared.values() if one.program.calls[0].name == "halve")

    def answers(launcher: Any) -> list[Any]:
        found = session.Session(suite(), launcher, script(counting)).rerun(question)
        return [one.results if isinstance(one, protocol.Answer) else one for one in found]

    expected = answers(server)
    assert expected[0] != expected[1]
    assert answers(Hurt(server, moment, "worker")) == expected


def test_one_submission_does_not_change_the_next(server: ForkServer) -> None:
    hostile = "import torch, sys\ntorch.Tensor.__truediv__ = lambda a, b: a\n"
    hostile += "sys.modules['autograder.protocol.wire'].MAGIC = b'XXXX'\n"
    graded(server, hostile + RIGHT)
    assert graded(server, RIGHT).score == 30


def test_no_process_is_left_of_a_submission(porous: ForkServer) -> None:
    """Its worker is ended and reaped in every case."""
    pids: list[int] = []

    class Noted:
        limits = porous.limits

        def launch(self) -> Any:
            worker = porous.launch()
            pids.append(worker.pid)
            return worker

        def close(self) -> None:
            pass

    for text in (RIGHT, "1 / 0", halving("import os; os._exit(1)"), halving("return [x] * 10 ** 6")):
        graded(Noted(), text)
    assert len(pids) > 4
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_an_answer_over_the_limit_is_an_error(server: ForkServer) -> None:
    with limited(server, answer_bytes=100) as small:
        grade = graded(small, RIGHT)
    assert (grade.status, statuses(grade)) == ("graded", ["error"] * 3)
    assert "over the limit of 100" in grade.checks[0].message


def test_all_answers_together_have_a_limit_too(server: ForkServer) -> None:
    with limited(server, submission_bytes=400) as small:
        grade = graded(small, RIGHT)
    assert grade.status == "graded"
    assert (statuses(grade)[0], statuses(grade)[-1]) == ("passed", "error")
