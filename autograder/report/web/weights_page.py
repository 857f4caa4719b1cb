"""A student's own attention weights as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autograder import model
from autograder.report.web.drawing import drawing
from autograder.report.web.templates import environment


def weights_page(grades: Sequence[model.Grade], titles: Mapping[str, str]) -> str:
    """Return a self-contained page. ``titles`` are the assignments'."""
    drawn = [(titles[grade.assignment], [drawing(picture) for picture in grade.pictures]) for grade in grades]
    return environment().get_template("weights.html.jinja").render(drawn=drawn)
