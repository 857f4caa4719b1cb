"""Renders the handout, with a table of points."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, get_args

from autograder import assignments
from autograder.model import Check, Kind, Visibility

TEMPLATES = Path(__file__).parent / "templates"

TITLES: dict[Kind, str] = {
    "interface": "Names, arguments, parameters and errors",
    "shape": "Shapes and types of the results",
    "value": "Correct values",
    "weight_sum": "Weights that sum to 1",
    "gradient": "Correct gradients",
    "mask": "Masks",
    "invariance": "What must not change the result",
    "constraint": "What is not allowed",
    "timing": "Speed",
    "training": "Training and decoding",
}


class PointsRow(NamedTuple):
    """A row of the points table: the points of all checks of one kind."""

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
    """Return the points by kind, in the order of ``Kind``. A kind without points has no row."""

    def total(kind: Kind, visibility: Visibility) -> float:
        return sum(check.points for check in checks if (check.kind, check.visibility) == (kind, visibility))

    rows = [PointsRow(TITLES[kind], total(kind, "public"), total(kind, "hidden")) for kind in get_args(Kind)]
    return [row for row in rows if row.points]


def points_table(assignment: str) -> list[PointsRow]:
    """Return the rows of the handout's table."""
    return points_rows(checks_of(assignment))


def handout(assignment: str, root: Path, groups: list[PointsRow]) -> str:
    """Return the README of an assignment."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([root / "solutions" / assignment, TEMPLATES]),
        undefined=StrictUndefined,
        autoescape=False,  # Markdown from our own templates, without input of others
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["points"] = lambda number: f"{number:g}"
    return environment.get_template("handout.md").render(
        assignment=assignment, groups=groups, total=sum(group.points for group in groups) or 100
    )
