"""Every symptom has a message, and messages of hidden checks give nothing away."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder import assignments, judge, model, protocol
from autograder.assignments.kit import speed
from autograder.feedback import closed, messages, templates
from autograder.feedback.causes import CAUSES
from autograder.grading import connection, patience, session, timeouts
from autograder.grading.timing import checker, paired
from autograder.judge import assertions, calls, comparison, interfaces, properties
from autograder.judge.tolerances import Difference
from autograder.model import text as text_module
from tests.paths import ROOT
from tests.small_suite_helpers import call, program

assignments.load("bahdanau")  # its words are known from here on
SECRET = "4711"
RAISED = protocol.Raised("Own4711", ("ValueError", "Exception"), "got 4711", 12, "raise Own(x[4711])")
WRONG = {"w": ((4711, 2), (2, 4711))}
FACTS: dict[str, Any] = {
    "raised": RAISED,
    "wanted": "ValueError",
    "output": "context",
    "name": "x",
    "actual": (4711, 3),
    "expected": (3, 4711),
    "difference": Difference(3, 21, (1, 4711), 4711.5, 0.25),
    "index": (4711,),
    "shape": (3, 4711),
    "missing": ["v"],
    "extra": ["u"],
    "wrong": WRONG,
    "frozen": ["t"],
    "buffers": ["s"],
    "operation": "aten::softmax 4711",
    "word": "softmax",
    "why": "an array of 4711 axes",
    "seconds": 1.5,
    "tries": 3,
    "figure": 34.71,
    "limit": 5,
    "axis": "positions",
    "size": 4711,
    "sizes": "10, 4711",
    "property": "every value is 4711",
    "got": " Got 4711.",
    "operations": [(8, 193), (64, 1313)],
}
OWN: dict[str, dict[str, Any]] = {  # facts that mean something else with some symptoms
    "wrong-structure": {"actual": "a tensor of shape (4711,)", "expected": ["context", "weights"]},
    "wrong-dtype": {"actual": "float32", "expected": "float64"},
    "wrong-device": {"actual": "meta", "expected": "cpu"},
    "wrong-signature": {"actual": "a, b", "expected": "b, a"},
    "wrong-kind": {"actual": "function", "expected": "class"},
    "changed-mode": {"expected": "train"},
    "made-in-dtype": {"actual": "float64", "expected": "float32"},
}
PREPARED = model.Prepared(
    "case",
    program(
        protocol.Make("m", "Thing", [4711], {"bias": True}),
        call("m.score", "x", 4711, into="out", trace=True, outputs=("context", "weights")),
        protocol.State("state", "m"),
        x=np.zeros((4, 7)),
    ),
    (protocol.StepResult("state", interface=protocol.Interface("function", ("b", "a"))),),
)


def message_for(
    symptom: str, hidden: bool, prepared: model.Prepared | None = PREPARED, step: str = "out", **facts: Any
) -> str:
    """Return the message of a symptom."""
    all_facts = FACTS | OWN.get(symptom, {}) | facts
    if symptom == "missing-name":  # derives it
        del all_facts["why"]
    finding = model.Finding(symptom, step, all_facts)
    return messages.message(finding, prepared, hidden)


def symptoms(module: Any) -> set[str]:
    """Return all symptoms that a module can raise: the first arguments of calls that make findings."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
        first: ast.AST | None = None
        if isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            first = node.args[0] if name in ("AssertionFailed", "mismatch", "NoAnswer", "Finding") else None
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "symptom":
            first = node.value
        if first is not None:
            found |= {c.value for c in ast.walk(first) if isinstance(c, ast.Constant) and isinstance(c.value, str)}
    return {text for text in found if "-" in text or text in ("raised", "crashed", "malformed", "unreached")}


RAISING = (
    judge,
    assertions,
    interfaces,
    properties,
    comparison,
    connection,
    patience,
    timeouts,
    session,
    paired,
    checker,
)


@pytest.mark.parametrize("module", RAISING)
def test_every_symptom_has_a_template(module: Any) -> None:
    raised = symptoms(module)
    assert raised
    assert raised <= templates.SYMPTOMS.keys()


def test_every_template_has_a_symptom() -> None:
    raised = set().union(*map(symptoms, (*RAISING, calls)))
    assert templates.SYMPTOMS.keys() <= raised | {"import-error"}


@pytest.mark.parametrize("prepared", [PREPARED, None])
@pytest.mark.parametrize("step", ["out", "m", "state", "", "nothing"])
@pytest.mark.parametrize("symptom", sorted(templates.SYMPTOMS))
def test_every_template_can_be_filled(symptom: str, step: str, prepared: model.Prepared | None) -> None:
    for hidden in (False, True):
        text = message_for(symptom, hidden, prepared, step)
        assert 5 < len(text) <= text_module.LIMIT
        assert "{" not in text
        assert text.isprintable() or "\n" in text


@pytest.mark.parametrize(
    ("operations", "is_loop"),
    [
        ([(4, 193), (64, 1313)], "190 torch operations for 4 source positions and 1300 for 64: "),
        ([(4, 37_100), (8, 74_200)], "37000 torch operations for 4 source positions and 74000 for 8: "),
        ([(4, 20), (64, 22)], ""),
        ([(4, 37_100), (8, 37_200)], ""),
        ([(4, 0), (64, 0)], ""),
    ],
)
def test_a_loop_shows_in_the_number_of_operations(operations: list[tuple[int, int]], is_loop: str) -> None:
    for symptom in ("too-slow", "grows-too-fast"):
        text = message_for(symptom, hidden=True, operations=operations, axis=speed.POSITIONS)
        told = f"{is_loop}it loops over the source positions."
        assert (told in text) is bool(is_loop)


@pytest.mark.parametrize(
    ("count", "told"), [(0, 0), (9, 9), (99, 99), (101, 100), (193, 190), (4711, 4700), (10**40, 10**6), (-3, 0)]
)
def test_numbers_of_operations_have_two_digits(count: int, told: int) -> None:
    assert closed.two_digits(count) == told


@pytest.mark.parametrize("what", sorted(templates.SPEED))
def test_undecided_measurements_say_that_no_points_are_lost(what: str) -> None:
    of, verdict = what.split("-")
    facts = FACTS | {"low": 3.04, "high": 8.26, "axis": speed.POSITIONS}
    text = messages.speed(of, verdict, facts)
    assert ("No points lost" in text) is (verdict == "inconclusive")
    assert ("between 3.0 and 8.3 times" in text) is (what == "ratio-inconclusive")
    assert ("34.7 times the reference's CPU time for 4711 source positions" in text) is (what == "ratio-within")


@pytest.mark.parametrize("symptom", sorted(templates.SYMPTOMS))
def test_hidden_messages_hold_no_number_of_a_case(symptom: str) -> None:
    text = message_for(symptom, hidden=True, size=96)  # which is the course's own number
    assert SECRET not in text
    assert "Called" not in text
    assert SECRET in message_for(symptom, hidden=False)  # a public message shows at least the call


@pytest.mark.parametrize(
    "symptom", ["raised", "raised-other", "backward-raised", "missing-name", "malformed", "crashed"]
)
def test_hidden_messages_quote_no_text_of_the_student(symptom: str) -> None:
    facts = {"raised": protocol.Raised("X" * 9, ("ValueError",), "QUOTED", 12, "QUOTED"), "why": "QUOTED"}
    assert "QUOTED" not in message_for(symptom, hidden=True, **facts)
    assert "QUOTED" in message_for(symptom, hidden=False, **facts)


@pytest.mark.parametrize(
    ("symptom", "hidden", "text"),
    [
        ("raised", True, "Thing.score raised ValueError."),
        ("not-implemented", True, "Thing.score is not written yet: it raises NotImplementedError."),
        ("wrong-values", True, "context has wrong values."),
        (
            "wrong-parameters",
            True,
            "Thing.score does not have the parameters listed in its docstring: some are missing; "
            "some are not in the docstring; some have a wrong shape; some are not trainable; "
            "some buffers need persistent=False.",
        ),
        ("timed-out", True, "Thing.score did not finish in 1.5 s of processor time."),
        ("timed-out-wall", True, "Thing.score did not finish in 1.5 s."),
        ("did-nothing", True, "Thing.score did nothing for 1.5 s."),
        (
            "wrong-shape",
            False,
            "context has the wrong shape. Got shape (4711, 3), expected (3, 4711). "
            "Called: Thing(4711, bias=True).score(x (4, 7), 4711)",
        ),
        (
            "wrong-values",
            False,
            "context has wrong values. 3 of 21 entries differ. The largest difference is at (1, 4711): "
            "got 4711.5, expected 0.25. Called: Thing(4711, bias=True).score(x (4, 7), 4711)",
        ),
        (
            "wrong-structure",
            False,
            "Thing.score must return 2 results (context, weights). It returned a tensor of "
            "shape (4711,). Called: Thing(4711, bias=True).score(x (4, 7), 4711)",
        ),
        (
            "raised",
            False,
            "Thing.score raised Own4711: got 4711 (line 12: raise Own(x[4711])). "
            "Called: Thing(4711, bias=True).score(x (4, 7), 4711)",
        ),
        ("wrong-structure", True, "Thing.score must return 2 results (context, weights)."),
        ("wrong-signature", True, "Thing.score must take the arguments (b, a)."),
        ("forbidden-call", True, "Thing.score calls `softmax`, which is not allowed in this exercise."),
    ],
)
def test_some_messages_word_by_word(symptom: str, hidden: bool, text: str) -> None:
    assert message_for(symptom, hidden) == text


@pytest.mark.parametrize(
    ("actual", "told"),
    [
        ("b, c", "It has no argument `a` (yours: `c`)."),
        ("b, a, c", "It must not require `c`."),
        ("b, c, a", "`c` stands before `a`: arguments of your own come last, with defaults."),
        ("a, b", "It takes (a, b)."),
    ],
)
def test_a_public_message_says_how_arguments_differ(actual: str, told: str) -> None:
    facts = {"actual": actual, "expected": "b, a"}
    assert messages.message(model.Finding("wrong-signature", "out", facts), PREPARED, False).count(told) == 1


@pytest.mark.parametrize(
    ("operation", "hidden"), [("autograd::engine", False), ("autograd::engine", True), ("aten::_softmax", False)]
)
def test_a_forbidden_function_has_the_name_that_a_student_knows(operation: str, hidden: bool) -> None:
    facts = {"operation": operation, "word": operation, "where": ""}
    said = messages.message(model.Finding("forbidden-call", "out", facts), PREPARED, hidden)
    assert f"calls `{'torch.autograd' if 'engine' in operation else 'softmax'}`, which" in said


HOSTILE: dict[str, Any] = {  # what a worker that knows a hidden number could make of each fact
    "raised": protocol.Raised("E4711", ("E4711", "ValueError 4711", "4711"), "4711 parameter", 4711, "4711"),
    **dict.fromkeys(("wanted", "output", "name", "why", "word", "operation", "axis", "sizes", "where"), "4711"),
    **{name: ["4711"] for name in ("missing", "extra", "frozen", "buffers")},
    "wrong": {"4711": (4711, 4711)},
}


@pytest.mark.parametrize("prepared", [PREPARED, None])
@pytest.mark.parametrize("step", ["out", "m", "state", "4711"])
@pytest.mark.parametrize("symptom", sorted(templates.SYMPTOMS))
def test_hidden_messages_say_nothing_that_a_worker_has_sent(
    symptom: str, step: str, prepared: model.Prepared | None
) -> None:
    for odd in ("float4711", ["4711"], (4711,), (4711, -1) * 32):
        facts = FACTS | HOSTILE | {"actual": odd, "expected": odd, "size": 96}
        assert SECRET not in messages.message(model.Finding(symptom, step, facts), prepared, True)


@pytest.mark.parametrize(("others", "shown"), [(("b_x", "c_x"), "x"), (("b_x",), "a_x")])
def test_an_input_of_a_call_in_turn_is_named_without_its_letter(others: tuple[str, ...], shown: str) -> None:
    arrays = dict.fromkeys(("a_x", *others), np.ones(2))
    prepared = model.Prepared("case", program(call("f", "a_x", into="out"), **arrays), ())
    finding = model.Finding("changed-input", "out", {"name": "a_x"})
    for hidden in (True, False):
        assert f"changes its input {shown} in place" in messages.message(finding, prepared, hidden=hidden)


def test_a_template_that_could_tell_more_is_an_error() -> None:
    with pytest.raises(ValueError, match="text_of_the_answer"):
        closed.require_closed(["It says {text_of_the_answer}."])
    with pytest.raises(KeyError):
        "{text_of_the_answer}".format_map(closed.Words(closed.About(model.Finding("raised", "out"), None)))


@pytest.mark.parametrize("symptom", sorted(templates.SYMPTOMS))
def test_the_number_of_hidden_messages_is_known(symptom: str) -> None:
    assert 1 <= closed.count(templates.SYMPTOMS[symptom].general, PREPARED) < 2**40


def test_numbers_that_differ_late_are_shown_in_full() -> None:
    text = message_for("wrong-values", False, difference=Difference(1, 1, (), 0.33333333, 0.33333334))
    assert "0.33333333" in text
    assert "0.33333334" in text


@given(st.text(st.characters(exclude_categories=[])), st.integers(2, 50))
def test_what_is_printable_is_printable_and_short(text: str, limit: int) -> None:
    clean = text_module.printable(text, limit)
    assert len(clean) <= limit
    assert clean.isprintable()
    if len(text) <= limit:
        assert len(clean) == len(text)


@pytest.mark.parametrize("text", ["\x1b[31m", "\u202e", "\0", "\ud800", "\r", "\u2028", "\x85"])
def test_control_characters_are_not_printed(text: str) -> None:
    assert text_module.printable(f"a{text[0]}b") == "a?b"


def test_a_check_of_shapes_with_wrong_values_is_not_counted() -> None:
    text = messages.blocked("shape", "BahdanauAttention", "The values are right")
    counted = 'Not counted until the values of BahdanauAttention are right (see "The values are right").'
    assert text == f"The shapes are right. {counted}"
    assert messages.blocked("shape", "Layer", "").endswith("until the values of Layer are right.")


def test_a_message_is_one_line() -> None:
    assert text_module.printable("a\nb\tc") == "a b c"


def test_long_messages_are_cut() -> None:
    assert len(text_module.printable("x" * 2000)) == 2000
    assert text_module.printable("x" * 2001) == "x" * 1999 + "…"


def test_endless_facts_cost_no_time() -> None:
    """A hostile answer may hold a text of many megabytes. Only the shown part is read."""

    class Counted(str):
        def __iter__(self) -> Any:
            raise AssertionError("all of it was read")

    assert len(text_module.printable(Counted("x" * 10_000))) == text_module.LIMIT


def test_hints_name_the_section() -> None:
    assert messages.hint(None, "Shapes") == 'See "Shapes" in the handout.'
    assert messages.hint(CAUSES["modifies-input"], "").startswith("Methods that end in _")
    assert messages.hint(None, "") == ""


ALONE = """
import sys
from autograder import assignments, model
from autograder.feedback import closed
check = next(one for one in assignments.load("bahdanau").checks if one.id == "attention-speed")
facts = {"axis": check.timed[0].axis, "sizes": ", ".join(map(str, check.timed[0].sizes))}
about = closed.About(model.Finding("too-slow", "out", facts), None)
print(*(closed.CLOSED[word].said(about) for word in facts), sep="|")
print("autograder.assignments.luong.checks" in sys.modules)
"""


def test_a_message_about_speed_loads_no_other_assignment() -> None:
    """Loading all of them takes a second."""
    done = subprocess.run([sys.executable, "-c", ALONE], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["source positions|10, 50, 100, 500, 1024", "False"]
