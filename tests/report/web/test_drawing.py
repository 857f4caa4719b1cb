"""Attention weights as pictures, and in words."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from autograder.model import SIDE, WeightPicture
from autograder.report.web.drawing import ENTROPY, TOP, drawing

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


def test_labels_entropies_and_what_the_mask_hides() -> None:
    plain = picture([[0.25, 0.75], [0.5, 0.5]], [[1.0, 0.0], [0.5, 0.5]])
    made = drawing(
        replace(plain, mask=((True, False), (True, True)), words=((), ("un", "deux")), entropies=((1, 2), (3, None)))
    )
    assert [label.text for label in made.rows] == ["0", "1"]
    assert [[label.text for label in panel.labels] for panel in made.panels] == [
        ["un", "deux", "H", "1.00", "2.00"],
        ["un", "deux", "H", "3.00", "-"],
        ["un", "deux"],
    ]
    for panel in made.panels:
        assert [cell.masked for cell in panel.cells] == [False, True, False, False]
        assert panel.cells[1].text.startswith("row 0, column deux, masked: ")
    assert made.legend.endswith("what the mask hides.")
    first, second, _ = made.panels
    assert max(label.x for label in made.rows) < first.x
    assert max(label.x for label in first.labels) + ENTROPY < second.x
    alone = drawing(plain)
    assert [label.text for label in alone.panels[0].labels] == ["0", "1"]
    assert not any(cell.masked for panel in alone.panels for cell in panel.cells)


def test_words_above_neighbouring_columns_do_not_touch() -> None:
    made = drawing(replace(picture([[0.5] * 3], [[0.5] * 3]), words=((), ("une", "pomme", "rouge"))))
    widest = 6.2  # of a letter of this size, in the browsers' usual font
    for panel in made.panels:
        edges = [(label.x, widest * len(label.text) / 2) for label in panel.labels]
        for (left, half), (right, other) in itertools.pairwise(edges):
            assert left + half < right - other


@given(st.integers(1, SIDE), st.integers(1, SIDE), st.booleans())
def test_nothing_lies_outside_the_picture_or_on_another_panel(rows: int, columns: int, behind: bool) -> None:
    values = [[0.5] * columns] * rows
    made = drawing(replace(picture(values, values), entropies=((1.0,) * rows,) * 2 if behind else ((), ())))
    for panel, after in zip(made.panels, [*(panel.x for panel in made.panels[1:]), made.width], strict=True):
        assert all(panel.x <= cell.x and cell.x + made.side <= after for cell in panel.cells)
        assert all(cell.y + made.side <= made.height for cell in panel.cells)
        assert all(label.y <= made.height and label.x < after for label in panel.labels)


@given(ROWS, ROWS)
def test_any_two_matrices_can_be_drawn(actual: list[list[float | None]], expected: list[list[float | None]]) -> None:
    made = drawing(picture(actual, expected))
    for panel in made.panels:
        for cell in panel.cells:
            assert cell.y >= TOP
            assert (cell.opacity == "") == (cell.kind == "none")
            assert not cell.opacity or 0 <= float(cell.opacity) <= 1
    assert "by" in made.text
