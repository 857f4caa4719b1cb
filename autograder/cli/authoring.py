"""What grading shows of a course's assignment. Importing this needs the references."""

from __future__ import annotations

from collections.abc import Iterator

from autograder import assignments, model
from autograder.feedback import causes
from autograder.grading.usual import usual_limits
from autograder.instructor.authoring import problems
from autograder.instructor.authoring.problem import Problem
from autograder.instructor.authoring.trials import Trial, trials
from autograder.instructor.authoring.words import mistakes
from autograder.runs import pool

SHOWN = 3  # checks that are named


def problems_of(assignment: str, seed: str) -> Iterator[Problem]:
    """Yield what is wrong with an assignment: first what its files show, and then, if it can be graded, what that
    shows."""
    found = problems.found(assignment, causes.of(assignment))
    yield from found
    if not any(one.blocks for one in found):
        yield from _of_grading(assignment, seed)


def _of_grading(assignment: str, seed: str) -> Iterator[Problem]:
    spec = assignments.load(assignment, hidden=True)
    tried = trials(assignment, spec.parts)
    works = [_submission(assignment, str(number), trial) for number, trial in enumerate(tried)]
    plan = pool.RunPlan(assignment, seed, usual_limits(assignment), timing=False)
    grades = {grade.student: grade for _, grade in pool.grade_all(plan, works, 1)}
    for number, trial in enumerate(tried):
        if why := _judged(grades[str(number)], trial):
            yield Problem("solution.py" if trial.expected else "checks.py", 0, f"{trial.name} {why}")
    if not mistakes(assignment):
        yield Problem("mistakes.py", 0, "there is no known mistake, so no cause of this assignment is ever named")


def _submission(assignment: str, student: str, trial: Trial) -> model.Submission:
    return model.Submission(student, "ready", "script", f"{assignment}.py", (trial.source.encode(),))


def _judged(grade: model.Grade, trial: Trial) -> str:
    """Return what is wrong with the grade of a trial; empty if nothing is."""
    score, expected = grade.score or 0.0, trial.expected * grade.max_score
    if grade.status != "graded":
        return f"could not be graded: {grade.message}"
    if abs(score - expected) < 1e-6:
        return ""
    odd = [check for check in grade.checks if check.max_points and (check.points < check.max_points) == bool(expected)]
    named = "; ".join(f"{check.id}: {check.message.partition('. ')[0] or check.status}" for check in odd[:SHOWN])
    more = f"; and {len(odd) - SHOWN} more" if len(odd) > SHOWN else ""
    return f"gets {score:g} points, expected {expected:g}. {named}{more}"
