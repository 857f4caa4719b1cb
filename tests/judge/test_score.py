"""Points of outcomes, and their totals."""

from __future__ import annotations

from autograder import model
from autograder.judge import score


def outcome(status: model.CheckStatus, points: float) -> model.Outcome:
    check = model.Check("id", "title", "value", points, (), ())
    return model.Outcome("id", "title", "value", "public", status, score.points(check, status), points)


def test_only_passed_checks_have_points_and_skipped_ones_do_not_count() -> None:
    statuses: tuple[model.CheckStatus, ...] = ("passed", "failed", "error", "timeout", "skipped")
    assert score.total(outcome(status, 10) for status in statuses) == (10, 40)
    assert score.total([]) == (0, 0)
    assert score.total([outcome("passed", 0.1)] * 3) == (0.3, 0.3)
