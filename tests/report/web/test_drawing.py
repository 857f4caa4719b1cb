"""Attention weights as pictures, and in words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from autograder.model import WeightPicture
from autograder.report.web.drawing import TOP, drawing

NUMBER = st.none() | st.floats(-1e9, 1e9)
ROWS = st.integers(1, 5).flatmap(lambda width: st.lists(st.lists(NUMBER, min_size=width, max_size=width), max_size=5))


def picture(actual: list[list[float | None]], expected: list[list[float | None]]) -> WeightPicture:
    return WeightPicture("attend", "c", ("T_q", "T_k"), tuple(map(tuple, actual)), tuple(map(tuple, expected)))


def test_three_panels_with_the_difference_in_two_colours() -> None:
    made = drawing(picture([[0.25, 0.75]], [[0.5, 0.5]]))
    assert [panel.name for panel in made.panels] == ["returned", "expected", "difference"]
    assert [[cell.opacity for cell in panel.cells] for panel in made.panels] == [
        ["0.250", "0.750"],
        ["0.500", "0.500"],
        ["0.250", "0.250"],
    ]
    assert [cell.kind for cell in made.panels[2].cells] == ["under", "over"]
    assert made.axes == "rows T_q, columns T_k"


@given(ROWS, ROWS)
def test_any_two_matrices_can_be_drawn(actual: list[list[float | None]], expected: list[list[float | None]]) -> None:
    made = drawing(picture(actual, expected))
    for panel in made.panels:
        for cell in panel.cells:
            assert cell.y >= TOP
            assert (cell.opacity == "") == (cell.kind == "none")
            assert not cell.opacity or 0 <= float(cell.opacity) <= 1
    assert "by" in made.text
