"""``moodle``: the grading worksheet that Moodle gave, with grades and feedback filled in, every other byte as it was.

What the importer asks for, and does (Moodle's "offline grading worksheet", ``assignfeedback_offline``):

- it finds "Identifier", "Grade" and "Last modified (grade)" by their headings and a student by the number after
  "Participant "; it passes over grades that are empty or above the maximum;
- "Feedback comments" is HTML, and an empty cell takes a comment away. So where there is no grade to write, nothing
  of the row is changed; and what a person has written stays above what is added here.

Moodle's own reader (PHP's ``fgetcsv``) takes a backslash before a quote for an escape: feedback has neither.
"""

from __future__ import annotations

import html
import re

from autograder import model
from autograder.export.job import (
    NOT_GRADED,
    ExportError,
    Job,
    Product,
    number,
    reasons,
    rescaled,
    scaled,
    worth,
)
from autograder.roster import Person
from autograder.sheet import Cell, Record, Sheet

COLUMNS = ("Identifier", "Grade", "Maximum Grade", "Last modified (grade)")
FEEDBACK = "Feedback comments"
CHANGEABLE = "Grade can be changed"
SCALED = "scores are scaled to the worksheet's Maximum Grade of {}"
OURS = "<p>Autograder: "  # where what is written here begins; it is replaced when it is written anew


def write(job: Job) -> Product:
    """See export.write. The roster is the worksheet."""
    assert job.roster is not None
    sheet = job.roster.sheet
    places = _places(sheet)
    changes: dict[Cell, str] = {}
    notes = [] if FEEDBACK in places else [f"there is no column {FEEDBACK!r}, so no feedback is written"]
    left_out: list[str] = []
    for grade in job.grades:
        if worth(grade, job.missing_as_zero) is None:
            continue
        person = job.person(grade.student)
        done, told = _row(job, grade, person, places) if person else ({}, [])
        changes |= done
        notes += told
        left_out += [] if done else [grade.student]
    return Product({"": sheet.replaced(changes)}, tuple(dict.fromkeys(notes)), tuple(left_out))


def _row(
    job: Job, grade: model.Grade, person: Person, places: dict[str, int]
) -> tuple[dict[Cell, str], list[str]]:
    """What changes in a student's row, nothing where Moodle would not take it, and what is to be told."""
    assert job.roster is not None
    row = job.roster.sheet.rows[person.row]
    points = _maximum(job.roster.sheet, row, places)
    value = scaled(grade, points, job.missing_as_zero) or 0.0
    if CHANGEABLE in places and row[places[CHANGEABLE]].value.strip().casefold() == "no":
        return {}, [
            f"{person.shown}: Moodle says that the grade can't be changed, so {number(value)} is not written"
        ]
    told = [SCALED.format(number(points))] if rescaled(grade, points) else []
    was = row[places["Grade"]]
    changes = {was: number(value)}
    if _differs(was.value, value):
        told.append(f"{person.shown}: {was.value.strip()} becomes {number(value)}")
    if FEEDBACK in places:
        cell = row[places[FEEDBACK]]
        changes[cell] = cell.value.partition(OURS)[0] + feedback(grade)
    return changes, told


def _places(sheet: Sheet) -> dict[str, int]:
    """Where the columns are. Raises ExportError where the sheet is not what Moodle will take back."""
    places = {heading: at for at, heading in enumerate(sheet.header)}
    for name in COLUMNS:
        if name not in places:
            found = ", ".join(repr(heading) for heading in sheet.header)
            scale = "; an assignment graded by a scale has no points to write" if "Scale" in places else ""
            raise ExportError(
                f"{sheet.path} is no grading worksheet of Moodle in English: it has no {name!r} but {found}{scale}"
            )
    if sheet.delimiter != ",":
        raise ExportError(f"{sheet.path} is not separated by commas; give the worksheet as Moodle made it")
    return places


def _maximum(sheet: Sheet, row: Record, places: dict[str, int]) -> float:
    """What the worksheet says that the assignment is worth. Raises ExportError for a row that is not whole."""
    where = f"{sheet.path}, line {sheet.line(row)}"
    if len(row) != len(sheet.header):
        raise ExportError(
            f"{where}: {len(row)} cells, but there are {len(sheet.header)} columns; download it anew"
        )
    said = row[places["Maximum Grade"]].value.strip()
    points = float(said.replace(",", ".")) if re.fullmatch(r"\d+([.,]\d+)?", said) else 0.0
    if not points:
        raise ExportError(f"{where}: the Maximum Grade is {said!r}; expected a number of points above 0")
    return points


def _differs(was: str, value: float) -> bool:
    try:
        return abs(float(was.replace(",", ".")) - value) >= 0.005
    except ValueError:
        return False


def feedback(grade: model.Grade) -> str:
    """What a student reads of a grade, as one line of HTML with no quote and no backslash in it."""
    if grade.status in NOT_GRADED:
        return f"{OURS}{_html(grade.message or grade.status)}</p>"
    told = [f"{OURS}{number(grade.score)} of {number(grade.max_score)} points.</p>"]
    if grade.message:
        told.append(f"<p>{_html(grade.message)}</p>")
    lost = [check for check in grade.checks if check.status in ("failed", "error", "timeout")]
    items = [f"<li><b>{_html(check.title)}</b><br>{_html(reasons(check))}</li>" for check in lost]
    return "".join([*told, *(["<ul>", *items, "</ul>"] if items else [])])


def _html(text: str) -> str:
    escaped = html.escape(text, quote=True).replace("\\", "&#92;")
    return "<br>".join(escaped.splitlines())
