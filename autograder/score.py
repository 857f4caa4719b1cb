"""From outcomes to points. Fails closed: no evidence, no points."""

from __future__ import annotations

from collections.abc import Iterable

from autograder import model


def points(check: model.Check, status: model.CheckStatus) -> float:
    """A check's points, which only a passed one gets."""
    return float(check.points) if status == "passed" else 0.0


def total(outcomes: Iterable[model.Outcome]) -> tuple[float, float]:
    """Score and maximum; a skipped check is in neither."""
    counted = [outcome for outcome in outcomes if outcome.status != "skipped"]
    return (
        round(sum((outcome.points for outcome in counted), 0.0), 6),
        round(sum((outcome.max_points for outcome in counted), 0.0), 6),
    )


def standing(
    status: model.GradeStatus, outcomes: Iterable[model.Outcome], whole: float
) -> tuple[float | None, float]:
    """Score and maximum of a grade. Our own fault has no score; where nothing could be counted, and not because all
    was skipped, the maximum is ``whole``."""
    points, maximum = total(outcomes)
    return (
        None if status == "infrastructure-error" else points,
        maximum if status == "graded" else maximum or whole,
    )
