"""One grading process: what it makes of its own faults."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from autograder import bulk, model
from autograder.sandbox.limits import Limits
from autograder.sandbox.standing import SandboxError

PLAN = bulk.Plan("luong", "seed", Limits(), timing=False)
WORK = model.Submission("ana", "ready")
GRADED = model.Grade("ana", "luong", 70.0, 100.0, "graded", (), {})
LOST = bulk.lost(WORK, "luong", SandboxError("no processes left"))


class Runner:
    """Ends as it is told to, time after time."""

    def __init__(self, *ends: model.Grade | Exception) -> None:
        self.ends: Iterator[model.Grade | Exception] = iter(ends)

    def grade(self, submission: model.Submission) -> model.Grade:
        end = next(self.ends)
        if isinstance(end, Exception):
            raise end
        return end


@pytest.mark.parametrize(
    ("ends", "status", "told"),
    [
        ((GRADED,), "graded", ""),
        ((LOST, GRADED), "graded", ""),
        ((MemoryError(), GRADED), "graded", ""),
        ((LOST, LOST), "infrastructure-error", "no processes left"),
        ((LOST, KeyError("a secret")), "infrastructure-error", "KeyError"),
    ],
)
def test_our_own_fault_is_one_only_where_it_comes_twice(ends: Any, status: str, told: str) -> None:
    grader = object.__new__(bulk.Grader)
    runner = Runner(*ends)
    grader.plan, grader.runner = PLAN, runner  # type: ignore[assignment]
    grade = grader.grade(WORK)
    assert (grade.status, grade.score) == (status, 70.0 if status == "graded" else None)
    assert told in grade.message
    assert "secret" not in grade.message
    assert next(runner.ends, None) is None
