"""Submissions with the same rare wrong answers: a list for a person to look at."""

from __future__ import annotations

from autograder import model
from autograder.runs.alike import Alike, alike
from tests.integrations.made_grades import grade, outcome


def student(name: str, *answers: str, **facts: object) -> model.Grade:
    """A student whose checks ``c0``, ``c1`` and so on fail with these messages."""
    return grade(
        name, [outcome(f"c{at}", "failed", 0.0, 1.0, message=text, **facts) for at, text in enumerate(answers)]
    )


def everybody(count: int, *answers: str) -> list[model.Grade]:
    return [student(f"other{number}", *answers) for number in range(count)]


def test_two_rare_answers_in_common_are_listed() -> None:
    found = alike(
        [student("ana", "got 7.1", "got 3.3"), student("bo", "got 7.1", "got 3.3"), student("chen", "got 7.1")]
    )
    assert found == [Alike("ana", "bo", ("c0", "c1"))]


def test_one_answer_in_common_is_chance() -> None:
    assert alike([student("ana", "got 7.1", "got 1"), student("bo", "got 7.1", "got 2")]) == []


def test_what_many_answer_is_a_common_mistake() -> None:
    assert alike(everybody(4, "got 7.1", "got 3.3")) == []
    assert len(alike(everybody(3, "got 7.1", "got 3.3"))) == 3


def test_in_a_large_class_more_may_share_what_is_rare() -> None:
    right = [grade(f"right{number}", [outcome("c0", "passed", 1.0, 1.0)]) for number in range(300)]
    assert len(alike([*right, *everybody(6, "a", "b")])) == 15
    assert alike([*right, *everybody(7, "a", "b")]) == []


def test_hidden_checks_and_unwritten_code_say_nothing() -> None:
    hidden = [student(name, "a", "b", visibility="hidden") for name in ("ana", "bo")]
    unwritten = [student(name, "c", "d", diagnosis="not-implemented") for name in ("chen", "dara")]
    assert alike([*hidden, *unwritten]) == []


def test_those_who_share_most_come_first() -> None:
    works = [
        student("ana", "a", "b", "c"),
        student("bo", "a", "b", "c"),
        student("chen", "x", "y"),
        student("d", "x", "y"),
    ]
    assert [pair.first for pair in alike(works)] == ["ana", "chen"]
