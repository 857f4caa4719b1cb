"""Renders the handout, with the table of what is graded for how many points."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, get_args

from autograder.model import Check, Kind, Spec

TEMPLATES = Path(__file__).parent / "templates"

TITLES: dict[Kind, str] = {
    "interface": "Names, arguments, parameters and errors",
    "shape": "Shapes and types of the results",
    "value": "Right values",
    "weight_sum": "Weights that sum to 1",
    "gradient": "Right gradients",
    "mask": "Masks",
    "invariance": "What must not change the result",
    "constraint": "What is not allowed",
    "timing": "Speed",
    "training": "Training and decoding",
}


class Group(NamedTuple):
    """A line of the points table: all checks of one kind, hidden ones as a sum only."""

    title: str
    public_points: float
    hidden_points: float

    @property
    def points(self) -> float:
        """Both together."""
        return self.public_points + self.hidden_points


def checks_of(topic: str) -> tuple[Check, ...]:
    """All checks of an assignment, or none while its specification is not written yet."""
    try:
        spec: Spec = import_module("autograder.specs").load(topic)
    except ModuleNotFoundError as missing:
        if missing.name not in ("autograder.specs", f"autograder.specs.{topic}"):
            raise
        return ()
    return spec.checks


def group(checks: Iterable[Check]) -> list[Group]:
    """Points by kind, in the order of ``Kind``; a kind without points has no line."""
    by_kind: dict[str, list[Check]] = {}
    for check in checks:
        by_kind.setdefault(check.kind, []).append(check)

    def total(kind: str, visibility: str) -> float:
        return sum(check.points for check in by_kind[kind] if check.visibility == visibility)

    groups = [
        Group(TITLES[kind], total(kind, "public"), total(kind, "hidden"))
        for kind in get_args(Kind)
        if kind in by_kind
    ]
    return [line for line in groups if line.points]


def points_table(topic: str) -> list[Group]:
    """What the handout's table shows."""
    return group(checks_of(topic))


def handout(topic: str, root: Path, groups: list[Group]) -> str:
    """The README of an assignment."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([root / "solutions" / topic, TEMPLATES]),
        undefined=StrictUndefined,
        autoescape=False,  # Markdown, from our own templates and nobody's input
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["points"] = lambda number: f"{number:g}"
    return environment.get_template("handout.md").render(topic=topic, groups=groups)
