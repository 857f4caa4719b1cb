"""How late a work is, and what that costs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.course import lateness
from autograder.course.lateness import LateError, LateRule
from autograder.model import HandedIn

DUE = "2026-02-01T12:00:00Z"
TEN = LateRule(DUE, percent_per_day=10)


def after(**late: float) -> HandedIn:
    """Handed in so long after DUE."""
    at = datetime(2026, 2, 1, 12, tzinfo=UTC) + timedelta(**late)
    return HandedIn(at.isoformat())


@pytest.mark.parametrize(
    ("late", "days"),
    [
        ({"seconds": 0}, 0),
        ({"seconds": -1}, 0),
        ({"seconds": 1}, 1),
        ({"hours": 24}, 1),
        ({"hours": 24, "seconds": 1}, 2),
        ({"days": -9}, 0),
    ],
)
def test_a_day_that_has_begun_counts(late: dict[str, float], days: int) -> None:
    assert lateness.days_late(TEN, after(**late)) == days
    assert lateness.penalty(TEN, 80.0, after(**late)) == days * 8.0


def test_grace_moves_the_deadline() -> None:
    rule = LateRule(DUE, grace_minutes=30, points_per_day=5)
    assert lateness.penalty(rule, 80.0, after(minutes=30)) == 0
    assert lateness.penalty(rule, 80.0, after(minutes=31)) == 5
    assert lateness.penalty(rule, 80.0, after(days=1, minutes=30)) == 5


@pytest.mark.parametrize(
    ("rule", "points"),
    [
        (LateRule(DUE, percent_per_day=10, cap=25), 20.0),
        (LateRule(DUE, points_per_day=10, cap=25), 25.0),
        (LateRule(DUE, points_per_day=10, slip_days=2), 30.0),
        (LateRule(DUE, points_per_day=10, slip_days=9), 0.0),
        (LateRule(DUE, points_per_day=50), 80.0),  # no more than there is
        (LateRule(DUE), 0.0),
        (LateRule(), 0.0),
    ],
)
def test_a_cap_slip_days_and_the_units(rule: LateRule, points: float) -> None:
    assert lateness.penalty(rule, 80.0, after(days=4, hours=1)) == points


@pytest.mark.parametrize(
    ("extensions", "days"),
    [
        (("2d",), 1),
        (("48h",), 1),
        (("3d",), 0),
        (("2026-02-05T00:00+01:00",), 0),
        (("2026-02-01T00:00Z",), 4),
        (("2026-02-02T12:00Z", "2d"), 0),  # for everybody, then for one
        (("2d", "2026-02-04T11:00Z"), 1),
    ],
)
def test_extensions(extensions: tuple[str, ...], days: int) -> None:
    assert lateness.days_late(TEN, after(days=3), extensions) == days


@pytest.mark.parametrize(
    ("rule", "handed_in", "extensions", "days"),
    [
        (LateRule(percent_per_day=10), HandedIn(late=True), (), 1),  # no deadline, no time
        (LateRule(percent_per_day=10), HandedIn("2026-02-09T00:00:00Z", late=True), (), 1),  # no deadline
        (TEN, HandedIn(late=True), (), 1),  # no time
        (TEN, HandedIn("2026-02-01T11:00:00Z", late=True), (), 0),  # our deadline, not the system's
        (TEN, HandedIn("2026-02-02T11:00:00Z", late=False), (), 1),
        (TEN, HandedIn(late=True), ("1d",), 0),  # the system does not know of it
        (TEN, HandedIn(), (), 0),
        (TEN, HandedIn("rubbish", late=None), (), 0),
    ],
)
def test_what_the_system_marked(rule: LateRule, handed_in: HandedIn, extensions: tuple[str, ...], days: int) -> None:
    assert lateness.days_late(rule, handed_in, extensions) == days


@pytest.mark.parametrize(
    ("text", "words"),
    [("soon", "is no time"), ("2026-02-01", "no time zone"), ("2026-02-01T10:00", "no time zone"), ("", "is no time")],
)
def test_a_wrong_deadline_says_what_is_expected(text: str, words: str) -> None:
    with pytest.raises(LateError, match=words) as error:
        lateness.checked(text)
    assert "2026-02-01T23:59+01:00" in str(error.value)


@pytest.mark.parametrize(
    "given",
    [
        {"deadline": "tomorrow"},
        {"percent_per_day": 10.0, "points_per_day": 1.0},
        {"percent_per_day": 101.0},
        {"points_per_day": -1.0},
        {"grace_minutes": float("nan")},
        {"cap": float("inf")},
        {"slip_days": -1},
    ],
)
def test_a_rule_without_sense_is_refused(given: dict[str, float | str]) -> None:
    with pytest.raises(LateError):
        LateRule(**given)  # type: ignore[arg-type]


RULES = st.builds(
    LateRule,
    st.just(DUE),
    st.floats(0, 600),
    st.floats(0, 100),
    st.just(0.0),
    st.none() | st.floats(0, 100),
    st.integers(0, 9),
) | st.builds(
    LateRule,
    st.just(DUE),
    st.floats(0, 600),
    st.just(0.0),
    st.floats(0, 200),
    st.none() | st.floats(0, 100),
    st.integers(0, 9),
)
MINUTES = st.integers(-10_000, 50_000)


@given(RULES, st.floats(0, 100), MINUTES, MINUTES)
def test_later_never_costs_less_and_never_more_than_the_mark(rule: LateRule, mark: float, one: int, two: int) -> None:
    costs = [lateness.penalty(rule, mark, after(minutes=minutes)) for minutes in sorted((one, two))]
    assert 0 <= costs[0] <= costs[1] <= mark + 1e-6
    if min(one, two) <= 0:
        assert costs[0] == 0


@given(RULES, st.floats(0, 100), MINUTES, st.integers(0, 30))
def test_an_extension_never_costs_anything(rule: LateRule, mark: float, minutes: int, days: int) -> None:
    with_more = lateness.penalty(rule, mark, after(minutes=minutes), (f"{days}d",))
    assert with_more <= lateness.penalty(rule, mark, after(minutes=minutes))
    assert with_more == lateness.penalty(rule, mark, after(minutes=minutes - days * 24 * 60))
