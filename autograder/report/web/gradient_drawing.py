"""Gradients by parameter as pairs of bars: the expected size above, the returned one below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from autograder.feedback import gradients
from autograder.model import GradientPicture, GradientRow


class Bars(NamedTuple):
    """A row: widths in per cent of the longer bar, numbers as text, and ``kind``, the colour of the returned bar."""

    name: str
    expected_width: str
    width: str
    kind: str
    returned: str
    expected: str
    verdict: str


class GradientDrawing(NamedTuple):
    """The rows of a part. ``is_open``: they are shown at once, and printed; of others only the summary is."""

    part: str
    summary: str
    is_open: bool
    rows: list[Bars]


def gradient_drawings(pictures: Sequence[GradientPicture]) -> list[GradientDrawing]:
    """Return the drawings of pictures. The first part that differs is open: as a rule, later ones follow from it."""
    wrong = (place for place, picture in enumerate(pictures) if any(row.state != "right" for row in picture.rows))
    first = next(wrong, None)
    return [
        GradientDrawing(picture.part, gradients.summary(picture), place == first, [_bars(row) for row in picture.rows])
        for place, picture in enumerate(pictures)
    ]


def _bars(row: GradientRow) -> Bars:
    actual, expected = row.actual or 0.0, row.expected or 0.0
    longest = max(actual, expected)

    def width(norm: float) -> str:
        return f"{100 * (norm / longest if longest else 0.0):.1f}"

    kind = "had" if row.state == "right" else "over"
    numbers = gradients.number(row.actual), gradients.number(row.expected)
    return Bars(row.name, width(expected), width(actual), kind, *numbers, gradients.verdict(row))
