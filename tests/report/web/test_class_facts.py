"""What a class got wrong, how hard its parts were, and which checks to look at."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from autograder import model
from autograder.report.web.class_facts import ClassFacts
from tests.integrations.made_grades import grade, outcome


def student(number: int, *wrong: str, **facts: object) -> model.Grade:
    """A student whose work fails the named checks, of ``easy``, ``hard``, ``odd``, ``none``, ``all``."""
    names = {"easy": "first", "hard": "first", "odd": "second", "none": "second", "all": "second"}
    made = [
        outcome(
            *(name, "failed" if name in wrong else "passed", 0.0 if name in wrong else 20.0, 20.0),
            **{"part": part, "diagnosis": "missing-tanh" if name in wrong else None, "message": f"{name} is wrong"},
        )
        for name, part in names.items()
    ]
    return replace(grade(f"s{number:02}", made), **facts)


def a_class(count: int) -> Iterator[model.Grade]:
    """The better half passes ``hard`` and fails ``odd``; the other half does the opposite. All fail ``none``."""
    for number in range(count):
        good = number % 2 == 0
        yield student(number, "none", *(("odd",) if good else ("hard", "easy")))


def test_causes_count_students_and_points_once() -> None:
    facts = ClassFacts([student(1, "easy", "hard"), student(2, "easy"), student(3)])
    [cause] = facts.by_cause
    assert (cause.name, [row.student for row in cause.students], cause.points) == ("missing-tanh", ["s01", "s02"], 60.0)
    assert dict(cause.parts) == {"first": 2}


def test_causes_of_most_students_come_first() -> None:
    other = replace(student(1, "odd"), checks=(outcome("x", "failed", 0.0, 9.0, diagnosis="detached-graph"),))
    facts = ClassFacts([other, student(2, "easy"), student(3, "easy")])
    assert [cause.name for cause in facts.by_cause] == ["missing-tanh", "detached-graph"]


def test_what_costs_nothing_is_no_cause() -> None:
    free = outcome("x", "failed", 9.0, 9.0, diagnosis="missing-tanh", consequence_of="y")
    assert ClassFacts([grade("ana", [free])]).by_cause == []


def test_parts_and_checks_say_nothing_about_a_small_class() -> None:
    facts = ClassFacts(a_class(29))
    assert (facts.of_parts(), facts.flags()) == ([], [])


def test_parts_by_difficulty() -> None:
    first, second = ClassFacts(a_class(40)).of_parts()
    assert (first.name, first.points, first.mean.value, first.whole) == ("first", 40.0, 0.5, 20)
    assert second.mean.value == 0.5
    assert first.separation is not None
    assert first.separation.value < 0  # who has the first part fails ``odd`` in the second


def test_checks_to_look_at() -> None:
    flags = {flag.id: flag.why for flag in ClassFacts(a_class(40)).flags()}
    assert flags == {"all": "all pass", "none": "all fail", "odd": "those who pass it have lower scores"}


def test_only_who_ran_counts_for_parts_and_checks() -> None:
    absent = [replace(student(90 + n), status="missing", checks=(), score=0.0) for n in range(5)]
    facts = ClassFacts([*absent, *a_class(40)])
    assert facts.of_parts()[0].mean.value == 0.5
    assert len(facts.rows) == 45
    assert len(facts.scores) == 45
    assert facts.rows[0].shares == {}


def test_a_check_that_some_do_not_have_is_judged_by_the_others() -> None:
    without = [replace(one, checks=one.checks[:-1]) for one in a_class(20)]
    flags = {flag.id: flag.why for flag in ClassFacts([*without, *a_class(40)]).flags()}
    assert flags["all"] == "all pass"
