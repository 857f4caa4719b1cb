"""Public checks as pytest items, for ``assignments/<name>/test_<name>.py``.

Each test process grades a submission once for each version of its file. Each item reads its own outcome.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from autograder import assignments, intake, model
from autograder.grading import suite
from autograder.grading.runner import Runner
from autograder.grading.usual import usual_limits
from autograder.model.courses import not_here
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.launch import SingleLauncher

if TYPE_CHECKING:
    import pytest

# GitHub's runner executes these where a log holds them. A message quotes names and errors of the submission.
COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)


def public_checks(assignment: str) -> list[str]:
    """Return the ids of the public checks that have points, in the order of the handout.

    Raises ``pytest.UsageError`` for an assignment that is not here.
    """
    import pytest  # not a dependency of the package

    if assignment not in assignments.NAMES:
        raise pytest.UsageError(not_here(assignment))
    return [check.id for check in assignments.load(assignment, hidden=False).checks if check.points]


def run_public_check(folder: Path, assignment: str, check_id: str, item: pytest.Item | None = None) -> None:
    """Fail the pytest item with the message of ``attngrade check``, unless the check passes or is skipped.

    A blocked check is skipped if it costs no points. A workflow takes a skipped item for one with all its points, so a
    blocked check that costs some fails. The ``item`` gets title and points as properties, for --junitxml.
    """
    import pytest  # not a dependency of the package

    try:
        grade = _grade(assignment, dict(intake.open_path(folder, assignment))[assignment])
    except (intake.IntakeError, suite.SuiteError, SandboxError) as error:
        pytest.fail(_inert(str(error)), pytrace=False)
    outcome = next((check for check in grade.checks if check.id == check_id), None)
    if outcome is None or grade.status not in ("graded", "partial", "import-error"):
        pytest.fail(_inert(f"{grade.status}: {grade.message}"), pytrace=False)
    if item is not None:  # the fixture record_property warns about strict readers
        item.user_properties.extend(_properties(outcome))
    if outcome.status == "skipped" or (outcome.status == "blocked" and outcome.points >= outcome.max_points):
        pytest.skip(_inert(outcome.message))
    if outcome.status != "passed":
        pytest.fail(_inert(_report(grade, outcome)), pytrace=False)


def _inert(text: str) -> str:
    """Return text in which GitHub's runner finds no command."""
    return COMMAND.sub(lambda match: f"{match[0][:-1]} {match[0][-1]}", text)


def _properties(outcome: model.Outcome) -> list[tuple[str, object]]:
    return [
        ("title", outcome.title),
        ("kind", outcome.kind),
        ("status", outcome.status),
        ("points", f"{outcome.points:g}"),
        ("max_points", f"{outcome.max_points:g}"),
        ("diagnosis", outcome.diagnosis or ""),
    ]


def _report(grade: model.Grade, outcome: model.Outcome) -> str:
    title = f"{outcome.title}  [{outcome.id}]  {outcome.diagnosis or ''}".rstrip()
    return "\n".join(filter(None, (title, outcome.message, outcome.hint, grade.message)))


@cache
def _grade(assignment: str, work: model.Submission) -> model.Grade:
    return Runner(suite.public(assignment), SingleLauncher(usual_limits(assignment), unconfined=True)).grade(work)
