"""A wrong result shows more than its largest difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograder import judge, model, protocol
from autograder.feedback import messages
from tests.small_suite_helpers import call, program, tensor

VALUES = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def said(*results: Any, right: tuple[Any, ...] = (VALUES, VALUES, VALUES)) -> str:
    """Return the message about results of which some are wrong."""

    def answer(values: tuple[Any, ...]) -> tuple[protocol.StepResult, ...]:
        items = tuple(map(tensor, values))
        value = protocol.Sequence("tuple", items) if len(items) > 1 else items[0]
        return (protocol.StepResult("out", value),)

    names = ("logits", "state", "weights")[: len(results)]
    asked = program(call("f", "x", outputs=names), x=np.zeros(3))
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


def test_masks_have_no_numbers_in_other_places() -> None:
    mask = np.array([True, False])
    assert "other places" not in said(mask[::-1], right=(mask,))


def test_the_other_results_are_told() -> None:
    wrong = VALUES + 1
    assert said(wrong, wrong, VALUES).endswith(" Also wrong: state. Right: weights.")
    assert said(VALUES, wrong, wrong).endswith(" Also wrong: weights. Right: logits.")
    assert said(VALUES, VALUES, wrong).endswith(" Right: logits, state.")
    assert said(wrong, VALUES[0], VALUES).endswith("expected 1.")  # what follows could not be compared
