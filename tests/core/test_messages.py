"""Sentences: there is one for every symptom, and those of hidden checks give nothing away."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder import dialogue, judge, messages, model, sentences, stopwatch
from autograder.compare import Difference
from autograder.judge import calls, holds, view
from tests.core.tools import call, program

SECRET = "4711"
RAISED = model.Raised("Own4711", ("ValueError", "Exception"), "got 4711", 12, "raise Own(x[4711])")
WRONG = {"w": ((4711, 2), (2, 4711))}
FACTS: dict[str, Any] = {
    "raised": RAISED,
    "wanted": "ValueError",
    "output": "context",
    "name": "x",
    "came": (4711, 3),
    "due": (3, 4711),
    "difference": Difference(3, 21, (1, 4711), 4711.5, 0.25),
    "index": (4711,),
    "shape": (3, 4711),
    "missing": ["v"],
    "extra": ["u"],
    "wrong": WRONG,
    "frozen": ["t"],
    "buffers": ["s"],
    "operation": "aten::softmax",
    "why": "an array of 4711 axes",
    "seconds": 1.5,
    "tries": 3,
    "figure": 34.71,
    "limit": 5,
    "axis": "positions",
    "size": 4711,
    "sizes": "10, 4711",
    "operations": [(8, 193), (64, 1313)],
}
OWN: dict[str, dict[str, Any]] = {  # facts that mean something else with some symptoms
    "wrong-structure": {"came": "a tensor of shape (4711,)", "due": ["context", "weights"]},
    "wrong-dtype": {"came": "float32", "due": "float64"},
    "wrong-device": {"came": "meta", "due": "cpu"},
    "wrong-signature": {"came": "a, b", "due": "b, a"},
    "wrong-kind": {"came": "function", "due": "class"},
    "changed-mode": {"due": "train"},
    "made-in-dtype": {"came": "float64", "due": "float32"},
}
PREPARED = model.Prepared(
    "case",
    program(
        model.Make("m", "Thing", [4711], {"bias": True}),
        call("m.score", "x", 4711, into="out", trace=True),
        model.State("state", "m"),
        x=np.zeros((4, 7)),
    ),
    (),
)


def said(
    symptom: str, hidden: bool, prepared: model.Prepared | None = PREPARED, step: str = "out", **facts: Any
) -> str:
    """The sentence for a symptom."""
    told = FACTS | OWN.get(symptom, {}) | facts
    if symptom == "missing-name":  # says so itself
        del told["why"]
    finding = model.Finding(symptom, step, told)
    return messages.message(finding, prepared, hidden)


def symptoms(module: Any) -> set[str]:
    """All symptoms that a module can raise: the first argument of what carries findings."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
        first: ast.AST | None = None
        if isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            first = node.args[0] if name in ("Unmet", "Failure", "Finding") else None
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "symptom":
            first = node.value
        if first is not None:
            found |= {
                c.value for c in ast.walk(first) if isinstance(c, ast.Constant) and isinstance(c.value, str)
            }
    return {text for text in found if "-" in text or text in ("raised", "crashed", "malformed", "unreached")}


@pytest.mark.parametrize("module", [judge, holds, view, dialogue, stopwatch])
def test_every_symptom_has_its_sentence(module: Any) -> None:
    raised = symptoms(module)
    assert raised
    assert raised <= sentences.SENTENCES.keys()


def test_every_sentence_has_its_symptom() -> None:
    raised = set().union(*(symptoms(module) for module in (judge, calls, holds, view, dialogue, stopwatch)))
    assert sentences.SENTENCES.keys() <= raised | {"import-error"}


@pytest.mark.parametrize("prepared", [PREPARED, None])
@pytest.mark.parametrize("step", ["out", "m", "state", "", "nothing"])
@pytest.mark.parametrize("symptom", sorted(sentences.SENTENCES))
def test_every_symptom_can_be_said(symptom: str, step: str, prepared: model.Prepared | None) -> None:
    for hidden in (False, True):
        text = said(symptom, hidden, prepared, step)
        assert 5 < len(text) <= messages.LIMIT
        assert "{" not in text
        assert text.isprintable() or "\n" in text


@pytest.mark.parametrize(
    ("operations", "told"),
    [([(8, 193), (64, 1313)], True), ([(8, 20), (64, 22)], False), ([(8, 0), (64, 0)], False)],
)
def test_a_loop_is_told_by_its_operations(operations: list[tuple[int, int]], told: bool) -> None:
    for symptom in ("too-slow", "grows-too-fast"):
        text = said(symptom, hidden=False, operations=operations)
        assert ("1313 torch operations for 64 positions and 193 for 8: a loop" in text) is told


@pytest.mark.parametrize("what", sorted(sentences.SPEED))
def test_measurements_that_cost_nothing_say_so(what: str) -> None:
    of, verdict = what.split("-")
    facts = FACTS | {"low": 3.04, "high": 8.26}
    text = messages.speed(of, verdict, facts)
    assert ("costs no points" in text) is (verdict == "inconclusive")
    assert ("between 3.0 and 8.3 times" in text) is (what == "ratio-inconclusive")
    assert ("34.7 times the reference's cost, for 4711 positions" in text) is (what == "ratio-within")


@pytest.mark.parametrize("symptom", sorted(sentences.SENTENCES))
def test_hidden_messages_hold_no_number_of_a_case(symptom: str) -> None:
    text = said(symptom, hidden=True)
    assert SECRET not in text
    assert "Called" not in text
    assert SECRET in said(symptom, hidden=False)  # where it is public, the call at least is shown


@pytest.mark.parametrize(
    "symptom", ["raised", "raised-other", "backward-raised", "missing-name", "malformed", "crashed"]
)
def test_hidden_messages_quote_nothing_of_the_students(symptom: str) -> None:
    facts = {"raised": model.Raised("X" * 9, ("ValueError",), "QUOTED", 12, "QUOTED"), "why": "QUOTED"}
    assert "QUOTED" not in said(symptom, hidden=True, **facts)
    assert "QUOTED" in said(symptom, hidden=False, **facts)


@pytest.mark.parametrize(
    ("symptom", "hidden", "text"),
    [
        ("raised", True, "Thing.score raised ValueError (line 12)."),
        ("not-implemented", True, "Thing.score is not written yet: it raises NotImplementedError."),
        ("wrong-values", True, "context has wrong values."),
        (
            "wrong-parameters",
            True,
            "Thing.score has not the parameters of the docstring: missing v; more than there should be; "
            "w has a wrong shape; not trainable: t; persistent buffers, which should have persistent=False.",
        ),
        ("timed-out", True, "Thing.score did not finish in 1.5 s."),
        (
            "wrong-shape",
            False,
            "context has the wrong shape. (4711, 3) came; (3, 4711) was due. "
            "Called: Thing(4711, bias=True).score(x (4, 7), 4711)",
        ),
        (
            "wrong-values",
            False,
            "context has wrong values. 3 of 21 entries differ; the worst, at (1, 4711), is 4711.5; "
            "0.25 was due. Called: Thing(4711, bias=True).score(x (4, 7), 4711)",
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
        ("wrong-signature", True, "The arguments of Thing.score must be (b, a); they are (a, b)."),
    ],
)
def test_some_sentences_word_by_word(symptom: str, hidden: bool, text: str) -> None:
    assert said(symptom, hidden) == text


def test_numbers_that_differ_late_are_shown_in_full() -> None:
    text = said("wrong-values", False, difference=Difference(1, 1, (), 0.33333333, 0.33333334))
    assert "0.33333333" in text
    assert "0.33333334" in text


@given(st.text(st.characters(exclude_categories=[])), st.integers(2, 50))
def test_what_is_printable_is_printable_and_short(text: str, limit: int) -> None:
    clean = messages.printable(text, limit)
    assert len(clean) <= limit
    assert clean.isprintable()
    if len(text) <= limit:
        assert len(clean) == len(text)


@pytest.mark.parametrize("text", ["\x1b[31m", "\u202e", "\0", "\ud800", "\r", "\u2028", "\x85"])
def test_control_characters_are_not_printed(text: str) -> None:
    assert messages.printable(f"a{text[0]}b") == "a?b"


def test_a_check_of_shapes_that_fails_for_values_says_so() -> None:
    finding = model.Finding("wrong-values", "out", FACTS)
    text = messages.message(finding, PREPARED, True, "shape")
    assert (
        text == "The shapes are right, but count only together with right values. context has wrong values."
    )


def test_a_message_is_one_line() -> None:
    assert messages.printable("a\nb\tc") == "a b c"


def test_long_messages_are_cut_where_they_must() -> None:
    assert len(messages.printable("x" * 2000)) == 2000
    assert messages.printable("x" * 2001) == "x" * 1999 + "…"


def test_endless_facts_cost_no_time() -> None:
    """A hostile answer may hold a text of many megabytes; only what is shown is looked at."""

    class Counted(str):
        def __iter__(self) -> Any:
            raise AssertionError("all of it was read")

    assert len(messages.printable(Counted("x" * 10_000))) == messages.LIMIT


def test_hints_name_the_section() -> None:
    assert messages.hint(None, "Shapes") == 'See "Shapes" in the handout.'
    assert messages.hint("modifies-input", "").startswith("Methods that end in _")
    assert messages.hint("no-such-cause", "") == ""
