"""A submission that misbehaves in a check loses the points of that check, and nobody else's."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from autograder import model
from autograder.feedback import diagnose
from autograder.grading import responses, timeouts
from autograder.grading.runner import Runner
from autograder.grading.suite import CheckSuite
from autograder.sandbox.forkserver import ForkServer
from tests.small_suite_grading import ENDLESS, graded, halving, limited, statuses
from tests.small_suite_helpers import RIGHT, notebook, script, suite

# ---------------------------------------------------------------- usual submissions


def test_a_right_submission_gets_everything(server: ForkServer) -> None:
    grade = graded(server, RIGHT)
    assert (grade.status, grade.score, grade.max_score) == ("graded", 30, 30)
    assert statuses(grade) == ["passed"] * 3
    assert (grade.student, grade.assignment, grade.message) == ("ana", "small", "")


def test_a_right_notebook_gets_everything(server: ForkServer) -> None:
    grade = graded(server, notebook("x = undefined", *RIGHT.split("\n\n")))
    assert (grade.status, grade.score) == ("graded", 30)
    assert "1 statement(s) of the notebook failed" in grade.message
    assert "undefined" in grade.message


def test_an_empty_file_gets_nothing(server: ForkServer) -> None:
    grade = graded(server, "")
    assert (grade.status, grade.score, statuses(grade)) == ("graded", 0, ["error"] * 3)
    assert grade.checks[0].message.startswith("double is not defined.")


def test_a_wrong_value_costs_its_check(server: ForkServer) -> None:
    grade = graded(server, halving("return x / 3"))
    assert statuses(grade) == ["passed", "failed", "passed"]
    assert grade.score == 20
    assert "Called: halve(x (2, 3))" in grade.checks[1].message


def test_a_failed_diagnosis_does_not_change_the_grade(server: ForkServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> dict[str, str | None]:
        raise KeyError("secret")

    monkeypatch.setattr(diagnose, "causes", broken)
    runner = Runner(suite(), server)
    grade = runner.grade(script(halving("return x / 3")))
    assert (grade.status, grade.score, statuses(grade)) == ("graded", 20, ["passed", "failed", "passed"])
    assert grade.checks[1].diagnosis is None
    assert grade.message == "The causes could not be diagnosed."
    assert "secret" not in grade.message
    monkeypatch.undo()
    assert runner.grade(script(halving("return x / 3"))).message == ""


def test_a_rerun_takes_a_new_process(server: ForkServer) -> None:
    """Nothing is left of the first call."""
    grade = graded(server, "calls = []\n" + RIGHT.replace("return -x", "calls.append(1); return -x * len(calls)"))
    assert grade.score == 30
    again = "calls = []\n" + RIGHT.replace("    return", "    calls.append(1)\n    return len(calls) *")
    grade = graded(server, again)
    assert statuses(grade) == ["passed", "failed", "failed"]
    assert [check.diagnosis for check in grade.checks] == [None, "stateful", "stateful"]


@pytest.mark.parametrize("status", ["missing", "unreadable"])
def test_nothing_runs_without_a_submission(status: Any) -> None:
    grade = graded(None, model.Submission("ana", status, note="found hw1.py"))
    assert (grade.status, grade.score, grade.max_score) == (status, 0, 30)
    assert statuses(grade) == ["skipped"] * 3
    assert grade.message == "found hw1.py"


def test_file_names_outside_utf8_are_graded(server: ForkServer) -> None:
    assert graded(server, script(RIGHT, "sm\udce4ll.py")).score == 30
    assert graded(server, script("1 / 0", "sm\udce4ll.py")).status == "import-error"


# ---------------------------------------------------------------- failures of one check


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
        "import sys\nsys.modules['autograder.protocol.wire'].frame = lambda m: b'ATTN\\0\\1' + b'\\xff' * 8\nreturn x",
    ],
)
def test_a_failed_check_costs_only_its_own_points(server: ForkServer, body: str) -> None:
    grade = graded(server, halving(body))
    assert grade.status == "graded"
    named = grade.checks[1].diagnosis in ("dtype-hardcoded", "device-hardcoded")
    assert grade.score == (25 if named else 20)  # a mistake with a name costs half of its part
    assert statuses(grade)[0] == statuses(grade)[2] == "passed"
    assert statuses(grade)[1] in ("failed", "error")
    assert grade.checks[1].message


def test_an_endless_loop_is_a_timeout_and_other_checks_keep_their_points(server: ForkServer) -> None:
    grade = graded(server, halving(ENDLESS))
    assert statuses(grade) == ["passed", "timeout", "passed"]
    assert (grade.status, grade.score, grade.checks[1].diagnosis) == ("graded", 20, "too-slow")
    assert "did not finish in 0.8 s" in grade.checks[1].message


@pytest.mark.parametrize(
    "body",
    [
        ENDLESS,
        pytest.param("import time; time.sleep(100)", marks=pytest.mark.thorough),
        pytest.param("import os, signal; os.kill(os.getpid(), 19)", marks=pytest.mark.thorough),
    ],
)
def test_after_some_timeouts_the_other_cases_of_a_function_are_skipped(porous: ForkServer, body: str) -> None:
    """Its cases come last, after those of other functions."""
    questions = suite()
    slow = next(check for check in questions.spec.checks if check.id == "halve")
    first, *rest = [f"halve-{n}" for n in range(6)]
    for name in (first, *rest):
        questions.prepared[name] = msgspec.structs.replace(questions.prepared["halve"], id=name)
    checks = [
        msgspec.structs.replace(slow, id=name, cases=(model.Case(name, slow.cases[0].build),))
        for name in (first, *rest)
    ]
    order = [*rest, "double", "negate", "halve", first]
    prepared = {name: questions.prepared[name] for name in order}
    spec = msgspec.structs.replace(questions.spec, checks=(*questions.spec.checks, *checks))
    questions = CheckSuite(spec, prepared, lambda _: ())
    with limited(porous, case_seconds=0.3) as quick:
        grade = Runner(questions, quick).grade(script(halving(body)))
    by_id = {check.id: check for check in grade.checks}
    assert (grade.status, grade.score) == ("graded", 20)
    given_up = [name for name, check in by_id.items() if check.message.startswith("Not run: ")]
    assert len(given_up) == 7 - timeouts.MAX_TIMEOUTS
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


def test_printed_text_has_a_limit(server: ForkServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(responses, "MAX_PRINTED", 15)
    work = script(f"print('hello')\n{halving('print(chr(120) * 20)' + chr(10) + 'return x / 2')}")
    assert Runner(suite(), server).grade_with_output(work).printed == "hello\n" + "x" * 9


@pytest.mark.parametrize(
    "replaced",
    [
        "['autograder.protocol.wire'].encode = None",
        "['autograder.protocol.wire'].encode = lambda m: b'x' * 10 ** 6",
        "['autograder.protocol'].StepResult = dict",
        "['autograder.worker.describe'].value = lambda r: 'passed'",
        "['autograder.worker.interpreter'].Interpreter.run = lambda self: ()",
    ],
)
def test_replacing_our_code_gains_and_loses_nothing(server: ForkServer, replaced: str) -> None:
    line = f"import sys; sys.modules{replaced}"
    assert graded(server, f"{RIGHT}\n{line}").score == 30
    grade = graded(server, halving(f"{line}\nreturn x / 3"))
    assert (grade.score, statuses(grade)) == (20, ["passed", "failed", "passed"])


# ---------------------------------------------------------------- failures of the whole file


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


def test_the_limit_of_the_submission_makes_the_grade_partial(server: ForkServer) -> None:
    with limited(server, submission_seconds=2.0, case_seconds=9.0) as quick:
        grade = graded(quick, RIGHT.replace("return -x", ENDLESS).replace("return x / 2", ENDLESS))
    assert (grade.status, grade.score) == ("partial", 10)
    assert statuses(grade) == ["passed", "timeout", "timeout"]


def test_a_timeout_while_reloading_makes_the_grade_partial(porous: ForkServer) -> None:
    """The last check is not reached: its new worker has no time to load.

    The first worker dies in the batch of all cases. The second one gets them one by one.
    """
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
