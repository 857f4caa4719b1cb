"""Reads the results of a run and validates them before an export."""

import math
from collections.abc import Iterator
from pathlib import Path

from autograder import assignments, model
from autograder.integrations.export.job import ExportError
from autograder.runs import results

SLACK = 1e-6  # a score is a rounded sum


def read_run(out: Path) -> tuple[tuple[model.Grade, ...], dict[str, int]]:
    """Return the grades of a run, sorted by student, and the time of each result file (ns since 1970).

    Raises ExportError for a folder that ``grade`` did not write, and for any invalid result: no score is better than a
    wrong one.
    """
    folder = out / "results"
    if not folder.is_dir():
        raise ExportError(f"{out} holds no results; use the --out folder of attngrade grade")
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise ExportError(f"{folder} is empty; run attngrade grade first")
    grades: dict[str, model.Grade] = {}
    times: dict[str, int] = {}
    for path in paths:
        grade = _read(path)
        grades[grade.student] = grade
        times[grade.student] = path.stat().st_mtime_ns
    names = sorted({grade.assignment for grade in grades.values()})
    if len(names) > 1:
        raise ExportError(f"{folder} mixes results of {', '.join(names)}; export one run at a time")
    return tuple(grades[student] for student in sorted(grades)), times


def unfinished(out: Path) -> bool:
    """Whether the run was interrupted. A run writes its table last."""
    return not (out / "grades.csv").exists()


def _read(path: Path) -> model.Grade:
    try:
        grade = results.read_result(path)
    except results.ResultError as error:
        raise ExportError(f"{error}; grade this student again") from error
    if wrong := next(_errors(grade, path), None):
        raise ExportError(f"{path}: {wrong}; grade this student again")
    return grade


def _errors(grade: model.Grade, path: Path) -> Iterator[str]:
    """Yield the errors of a result."""
    if grade.schema_version != 1:
        yield f"schema_version is {grade.schema_version}, expected 1"
    if f"{results.file_name(grade.student)}.json" != path.name:
        yield f"it is the result of {grade.student!r}, which belongs in {results.file_name(grade.student)}.json"
    if grade.assignment not in assignments.NAMES:
        yield f"there is no assignment {grade.assignment!r}"
    if (grade.score is None) != (grade.status == "infrastructure-error"):
        yield f"the status {grade.status} does not allow the score {grade.score}"
    numbers = [grade.max_score, *(check.max_points for check in grade.checks)]
    if not all(math.isfinite(points) and points >= 0 for points in numbers):
        yield "a maximum is negative or not finite"
    scores = [(grade.score or 0.0, grade.max_score), *((check.points, check.max_points) for check in grade.checks)]
    if not all(0 <= points <= most + SLACK for points, most in scores):
        yield "points are below 0 or above their maximum"
    if len({check.id for check in grade.checks}) != len(grade.checks):
        yield "a check occurs twice"
