"""A graded class, written as ``grade`` writes it, and readers of what was exported."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from autograder import model
from autograder.runs import grades_csv, results

SAMPLES = Path(__file__).parent / "samples"
FORMULA = "=cmd|' calc'!A1"


def outcome(id: str, points: float, status: str, most: float = 50.0, **more: str) -> model.Outcome:
    """A check's line."""
    visibility = "hidden" if id == "sums" else "public"
    return model.Outcome(id, f"Title of {id}", "value", visibility, status, points, most, **more)  # type: ignore[arg-type]


WRONG = outcome(
    "values", 0.0, "failed", message='=context is <wrong> & "bad" \\', diagnosis="missing-tanh", hint="Look."
)
CHECKS = {
    "half": (outcome("sums", 50.0, "passed"), WRONG),
    "full": (outcome("sums", 50.0, "passed"), outcome("values", 50.0, "passed")),
    "zero": (outcome("sums", 0.0, "timeout", message="too long"), WRONG),
    "error": (outcome("sums", 0.0, "error", message="no"), outcome("values", 0.0, "error", message="no")),
    "none": (outcome("sums", 0.0, "skipped"), outcome("values", 0.0, "skipped")),
}


def grade(
    student: str, score: float | None, status: str = "graded", checks: str = "half", **more: object
) -> model.Grade:
    """A student's result."""
    given = {"environment": {"python": "3.12"}, "seconds": 1.25, **more}
    return model.Grade(student, "bahdanau", score, 100.0, status, CHECKS.get(checks, ()), **given)  # type: ignore[arg-type]


CLASS = (
    grade("ana", 50.0),
    grade("bo", 100.0, checks="full"),
    grade("chen", 0.0, "partial", "zero"),
    grade("dara", 0.0, "import-error", "error", message="The file could not be run."),
    grade("eli", 0.0, "missing", "none", message="found notes.txt"),
    grade("hugo", 0.0, "unreadable", "none", message="is not a notebook"),
    grade("inf", None, "infrastructure-error", "", message="Our fault"),
    grade(FORMULA, 50.0),
)


def write_run(out: Path, grades: tuple[model.Grade, ...] = CLASS) -> Path:
    """The folder of a finished run."""
    for one in grades:
        results.write_result(out / "results", one)
    grades_csv.write_grades(out / "grades.csv", grades)
    return out


def table(data: bytes | Path) -> list[dict[str, str]]:
    """The rows of a CSV file by column."""
    data = data.read_bytes() if isinstance(data, Path) else data
    return list(csv.DictReader(io.StringIO(data.decode("utf-8"), newline="")))
