"""How scores and points are written for people."""

from __future__ import annotations

import pytest

from autograder.report.summary import number, score


@pytest.mark.parametrize(
    ("value", "shown", "short"),
    [
        (None, "-", "-"),
        (100.0, "100.00", "100"),
        (74.750003, "74.75", "74.75"),
        (5 / 3, "1.67", "1.67"),
        (2.5, "2.50", "2.5"),
        (0.0, "0.00", "0"),
        (-0.001, "0.00", "0"),
        (10.0, "10.00", "10"),
    ],
)
def test_scores_have_two_decimals_and_points_at_most_two(value: float | None, shown: str, short: str) -> None:
    assert (score(value), number(value)) == (shown, short)
