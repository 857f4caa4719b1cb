"""Gradients by parameter as pairs of bars: the expected size above, the returned one below."""

from __future__ import annotations

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
    """The rows of a part. ``differs``: at least one of them is not as expected."""

    part: str
    summary: str
    text: str
    differs: bool
    rows: list[Bars]


def gradient_drawing(picture: GradientPicture) -> GradientDrawing:
    """Return the drawing of a picture."""
    differs = any(row.state != "right" for row in picture.rows)
    rows = [_bars(row) for row in picture.rows]
    return GradientDrawing(picture.part, gradients.summary(picture), gradients.words(picture), differs, rows)


def _bars(row: GradientRow) -> Bars:
    actual, expected = row.actual or 0.0, row.expected or 0.0
    longest = max(actual, expected)

    def width(norm: float) -> str:
        return f"{100 * (norm / longest if longest else 0.0):.1f}"

    kind = "had" if row.state == "right" else "over"
    numbers = gradients.number(row.actual), gradients.number(row.expected)
    return Bars(row.name, width(expected), width(actual), kind, *numbers, gradients.verdict(row))
