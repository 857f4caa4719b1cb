"""Attention weights as pictures: those that were returned, the expected ones, and the difference.

Rows and columns have their labels, rows their entropies, and what a mask hides has a sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from autograder.feedback.weights import Row, entropies, is_masked, labels, legend, matrices, words
from autograder.model import WeightPicture

GAP, TOP = 28, 32  # between the panels, and above them: for the name, and for the labels of the columns
LARGEST, SMALLEST, WIDTH = 26, 12, 220  # of a cell's side, and of a panel, in units of the picture
LETTER, BASE = 6.4, 4  # of the labels: the width of a letter, and from the middle of a cell down to the line
ENTROPY = 26  # the width of an entropy


class Cell(NamedTuple):
    """A square. ``kind`` is its colour; ``none`` where there is no finite number. ``masked``: the mask hides it."""

    x: int
    y: int
    opacity: str
    kind: str
    text: str
    masked: bool


class Label(NamedTuple):
    """A small text. ``anchor``: which end of it is at ``x``."""

    x: int
    y: int
    anchor: str
    text: str


class Panel(NamedTuple):
    """One matrix with its name, the labels of its columns, and the entropies of its rows."""

    name: str
    x: int
    cells: list[Cell]
    labels: list[Label]


class Drawing(NamedTuple):
    """One panel, or three beside each other, and what they show in words."""

    part: str
    axes: str
    text: str
    legend: str
    side: int
    width: int
    height: int
    rows: list[Label]
    panels: list[Panel]


def drawing(picture: WeightPicture) -> Drawing:
    """Return the drawing of a picture. The labels of the rows stand before the first panel."""
    rows, columns = labels(picture)
    side = max(SMALLEST, min(LARGEST, WIDTH // max(len(columns), 1)), _width(columns))
    left = _width(rows)
    step = len(columns) * side + GAP + (ENTROPY if any(picture.entropies) else 0)
    panels = [
        _panel(picture, name, matrix, left + place * step, side)
        for place, (name, matrix) in enumerate(matrices(picture))
    ]
    of_rows = [Label(left - 3, _line(row, side), "end", text) for row, text in enumerate(rows)]
    axes = f"rows {picture.axes[0]}, columns {picture.axes[1]}" if all(picture.axes) else ""
    width, height = max(left + len(panels) * step - GAP, 200), TOP + len(rows) * side + 2
    return Drawing(picture.part, axes, words(picture), legend(picture), side, width, height, of_rows, panels)


def _panel(picture: WeightPicture, name: str, matrix: Sequence[Row], left: int, side: int) -> Panel:
    _, columns = labels(picture)
    behind, right = entropies(picture, name), left + len(columns) * side + 3
    above = [Label(left + at * side + side // 2, TOP - 4, "middle", text) for at, text in enumerate(columns)]
    beside = [Label(right, _line(row, side), "start", text) for row, text in enumerate(behind)]
    head = [Label(right, TOP - 4, "start", "H")] if behind else []
    return Panel(name, left, _cells(picture, matrix, left, side, name == "difference"), [*above, *head, *beside])


def _cells(picture: WeightPicture, matrix: Sequence[Row], left: int, side: int, signed: bool) -> list[Cell]:
    found = []
    rows, columns = labels(picture)
    for row, values in enumerate(matrix):
        for column, value in enumerate(values):
            place = left + column * side, TOP + row * side
            masked = is_masked(picture, row, column)
            where = f"row {_of(rows, row)}, column {_of(columns, column)}{', masked' if masked else ''}"
            if value is None:
                found.append(Cell(*place, "", "none", f"{where}: not finite", masked))
            else:
                kind = "over" if signed and value > 0 else "under"
                found.append(Cell(*place, f"{min(abs(value), 1.0):.3f}", kind, f"{where}: {value:.4g}", masked))
    return found


def _of(texts: Sequence[str], place: int) -> str:
    """Return the label of a row or a column, if there are so many."""
    return texts[place] if place < len(texts) else str(place)


def _width(texts: Sequence[str]) -> int:
    """Return the width of labels."""
    return round(LETTER * max(map(len, texts), default=0)) + 4


def _line(row: int, side: int) -> int:
    """Return the line on which a row's text stands."""
    return TOP + row * side + side // 2 + BASE - 1
