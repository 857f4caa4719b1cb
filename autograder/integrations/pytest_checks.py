"""What ``assignments/<topic>/test_<topic>.py`` uses: every public check as a pytest item.

A submission is graded once for each state of its file, and each item reads its own outcome.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from autograder import exam, intake, model, specs
from autograder.runner import Runner
from autograder.sandbox.launch import SingleLauncher
from autograder.sandbox.limits import Limits


def public_checks(topic: str) -> list[str]:
    """The ids of a topic's public checks that carry points, in the order of the handout."""
    return [check.id for check in specs.load(topic, hidden=False).checks if check.points]


def run_public_check(folder: Path, topic: str, check_id: str) -> None:
    """Raises AssertionError, with the message that ``attngrade check`` would print, unless the check is passed."""
    __tracebackhide__ = True  # a student should see the message, not these lines
    work = dict(intake.open_path(folder, topic))[topic]
    grade = _grade(topic, work)
    outcome = next(check for check in grade.checks if check.id == check_id)
    if outcome.status != "passed":
        cause = f"[{outcome.diagnosis}]" if outcome.diagnosis else ""
        told = (grade.message, outcome.message, cause, outcome.hint)
        raise AssertionError("\n".join(part for part in told if part))


@cache
def _grade(topic: str, work: model.Submission) -> model.Grade:
    return Runner(exam.public(topic), SingleLauncher(Limits(), unconfined=True)).grade(work)
