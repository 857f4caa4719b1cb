"""Plain numbers: counts are exact, others nearly so; numbers in other places are named; letters follow the token."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograder import judge, model, protocol
from autograder.model import tokens
from tests.small_suite_helpers import call, program, tensor

TESTED = {"numbers", "placed", "chosen"}
NAMES = ("count", "part", "nothing")
RIGHT = (10**12, 0.25, 0.0)


def scalars(*values: Any) -> protocol.Sequence:
    return protocol.Sequence("tuple", tuple(map(protocol.Scalar, values)))


PREPARED = model.Prepared(
    "case",
    program(call("f", "x", into="out", outputs=NAMES), x=np.ones(2)),
    (protocol.StepResult("out", scalars(*RIGHT)),),
)


def finding(name: Any, value: protocol.Value, work: model.Submission | None = None, **options: Any) -> Any:
    answer = protocol.Answer("", (protocol.StepResult("out", value),), "")
    return judge.first_failure([model.Assertion(name, "out", options)], PREPARED, answer, work)


@pytest.mark.parametrize("given", [RIGHT, (1e12, 0.25, 0), (10**12, 0.25 * (1 + 5e-10), 1e-13)])
def test_what_compares_equal_is_right(given: tuple[float, ...]) -> None:
    assert finding("numbers", scalars(*given)) is None


def test_tensors_without_axes_are_numbers() -> None:
    values = (tensor(np.array(10**12)), tensor(np.array(0.25)), protocol.Scalar(0.0))
    assert finding("numbers", protocol.Sequence("list", values)) is None
    several = (tensor(np.array([10**12])), *values[1:])
    assert finding("numbers", protocol.Sequence("list", several)).symptom == "wrong-type"


@pytest.mark.parametrize(
    ("given", "output"),
    [
        ((10**12 + 1, 0.25, 0.0), "count"),
        ((10**12, 0.25 * (1 + 2e-9), 0.0), "part"),
        ((10**12, float("nan"), 0.0), "part"),
        ((10**12, 0.25, 1e-11), "nothing"),
    ],
)
def test_other_numbers_are_wrong(given: tuple[float, ...], output: str) -> None:
    found = finding("numbers", scalars(*given))
    assert (found.symptom, found.facts["output"]) == ("wrong-values", output)
    assert finding("numbers", scalars(*given), only=[name for name in NAMES if name != output]) is None


def test_numbers_in_other_places_are_named_and_others_are_not() -> None:
    options: dict[str, Any] = {"says": "in its place", "cause": "answers-out-of-order"}
    found = finding("placed", scalars(0.25, 10**12, 0.0), **options)
    assert found.facts["cause"] == "answers-out-of-order"
    for right in (RIGHT, (0.25, 10**12, 0.5), (7, 8, 9)):
        assert finding("placed", scalars(*right), **options) is None


QUESTION: dict[str, Any] = {"question": "Which?", "options": ["one", "two", "three", "four"], "right": "three"}


@pytest.mark.parametrize("text", ["", tokens.make("x", "ana"), tokens.make("x", "bo")])
def test_a_letter_is_that_of_the_files_own_token(text: str) -> None:
    work = model.Submission("ana", "ready", "script", "x.py", (f"TOKEN = {text!r}".encode(),))
    place = tokens.shuffled(text, "Which?", QUESTION["options"]).index("three")
    for number, letter in enumerate("ABCD"):
        for value in (protocol.Scalar(f"X{letter}"), protocol.Scalar(f"x{letter.lower()}"), scalars("X", letter)):
            found = finding("chosen", value, work, place=1, **QUESTION)
            assert (found is None) == (number == place)


@pytest.mark.parametrize("value", [protocol.Scalar(3), scalars(1, 2), protocol.Scalar("A"), scalars("A", None)])
def test_what_is_no_letter_is_no_answer(value: protocol.Value) -> None:
    assert finding("chosen", value, place=1, **QUESTION) is not None
