"""A wrong result shows more than its largest difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autograder import judge, model, protocol
from autograder.feedback import messages
from autograder.feedback import relations as sentences
from autograder.judge import relations, tolerances
from tests.small_suite_helpers import call, program, tensor

MORE = np.array([[0.5, 0.0, -1.0], [7.0, 2.0, 2.5]])
VALUES = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def said(*results: Any, right: tuple[Any, ...] = (VALUES, VALUES, VALUES)) -> str:
    """Return the message about results of which some are wrong."""

    def answer(values: tuple[Any, ...]) -> tuple[protocol.StepResult, ...]:
        items = tuple(map(tensor, values))
        value = protocol.Sequence("tuple", items) if len(items) > 1 else items[0]
        return (protocol.StepResult("out", value),)

    names = ("logits", "state", "weights")[: len(results)]
    asked = program(call("f", "x", "more", outputs=names), x=np.zeros(3), more=MORE)
    prepared = model.Prepared("case", asked, answer(right[: len(results)]))
    finding = judge.first_failure([model.Assertion("values", "out")], prepared, protocol.Answer("", answer(results)))
    assert finding is not None
    return messages.message(finding, prepared, hidden=False).partition(" Called: ")[0]


@pytest.mark.parametrize(
    ("actual", "moved"),
    [
        (VALUES.T.reshape(2, 3), True),
        (VALUES[::-1], True),
        (VALUES + 1, False),
        (np.sort(VALUES[::-1]) * [1, 1, 1.1], False),
        (np.full((2, 3), np.nan), False),
    ],
)
def test_right_numbers_in_other_places_are_told(actual: np.ndarray, moved: bool) -> None:
    assert said(actual).endswith("The numbers are right, but in other places.") is moved


@pytest.mark.parametrize(
    ("actual", "right", "told"),
    [
        (14 * VALUES, VALUES, "Every number is 14 times the expected one."),
        (-2.5 * VALUES, VALUES, "Every number is -2.5 times the expected one."),
        (VALUES / 3, VALUES, "Every number is 1/3 of the expected one."),
        (-0.3 * VALUES, VALUES, "Every number is -0.3 of the expected one."),
        (-VALUES, VALUES, "Every number has the wrong sign."),
        (VALUES + MORE, VALUES, "It is the expected result plus `more`."),
        (VALUES - MORE, VALUES, "It is the expected result minus `more`."),
        (np.array(7.0), np.array(0.5), "That is 14 times the expected number."),
        (np.array(-0.125), np.array(0.5), "That is -1/4 of the expected number."),
        (np.array(0.7), np.array(0.5), "Got 0.7, expected 0.5."),  # 1.4 may be chance
        (np.array([0.7, 0.7]), np.array([0.5, 0.5]), "got 0.7, expected 0.5."),
        (np.array(np.inf), np.array(0.5), "Got inf, expected 0.5."),
        (0 * VALUES, VALUES, "Each wrong entry is 0."),
        (1.0005 * VALUES, VALUES, "Every number is 1.0005 times the expected one."),
        (VALUES + 2 * MORE, VALUES, "expected 4."),
        (VALUES + VALUES**2, VALUES, "expected 6."),
    ],
)
def test_how_a_result_comes_from_the_right_one_is_told(actual: np.ndarray, right: np.ndarray, told: str) -> None:
    assert said(actual, right=(right,)).endswith(told)


SQUARE = np.arange(1.0, 17.0).reshape(4, 4) ** 1.5
LOWER = np.tril(np.ones((4, 4), bool))


@pytest.mark.parametrize(
    ("actual", "right", "told"),
    [
        (np.full((2, 3), np.nan), VALUES, "Every number is NaN."),
        (SQUARE[[0, 0, 1, 2]], SQUARE, "Along its first axis, each number stands one place too late."),
        (SQUARE[:, [1, 2, 3, 3]], SQUARE, "Along its second axis, each number stands one place too early."),
        (SQUARE[[2, 2, 2, 2]], SQUARE, "Along its first axis, all entries are the expected ones at index 2."),
        (SQUARE[:, [0, 0, 0, 0]], SQUARE, "Along its second axis, all entries are the expected ones at index 0."),
        (VALUES * [[2], [3]], VALUES, "Each row is the expected one times a number of its own."),
        (np.tanh(VALUES), VALUES, "It is the tanh of the expected result."),
        (VALUES, np.tanh(VALUES), "Its tanh is the expected result."),
        (np.log(VALUES), VALUES, "Its exponential is the expected result."),
        (VALUES, relations.FUNCTIONS["softmax"](VALUES), "Its softmax is the expected result."),
        (np.abs(MORE), MORE, "It is the absolute value of the expected result."),
        (VALUES * MORE, VALUES, "It is the expected result times `more`."),
        (np.round(SQUARE, 2), SQUARE, "The expected numbers are rounded to 2 decimals."),
        (np.tril(SQUARE), SQUARE, "All numbers above the diagonal are 0."),
        (SQUARE * (1 - np.eye(4)), SQUARE, "All numbers on the diagonal are 0."),
        (np.triu(SQUARE, -1) + np.tril(SQUARE, -2) ** 2, SQUARE, "Only entries below the diagonal are wrong."),
        (
            np.triu(LOWER),
            LOWER,
            "Only entries below the diagonal are wrong. Each wrong entry is False in place of True.",
        ),
        (LOWER & (np.arange(4) != 1), LOWER, "Only column 1 is wrong. Each wrong entry is False in place of True."),
        (np.tril(SQUARE) * [[1], [1], [0], [1]], SQUARE, "Each wrong entry is 0."),
        (np.tril(SQUARE) + 0.5 * np.eye(4, k=2), np.tril(SQUARE), "Only entries that must be 0 are wrong."),
        (np.array([3, 9, 1, 9]), np.array([3, 7, 1, 7]), "Each wrong entry is 9 in place of 7."),
        (np.eye(3, dtype=int), np.zeros((3, 3), int), "expected 0. Each wrong entry is 1 in place of 0."),  # of words
        (np.where([[1], [0], [0], [0]], SQUARE**2 - 3, SQUARE), SQUARE, "Only row 0 is wrong."),
    ],
)
def test_more_relations_are_told(actual: np.ndarray, right: np.ndarray, told: str) -> None:
    assert said(actual, right=(right,)).endswith(f" {told}")


ARRAYS = st.sampled_from([np.float64, np.float32, np.float16, np.int64, np.bool_, np.complex128]).flatmap(
    lambda kind: hnp.arrays(kind, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
)


@pytest.mark.parametrize(
    ("actual", "told"),
    [
        (VALUES[:, :2], "It is right, but it lacks its last entry along the second axis."),
        (VALUES[1:], "It is right, but it lacks its first entry along the first axis."),
        (np.pad(VALUES, ((0, 0), (2, 0))), "Without its first 2 entries along the second axis, it is right."),
        (np.pad(VALUES, ((0, 1), (0, 0))), "Without its last entry along the first axis, it is right."),
        (np.pad(VALUES, ((0, 0), (1, 1))), "Got shape (2, 5), expected (2, 3)."),
        (VALUES[:1, :2], "Got shape (1, 2), expected (2, 3)."),
        (VALUES[:, :2] * 7, "Got shape (2, 2), expected (2, 3)."),
        (VALUES[0], "Got shape (3,), expected (2, 3)."),
        (VALUES[:, :0], "Got shape (2, 0), expected (2, 3)."),
    ],
)
def test_an_end_too_much_or_too_little_is_told(actual: np.ndarray, told: str) -> None:
    assert said(actual).endswith(told)


@given(ARRAYS, ARRAYS)
def test_no_lengths_are_too_strange(actual: np.ndarray, expected: np.ndarray) -> None:
    for found in relations.of_other_length(actual, expected, tolerances.Tolerance(1e-6, 1e-6)):
        assert actual.shape != expected.shape
        assert sentences.sentence(found, single=False).endswith("is right.") or found.how == "missing"


def test_a_relation_of_another_wrong_result_is_told_with_its_name() -> None:
    strange = VALUES + VALUES**2
    assert " In state: every number has the wrong sign. Also wrong: state." in said(strange, -VALUES, VALUES)


@given(ARRAYS, st.data())
def test_no_arrays_are_too_strange(actual: np.ndarray, data: st.DataObject) -> None:
    expected = data.draw(hnp.arrays(np.float64, actual.shape) | ARRAYS)
    inputs = {"x": data.draw(hnp.arrays(np.float64, actual.shape))}
    for found in relations.relations(actual, expected, inputs, tolerances.Tolerance(1e-6, 1e-6)):
        assert sentences.sentence(found, single=actual.size == 1).endswith(".")


def test_masks_have_no_numbers_in_other_places() -> None:
    mask = np.array([True, False])
    assert "other places" not in said(mask[::-1], right=(mask,))


def test_the_other_results_are_told() -> None:
    wrong = VALUES + 1
    assert said(wrong, wrong, VALUES).endswith(" Also wrong: state. Right: weights.")
    assert said(VALUES, wrong, wrong).endswith(" Also wrong: weights. Right: logits.")
    assert said(VALUES, VALUES, wrong).endswith(" Right: logits, state.")
    assert said(wrong, VALUES[0], VALUES).endswith("expected 1.")  # what follows could not be compared
