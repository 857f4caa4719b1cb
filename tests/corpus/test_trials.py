"""What nobody has written earns nothing: the skeleton, an empty file, and zeros of the right shapes."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from autograder import assignments
from autograder.grading.usual import usual_limits
from autograder.instructor.authoring.trials import trials
from autograder.runs import pool
from tests.corpus.suites import FIRST
from tests.grading_helpers import submission

# Its train_step takes right steps, and is judged with right models; only the loss that it returns is 0.
RIGHT_IN_ITSELF = {"train-three-steps"}


@pytest.mark.parametrize("assignment", FIRST)
def test_trials(assignment: str) -> None:
    tried = trials(assignment, assignments.load(assignment).parts)
    works = [replace(submission(one.source, assignment), student=str(number)) for number, one in enumerate(tried)]
    plan = pool.RunPlan(assignment, "seed of a test", usual_limits(assignment), timing=False)
    grades = {grade.student: grade for _, grade in pool.grade_all(plan, works, 1)}
    for number, trial in enumerate(tried):
        grade = grades[str(number)]
        paid = {check.id for check in grade.checks if check.points} - RIGHT_IN_ITSELF
        assert grade.status == "graded", trial.name
        assert (grade.score == grade.max_score) if trial.expected else not paid, f"{trial.name}: {paid}"
