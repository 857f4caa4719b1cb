"""Points of outcomes, and their totals: one mistake costs once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder import model
from autograder.judge import score

PART, OTHER = "Attention", "softmax"


def outcome(
    name: str,
    status: model.CheckStatus,
    points: float,
    cause: str | None = None,
    after: str | None = None,
    part: str = PART,
) -> model.Outcome:
    return model.Outcome(name, name, "value", "public", status, 0.0, points, "", cause, "", part, after)


def points(*outcomes: model.Outcome, strict: bool = False) -> dict[str, float]:
    return {one.id: one.points for one in score.scored(outcomes, strict)}


def test_only_passed_checks_have_points_and_skipped_ones_do_not_count() -> None:
    statuses: tuple[model.CheckStatus, ...] = ("passed", "failed", "error", "timeout", "blocked", "skipped")
    scored = score.scored([outcome(status, status, 10) for status in statuses])
    assert [one.points for one in scored] == [10, 0, 0, 0, 0, 0]
    assert score.total(scored) == (10, 50)
    assert score.total([]) == (0, 0)
    assert score.total(score.scored([outcome(name, "passed", 0.1) for name in "abc"])) == (0.3, 0.3)


def test_a_mistake_with_a_cause_costs_at_most_half_of_its_part_from_the_first_checks_on() -> None:
    found = points(
        outcome("right", "passed", 4),
        outcome("first", "blocked", 2, "missing-scale"),
        outcome("second", "failed", 5, "missing-scale", "first"),
        outcome("third", "failed", 9, "missing-scale", "first"),
    )
    assert found == {"right": 4, "first": 0, "second": 0, "third": 6}  # 10 of the part's 20 points are lost


def test_an_assignment_may_set_another_share_for_a_cause() -> None:
    outcomes = [
        outcome("right", "passed", 10),
        outcome("first", "failed", 6, "missing-scale"),
        outcome("second", "failed", 4, "missing-scale", "first"),
        outcome("stale", "failed", 10, "stateful"),
    ]
    found = {one.id: one.points for one in score.scored(outcomes, shares={"missing-scale": 0.1, "stateful": 0.2})}
    assert found == {"right": 10, "first": 3, "second": 4, "stale": 4}  # 3 and 6 of the part's 30 points are lost


def test_a_mistake_that_fails_little_costs_no_more_than_that() -> None:
    found = points(
        outcome("right", "passed", 16),
        outcome("first", "failed", 1, "missing-scale"),
        outcome("second", "failed", 3, "missing-scale", "first"),
    )
    assert found == {"right": 16, "first": 0, "second": 0}


@pytest.mark.parametrize("cause", [None, *sorted(score.IN_FULL)])
def test_without_a_cause_and_for_some_causes_everything_that_fails_is_lost(cause: str | None) -> None:
    found = points(outcome("first", "failed", 6, cause), outcome("second", "failed", 4, cause))
    assert found == {"first": 0, "second": 0}


def test_two_mistakes_in_one_part_are_charged_each() -> None:
    found = points(
        outcome("right", "passed", 10),
        outcome("first", "failed", 6, "missing-scale"),
        outcome("follows", "failed", 2, "missing-scale", "first"),
        outcome("other", "failed", 2, "detached-graph"),
    )
    assert found == {"right": 10, "first": 0, "follows": 0, "other": 0}


def test_what_follows_from_another_part_loses_nothing() -> None:
    found = points(
        outcome("softmax", "failed", 4, None, part=OTHER),
        outcome("values", "failed", 6, None, "softmax"),
        outcome("shapes", "blocked", 2, None, "softmax"),
    )
    assert found == {"softmax": 0, "values": 6, "shapes": 2}


def test_strict_charges_every_failed_check_in_full() -> None:
    follows = outcome("values", "failed", 6, "missing-scale", "first")
    assert points(outcome("first", "failed", 4, "missing-scale"), follows, strict=True) == {"first": 0, "values": 0}


CHECKS = st.lists(
    st.tuples(st.sampled_from(["passed", "failed", "blocked"]), st.floats(0.1, 20)), min_size=1, max_size=8
)


@given(CHECKS, st.sampled_from([None, "missing-scale", "not-implemented"]))
def test_points_are_between_none_and_all_and_a_named_mistake_costs_at_most_its_share(
    checks: list[tuple[model.CheckStatus, float]], cause: str | None
) -> None:
    wrong = [number for number, (status, _) in enumerate(checks) if status != "passed"]
    made = [
        outcome(str(number), status, worth, None if status == "passed" else cause)
        if number not in wrong[1:] or cause is None
        else outcome(str(number), status, worth, cause, str(wrong[0]))
        for number, (status, worth) in enumerate(checks)
    ]
    scored = score.scored(made)
    assert all(0 <= one.points <= one.max_points + 1e-6 for one in scored)
    lost = sum(one.max_points - one.points for one in scored)
    whole, failed = sum(worth for _, worth in checks), sum(checks[number][1] for number in wrong)
    assert lost == pytest.approx(min(failed, score.share(cause) * whole), abs=1e-4)
