"""A grade as the ``results.json`` that Gradescope reads from an autograder.

Source: gradescope-autograders.readthedocs.io, "Autograder Specifications".
"""

from __future__ import annotations

from typing import Any

from autograder import model

# Students see what is wrong with public checks at once, with hidden ones when the instructor publishes the grades.
# While any test is not visible, Gradescope does not show the total either.
VISIBILITY = {"public": "visible", "hidden": "after_published"}


def results(grade: model.Grade) -> dict[str, Any]:
    """The content of ``results.json`` for one grade. Raises ValueError for one without a score: Gradescope would
    show whatever is written as the student's, so for our own fault nothing must be written."""
    if grade.score is None:
        raise ValueError(f"{grade.student} has no score ({grade.status}); no results.json can be written")
    return {
        "score": grade.score,
        "execution_time": round(grade.seconds, 2),
        "output": grade.message,
        "output_format": "text",  # messages quote what students' code did; as text nothing in them is markup
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [_test(number, check) for number, check in enumerate(grade.checks, 1)],
        "extra_data": {
            "schema_version": grade.schema_version,
            "assignment": grade.assignment,
            "status": grade.status,
            "max_score": grade.max_score,
            "environment": grade.environment,
        },
    }


def _test(number: int, check: model.Outcome) -> dict[str, Any]:
    """One check. A skipped one has neither score nor status: it is in neither the points nor their maximum."""
    counted = check.status != "skipped"
    verdict = {
        "score": check.points,
        "max_score": check.max_points,
        "status": "passed" if check.status == "passed" else "failed",
    }
    return {
        **(verdict if counted else {}),
        "name": check.title if counted else f"{check.title} (not checked)",
        "number": str(number),
        "output": "\n".join(filter(None, (check.message, check.hint))),
        "tags": [tag for tag in (check.kind, check.diagnosis) if tag],
        "visibility": VISIBILITY[check.visibility],
        "extra_data": {
            "id": check.id,
            "kind": check.kind,
            "status": check.status,
            "diagnosis": check.diagnosis,
        },
    }
