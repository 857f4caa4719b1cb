"""``canvas``: the gradebook that Canvas exported, with the one column of the assignment, for Canvas to import.

What the importer asks for, and does (Canvas's "gradebook importer" and its guide "How do I import grades?"):

- the first columns are the student's, headed and ordered as exported, "Section" the last of them; a row is matched by
  "ID", and only where that tells nobody by the SIS ids and the name;
- an assignment's column is headed "Title (id)"; one that it does not know becomes a new assignment;
- the row whose first cell is "    Points Possible" gives the maximum, and "read only" there makes a column one;
- a column that is not in the file is left alone, and a cell that is empty where there is a score takes it away. So
  where there is no score to write, the cell stays as it was.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from autograder import model
from autograder.export.job import ExportError, Job, Product, csv_file, number, rescaled, scaled, worth
from autograder.sheet import Record, Sheet

STUDENT = (
    *("Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID", "Integration ID"),
    *("Root Account", "Section"),
)
POSSIBLE = "    Points Possible"
TITLE = re.compile(r"(?P<title>.*?)\s*\((?P<id>\d+)\)", re.DOTALL)
KEPT = {"EX": "excused", "N/A": "not assigned to them"}  # what a cell may say instead of a score


class Column(NamedTuple):
    """The assignment's column: its heading, where it is (None: it is new), and what it is worth."""

    heading: str
    at: int | None
    points: float


def write(job: Job) -> Product:
    """See export.write. The roster is the gradebook."""
    assert job.roster is not None
    assert job.matching is not None
    sheet = job.roster.sheet
    student = [at for at, heading in enumerate(sheet.header) if heading.strip() in STUDENT]
    headings = [sheet.header[at].strip() for at in student]
    if not {"ID", "Section"} <= set(headings) or not {"Student", "LastName"} & set(headings):
        raise ExportError(
            f"{sheet.path} is no gradebook of Canvas: it has no 'Student', 'ID' and 'Section'; give the file of "
            "Grades > Export > Export Entire Gradebook"
        )
    possible = next((row for row in sheet.rows if row[0].value.strip() == POSSIBLE.strip()), None)
    column, notes = _column(job, sheet, possible)
    grades = {person.row: grade for grade in job.grades if (person := job.person(grade.student))}
    rows = [[POSSIBLE, *[""] * (len(student) - 1), number(column.points)]]
    for person in job.roster.people:
        row = sheet.rows[person.row]
        cell, note = _score(job, column, grades.get(person.row), _at(row, column.at))
        if note:
            notes.append(f"{person.shown}: {note}")
        rows.append([*(_at(row, at) for at in student), cell])
        if not person.keys.get("ID", "").isdecimal():
            notes.append(f"{person.shown} has no Canvas ID; Canvas will look for them by their other columns")
    placed = {grade.student for grade in grades.values()}
    left_out = tuple(
        grade.student
        for grade in job.grades
        if grade.student not in placed and worth(grade, job.missing_as_zero) is not None
    )
    return Product({"": csv_file([*headings, column.heading], rows)}, tuple(notes), left_out)


def _at(row: Record, at: int | None) -> str:
    return row[at].value if at is not None and at < len(row) else ""


def _column(job: Job, sheet: Sheet, possible: Record | None) -> tuple[Column, list[str]]:
    """The column of the assignment, and what is to be said of it. Raises ExportError where it can't be told."""
    at = _named(job.column, sheet) if job.column else _alike(job.assignment, sheet)
    most = max(grade.max_score for grade in job.grades)
    if at is None:
        assert job.column is not None
        told = f"{sheet.path} has no column {job.column!r}: Canvas will make a new assignment of {number(most)} points"
        return Column(job.column, None, most), [told]
    heading, said = sheet.header[at], _at(possible or (), at).strip()
    if "read only" in said:
        raise ExportError(f"{sheet.path}: the column {heading!r} is read-only in Canvas")
    try:
        points = float(said.replace(",", "."))
    except ValueError:
        return Column(heading, at, most), [f"{heading!r} has no points possible; {number(most)} are written"]
    if not 0 < points < float("inf"):
        raise ExportError(
            f"{sheet.path}: {heading!r} is worth {said} points; set its points in Canvas, export anew"
        )
    scale = any(rescaled(grade, points) for grade in job.grades)
    return Column(heading, at, points), [f"scores are scaled to {number(points)} points"] if scale else []


def _named(wanted: str, sheet: Sheet) -> int | None:
    """Where the column of that heading, title or id is; None where it is to be new."""
    if wanted.strip() in STUDENT:
        raise ExportError(f"--column: {wanted!r} is a column of the student, not an assignment")
    for of in (lambda heading: (heading,), _names):
        hits = [at for at, heading in enumerate(sheet.header) if wanted in of(heading)]
        if len(hits) > 1:
            raise ExportError(f"--column {wanted!r} may be {_listed(sheet, hits)}; give its whole heading")
        if hits:
            return hits[0]
    return None


def _names(heading: str) -> tuple[str, ...]:
    match = TITLE.fullmatch(heading)
    return (match["title"], match["id"]) if match else ()


def _alike(topic: str, sheet: Sheet) -> int:
    """The one assignment that is called like the topic, else the one whose title has all its words."""
    titles = {
        at: _words(match["title"]) for at, h in enumerate(sheet.header) if (match := TITLE.fullmatch(h))
    }
    words = topic.split("_")
    hits = [at for at, title in titles.items() if title == words]
    hits = hits or [at for at, title in titles.items() if set(words) <= set(title)]
    if len(hits) == 1:
        return hits[0]
    may = (
        f"it may be {_listed(sheet, hits or list(titles))}" if titles else "it has no column of an assignment"
    )
    raise ExportError(f"which column of {sheet.path} is {topic}? {may}; name it with --column")


def _words(title: str) -> list[str]:
    return re.findall(r"[^\W_]+", title.casefold())


def _listed(sheet: Sheet, hits: list[int]) -> str:
    return ", ".join(repr(sheet.header[at]) for at in hits[:10])


def _score(job: Job, column: Column, grade: model.Grade | None, was: str) -> tuple[str, str]:
    """A student's cell, and what is to be said of it."""
    value = scaled(grade, column.points, job.missing_as_zero) if grade else None
    if value is None:
        return was, ""
    kept = KEPT.get(was.strip().upper())
    if kept:
        return was, f"{kept} in Canvas, so {number(value)} is not written"
    return number(value), f"{was.strip()} becomes {number(value)}" if _differs(was, value) else ""


def _differs(was: str, value: float) -> bool:
    """Whether a score that is there is overwritten by another one."""
    try:
        return abs(float(was.replace(",", ".")) - value) >= 0.005  # Canvas exports two digits
    except ValueError:
        return False
