"""Reads the results of a run and validates them before an export."""

from collections.abc import Iterator
from pathlib import Path

from autograder import assignments, model
from autograder.integrations.export.job import ExportError
from autograder.model.courses import not_here
from autograder.runs import results


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
    if grade.assignment not in assignments.NAMES:
        raise ExportError(f"{path}: {not_here(grade.assignment)}")
    if wrong := next(_errors(grade, path), None):
        raise ExportError(f"{path}: {wrong}; grade this student again")
    return grade


def _errors(grade: model.Grade, path: Path) -> Iterator[str]:
    """Yield the errors of a result."""
    if grade.schema_version != 1:
        yield f"schema_version is {grade.schema_version}, expected 1"
    if f"{results.file_name(grade.student)}.json" != path.name:
        yield f"it is the result of {grade.student!r}, which belongs in {results.file_name(grade.student)}.json"
    yield from results.defects(grade)
