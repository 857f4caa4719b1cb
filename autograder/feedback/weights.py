"""Attention weights beside the expected ones: in words, and as a table of colours where no page of ours is shown.

Rows and columns have words, or their positions from 0. Behind a row stands its entropy. MASKED marks what a mask hides.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence

from autograder.model import WeightPicture
from autograder.model.text import harmless

MASKED = "×"
LEGEND = "H is the entropy of a row, in nats."
LEGEND_MASK = f"{MASKED} marks what the mask hides."
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


def differs(picture: WeightPicture) -> bool:
    """Whether returned weights are not as expected."""
    return any(value is None or abs(value) >= SAME for row in difference(picture) for value in row)


def matrices(picture: WeightPicture) -> tuple[tuple[str, Sequence[Row]], ...]:
    """Return the matrices of a picture with their names: one of them says all where weights are as expected."""
    if not differs(picture):
        return (("returned", picture.actual),)
    return ("returned", picture.actual), ("expected", picture.expected), ("difference", difference(picture))


def labels(picture: WeightPicture) -> tuple[list[str], list[str]]:
    """Return what stands at each row and at each column: a word, or the position."""
    counts = len(picture.expected), max(map(len, picture.expected), default=0)
    rows, columns = (_labels(*pair) for pair in zip(picture.words, counts, strict=True))
    return rows, columns


def _labels(words: Sequence[str], count: int) -> list[str]:
    return list(map(harmless, words)) if len(words) == count else list(map(str, range(count)))


def is_masked(picture: WeightPicture, row: int, column: int) -> bool:
    """Return whether the mask of the call hides a weight."""
    return row < len(picture.mask) and column < len(picture.mask[row]) and not picture.mask[row][column]


def entropies(picture: WeightPicture, name: str) -> list[str]:
    """Return the entropies of the rows of a matrix, as text; () of the difference, which has none."""
    known = dict(zip(("returned", "expected"), picture.entropies, strict=True)).get(name, ())
    return ["-" if value is None else f"{value:.2f}" for value in known]


def cell(value: float | None, hidden: bool, *, signed: bool = False) -> str:
    """Return a number as text. What the mask hides is a sign alone, unless it is not 0, as it must be."""
    sign = MASKED if hidden else ""
    if value is None:
        return f"-{sign}"
    if hidden and abs(value) < SAME:
        return sign
    return f"{value:+.2f}{sign}" if signed else f"{value:.2f}{sign}"


def legend(picture: WeightPicture) -> str:
    """Return what the signs in a picture mean."""
    hidden = not all(all(row) for row in picture.mask)
    return " ".join([*[LEGEND] * any(picture.entropies), *[LEGEND_MASK] * hidden])


def words(picture: WeightPicture) -> str:
    """Return what a picture shows, for those who do not see it."""
    rows, columns = labels(picture)
    shape = f"{len(rows)} by {len(columns)} weights."
    if any(value is None for row in picture.actual for value in row):
        return f"{shape} Some that were returned are not finite, and stand as -."
    sizes = [
        (abs(value or 0.0), row, column)
        for row, values in enumerate(difference(picture))
        for column, value in enumerate(values)
    ]
    largest, row, column = max(sizes, key=lambda one: one[0], default=(0.0, 0, 0))
    if largest < SAME:
        return f"{shape} They are as expected."
    place = f"row {rows[row]}, column {columns[column]}"
    actual, expected = picture.actual[row][column], picture.expected[row][column]
    return f"{shape} The largest difference is in {place}: got {actual:.4g}, expected {expected:.4g}."


def style(value: float, *, signed: bool) -> str:
    """Return how a terminal shows a number: on blue, the darker the larger; with a sign, too much is on red."""
    ground, ink = _colours(value, signed=signed)
    return f"rgb({','.join(map(str, ink))}) on rgb({','.join(map(str, ground))})"


def table(picture: WeightPicture) -> str:
    """Return a picture as HTML that needs no style sheet, script or image: a table for each matrix, and the words.

    It holds numbers, words of ours and the labels, which are escaped.
    """
    panels = "".join(
        f'<div style="display:inline-block;margin:0 16px 0 0;vertical-align:top"><div>{name}</div>'
        f'<table style="border-collapse:collapse">{"".join(_rows(picture, name, matrix))}</table></div>'
        for name, matrix in matrices(picture)
    )
    text = html.escape(" ".join(filter(None, (words(picture), legend(picture)))))
    return f"<div>{panels}<p>{text}</p></div>"


def _rows(picture: WeightPicture, name: str, matrix: Sequence[Row]) -> Iterator[str]:
    """Yield the rows of a table: the labels of the columns, and each row with its label and its entropy."""
    rows, columns = labels(picture)
    behind = entropies(picture, name)
    yield _row("", map(_label, columns), "H" if behind else "")
    for place, values in enumerate(matrix):
        hidden = (is_masked(picture, place, column) for column in range(len(values)))
        cells = (_cell(*pair, signed=name == "difference") for pair in zip(values, hidden, strict=True))
        yield _row(rows[place] if place < len(rows) else "", cells, behind[place] if place < len(behind) else "")


def _row(label: str, cells: Iterable[str], end: str) -> str:
    return f"<tr>{_label(label)}{''.join(cells)}{_label(end)}</tr>"


def _label(text: str) -> str:
    return f'<td style="border:0;padding:2px 4px;text-align:center;opacity:0.7">{html.escape(text)}</td>'


def _cell(value: float | None, hidden: bool, *, signed: bool) -> str:
    style, text = "border:1px solid #ccc;padding:2px 4px;text-align:center", cell(value, hidden)
    if value is None:
        return f'<td style="{style}">{text}</td>'
    ground, ink = (f"rgb({','.join(map(str, colour))})" for colour in _colours(value, signed=signed))
    return f'<td style="{style};color:{ink};background:{ground}">{text}</td>'


def _colours(value: float, *, signed: bool) -> tuple[Colour, Colour]:
    """Return the ground and the ink of a number."""
    red, green, blue = RED if signed and value > 0 else BLUE
    share = min(abs(value), 1.0)
    ground = round(255 - (255 - red) * share), round(255 - (255 - green) * share), round(255 - (255 - blue) * share)
    return ground, WHITE if share > DARK else BLACK
