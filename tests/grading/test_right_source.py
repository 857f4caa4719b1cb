"""What a worker with right parts holds of the solution: what these parts need, and nothing of the part in question."""

from __future__ import annotations

import ast

import pytest

from autograder import assignments
from autograder.assignments import places
from autograder.grading.given import given_names
from autograder.grading.isolation import solution
from autograder.grading.right_source import reduced

SOURCE = b"""
import math
WIDTH = 3
ALSO: int = WIDTH + 1
def helper():
    return ALSO
def first():
    return helper()
class Second:
    def third(self):
        return third(first())
def third(x):
    return x
def unused():
    return 0
"""


def names(source: bytes) -> set[str]:
    made: dict[str, object] = {}
    exec(compile(source, "right_parts", "exec"), made)  # noqa: S102
    return set(made) - {"__builtins__", "__annotations__", "math"}


def test_only_what_the_right_parts_need_is_there() -> None:
    assert names(reduced(SOURCE, ("first",), ("Second", "third"))) == {"first", "helper", "ALSO", "WIDTH"}
    assert names(reduced(SOURCE, ("Second",), ())) == {"Second", "third", "first", "helper", "ALSO", "WIDTH"}


def test_what_is_asked_about_is_never_there_even_if_a_right_part_uses_it() -> None:
    assert "third" not in names(reduced(SOURCE, ("Second",), ("third",)))


def test_statements_stay_unless_they_name_what_is_never_there() -> None:
    text = SOURCE + b"TABLE = {}\nTABLE['a'] = unused\nif WIDTH:\n    TABLE['b'] = third\n"
    found = reduced(text, ("first",), ("Second", "third"))
    assert names(found) == {"first", "helper", "unused", "TABLE", "ALSO", "WIDTH"}
    assert b"TABLE['a']" in found
    assert b"third" not in found


@pytest.mark.parametrize("assignment", places.own())
def test_every_solution_runs_without_the_part_in_question_and_those_after_it(assignment: str) -> None:
    text, parts = solution(assignment), assignments.load(assignment).parts
    assert text is not None
    for number in range(1, len(parts)):
        kept = reduced(text, (*parts[:number], *given_names(assignment)), parts[number:])
        found = names(kept)
        assert found >= set(parts[:number])
        assert found.isdisjoint(parts[number:])
        assert ast.parse(kept)
