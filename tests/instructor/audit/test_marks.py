"""What one mistake costs, and where: the figures by which marks are judged."""

from __future__ import annotations

from typing import Any

import pytest

from autograder import model
from autograder.instructor.audit import marks

RIGHT = """
import torch

FILL = -1e9


def _scores(query, key):
    return query @ key.T


def attend(query, key):
    return torch.softmax(_scores(query, key), -1)


def mask(scores):
    return scores + FILL


class Model(torch.nn.Module):
    def forward(self, query, key):
        return attend(query, key)
"""
PARTS = ("attend", "mask", "Model")


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("torch.softmax", "torch.sigmoid", ("attend",)),
        ("query @ key.T", "query * key", ("attend",)),  # a helper; Model uses it only through another part
        ("-1e9", "-10", ("mask",)),
        ("return attend(query, key)", "return attend(key, query)", ("Model",)),
        ("def _scores", "def unused():\n    pass\n\n\ndef _scores", ()),
        ("import torch", "import torch  # a comment", ()),
        ("return query @", "return 2 * query @", ("attend",)),
    ],
)
def test_a_mistake_lies_in_the_parts_whose_own_code_changed(old: str, new: str, parts: tuple[str, ...]) -> None:
    assert marks.changed_parts(RIGHT, RIGHT.replace(old, new, 1), PARTS) == parts


def test_a_helper_of_two_parts_belongs_to_both() -> None:
    right = RIGHT.replace("return attend(query, key)", "return attend(query, key) + _scores(query, key)")
    assert marks.changed_parts(right, right.replace("query @ key.T", "query"), PARTS) == ("attend", "Model")


def check(name: str, part: str, points: float, cause: str | None = None, status: Any = "failed") -> model.Outcome:
    status = "passed" if points == 20 else status
    return model.Outcome(name, name, "value", "public", status, points, 20, diagnosis=cause, part=part)


def cost(*checks: model.Outcome, parts: tuple[str, ...] = ("attend",)) -> marks.Cost:
    grade = model.Grade("ada", "small", 0.0, 100.0, "graded", checks, {})
    return marks.cost("x", grade, parts)


KNOWN = "missing-scale"
REST = [check("b", "attend", 20), check("c", "attend", 20), check("d", "Model", 20)]


def test_what_is_lost_in_its_part_and_elsewhere() -> None:
    found = cost(check("a", "attend", 5, KNOWN), *REST[:2], check("d", "Model", 12, KNOWN))
    assert (found.lost, found.elsewhere, found.limit, found.exempt) == (15, 8, 30, False)
    assert not found.fair
    assert cost(check("a", "attend", 5, KNOWN), *REST).fair
    assert str(found) == "costs 15 in attend (at most 30), 8 elsewhere"


def test_more_than_half_of_the_part_is_unfair() -> None:
    assert cost(check("a", "attend", 0, KNOWN), check("b", "attend", 20)).fair
    assert not cost(check("a", "attend", 0, KNOWN), check("b", "attend", 19, KNOWN)).fair


@pytest.mark.parametrize("cause", [None, "not-implemented", "stateful", "forbidden-call"])
def test_what_leaves_nothing_to_compare_costs_what_it_touches(cause: str | None) -> None:
    found = cost(check("a", "attend", 0, cause), check("b", "attend", 0, cause), REST[2])
    assert found.exempt
    assert found.fair
    assert not cost(check("a", "attend", 0, cause), check("d", "Model", 0, cause)).fair


def test_a_check_that_was_not_run_counts_nowhere() -> None:
    found = cost(check("a", "attend", 10, KNOWN), check("b", "attend", 0, status="skipped"))
    assert (found.lost, found.limit) == (10, 10)


def test_the_summary_is_of_mistakes_with_a_known_cause() -> None:
    costs = [cost(check("a", "attend", points, KNOWN), *REST) for points in (18, 16, 8)]
    exempt = cost(check("a", "attend", 0), *REST)
    assert marks.summary([*costs, exempt]) == (4, 12)
    assert marks.summary([exempt]) == (0, 0)
