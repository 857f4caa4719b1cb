"""Renders the handout, with a table of points."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from autograder import assignments
from autograder.assignments.places import place
from autograder.instructor.release.figure import figure_in
from autograder.model import Check, Visibility

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"


class PointsRow(NamedTuple):
    """A row of the points table: the points of all checks of one part."""

    title: str
    public_points: float
    hidden_points: float

    @property
    def points(self) -> float:
        """The points of public and hidden checks together."""
        return self.public_points + self.hidden_points


def checks_of(assignment: str) -> tuple[Check, ...]:
    """Return all checks of an assignment, or () if its ``checks`` module does not exist yet."""
    try:
        return assignments.load(assignment).checks
    except ModuleNotFoundError as missing:
        if missing.name != f"autograder.assignments.{assignment}.checks":
            raise
        return ()


def points_rows(checks: Sequence[Check]) -> list[PointsRow]:
    """Return the points by part, in the order of the checks."""

    def total(part: str, visibility: Visibility) -> float:
        return sum(check.points for check in checks if (check.part, check.visibility) == (part, visibility))

    parts = dict.fromkeys(check.part for check in checks)
    return [PointsRow(f"`{part}`", total(part, "public"), total(part, "hidden")) for part in parts]


def points_table(assignment: str) -> list[PointsRow]:
    """Return the rows of the handout's table."""
    return points_rows(checks_of(assignment))


def handout(assignment: str, root: Path, groups: list[PointsRow]) -> str:
    """Return the README of an assignment."""
    own = place(assignment, root).texts
    drawing = figure_in(own)
    return (
        _environment(own)
        .get_template("handout.md")
        .render(
            assignment=assignment,
            groups=groups,
            total=sum(group.points for group in groups) or 100,
            figure=f"![{drawing.alt}](figure.svg)" if drawing else "",
        )
    )


def tutor(assignment: str) -> str:
    """Return the AGENTS.md of an assignment, which asks a coding assistant to tutor and not to solve."""
    return _environment().get_template("agents.md").render(assignment=assignment)


def _environment(*folders: Path) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([*folders, TEMPLATES]),
        undefined=StrictUndefined,
        autoescape=False,  # Markdown from our own templates, without input of others
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["points"] = lambda number: f"{number:g}"
    return environment
