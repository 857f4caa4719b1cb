"""Turn outcomes into points. Without evidence there are no points."""

from __future__ import annotations

from collections.abc import Iterable

from autograder import model


def points(check: model.Check, status: model.CheckStatus) -> float:
    """Return a check's points if it passed, otherwise 0."""
    return float(check.points) if status == "passed" else 0.0


def total(outcomes: Iterable[model.Outcome]) -> tuple[float, float]:
    """Return score and maximum. A skipped check counts in neither."""
    counted = [outcome for outcome in outcomes if outcome.status != "skipped"]
    score = sum((outcome.points for outcome in counted), 0.0)
    return round(score, 6), round(sum((outcome.max_points for outcome in counted), 0.0), 6)


def of_grade(status: model.GradeStatus, outcomes: Iterable[model.Outcome], whole: float) -> tuple[float | None, float]:
    """Return score and maximum of a grade. An infrastructure error has no score.

    If nothing was counted, the maximum is ``whole``, except in a ``graded`` submission whose checks were all skipped.
    """
    points, maximum = total(outcomes)
    return (None if status == "infrastructure-error" else points, maximum if status == "graded" else maximum or whole)
