"""What checks of speed measured, in words."""

from __future__ import annotations

from autograder.model import SpeedPicture


def words(picture: SpeedPicture) -> str:
    """Return the figure and its limit."""
    if picture.quantity == "ratio":
        figure = f"{picture.size} {picture.axis}: {_figure(picture)} times the reference's CPU time"
    else:
        figure = f"{picture.axis}: the CPU time grows as a power that is {_figure(picture)} higher than the reference's"
    return f"{figure}; {limit(picture)}"


def limit(picture: SpeedPicture) -> str:
    """Return the limit, for a place that says the figure."""
    return f"the limit is {picture.limit:g}{' times' if picture.quantity == 'ratio' else ''}"


def _figure(picture: SpeedPicture) -> str:
    low, high = f"{picture.low:.1f}", f"{picture.high:.1f}"
    return low if low == high else f"between {low} and {high}"


def costs(picture: SpeedPicture) -> str:
    """Return what was measured at each size."""
    each = (f"{cost.size}: {cost.actual:g} ms, the reference {cost.reference:g} ms" for cost in picture.costs)
    return f"CPU time of a call by number of {picture.axis}. {'; '.join(each)}."
