"""What is wrong with a shape is told in the names of its axes, and lengths only where they are public."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest

from autograder import axes, exam, messages, model
from autograder.model import TOPICS
from tests.core.tools import call, program

STEPS = (
    model.Make("attention", "BahdanauAttention", [5, 3, 11]),
    call("attention", "s", "h", outputs=("context", "weights")),
)
ASKED = program(*STEPS, s=np.zeros((2, 3)), h=np.zeros((2, 7, 5)))


def told(came: tuple[int, ...], output: str = "context", asked: model.Program = ASKED) -> str:
    """What is said of a shape that came."""
    due = {"context": (2, 5), "weights": (2, 7)}
    return axes.told(asked, "out", output, came, due[output])


@pytest.mark.parametrize(
    ("output", "came", "sentence"),
    [
        ("context", (2,), "The axis enc_dim is missing."),
        ("context", (5,), "The axis B is missing."),
        ("context", (2, 5, 5), "The axis enc_dim is there twice."),
        ("context", (5, 2), "Its axes are (enc_dim, B), not (B, enc_dim)."),
        ("context", (2, 7), "The axis enc_dim is missing. The axis T_s is one too many."),
        ("context", (2, 3), "The axis enc_dim is missing. The axis dec_dim is one too many."),
        ("context", (2, 11), "The axis enc_dim is missing. The axis attn_dim is one too many."),
        ("context", (2, 7, 5), "The axis T_s is one too many."),
        ("context", (2, 1, 5), "An axis is one too many."),
        ("context", (2, 13), ""),  # a length without a name
        ("context", (), "The axis B is missing. The axis enc_dim is missing."),
        ("weights", (2, 7, 7), "The axis T_s is there twice."),
        ("weights", (7, 2), "Its axes are (T_s, B), not (B, T_s)."),
        ("weights", (2, 5), "The axis T_s is missing. The axis enc_dim is one too many."),
    ],
)
def test_a_wrong_shape_is_told_by_its_axes(output: str, came: tuple[int, ...], sentence: str) -> None:
    assert told(came, output) == sentence


def test_two_axes_of_one_length_have_no_name() -> None:
    asked = program(*STEPS, s=np.zeros((2, 3)), h=np.zeros((2, 2, 5)))
    assert axes.told(asked, "out", "context", (5, 2), (2, 5)) == ""
    assert axes.told(asked, "out", "weights", (2,), (2, 2)) != "The axis B is missing."


def test_a_square_has_no_order() -> None:
    asked = program(call("causal_mask", 4))
    assert axes.told(asked, "out", "result", (4, 5), (4, 4)) == ""
    assert axes.told(asked, "out", "result", (4,), (4, 4)) == "The axis length is missing."


def test_leading_axes_are_counted() -> None:
    asked = program(call("softmax_vjp", "w", "g"), w=np.zeros((2, 3, 5)), g=np.zeros((2, 3, 5)))
    assert axes.told(asked, "out", "result", (2, 3), (2, 3, 5)) == "The axis T is missing."
    assert axes.told(asked, "out", "result", (3, 5), (2, 3, 5)) == "The axis leading axis 1 is missing."


@pytest.mark.parametrize(
    ("step", "output"), [("nothing", "context"), ("attention", "context"), ("out", "other")]
)
def test_what_is_no_result_of_a_call_has_no_axes(step: str, output: str) -> None:
    assert axes.told(ASKED, step, output, (2,), (2, 5)) == ""


def test_an_unknown_function_has_no_axes() -> None:
    assert axes.told(program(call("f", "x"), x=np.zeros(3)), "out", "result", (2,), (3,)) == ""


# ---------------------------------------------------------------- the messages


SHAPES: list[tuple[int, ...]] = [(2,), (5, 2), (2, 7), (2, 5, 5), (13, 17, 19), ()]


def said(came: tuple[int, ...], hidden: bool) -> str:
    facts: dict[str, Any] = {"output": "context", "came": came, "due": (2, 5)}
    prepared = model.Prepared("case", ASKED, ())
    return messages.message(model.Finding("wrong-shape", "out", facts), prepared, hidden)


@pytest.mark.parametrize("came", SHAPES)
def test_hidden_messages_hold_no_length(came: tuple[int, ...]) -> None:
    text = said(came, hidden=True)
    assert not re.search(r"\d", text)
    assert "2, 5" in said(came, hidden=False)


def test_hidden_messages_name_axes() -> None:
    assert said((2,), hidden=True) == "context has the wrong shape. The axis enc_dim is missing."


# ---------------------------------------------------------------- the tables


@pytest.mark.parametrize("topic", TOPICS)
def test_the_axes_are_those_of_what_is_due(topic: str) -> None:
    """In every public case each result has as many axes as the table gives it, of the lengths that its inputs have."""
    seen = 0
    for prepared in exam.public(topic).prepared.values():
        due = {one.into: one for one in prepared.expected}
        for step in prepared.program.steps:
            value = due[step.into].value if isinstance(step, model.Call) else None
            if not isinstance(step, model.Call) or value is None:
                continue
            items = value.items if isinstance(value, model.Sequence) else (value,)
            for output, item in zip(step.outputs, items, strict=True):
                if isinstance(item, model.Tensor):
                    shape = item.array.shape
                    assert axes.told(prepared.program, step.into, output, shape, shape) == ""
                    missing = (
                        axes.told(prepared.program, step.into, output, shape[1:], shape) if shape else ""
                    )
                    seen += bool(re.fullmatch(r"The axis [\w ]+ is missing\.", missing))
    assert seen >= 3


def test_sizes_are_those_of_the_module_that_is_called() -> None:
    beside = model.Make("other", "BahdanauAttention", [2, 4, 7])
    asked = program(*STEPS, beside, s=np.zeros((2, 3)), h=np.zeros((2, 13, 5)))
    assert told((2, 11), asked=asked) == told((2, 11)) != ""


def test_every_function_that_is_asked_has_its_axes() -> None:
    """But for those whose results have none."""
    called = set[str]()
    for topic in TOPICS:
        for prepared in exam.public(topic).prepared.values():
            called |= prepared.program.targets
    assert called - axes.CALLS.keys() == {"train_step", "corpus_bleu"}


def test_sizes_are_named_as_the_constructors_arguments() -> None:
    import importlib

    for topic in TOPICS:
        module = importlib.import_module(f"autograder.oracle.{topic}")
        for name, sizes in axes.MADE_WITH.items():
            if hasattr(module, name):
                arguments = list(inspect.signature(getattr(module, name)).parameters)
                named = ["vocab_size" if size == "V" else size for size in sizes]
                assert all(size in ("", given) for size, given in zip(named, arguments, strict=False)), name
