"""The one loop: what a submission does costs it the points of what it did it in, and nobody anything else."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

from autograder import diagnose, dialogue, model, transcript, wire
from autograder.runner import Runner
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.launch import SERVER_DIED
from autograder.sandbox.standing import SandboxError
from tests.core.tools import LIMITS, RIGHT, exam, notebook, script, tensor

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

ENDLESS = "while True: pass"


def graded(server: Any, work: model.Submission | str) -> model.Grade:
    """The grade of a submission in the small exam."""
    return Runner(exam(), server).grade(script(work) if isinstance(work, str) else work)


def statuses(grade: model.Grade) -> list[str]:
    """The checks' statuses: of double, halve and negate."""
    return [check.status for check in grade.checks]


def halving(body: str) -> str:
    """A right submission but for ``halve``."""
    return RIGHT.replace("    return x / 2\n", "".join(f"    {line}\n" for line in body.splitlines()))


@contextlib.contextmanager
def limited(server: ForkServer, **changes: Any) -> Iterator[ForkServer]:
    """The server with other limits on the grader's side."""
    before = server.limits
    server.limits = msgspec.structs.replace(before, **changes)
    yield server
    server.limits = before


# ---------------------------------------------------------------- what is usual


def test_a_right_submission_gets_everything(server: ForkServer) -> None:
    grade = graded(server, RIGHT)
    assert (grade.status, grade.score, grade.max_score) == ("graded", 30, 30)
    assert statuses(grade) == ["passed"] * 3
    assert (grade.student, grade.assignment, grade.message) == ("ana", "small", "")


def test_a_notebook_does_so_too(server: ForkServer) -> None:
    grade = graded(server, notebook("x = undefined", *RIGHT.split("\n\n")))
    assert (grade.status, grade.score) == ("graded", 30)
    assert "1 statement(s) of the notebook failed" in grade.message
    assert "undefined" in grade.message


def test_an_empty_file_is_graded_with_nothing(server: ForkServer) -> None:
    grade = graded(server, "")
    assert (grade.status, grade.score, statuses(grade)) == ("graded", 0, ["error"] * 3)
    assert grade.checks[0].message.startswith("double is not defined.")


def test_a_wrong_value_costs_its_check(server: ForkServer) -> None:
    grade = graded(server, halving("return x / 3"))
    assert statuses(grade) == ["passed", "failed", "passed"]
    assert grade.score == 20
    assert "Called: halve(x (2, 3))" in grade.checks[1].message


def test_a_cause_that_cannot_be_told_costs_no_grade(
    server: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> dict[str, str | None]:
        raise KeyError("secret")

    monkeypatch.setattr(diagnose, "causes", broken)
    runner = Runner(exam(), server)
    grade = runner.grade(script(halving("return x / 3")))
    assert (grade.status, grade.score, statuses(grade)) == ("graded", 20, ["passed", "failed", "passed"])
    assert grade.checks[1].diagnosis is None
    assert "could not be told: KeyError" in grade.message
    assert "secret" not in grade.message
    monkeypatch.undo()
    assert runner.grade(script(halving("return x / 3"))).message == ""


def test_what_is_asked_again_is_asked_in_a_new_process(server: ForkServer) -> None:
    """What a first call leaves behind is not there."""
    grade = graded(
        server, "calls = []\n" + RIGHT.replace("return -x", "calls.append(1); return -x * len(calls)")
    )
    assert grade.score == 30
    again = "calls = []\n" + RIGHT.replace("    return", "    calls.append(1)\n    return len(calls) *")
    grade = graded(server, again)
    assert statuses(grade) == ["passed", "failed", "failed"]
    assert [check.diagnosis for check in grade.checks] == [None, "stateful", "stateful"]


@pytest.mark.parametrize("status", ["missing", "unreadable"])
def test_where_nothing_was_handed_in_nothing_is_run(status: Any) -> None:
    grade = graded(None, model.Submission("ana", status, note="found hw1.py"))
    assert (grade.status, grade.score, grade.max_score) == (status, 0, 30)
    assert statuses(grade) == ["skipped"] * 3
    assert grade.message == "found hw1.py"


def test_names_that_utf8_has_not_are_no_trouble(server: ForkServer) -> None:
    assert graded(server, script(RIGHT, "sm\udce4ll.py")).score == 30
    assert graded(server, script("1 / 0", "sm\udce4ll.py")).status == "import-error"


# ---------------------------------------------------------------- what costs one check


@pytest.mark.parametrize(
    "body",
    [
        "import os; os._exit(0)",
        "import ctypes; ctypes.string_at(0)",
        "import os; os.kill(os.getpid(), 9)",
        "import sys; sys.exit()",
        "raise KeyboardInterrupt",
        "raise type('Bad', (BaseException,), {'__str__': lambda s: 1 / 0})",
        "return halve(x)",
        "return None",
        "return [x] * 10 ** 7",
        "return x.bfloat16()",
        "return x.to_sparse()",
        "return x.to('meta')",
        "return x / 2 + 1j",
        "return x.fill_(float('nan'))",
        "return (x / 2).numpy()",
        "return type('T', (), {'__class__': type(x)})()",
        "import torch; return torch.zeros(1).expand(10 ** 12)",
        "import torch; return torch.zeros(2 * 10 ** 5, dtype=torch.float64)",
        "import os\nfor n in range(3, 64):\n    try: os.close(n)\n    except OSError: pass\nreturn x / 2",
        "import sys\nsys.modules['autograder.wire'].frame = lambda m: b'ATTN\\0\\1' + b'\\xff' * 8\nreturn x",
    ],
)
def test_a_check_that_goes_wrong_costs_only_itself(server: ForkServer, body: str) -> None:
    grade = graded(server, halving(body))
    assert grade.status == "graded"
    assert grade.score == 20
    assert statuses(grade)[0] == statuses(grade)[2] == "passed"
    assert statuses(grade)[1] in ("failed", "error")
    assert grade.checks[1].message


def test_an_endless_loop_is_a_timeout_and_the_others_keep_their_points(server: ForkServer) -> None:
    grade = graded(server, halving(ENDLESS))
    assert statuses(grade) == ["passed", "timeout", "passed"]
    assert (grade.status, grade.score, grade.checks[1].diagnosis) == ("graded", 20, "too-slow")
    assert "did not finish in 1.5 s" in grade.checks[1].message


@pytest.mark.parametrize(
    "body", [ENDLESS, "import time; time.sleep(100)", "import os, signal; os.kill(os.getpid(), 19)"]
)
def test_after_some_timeouts_a_function_is_given_up(porous: ForkServer, body: str) -> None:
    """Its cases come last, so that other functions have their turn."""
    questions = exam()
    slow = next(check for check in questions.spec.checks if check.id == "halve")
    first, *rest = [f"halve-{n}" for n in range(6)]
    for name in (first, *rest):
        questions.prepared[name] = msgspec.structs.replace(questions.prepared["halve"], id=name)
        questions.encoded[name] = questions.encoded["halve"]
    checks = [
        msgspec.structs.replace(slow, id=name, cases=(model.Case(name, slow.cases[0].build),))
        for name in (first, *rest)
    ]
    order = [*rest, "double", "negate", "halve", first]
    questions.prepared = {name: questions.prepared[name] for name in order}
    questions.spec = msgspec.structs.replace(questions.spec, checks=(*questions.spec.checks, *checks))
    with limited(porous, case_seconds=0.3) as quick:
        grade = Runner(questions, quick).grade(script(halving(body)))
    by_id = {check.id: check for check in grade.checks}
    assert (grade.status, grade.score) == ("graded", 20)
    given_up = [name for name, check in by_id.items() if check.message.startswith("Not tried")]
    assert len(given_up) == 7 - dialogue.TIMEOUTS_TRIED
    assert {by_id[name].status for name in given_up} == {"timeout"}


@pytest.mark.parametrize(
    "flood",
    [
        "for _ in range(100): print('x' * 10 ** 6)",
        "import os\nfor _ in range(100): os.write(1, b'x' * 10 ** 6)",
        "import sys\nsys.stdout.write('x' * 10 ** 8)",
    ],
)
def test_printing_costs_nothing(server: ForkServer, flood: str) -> None:
    assert graded(server, halving(f"{flood}\nreturn x / 2")).score == 30
    assert graded(server, f"{flood}\n{RIGHT}").score == 30


def test_what_was_printed_is_kept_up_to_a_limit(server: ForkServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "PRINTED_KEPT", 15)
    one = Runner(exam(), server)
    one.grade(script(f"print('hello')\n{halving('print(chr(120) * 20)' + chr(10) + 'return x / 2')}"))
    assert one.printed == "hello\n" + "x" * 9


@pytest.mark.parametrize(
    "replaced",
    [
        "['autograder.wire'].encode = None",
        "['autograder.wire'].encode = lambda m: b'x' * 10 ** 6",
        "['autograder.model'].Seen = dict",
        "['autograder.worker.observe'].value = lambda r: 'passed'",
        "['autograder.worker.steps'].Conversation.run = lambda self: ()",
    ],
)
def test_who_replaces_our_own_code_gains_and_loses_nothing(server: ForkServer, replaced: str) -> None:
    line = f"import sys; sys.modules{replaced}"
    assert graded(server, f"{RIGHT}\n{line}").score == 30
    grade = graded(server, halving(f"{line}\nreturn x / 3"))
    assert (grade.score, statuses(grade)) == (20, ["passed", "failed", "passed"])


# ---------------------------------------------------------------- what costs everything


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def f(:", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError: division by zero (line 1: 1 / 0)"),
        ("import sys\nsys.exit(0)", "SystemExit: 0"),
        ("import os\nos._exit(0)", "exit code 0"),
        ("import ctypes\nctypes.string_at(0)", "SIGSEGV"),
        ("import os\nos.closerange(3, 64)", "could not be run"),
        ("raise SyntaxError('x', ('small.py', 'no', 1, 5))", "SyntaxError: x"),
    ],
)
def test_a_file_that_does_not_run_is_an_import_error(server: ForkServer, text: str, why: str) -> None:
    grade = graded(server, f"{RIGHT}\n{text}")
    assert (grade.status, grade.score, grade.max_score) == ("import-error", 0, 30)
    assert statuses(grade) == ["error"] * 3
    assert why.split(" (line")[0] in grade.message


def test_a_file_that_never_ends_is_an_import_error(server: ForkServer) -> None:
    with limited(server, load_seconds=0.3) as quick:
        grade = graded(quick, RIGHT + ENDLESS)
    assert (grade.status, grade.score) == ("import-error", 0)
    assert "did not finish in 0.3 s" in grade.message


def test_the_whole_limit_makes_it_partial(server: ForkServer) -> None:
    with limited(server, submission_seconds=2.0, case_seconds=9.0) as quick:
        grade = graded(quick, RIGHT.replace("return -x", ENDLESS).replace("return x / 2", ENDLESS))
    assert (grade.status, grade.score) == ("partial", 10)
    assert statuses(grade) == ["passed", "timeout", "timeout"]


def test_time_that_runs_out_while_loading_again_makes_it_partial(porous: ForkServer) -> None:
    """The last check is not reached because its new worker had no time to load. (The worker that dies first was asked
    all cases together, and the next one each by itself.)"""
    once = "import os\nif os.path.isdir('second'):\n    while True: pass\n"
    leave = "import os; os.mkdir('second' if os.path.isdir('first') else 'first'); os._exit(1)"
    try:
        with limited(porous, submission_seconds=2.0) as quick:
            grade = graded(quick, once + RIGHT.replace("return x / 2", leave))
    finally:
        graded(porous, "import os\nos.rmdir('first')\nos.rmdir('second')")
    assert (grade.status, grade.score) == ("partial", 10)
    assert statuses(grade) == ["passed", "error", "timeout"]


def test_a_file_that_runs_only_once_is_an_error_afterwards(porous: ForkServer) -> None:
    once = "import os\nif os.path.isdir('marker'):\n    raise ValueError\n"
    leave = "import os; os.mkdir('marker'); os._exit(1)"
    try:
        grade = graded(porous, RIGHT.replace("return 2 * x", leave) + once)
    finally:
        graded(porous, "import os\nos.rmdir('marker')")
    assert (grade.status, statuses(grade)) == ("graded", ["error"] * 3)
    assert grade.score == 0


# ---------------------------------------------------------------- forged frames


# Finds the worker's own descriptor and the nonce of the question in the frames below.
FORGE = """
import sys, os
wire, model = sys.modules['autograder.wire'], sys.modules['autograder.model']
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
        "send(model.Answer(question()[1].nonce, (model.Seen('out'),)))",
        "send(model.Answer(question()[1].nonce, (model.Seen('other'),)))",
        "send(model.Answer(question()[1].nonce, (model.Seen('out'), model.Seen('out'))))",
        "send(model.Loaded(question()[1].nonce))",
        "send({'nonce': question()[1].nonce, 'seen': [], 'score': 100})",
        "question()[0].write(b'x' * 500_000)",
        "question()[0].write(b'ATTN')",
    ],
)
def test_extra_frames_are_never_points(server: ForkServer, forgery: str) -> None:
    """What follows the forged frame belongs to no question, either; then there is a new worker."""
    grade = graded(server, FORGE + halving(f"{forgery}\nreturn x / 2"))
    assert grade.status == "graded"
    assert statuses(grade)[0] == "passed"
    assert statuses(grade)[1] in ("error", "failed")
    assert grade.score is not None
    assert grade.score <= 20


def test_an_answer_to_another_question_is_none(server: ForkServer) -> None:
    grade = graded(
        server, FORGE + halving("send(model.Answer('guessed', (model.Seen('out'),)))\nreturn x / 2")
    )
    assert statuses(grade) == ["passed", "error", "passed"]
    assert "does not belong to the question" in grade.checks[1].message


def test_two_processes_that_answer_are_an_error_of_the_next_check(server: ForkServer) -> None:
    grade = graded(server, halving("import os; os.fork(); return x / 2"))
    assert grade.status == "graded"
    assert grade.checks[0].status == "passed"
    assert grade.score is not None
    assert grade.score <= 30


def test_a_worker_that_does_not_read_is_late(server: ForkServer) -> None:
    """The next question is larger than the socket's buffer and must not block the grader."""
    text = FORGE + halving(
        "stream, request = question()\n"
        "send(model.Answer(request.nonce, (model.Seen('out'),)))\n"
        "import time\n"
        "while True: time.sleep(100)"
    )
    questions = exam()
    large = np.zeros((1000, 1000))
    step = questions.prepared["negate"].program.steps
    questions.prepared["negate"] = model.Prepared(
        "negate",
        model.Program("float64", {"x": wire.to_array(large)}, step),
        (model.Seen("out", tensor(-large)),),
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
def test_whoever_kills_the_server_pays_for_it_alone(porous: ForkServer) -> None:
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
def test_whose_server_or_worker_was_killed_by_another_loses_nothing(
    server: ForkServer, moment: int, victim: str
) -> None:
    grade = graded(Hurt(server, moment, victim), RIGHT)
    assert (grade.status, grade.score) == ("graded", 30), grade


@linux
@pytest.mark.parametrize("moment", [1, 2, 3, 4])
def test_what_is_asked_for_a_cause_is_asked_again_too(server: ForkServer, moment: int) -> None:
    """All of it, of a new worker: what a second answer is like tells a cause only beside the first."""
    counting = (
        RIGHT.replace("    return x / 2\n", "    kept.append(x)\n    return x * len(kept)\n") + "kept = []\n"
    )
    question = next(one.program for one in exam().prepared.values() if one.program.calls[0].name == "halve")

    def answers(launcher: Any) -> list[Any]:
        found = dialogue.Dialogue(exam(), launcher, script(counting)).again(question, 3)
        return [one.seen if isinstance(one, model.Answer) else one for one in found]

    due = answers(server)
    assert due[0] != due[1]
    assert answers(Hurt(server, moment, "worker")) == due


def test_one_submission_does_not_change_the_next(server: ForkServer) -> None:
    hostile = "import torch, sys\ntorch.Tensor.__truediv__ = lambda a, b: a\n"
    hostile += "sys.modules['autograder.wire'].MAGIC = b'XXXX'\n"
    graded(server, hostile + RIGHT)
    assert graded(server, RIGHT).score == 30


def test_nothing_is_left_of_a_submission(porous: ForkServer) -> None:
    """Its worker is ended and reaped, however the submission ended."""
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
    with limited(server, answer_bytes=200) as small:
        grade = graded(small, RIGHT)
    assert (grade.status, statuses(grade)) == ("graded", ["error"] * 3)
    assert "over the limit of 200" in grade.checks[0].message
