"""Messages about shapes name the axes, and give lengths only in public checks."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest

from autograder import model, protocol
from autograder.assignments import NAMES
from autograder.feedback import axes, messages
from autograder.grading import suite
from tests.small_suite_helpers import call, program

STEPS = (
    protocol.Make("attention", "BahdanauAttention", [5, 3, 11]),
    call("attention", "s", "h", outputs=("context", "weights")),
)
PROGRAM = program(*STEPS, s=np.zeros((2, 3)), h=np.zeros((2, 7, 5)))


def shape_error(actual: tuple[int, ...], output: str = "context", case: protocol.Program = PROGRAM) -> str:
    """Return the sentence about an actual shape."""
    expected = {"context": (2, 5), "weights": (2, 7)}
    return axes.shape_error(case, "out", output, actual, expected[output])


@pytest.mark.parametrize(
    ("output", "actual", "sentence"),
    [
        ("context", (2,), "The axis enc_dim is missing."),
        ("context", (5,), "The axis B is missing."),
        ("context", (2, 5, 5), "The axis enc_dim is there twice."),
        ("context", (5, 2), "Got axes (enc_dim, B), expected (B, enc_dim)."),
        ("context", (2, 7), "The axis enc_dim is missing. There must be no axis T_s."),
        ("context", (2, 3), "The axis enc_dim is missing. There must be no axis dec_dim."),
        ("context", (2, 11), "The axis enc_dim is missing. There must be no axis attn_dim."),
        ("context", (2, 7, 5), "There must be no axis T_s."),
        ("context", (2, 1, 5), "There is one axis of length 1 too many."),
        ("context", (2, 13, 5), "There is one axis too many."),
        ("context", (2, 13), ""),  # a length without a name
        ("context", (), "The axis B is missing. The axis enc_dim is missing."),
        ("weights", (2, 7, 7), "The axis T_s is there twice."),
        ("weights", (7, 2), "Got axes (T_s, B), expected (B, T_s)."),
        ("weights", (2, 5), "The axis T_s is missing. There must be no axis enc_dim."),
    ],
)
def test_a_wrong_shape_is_described_by_its_axes(output: str, actual: tuple[int, ...], sentence: str) -> None:
    assert shape_error(actual, output) == sentence


def test_two_axes_of_one_length_have_no_name() -> None:
    case = program(*STEPS, s=np.zeros((2, 3)), h=np.zeros((2, 2, 5)))
    assert axes.shape_error(case, "out", "context", (5, 2), (2, 5)) == ""
    assert axes.shape_error(case, "out", "weights", (2,), (2, 2)) != "The axis B is missing."


def test_a_square_has_no_order() -> None:
    case = program(call("causal_mask", 4))
    assert axes.shape_error(case, "out", "result", (4, 5), (4, 4)) == ""
    assert axes.shape_error(case, "out", "result", (4,), (4, 4)) == "The axis length is missing."


@pytest.mark.parametrize(
    ("actual", "expected", "sentence"),
    [
        ((5,), (1, 5), "The axis B is missing."),
        ((2,), (2, 1), "The axis enc_dim is missing."),
        ((1,), (1, 1), "One axis of length 1 is missing."),
    ],
)
def test_of_several_axes_of_length_1_none_is_named(
    actual: tuple[int, ...], expected: tuple[int, ...], sentence: str
) -> None:
    assert axes.shape_error(PROGRAM, "out", "context", actual, expected) == sentence
    assert sentence in axes.sentences(PROGRAM)


def test_leading_axes_are_counted() -> None:
    case = program(call("softmax_vjp", "w", "g"), w=np.zeros((2, 3, 5)), g=np.zeros((2, 3, 5)))
    assert axes.shape_error(case, "out", "result", (2, 3), (2, 3, 5)) == "The axis T is missing."
    assert axes.shape_error(case, "out", "result", (3, 5), (2, 3, 5)) == "The axis leading axis 1 is missing."


@pytest.mark.parametrize(("step", "output"), [("nothing", "context"), ("attention", "context"), ("out", "other")])
def test_only_results_of_calls_have_axes(step: str, output: str) -> None:
    assert axes.shape_error(PROGRAM, step, output, (2,), (2, 5)) == ""


def test_an_unknown_function_has_no_axes() -> None:
    assert axes.shape_error(program(call("f", "x"), x=np.zeros(3)), "out", "result", (2,), (3,)) == ""


# ---------------------------------------------------------------- the messages


SHAPES: list[tuple[int, ...]] = [(2,), (5, 2), (2, 7), (2, 5, 5), (13, 17, 19), ()]


def message_for(actual: tuple[int, ...], hidden: bool) -> str:
    facts: dict[str, Any] = {"output": "context", "actual": actual, "expected": (2, 5)}
    prepared = model.Prepared("case", PROGRAM, ())
    return messages.message(model.Finding("wrong-shape", "out", facts), prepared, hidden)


@pytest.mark.parametrize("actual", SHAPES)
def test_hidden_messages_hold_no_length(actual: tuple[int, ...]) -> None:
    text = message_for(actual, hidden=True)
    assert not re.search(r"\d", text)
    assert "2, 5" in message_for(actual, hidden=False)


def test_hidden_messages_name_axes() -> None:
    assert message_for((2,), hidden=True) == "context has the wrong shape. The axis enc_dim is missing."


# ---------------------------------------------------------------- the tables


@pytest.mark.parametrize("assignment", NAMES)
def test_the_axes_are_those_of_the_expected_results(assignment: str) -> None:
    """In every public case each result has as many axes as the table gives it, of the lengths that its inputs have."""
    seen = 0
    for prepared in suite.public(assignment).prepared.values():
        expected = {one.into: one for one in prepared.expected_results}
        for step in prepared.program.steps:
            value = expected[step.into].value if isinstance(step, protocol.Call) else None
            if not isinstance(step, protocol.Call) or value is None:
                continue
            items = value.items if isinstance(value, protocol.Sequence) else (value,)
            for output, item in zip(step.outputs, items, strict=True):
                if isinstance(item, protocol.Tensor):
                    shape = item.array.shape
                    assert axes.shape_error(prepared.program, step.into, output, shape, shape) == ""
                    missing = axes.shape_error(prepared.program, step.into, output, shape[1:], shape) if shape else ""
                    seen += bool(re.fullmatch(r"The axis [\w ]+ is missing\.", missing))
    assert seen >= 3


def test_sizes_are_those_of_the_module_that_is_called() -> None:
    beside = protocol.Make("other", "BahdanauAttention", [2, 4, 7])
    case = program(*STEPS, beside, s=np.zeros((2, 3)), h=np.zeros((2, 13, 5)))
    assert shape_error((2, 11), case=case) == shape_error((2, 11)) != ""


def test_every_function_that_is_asked_has_its_axes() -> None:
    """Except functions whose results have no axes."""
    without = set[str]()
    for assignment in NAMES:
        for prepared in suite.public(assignment).prepared.values():
            for step in prepared.program.calls:
                if prepared.program.target(step) not in axes.CALLS:
                    without.add(prepared.program.target(step))
                    value = prepared.expected[step.into].value
                    items = value.items if isinstance(value, protocol.Sequence) else (value,)
                    shapes = [one.array.shape for one in items if isinstance(one, protocol.Tensor)]
                    assert all(len(shape) == 0 for shape in shapes), (prepared.program.target(step), shapes)
    assert {"train_step", "corpus_bleu"} <= without


def test_sizes_are_named_as_the_constructors_arguments() -> None:
    import importlib

    for assignment in NAMES:
        module = importlib.import_module(f"reference.{assignment}.modules")
        for name, sizes in axes.MADE_WITH.items():
            if hasattr(module, name):
                arguments = list(inspect.signature(getattr(module, name)).parameters)
                named = ["vocab_size" if size == "V" else size for size in sizes]
                assert all(size in ("", given) for size, given in zip(named, arguments, strict=False)), name
