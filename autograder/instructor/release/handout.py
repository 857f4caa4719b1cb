"""Renders the handout, with a table of points."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from autograder import assignments
from autograder.assignments import places
from autograder.assignments.kit.programs import PUBLIC_SEED, InputGenerator
from autograder.assignments.places import place
from autograder.instructor.release.figure import figure_in
from autograder.model import Check

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"


class PointsRow(NamedTuple):
    """A row of the points table: the points of all checks of one part.

    ``public_points`` are those that a student sees while checking. Speed is measured only while grading.
    """

    title: str
    public_points: float
    speed_points: float
    hidden_points: float

    @property
    def points(self) -> float:
        """The points of all checks together."""
        return self.public_points + self.speed_points + self.hidden_points


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

    points = {part: {"public": 0.0, "speed": 0.0, "hidden": 0.0} for part in dict.fromkeys(one.part for one in checks)}
    for check in checks:
        speed = check.visibility == "public" and check.kind == "timing"
        points[check.part]["speed" if speed else check.visibility] += check.points
    return [PointsRow(f"`{part}`", *of.values()) for part, of in points.items()]


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
            speed=sum(group.speed_points for group in groups),
            timed=any(check.kind == "timing" for check in checks_of(assignment)),
            torch="torch" in libraries(assignment),
            figure=f"![{drawing.alt}](figure.svg)" if drawing else "",
        )
    )


def libraries(assignment: str) -> set[str]:
    """Return the libraries whose arrays the functions of an assignment get: torch, numpy."""
    if assignment not in places.of_courses():
        return {"torch"}
    cases = [case for check in checks_of(assignment) for case in check.cases]
    return {case.build(InputGenerator(PUBLIC_SEED, assignment, case.id)).library for case in cases} or {"torch"}


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
