"""Attention weights as pictures: those that were returned, the expected ones, and the difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from autograder.feedback.weights import Row, matrices, words
from autograder.model import WeightPicture

GAP, TOP = 28, 18  # between the panels, and above them
LARGEST, SMALLEST, WIDTH = 26, 12, 220  # of a cell's side, and of a panel, in units of the picture


class Cell(NamedTuple):
    """A square. ``kind`` is its colour; ``none`` where there is no finite number."""

    x: int
    y: int
    opacity: str
    kind: str
    text: str


class Panel(NamedTuple):
    """One matrix with its name."""

    name: str
    x: int
    cells: list[Cell]


class Drawing(NamedTuple):
    """Three panels beside each other, and what they show in words."""

    part: str
    axes: str
    text: str
    side: int
    width: int
    height: int
    panels: list[Panel]


def drawing(picture: WeightPicture) -> Drawing:
    """Return the drawing of a picture."""
    rows, columns = len(picture.expected), max(map(len, picture.expected), default=0)
    side = max(SMALLEST, min(LARGEST, WIDTH // max(columns, 1)))
    step = columns * side + GAP
    panels = [
        Panel(name, place * step, _cells(matrix, place * step, side, name == "difference"))
        for place, (name, matrix) in enumerate(matrices(picture))
    ]
    axes = f"rows {picture.axes[0]}, columns {picture.axes[1]}" if all(picture.axes) else ""
    width, height = max(3 * step - GAP, 200), TOP + rows * side + 2
    return Drawing(picture.part, axes, words(picture), side, width, height, panels)


def _cells(matrix: Sequence[Row], left: int, side: int, signed: bool) -> list[Cell]:
    found = []
    for row, values in enumerate(matrix):
        for column, value in enumerate(values):
            place = left + column * side, TOP + row * side
            where = f"row {row + 1}, column {column + 1}"
            if value is None:
                found.append(Cell(*place, "", "none", f"{where}: not finite"))
            else:
                kind = "over" if signed and value > 0 else "under"
                found.append(Cell(*place, f"{min(abs(value), 1.0):.3f}", kind, f"{where}: {value:.4g}"))
    return found
