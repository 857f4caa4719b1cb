"""What a check of speed measured: bars beside the reference's, and for staff the cost by size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from autograder.feedback import speeds
from autograder.model import SpeedPicture

BEYOND = 1.1  # the bars' width, in times of the largest figure on them
WIDTH, HEIGHT = 320, 172  # of a curve, in units of the picture
LEFT, RIGHT, TOP, BOTTOM = 52, 306, 28, 136  # of its axes
LABEL = 30  # units that a label on the axis of sizes needs
FEWEST = 2  # sizes of a curve


class Point(NamedTuple):
    """A measured cost, at its place."""

    x: float
    y: float
    text: str


class Tick(NamedTuple):
    """A place on an axis; without ``text`` where there is no room for one."""

    at: float
    text: str


class Curve(NamedTuple):
    """Costs by size, on logarithmic axes. ``limit`` is where the cost is limited, or None."""

    axis: str
    text: str
    returned: list[Point]
    reference: list[Point]
    limit: Point | None
    sizes: list[Tick]
    costs: list[Tick]


class SpeedDrawing(NamedTuple):
    """One call's bars, in per cent of the width: what is sure, what is possible, the reference and the limit.

    ``text`` is for those who do not see them. ``caption`` leaves out what the check's message says beside it.
    """

    check: str
    part: str
    text: str
    caption: str
    kind: str
    low: str
    high: str
    reference: str
    limit: str
    curve: Curve | None


def speed_drawing(picture: SpeedPicture) -> SpeedDrawing:
    """Return the drawing of a picture."""
    reference = 1.0 if picture.quantity == "ratio" else 0.0
    whole = BEYOND * max(picture.high, picture.limit, reference)

    def width(figure: float) -> str:
        return f"{100 * figure / whole if whole else 0.0:.1f}"

    return SpeedDrawing(
        picture.check,
        picture.part,
        speeds.words(picture),
        speeds.limit(picture) if picture.said else speeds.words(picture),
        "over" if picture.verdict == "over" else "had",
        width(picture.low),
        width(picture.high),
        width(reference),
        width(picture.limit),
        _curve(picture),
    )


def _curve(picture: SpeedPicture) -> Curve | None:
    """Return the costs by size, or None where too few sizes were measured."""
    costs = [cost for cost in picture.costs if min(cost.size, cost.actual, cost.reference) > 0]
    if len({cost.size for cost in costs}) < FEWEST:
        return None
    limits = [(one.size, picture.limit * one.reference) for one in costs if one.size == picture.size]
    limit = limits[0] if limits and picture.quantity == "ratio" else None
    known = [value for one in costs for value in (one.actual, one.reference)] + ([limit[1]] if limit else [])
    x = _Scale(costs[0].size, costs[-1].size, LEFT, RIGHT)
    low, high = math.floor(math.log10(min(known))), math.ceil(math.log10(max(known)))
    y = _Scale(10.0**low, 10.0 ** max(high, low + 1), BOTTOM, TOP)

    def point(size: int, cost: float) -> Point:
        return Point(x(size), y(cost), f"{size}: {cost:.3g} ms")

    return Curve(
        picture.axis,
        speeds.costs(picture),
        [point(one.size, one.actual) for one in costs],
        [point(one.size, one.reference) for one in costs],
        point(*limit) if limit else None,
        _apart([Tick(x(one.size), str(one.size)) for one in costs]),
        [Tick(y(10.0**power), f"{10.0**power:g} ms") for power in range(low, max(high, low + 1) + 1)],
    )


class _Scale:
    """A logarithmic axis from the cost or size ``low``, at ``first``, to ``high``, at ``last``."""

    def __init__(self, low: float, high: float, first: float, last: float) -> None:
        self.low, self.first = math.log(low), first
        self.step = (last - first) / (math.log(high) - self.low)

    def __call__(self, value: float) -> float:
        return round(self.first + (math.log(value) - self.low) * self.step, 1)


def _apart(ticks: Sequence[Tick]) -> list[Tick]:
    """Return the ticks, from the last one on with a text only where there is room for it."""
    kept: list[Tick] = []
    free = math.inf
    for tick in reversed(ticks):
        has_room = tick.at <= free
        kept.append(tick if has_room else Tick(tick.at, ""))
        free = tick.at - LABEL if has_room else free
    return kept[::-1]
