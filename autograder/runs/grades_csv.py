"""``grades.csv``: one row for each student, safe to open in a spreadsheet (contract, section 4)."""

import csv
import io
import re
from collections.abc import Iterable
from pathlib import Path

from autograder import model
from autograder.model.numbers import two_decimals
from autograder.model.text import visible
from autograder.runs.results import whole

HEADER = (
    *("student", "assignment", "score", "max_score", "status", "failed_checks", "diagnoses", "seconds"),
    *("adjustment", "late_penalty", "final_score"),
    *("name", "email", "section", "sis_id", "file", "sha256", "handed_in", "days_late"),
)
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
# Spreadsheets that separate by semicolons, as in half of Europe, see several cells in one of ours.
INNER = re.compile(r"([;\t\r\n]\"*)(?=[=+@＝＋－＠-])")


def write_grades(path: Path, grades: Iterable[model.Grade]) -> None:
    """Write the table of all students (RFC 4180, UTF-8), row by row, whole or not at all."""
    with whole(path, durable=True) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
        table = csv.writer(text)
        table.writerow(HEADER)
        for grade in grades:
            table.writerow(guarded(cell) for cell in _row(grade))
        text.flush()
        text.detach()  # ``whole`` closes the file


def _row(grade: model.Grade) -> tuple[str, ...]:
    lost = [check for check in grade.checks if check.status in ("failed", "error", "timeout")]
    diagnoses = dict.fromkeys(check.diagnosis for check in lost if check.diagnosis)
    return (
        grade.student,
        grade.assignment,
        "" if grade.score is None else f"{grade.score:.10g}",
        f"{grade.max_score:.10g}",
        grade.status,
        ";".join(check.id for check in lost),
        ";".join(diagnoses),
        f"{grade.seconds:.3f}",
        *(two_decimals(points) for points in _reckoned(grade)),
        *(grade.name, grade.email, grade.section, grade.sis_id),
        *(grade.file, grade.file_sha256, grade.handed_in, str(grade.days_late)),
    )


def _reckoned(grade: model.Grade) -> tuple[float | None, ...]:
    """Return adjustment, late penalty and final score, or nothing where there is no final score."""
    if grade.final is None:
        return None, None, None
    return grade.adjustment, grade.late_penalty, grade.final


def guarded(cell: str) -> str:
    """Return the cell for people and their spreadsheets: ``visible``, and no formula."""
    return visible(without_formula(cell))


def without_formula(cell: str) -> str:
    """Return the cell so that no spreadsheet takes it for a formula. A number stays a number."""
    if cell.startswith(FORMULA) and not re.fullmatch(r"[+-]?\d+(\.\d+)?", cell):
        cell = "'" + cell
    return INNER.sub(r"\1'", cell)
