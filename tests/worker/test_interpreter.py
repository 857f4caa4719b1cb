"""The conversation of a worker with a submission, in this process: what goes wrong, and a whole life."""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
import pytest

from autograder import protocol
from autograder.protocol import wire
from autograder.protocol.answers import MAX_TEXT
from autograder.worker import describe, serve
from tests.small_suite_helpers import X, call, converse, numbers, program, request, script, single


@pytest.mark.parametrize(
    ("statement", "kind", "base", "message"),
    [
        ("raise NotImplementedError", "NotImplementedError", "NotImplementedError", ""),
        ("raise ValueError('too wide')", "ValueError", "ValueError", "too wide"),
        ("exit(7)", "SystemExit", "SystemExit", "7"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", "BaseException", ""),
        ("raise GeneratorExit", "GeneratorExit", "BaseException", ""),
        ("x[99]", "IndexError", "IndexError", "index 99 is out of bounds"),
        ("return f(x)", "RecursionError", "RecursionError", "maximum recursion"),
        ("raise type('Own', (ValueError,), {})('mine')", "Own", "ValueError", "mine"),
        ("raise type('Bad', (Exception,), {'__str__': lambda s: 1 / 0})", "Bad", "Exception", "can't be read"),
        ("raise type('Bad', (Exception,), {'__str__': lambda s: exit(1)})", "Bad", "Exception", "can't be read"),
        ("raise type('Bad', (Exception,), {'__str__': lambda s: 5})", "Bad", "Exception", "can't be read"),
        ("raise ValueError('\\udc80\\ud800')", "ValueError", "ValueError", "??"),
        ("raise ValueError('x' * 10 ** 6)", "ValueError", "ValueError", "xxx"),
        ("raise ExceptionGroup('many', [ValueError(1)])", "ExceptionGroup", "ExceptionGroup", "many"),
        ("raise SyntaxError('x', (b'small.py', 'no', None, None))", "SyntaxError", "SyntaxError", "x"),
        ("raise SyntaxError('x', ('small.py', 'no', None, None))", "SyntaxError", "SyntaxError", "x"),
        ("raise SyntaxError('x', ('small.py', 3, None, 5))", "SyntaxError", "SyntaxError", "x"),
    ],
)
def test_exceptions_of_all_sorts_are_told_and_later_steps_run(
    statement: str, kind: str, base: str, message: str
) -> None:
    asked = program(call("f", "x"), call("g", "x", into="later"), x=X)
    shown = converse(f"def f(x):\n    {statement}\ndef g(x):\n    return x", asked)
    raised = shown["out"].raised
    assert raised is not None
    assert (raised.type, raised.during) == (kind, "call")
    assert base in raised.bases
    assert message in raised.message
    assert len(raised.message) <= MAX_TEXT
    assert shown["later"].raised is None
    assert wire.decode(wire.encode(shown["out"])[wire.HEADER.size :], protocol.StepResult).raised == raised


def test_a_function_may_have_the_name_of_an_earlier_call() -> None:
    asked = program(call("first", "x", into="first"), call("first", "x", into="out"), x=X)
    shown = converse("def first(x):\n    return 2 * x", asked)
    assert (numbers(shown["out"].value) == 2 * X).all()


def test_the_place_is_the_last_line_of_the_students_own() -> None:
    raised = single("def f(x):\n    return g(x)\ndef g(x):\n    return torch.zeros(2) @ torch.zeros(3)  # here").raised
    assert raised is not None
    assert (raised.line, raised.code) == (5, "return torch.zeros(2) @ torch.zeros(3)  # here")


def test_missing_names_and_what_needs_them() -> None:
    steps = (
        protocol.Make("scale", "Scale", [3]),
        call("scale", "x"),
        call("scale.score", "x", into="score"),
        call("nothing", "x", into="nothing"),
        call("f", "x", into="f"),
        call("f", "out", into="needs"),
    )
    shown = converse("def f(x):\n    return x", program(*steps, x=X))
    types = {into: result.raised and (result.raised.type, result.raised.during) for into, result in shown.items()}
    assert types["scale"] == ("Missing", "make")
    assert types["score"] == ("Skipped", "skipped")
    assert types["nothing"] == ("Missing", "call")
    assert types["needs"] == ("Skipped", "skipped")
    assert types["f"] is None


def test_prints_are_kept_up_to_a_limit() -> None:
    printed = describe.Printed(limit=10)
    out, err = printed.text(), printed.text()
    print("hällo", file=out, end="")
    print("x" * 10**6, file=err)
    assert printed.take() == "hälloxxxx"
    print("again", file=out, end="")
    assert printed.take() == "again"
    assert printed.take() == ""


@pytest.mark.parametrize(
    "statement",
    [
        "sys.stdout.reconfigure(encoding='utf-8')",
        "sys.stdout.buffer.write(b'raw')",
        "sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')",
        "sys.stdout = codecs.getwriter('utf-8')(sys.stdout.detach())",
        "sys.stdout.close()",
        "sys.stdout.isatty() or sys.stdout.flush()",
        "print('\\udc80')",
        "logging.warning('careful')",
        "print(sys.stdout.encoding.lower(), sys.stderr.errors)",
        "sys.__stdout__.write('')",
    ],
)
def test_what_scripts_do_to_their_output_costs_nothing(statement: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"import codecs, io, logging, sys, warnings\n{statement}\nprint('end', flush=True)"
    (answer,) = lived(monkeypatch, request(script(text)))
    assert isinstance(answer, protocol.Loaded)
    assert answer.raised is None
    assert "end" in answer.printed


def test_a_life_of_several_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "print('loading')\ndef f(x):\n    print('running')\n    return x"
    asked = program(call("f", "x"), x=X)
    answers = lived(monkeypatch, request(script(text)), protocol.Ask("a", asked), protocol.Ask("b", asked))
    assert [answer.nonce for answer in answers] == ["n", "a", "b"]
    assert answers[0].printed == "loading\n"
    assert answers[1].printed == "running\n"
    np.testing.assert_array_equal(numbers(answers[2].results[0].value), X)


def test_a_question_before_anything_was_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    (answer,) = lived(monkeypatch, protocol.Ask("a", program(call("f", "x"), x=X)))
    assert answer.results[0].raised.type == "Missing"


def lived(monkeypatch: pytest.MonkeyPatch, *asked: protocol.Load | protocol.Ask) -> list[Any]:
    """The answers of a worker's life in this process."""
    requests = list(asked)
    answers: list[bytes] = []

    def receive(*_: object) -> Any:
        if not requests:
            raise wire.Closed
        return requests.pop(0)

    class Answers:
        def write(self, data: bytes) -> None:
            answers.append(data[wire.HEADER.size :])

    with monkeypatch.context() as patch, warnings.catch_warnings():
        patch.setattr("sys.stdout", io.StringIO())
        patch.setattr("sys.stderr", io.StringIO())
        patch.setattr(wire, "receive", receive)
        patch.setattr(serve.imports, "install", lambda: None)  # this process keeps its modules
        serve.serve(Answers())  # type: ignore[arg-type]
    kinds: list[Any] = [protocol.Loaded if isinstance(one, protocol.Load) else protocol.Answer for one in asked]
    return [wire.decode(data, kind) for data, kind in zip(answers, kinds, strict=True)]


OTTERS = """\
# Initialize Otter
import otter
grader = otter.Notebook("small.ipynb")
def f(x):
    return x

grader.check("q1")
grader.check_all()
grader.export(pdf=False, ignore_log=True)
"""


@pytest.mark.usefixtures("inert_modules")
@pytest.mark.parametrize("kind", ["notebook", "script"])
def test_the_lines_of_otter_cost_nothing(monkeypatch: pytest.MonkeyPatch, kind: Any) -> None:
    load = protocol.Load("n", "small", kind, f"small.{kind}", (OTTERS.encode(),), 5.0)
    answers = lived(monkeypatch, load, protocol.Ask("a", program(call("f", "x"), x=X)))
    assert (answers[0].raised, answers[0].cell_errors) == (None, ())
    np.testing.assert_array_equal(numbers(answers[1].results[0].value), X)
