"""Gradients by parameter as bars, and in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.feedback import gradients
from autograder.model import GradientPicture, GradientRow
from autograder.report.web.gradient_drawing import gradient_drawings

RIGHT = GradientRow("x", "right", 2.0, 2.0, 0.0)
STATES = ("right", "wrong", "missing", "wrong-shape", "not-finite", "unreadable")
NORM = st.none() | st.floats(0, 1e300)
ROW = st.builds(GradientRow, st.just("x"), st.sampled_from(STATES), NORM, NORM, NORM)


def picture(*rows: GradientRow, part: str = "attend") -> GradientPicture:
    return GradientPicture(part, "gradients", rows)


def test_the_longer_bar_fills_the_width() -> None:
    short, long = GradientRow("x", "wrong", 0.5, 2.0, 0.75), GradientRow("y", "wrong", 8.0, 2.0, 3.0)
    [made] = gradient_drawings([picture(short, long, RIGHT)])
    assert [(row.width, row.expected_width, row.kind) for row in made.rows] == [
        ("25.0", "100.0", "over"),
        ("100.0", "25.0", "over"),
        ("100.0", "100.0", "had"),
    ]
    assert (made.rows[0].returned, made.rows[0].expected) == ("0.5", "2")


@given(st.lists(ROW, min_size=1, max_size=5))
def test_any_gradients_can_be_drawn(rows: list[GradientRow]) -> None:
    [made] = gradient_drawings([picture(*rows)])
    for row, bars in zip(rows, made.rows, strict=True):
        assert 0 <= float(bars.width) <= 100
        assert 0 <= float(bars.expected_width) <= 100
        assert (bars.kind == "had") == (bars.verdict == gradients.AS_EXPECTED) == (row.state == "right")


def test_the_first_part_that_differs_is_open() -> None:
    wrong = GradientRow("x", "missing", None, 2.0)
    made = gradient_drawings([picture(RIGHT), picture(wrong), picture(wrong)])
    assert [one.is_open for one in made] == [False, True, False]
    assert not any(one.is_open for one in gradient_drawings([picture(RIGHT)]))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (RIGHT, "as expected"),
        (GradientRow("x", "wrong", 1.0, 2.0, 0.5), "off by 50 %"),
        (GradientRow("x", "wrong", 2.0, 2.0, 0.000123), "off by 0.01 %"),
        (GradientRow("x", "wrong", 2.0, 2.0, 1e-7), "off by less than 0.01 %"),
        (GradientRow("x", "wrong", 2.0, 2.0, 0.0949), "off by 9 %"),
        (GradientRow("x", "wrong", 2.0, 2.0, 0.0999), "off by 10 %"),
        (GradientRow("x", "wrong", 2.0, 2.0, 9.99), "off by 999 %"),
        (GradientRow("x", "wrong", 1e9, 2.0, 5e8), "off by 5e+08 times its size"),
        (GradientRow("x", "wrong", 1.0, 0.0), "0 is expected"),
        (GradientRow("x", "wrong", None, 2.0), "differs"),
        (GradientRow("x", "missing", None, 2.0), "no gradient"),
        (GradientRow("x", "wrong-shape", None, 2.0), "wrong shape"),
        (GradientRow("x", "not-finite", None, 2.0), "NaN or infinity"),
        (GradientRow("x", "unreadable", None, 2.0), "can't be read"),
    ],
)
def test_each_row_in_words(row: GradientRow, said: str) -> None:
    assert gradients.verdict(row) == said


def test_how_many_differ() -> None:
    wrong = GradientRow("x", "missing", None, 2.0)
    assert gradients.summary(picture(RIGHT, RIGHT)) == "2 as expected"
    assert gradients.summary(picture(RIGHT, wrong)) == "1 of 2 differs"
    assert gradients.summary(picture(wrong, wrong)) == "2 of 2 differ"
