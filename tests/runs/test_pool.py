"""One grading process: what it makes of its own faults."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from autograder import model
from autograder.runs import pool
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.limits import Limits

PLAN = pool.RunPlan("luong", "seed", Limits(), timing=False)
WORK = model.Submission("ana", "ready")
GRADED = model.Grade("ana", "luong", 70.0, 100.0, "graded", (), {})
LOST = pool.infrastructure_error(WORK, "luong", SandboxError("no processes left"))


class Runner:
    """Returns or raises the given ends, one at each call."""

    def __init__(self, *ends: model.Grade | Exception) -> None:
        self.ends: Iterator[model.Grade | Exception] = iter(ends)

    def grade(self, submission: model.Submission) -> model.Grade:
        end = next(self.ends)
        if isinstance(end, Exception):
            raise end
        return end


@pytest.mark.parametrize(
    ("ends", "status", "words"),
    [
        ((GRADED,), "graded", ""),
        ((LOST, GRADED), "graded", ""),
        ((MemoryError(), GRADED), "graded", ""),
        ((LOST, LOST), "infrastructure-error", "no processes left"),
        ((LOST, KeyError("a secret")), "infrastructure-error", "KeyError"),
    ],
)
def test_an_internal_error_counts_only_if_it_happens_twice(ends: Any, status: str, words: str) -> None:
    grader = object.__new__(pool.Grader)
    runner = Runner(*ends)
    grader.plan, grader.runner = PLAN, runner  # type: ignore[assignment]
    grade = grader.grade(WORK)
    assert (grade.status, grade.score) == (status, 70.0 if status == "graded" else None)
    assert words in grade.message
    assert "secret" not in grade.message
    assert next(runner.ends, None) is None


def test_a_fault_of_ours_counts_by_the_courses_total() -> None:
    """So a class out of 50 points has no row out of 100."""
    grader = object.__new__(pool.Grader)
    runner = Runner(OSError("disk"), OSError("disk"))
    plan = msgspec.structs.replace(PLAN, weights=model.Weights(total=50.0))
    grader.plan, grader.runner = plan, runner  # type: ignore[assignment]
    assert grader.grade(WORK).max_score == 50.0
