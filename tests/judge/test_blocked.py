"""Which checks wait until the values are right, and which fail themselves."""

from __future__ import annotations

import pytest

from autograder import model
from autograder.assignments.kit import kinds
from autograder.assignments.kit.assertions import RIGHT, UNCHANGED, expect
from autograder.assignments.kit.checks import case
from autograder.judge.blocked import in_order, is_blocked

CASE = case("one", lambda builder: None)
SUMS = kinds.weight_sum("sums", 2, "Rows sum to 1").on(CASE).expects(RIGHT, expect("sums", output="weights"))
SHAPES = kinds.shape("shapes", 2, "Shapes are right").on(CASE).expects(RIGHT)
STATE = kinds.invariance("state", 2, "Inputs stay").on(CASE).expects(UNCHANGED, RIGHT)
BATCH = kinds.invariance("batch", 2, "Sentences do not touch").on(CASE).expects(RIGHT)
VALUES = kinds.value("values", 2, "Values are right").on(CASE).expects(RIGHT)
DEVICE = kinds.constraint("device", 2, "On the inputs' device").on(CASE).expects(expect("device"))


@pytest.mark.parametrize(
    ("check", "symptom", "waits"),
    [
        (SUMS, "wrong-values", True),
        (SUMS, "wrong-shape", True),
        (SUMS, "wrong-sum", False),
        (SHAPES, "wrong-values", True),
        (SHAPES, "wrong-shape", False),
        (STATE, "wrong-values", True),
        (STATE, "changed-input", False),
        (BATCH, "wrong-values", False),
        (VALUES, "wrong-values", False),
        (DEVICE, "wrong-values", True),
        (DEVICE, "wrong-device", False),
    ],
)
def test_a_check_waits_where_only_values_are_wrong(check: model.Check, symptom: str, waits: bool) -> None:
    assert is_blocked(check, model.Finding(symptom, "out")) is waits


def test_a_stub_or_a_crash_does_not_wait() -> None:
    assert not is_blocked(SUMS, model.Finding("not-implemented", "out", {}, "error"))
    assert not is_blocked(SUMS, model.Finding("timed-out", "out", {}, "timeout"))


def test_what_the_title_is_about_is_judged_first() -> None:
    assert [one.name for one in in_order(SUMS)] == ["sums", "shapes", "values"]
