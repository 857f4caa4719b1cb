"""What ``assignments/<topic>/test_<topic>.py`` uses: every public check as a pytest item.

A submission is graded once for each state of its file, in each test process; each item reads its own outcome.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from autograder import exam, intake, model, specs
from autograder.runner import Runner
from autograder.sandbox.launch import SingleLauncher
from autograder.sandbox.limits import Limits
from autograder.sandbox.standing import SandboxError

if TYPE_CHECKING:
    import pytest


def public_checks(topic: str) -> list[str]:
    """The ids of a topic's public checks that carry points, in the order of the handout."""
    return [check.id for check in specs.load(topic, hidden=False).checks if check.points]


def run_public_check(
    folder: Path,
    topic: str,
    check_id: str,
    item: pytest.Item | None = None,
) -> None:
    """Fails the pytest item with what ``attngrade check`` would say, and no traceback, unless the check is passed;
    skips it where the check says so. The ``item`` gets title and points as properties, for --junitxml."""
    import pytest  # not of the package's needs: only who runs pytest gets here

    try:
        grade = _grade(topic, dict(intake.open_path(folder, topic))[topic])
    except (intake.IntakeError, exam.ExamError, SandboxError) as error:
        pytest.fail(str(error), pytrace=False)
    outcome = next((check for check in grade.checks if check.id == check_id), None)
    if outcome is None or grade.status not in ("graded", "partial", "import-error"):
        pytest.fail(f"{grade.status}: {grade.message}", pytrace=False)
    if (
        item is not None
    ):  # not by the fixture record_property, which warns that strict readers know no properties
        item.user_properties.extend(_properties(outcome))
    if outcome.status == "skipped":
        pytest.skip(outcome.message)
    if outcome.status != "passed":
        pytest.fail(_told(grade, outcome), pytrace=False)


def _properties(outcome: model.Outcome) -> list[tuple[str, object]]:
    return [
        ("title", outcome.title),
        ("kind", outcome.kind),
        ("status", outcome.status),
        ("points", f"{outcome.points:g}"),
        ("max_points", f"{outcome.max_points:g}"),
        ("diagnosis", outcome.diagnosis or ""),
    ]


def _told(grade: model.Grade, outcome: model.Outcome) -> str:
    title = f"{outcome.title}  [{outcome.id}]  {outcome.diagnosis or ''}".rstrip()
    told = (title, outcome.message, outcome.hint, grade.message)
    return "\n".join(part for part in told if part)


@cache
def _grade(topic: str, work: model.Submission) -> model.Grade:
    return Runner(exam.public(topic), SingleLauncher(Limits(), unconfined=True)).grade(work)
