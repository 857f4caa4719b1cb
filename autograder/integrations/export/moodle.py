"""``moodle``: Moodle's grading worksheet with grades and feedback filled in. Every other byte stays the same.

How the importer works (Moodle's offline grading worksheet, ``assignfeedback_offline``):

- It finds "Identifier", "Grade" and "Last modified (grade)" by their headings, and a student by the number after
  "Participant ". It skips grades that are empty or above the maximum.
- "Feedback comments" is HTML, and an empty cell deletes a comment. So a row without a new grade stays unchanged, and
  text that a person wrote stays above ours.

Moodle's reader (PHP's ``fgetcsv``) treats a backslash before a quote as an escape, so our feedback contains neither.
"""

import html
import math
import re

from autograder import model
from autograder.course.marks import reckoning
from autograder.feedback import shown
from autograder.intake.roster import Person
from autograder.intake.roster.csv_file import CsvCell, Record, Sheet
from autograder.integrations.export.job import ExportError, Job, Product, reasons
from autograder.integrations.export.scores import NOT_GRADED, differs, number, rescaled, scaled, worth
from autograder.model.text import harmless

COLUMNS = ("Identifier", "Grade", "Maximum Grade", "Last modified (grade)")
FEEDBACK = "Feedback comments"
CHANGEABLE = "Grade can be changed"
SCALED = "scores are scaled to the worksheet's Maximum Grade of {}"
OURS = "<p>Autograder: "  # our text starts here; a new export replaces it


def write(job: Job) -> Product:
    """See ``export.write``. The roster is the worksheet."""
    assert job.roster is not None
    sheet = job.roster.sheet
    places = _places(sheet)
    changes: dict[CsvCell, str] = {}
    notes = [] if FEEDBACK in places else [f"the worksheet has no column {FEEDBACK!r}, so no feedback is written"]
    left_out: list[str] = []
    for grade in job.grades:
        if worth(grade, job.missing_as_zero) is None:
            continue
        person = job.person(grade.student)
        cells, row_notes = _row(job, grade, person, places) if person else ({}, [])
        changes |= cells
        notes += row_notes
        left_out += [] if cells else [grade.student]
    return Product({"": sheet.replaced(changes)}, tuple(dict.fromkeys(notes)), tuple(left_out))


def _row(job: Job, grade: model.Grade, person: Person, places: dict[str, int]) -> tuple[dict[CsvCell, str], list[str]]:
    """Return the changes to a student's row, empty if Moodle does not accept them, and notes."""
    assert job.roster is not None
    row = job.roster.sheet.rows[person.row]
    points = _maximum(job.roster.sheet, row, places)
    value = scaled(grade, points, job.missing_as_zero) or 0.0
    if CHANGEABLE in places and row[places[CHANGEABLE]].value.strip().casefold() == "no":
        return {}, [f"{person.shown}: Moodle says that the grade can't be changed, so {number(value)} is not written"]
    notes = [SCALED.format(number(points))] if rescaled(grade, points) else []
    old = row[places["Grade"]]
    changes = {old: number(value)}
    if differs(old.value, value):
        notes.append(f"{person.shown}: {old.value.strip()} becomes {number(value)}")
    if FEEDBACK in places:
        cell = row[places[FEEDBACK]]
        changes[cell] = cell.value.partition(OURS)[0] + feedback(grade, job.view)
    return changes, notes


def _places(sheet: Sheet) -> dict[str, int]:
    """Return the positions of the columns by heading. Raises ExportError for a sheet that Moodle would not accept."""
    places = {heading: at for at, heading in enumerate(sheet.header)}
    for name in COLUMNS:
        if name not in places:
            headings = ", ".join(map(repr, sheet.header))
            scale = "; an assignment graded by a scale has no points to write" if "Scale" in places else ""
            problem = f"{sheet.path} is no grading worksheet of Moodle in English"
            raise ExportError(f"{problem}: it has no column {name!r}, only {headings}{scale}")
    for name in (*COLUMNS, FEEDBACK, CHANGEABLE):
        if sheet.header.count(name) > 1:
            raise ExportError(f"{sheet.path} has {sheet.header.count(name)} columns {name!r}; download it again")
    if sheet.delimiter != ",":
        raise ExportError(f"{sheet.path} is not separated by commas; use the worksheet exactly as Moodle made it")
    return places


def _maximum(sheet: Sheet, row: Record, places: dict[str, int]) -> float:
    """Return the maximum in a row of the worksheet. Raises ExportError for an incomplete row."""
    where = f"{sheet.path}, line {sheet.line(row)}"
    if len(row) != len(sheet.header):
        raise ExportError(f"{where}: {len(row)} cells, but there are {len(sheet.header)} columns; download it again")
    text = row[places["Maximum Grade"]].value.strip()
    points = float(text.replace(",", ".")) if re.fullmatch(r"\d+([.,]\d+)?", text) else 0.0
    if not 0 < points < math.inf:
        raise ExportError(f"{where}: the Maximum Grade is {text[:40]!r}; expected a number of points above 0")
    return points


def feedback(grade: model.Grade, view: model.StudentView = shown.USUAL) -> str:
    """Return the feedback for a student as one line of HTML, without quotes or backslashes."""
    how = f"<p>{_html(line)}</p>" if (line := reckoning(grade)) else ""
    if grade.status in NOT_GRADED:
        return f"{OURS}{_html(grade.message or grade.status)}</p>{how}"
    parts = [f"{OURS}{number(grade.final)} of {number(grade.max_score)} points.</p>{how}"]
    if grade.message:
        parts.append(f"<p>{_html(grade.message)}</p>")
    checks = shown.checks(grade, view).values()
    lost = [check for check in checks if check.status in ("failed", "error", "timeout")]
    items = [f"<li><b>{_html(check.title)}</b>{_given(check)}<br>{_html(reasons(check))}</li>" for check in lost]
    return "".join([*parts, *(["<ul>", *items, "</ul>"] if items else [])])


def _given(check: model.Outcome) -> str:
    """Return how many points a failed check has all the same, because its mistake has cost some elsewhere."""
    return f" ({number(check.points)} of {number(check.max_points)} points)" if check.points else ""


def _html(text: str) -> str:
    lines = (html.escape(harmless(line), quote=True).replace("\\", "&#92;") for line in text.split("\n"))
    return "<br>".join(lines)
