"""Which checks are proposed, and with how many points."""

from __future__ import annotations

import pytest

from autograder.instructor.authoring.suggest.candidates import Candidate
from autograder.instructor.authoring.suggest.choosing import chosen, points
from autograder.instructor.authoring.suggest.drafts import CallDraft

CALL = CallDraft("f", "", {"x": '"B T"'}, {"result": "B T"})


def made(tag: str, core: bool = False, weight: float = 1.0) -> Candidate:
    return Candidate("f", "values", CALL, weight, tag=tag, is_core=core)


def ids(checks: list[Candidate]) -> list[str]:
    return [one.check.id.removeprefix("f-values-") for one in checks]


EVERY = [made("core", core=True), made("one"), made("both"), made("other"), made("idle")]
CAUGHT = {
    "a": {"f-values-core", "f-values-one"},
    "b": {"f-values-one", "f-values-both"},
    "c": {"f-values-both", "f-values-other"},
    "survivor": set[str](),
}


def test_others_are_added_for_what_core_checks_let_through() -> None:
    assert ids(chosen(EVERY, CAUGHT)) == ["core", "both"]


def test_core_checks_stay_where_they_catch_nothing() -> None:
    assert ids(chosen(EVERY, {"a": set()})) == ["core"]


def test_a_mutant_that_no_check_of_ours_catches_ends_the_search() -> None:
    assert ids(chosen(EVERY, {"a": {"(not graded)"}})) == ["core"]


@pytest.mark.parametrize("count", [1, 3, 41, 100, 130])
def test_points_add_up_to_100(count: int) -> None:
    given = points([made(str(number), weight=1 + number % 6) for number in range(count)])
    assert sum(given.values()) == 100
    assert min(given.values()) > 0
    assert count > 100 or all(value == int(value) for value in given.values())
    assert count not in (3, 41) or given["f-values-1"] > given["f-values-0"]
