"""The results of a run, read back and held to the contract before anybody's points depend on them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import msgspec

from autograder import model, results
from autograder.export.job import ExportError

SLACK = 1e-6  # a score is a rounded sum


def read_run(out: Path) -> tuple[tuple[model.Grade, ...], dict[str, int]]:
    """All grades of a run by student, and when each was written (ns). Raises ExportError for a folder that
    ``grade`` did not write, and for any result that can't be trusted: better none than a wrong one."""
    folder = out / "results"
    if not folder.is_dir():
        raise ExportError(f"{out} holds no results; it must be the --out folder of attngrade grade")
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise ExportError(f"{folder} is empty; run attngrade grade first")
    grades: dict[str, model.Grade] = {}
    times: dict[str, int] = {}
    for path in paths:
        grade = _read(path)
        grades[grade.student] = grade
        times[grade.student] = path.stat().st_mtime_ns
    topics = sorted({grade.assignment for grade in grades.values()})
    if len(topics) > 1:
        raise ExportError(f"{folder} mixes results of {', '.join(topics)}; export one run at a time")
    return tuple(grades[student] for student in sorted(grades)), times


def unfinished(out: Path) -> bool:
    """Whether the run was interrupted: its table is written last."""
    return not (out / "grades.csv").exists()


def _read(path: Path) -> model.Grade:
    try:
        grade = results.read_result(path)
    except (OSError, msgspec.MsgspecError) as error:
        raise ExportError(f"{path} can't be read: {error}; grade it again") from error
    wrong = next(_wrong(grade, path), None)
    if wrong:
        raise ExportError(f"{path}: {wrong}; grade it again")
    return grade


def _wrong(grade: model.Grade, path: Path) -> Iterator[str]:
    if grade.schema_version != 1:
        yield f"schema_version is {grade.schema_version}, and only 1 is known here"
    if f"{results.file_name(grade.student)}.json" != path.name:
        yield f"it is the result of {grade.student!r}, whose file is {results.file_name(grade.student)}.json"
    if grade.assignment not in model.TOPICS:
        yield f"there is no assignment {grade.assignment!r}"
    if (grade.score is None) != (grade.status == "infrastructure-error"):
        yield f"the score of a submission that is {grade.status} can't be {grade.score}"
    numbers = [grade.max_score, *(check.max_points for check in grade.checks)]
    if not all(math.isfinite(one) and one >= 0 for one in numbers):
        yield "a maximum is not a number of points"
    scores = [(grade.score or 0.0, grade.max_score), *((one.points, one.max_points) for one in grade.checks)]
    if not all(0 <= points <= most + SLACK for points, most in scores):
        yield "points are below 0 or above their maximum"
    if len({check.id for check in grade.checks}) != len(grade.checks):
        yield "a check is there twice"
