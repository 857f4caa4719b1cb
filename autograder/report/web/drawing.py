"""Attention weights as pictures: those that were returned, the expected ones, and the difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from autograder.model import WeightPicture

GAP, TOP = 28, 18  # between the panels, and above them
LARGEST, SMALLEST, WIDTH = 26, 12, 220  # of a cell's side, and of a panel, in units of the picture
SAME = 5e-4  # a smaller difference is none
Row = Sequence[float | None]


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
    difference = [
        [None if None in (one, other) else one - other for one, other in zip(*pair, strict=False)]  # type: ignore[operator]
        for pair in zip(picture.actual, picture.expected, strict=False)
    ]
    matrices: list[tuple[str, Sequence[Row]]] = [
        *(("returned", picture.actual), ("expected", picture.expected), ("difference", difference))
    ]
    panels = [
        Panel(name, place * step, _cells(matrix, place * step, side, name == "difference"))
        for place, (name, matrix) in enumerate(matrices)
    ]
    axes = f"rows {picture.axes[0]}, columns {picture.axes[1]}" if all(picture.axes) else ""
    width, height = max(3 * step - GAP, 200), TOP + rows * side + 2
    return Drawing(picture.part, axes, _words(picture, difference), side, width, height, panels)


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


def _words(picture: WeightPicture, difference: Sequence[Row]) -> str:
    """Return what the picture shows, for those who do not see it."""
    shape = f"{len(picture.expected)} by {max(map(len, picture.expected), default=0)} weights."
    if any(value is None for row in picture.actual for value in row):
        return f"{shape} Some that were returned are not finite."
    sizes = [
        (abs(value or 0.0), row, column) for row, values in enumerate(difference) for column, value in enumerate(values)
    ]
    largest, row, column = max(sizes, key=lambda one: one[0], default=(0.0, 0, 0))
    if largest < SAME:
        return f"{shape} They are as expected."
    place = f"row {row + 1}, column {column + 1}"
    actual, expected = picture.actual[row][column], picture.expected[row][column]
    return f"{shape} The largest difference is in {place}: got {actual:.4g}, expected {expected:.4g}."
