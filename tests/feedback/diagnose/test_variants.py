"""How well an answer is that of a known mistake."""

from __future__ import annotations

import numpy as np
import pytest

from autograder.feedback.diagnose.variants import EXACT, MORE, UNDECIDED, fit
from autograder.judge.result_tables import Key
from tests.small_suite_helpers import asked, call, record

X = np.random.default_rng(7).normal(size=(2, 3, 4))
Y = np.tanh(X)
OUT, AGAIN = Key("out", "value", "result"), Key("again", "value", "result")


@pytest.mark.parametrize(
    ("other", "shown", "level"),
    [
        ("attend", {OUT: Y + 1}, EXACT),
        ("attend", {OUT: Y + 2}, None),
        ("attend", {AGAIN: Y + 1}, None),
        ("attend", {OUT: Y + 1, AGAIN: Y + 1}, None),  # the other call is right, where the mistake is wrong
        ("attend", {OUT: Y + 1, AGAIN: Y * (1 + 3e-9)}, MORE),  # too near to tell
        ("average", {OUT: Y + 1, AGAIN: Y + 1}, MORE),  # the mistake may lie in what only one of them uses
        ("attend", {}, UNDECIDED),
    ],
)
def test_a_call_that_is_right_speaks_against_a_mistake_that_is_wrong_there(
    other: str, shown: dict[Key, np.ndarray], level: int | None
) -> None:
    steps = (call("attend", "x", into="out"), call(other, "x", into="again"))
    answer = record(asked("two", steps, {"out": Y, "again": Y}, x=X), {"out": Y + 1, "again": Y})
    assert fit(answer, shown) == level


def test_what_can_not_be_read_refutes_nothing() -> None:
    steps = (call("attend", "x", into="out"), call("attend", "x", into="again"))
    answer = record(asked("two", steps, {"out": Y, "again": Y}, x=X), {"out": Y + 1, "again": (Y, Y)})
    assert AGAIN not in answer.actual
    assert fit(answer, {OUT: Y + 1, AGAIN: Y + 1}) == MORE
