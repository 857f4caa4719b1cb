"""Attention weights beside the expected ones: in words, and as a table of colours where no page of ours is shown."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from autograder.model import WeightPicture

SAME = 5e-4  # a smaller difference is none
Colour = tuple[int, int, int]  # red, green and blue, from 0 to 255
BLUE, RED, WHITE, BLACK = (47, 111, 179), (168, 50, 15), (255, 255, 255), (0, 0, 0)
DARK = 0.6  # from which share on the ink is white
Row = Sequence[float | None]


def difference(picture: WeightPicture) -> list[list[float | None]]:
    """Return the returned weights less the expected ones; None where one of the two is not finite."""
    return [
        [None if one is None or other is None else one - other for one, other in zip(*pair, strict=False)]
        for pair in zip(picture.actual, picture.expected, strict=False)
    ]


def matrices(picture: WeightPicture) -> tuple[tuple[str, Sequence[Row]], ...]:
    """Return the three matrices of a picture with their names."""
    return ("returned", picture.actual), ("expected", picture.expected), ("difference", difference(picture))


def words(picture: WeightPicture) -> str:
    """Return what a picture shows, for those who do not see it."""
    shape = f"{len(picture.expected)} by {max(map(len, picture.expected), default=0)} weights."
    if any(value is None for row in picture.actual for value in row):
        return f"{shape} Some that were returned are not finite."
    sizes = [
        (abs(value or 0.0), row, column)
        for row, values in enumerate(difference(picture))
        for column, value in enumerate(values)
    ]
    largest, row, column = max(sizes, key=lambda one: one[0], default=(0.0, 0, 0))
    if largest < SAME:
        return f"{shape} They are as expected."
    place = f"row {row + 1}, column {column + 1}"
    actual, expected = picture.actual[row][column], picture.expected[row][column]
    return f"{shape} The largest difference is in {place}: got {actual:.4g}, expected {expected:.4g}."


def style(value: float, *, signed: bool) -> str:
    """Return how a terminal shows a number: on blue, the darker the larger; with a sign, too much is on red."""
    ground, ink = _colours(value, signed=signed)
    return f"rgb({','.join(map(str, ink))}) on rgb({','.join(map(str, ground))})"


def table(picture: WeightPicture) -> str:
    """Return a picture as HTML that needs no style sheet, script or image: a table for each matrix, and the words.

    It holds numbers, and texts of ours.
    """
    panels = "".join(
        f'<td style="padding:0 16px 0 0;vertical-align:top"><div>{name}</div>'
        f'<table style="border-collapse:collapse">{"".join(_rows(matrix, signed=name == "difference"))}</table></td>'
        for name, matrix in matrices(picture)
    )
    return f"<div><table><tr>{panels}</tr></table><p>{html.escape(words(picture))}</p></div>"


def _rows(matrix: Sequence[Row], *, signed: bool) -> Iterator[str]:
    for row in matrix:
        yield f"<tr>{''.join(_cell(value, signed=signed) for value in row)}</tr>"


def _cell(value: float | None, *, signed: bool) -> str:
    if value is None:
        return '<td style="border:1px solid #ccc;padding:2px 4px">-</td>'
    ground, ink = (f"rgb({','.join(map(str, colour))})" for colour in _colours(value, signed=signed))
    return f'<td style="border:1px solid #ccc;padding:2px 4px;color:{ink};background:{ground}">{value:.2f}</td>'


def _colours(value: float, *, signed: bool) -> tuple[Colour, Colour]:
    """Return the ground and the ink of a number."""
    red, green, blue = RED if signed and value > 0 else BLUE
    share = min(abs(value), 1.0)
    ground = round(255 - (255 - red) * share), round(255 - (255 - green) * share), round(255 - (255 - blue) * share)
    return ground, WHITE if share > DARK else BLACK
