"""``canvas``: the gradebook that Canvas exported, with only the assignment's column, for Canvas to import.

How the importer works (Canvas's gradebook importer, and its guide "How do I import grades?"):

- The first columns describe the student, with the exported headings in the exported order. "Section" is the last.
- The importer finds a student by "ID". If that fails, it uses the SIS ids and the name.
- The heading of an assignment is "Title (id)". An unknown heading becomes a new assignment.
- The row that starts with "    Points Possible" gives the maximum. There, "read only" makes a column read-only.
- A column that is not in the file stays unchanged. An empty cell deletes a score. So a cell without a new score keeps
  its old text.
"""

import re
from typing import NamedTuple

from autograder import assignments, model
from autograder.intake.roster.csv_file import Record, Sheet
from autograder.integrations.export.job import ExportError, Job, Product, csv_file
from autograder.integrations.export.scores import differs, number, rescaled, scaled, worth

STUDENT = (
    *("Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID", "Integration ID"),
    *("Root Account", "Section"),
)
POSSIBLE = "    Points Possible"
TITLE = re.compile(r"(?P<title>.*?)\s*\((?P<id>\d+)\)", re.DOTALL)
EXCUSED = "EX"
KEPT = {"EX": "excused", "N/A": "not assigned to them"}  # texts of a cell in place of a score


class Column(NamedTuple):
    """The assignment's column: its heading, its position, and its maximum."""

    heading: str
    at: int
    points: float


def write(job: Job) -> Product:
    """See ``export.write``. The roster is the gradebook."""
    assert job.roster is not None
    assert job.matching is not None
    sheet = job.roster.sheet
    student = [at for at, heading in enumerate(sheet.header) if heading.strip() in STUDENT]
    headings = [sheet.header[at].strip() for at in student]
    if not {"ID", "Section"} <= set(headings) or not {"Student", "LastName"} & set(headings):
        raise ExportError(
            f"{sheet.path} is no gradebook of Canvas: it needs the columns 'Student', 'ID' and 'Section'; use the file "
            "from Grades > Export > Export Entire Gradebook"
        )
    people = {person.row for person in job.roster.people}  # anybody may call himself Points Possible
    about = (row for at, row in enumerate(sheet.rows) if at not in people)
    possible = next((row for row in about if row[0].value.strip() == POSSIBLE.strip()), None)
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
            notes.append(f"{person.shown} has no Canvas ID; Canvas will use the other columns to find them")
    placed = {grade.student for grade in grades.values()}
    scored = [grade.student for grade in job.grades if worth(grade, job.missing_as_zero) is not None]
    left_out = tuple(student for student in scored if student not in placed)
    return Product({"": csv_file([*headings, column.heading], rows, returns=True)}, tuple(notes), left_out)


def _at(row: Record, at: int | None) -> str:
    return row[at].value if at is not None and at < len(row) else ""


def _column(job: Job, sheet: Sheet, possible: Record | None) -> tuple[Column, list[str]]:
    """Return the assignment's column, and notes about it. Raises ExportError if the column is not clear."""
    at = _named(job.column, sheet) if job.column else _alike(job.assignment, sheet)
    most = max(grade.max_score for grade in job.grades)
    heading, maximum = sheet.header[at], _at(possible or (), at).strip()
    if "read only" in maximum:
        raise ExportError(f"{sheet.path}: the column {heading!r} is read-only in Canvas")
    try:
        points = float(maximum.replace(",", "."))
    except ValueError:
        return Column(heading, at, most), [f"{heading!r} has no points possible; {number(most)} are written"]
    if not 0 < points < float("inf"):
        raise ExportError(
            f"{sheet.path}: {heading!r} is worth {maximum[:40]} points; set its points in Canvas and export it again"
        )
    scale = any(rescaled(grade, points) for grade in job.grades)
    return Column(heading, at, points), [f"scores are scaled to {number(points)} points"] if scale else []


def _named(wanted: str, sheet: Sheet) -> int:
    """Return the position of the column with this heading, title or id. Raises ExportError if there is none."""
    if wanted.strip() in STUDENT:
        raise ExportError(f"--column: {wanted!r} is a column of the student, not an assignment")
    for names in (lambda heading: (heading,), _names):
        hits = [at for at, heading in enumerate(sheet.header) if wanted in names(heading)]
        if len(hits) > 1:
            raise ExportError(f"--column {wanted!r} may be {_listed(sheet, hits)}; give the whole heading")
        if hits:
            return hits[0]
    titles = [at for at, heading in enumerate(sheet.header) if TITLE.fullmatch(heading)]
    known = f"it may be {_listed(sheet, titles)}" if titles else "it has no assignments"
    raise ExportError(
        f"{sheet.path} has no column {wanted!r}; {known}: make it in Canvas, and export the gradebook again"
    )


def _names(heading: str) -> tuple[str, ...]:
    """Return the title and the id in an assignment's heading."""
    match = TITLE.fullmatch(heading)
    return (match["title"], match["id"]) if match else ()


def _alike(assignment: str, sheet: Sheet) -> int:
    """Return the column whose title is the assignment's name, or the only one whose title has all its words.

    If there is none, the assignment's own title may be the column's.
    """
    titles = {at: _words(match["title"]) for at, h in enumerate(sheet.header) if (match := TITLE.fullmatch(h))}
    words = assignment.split("_")
    hits = [at for at, title in titles.items() if title == words]
    hits = hits or [at for at, title in titles.items() if set(words) <= set(title)]
    hits = hits or [at for at, title in titles.items() if title == _words(assignments.load(assignment).title)]
    if len(hits) == 1:
        return hits[0]
    choice = f"it may be {_listed(sheet, hits or list(titles))}" if titles else "the file has no assignments"
    raise ExportError(f"which column of {sheet.path} is {assignment}? {choice}; name it with --column")


def _words(title: str) -> list[str]:
    return re.findall(r"[^\W_]+", title.casefold())


def _listed(sheet: Sheet, hits: list[int]) -> str:
    return ", ".join(repr(sheet.header[at]) for at in hits[:10])


def _score(job: Job, column: Column, grade: model.Grade | None, old: str) -> tuple[str, str]:
    """Return a student's cell, and a note or ''."""
    if grade and grade.excused:
        was = old.strip()
        return EXCUSED, f"{was} becomes {EXCUSED}, as they are excused" if was not in ("", EXCUSED) else ""
    value = scaled(grade, column.points, job.missing_as_zero) if grade else None
    if value is None:
        return old, ""
    kept = KEPT.get(old.strip().upper())
    if kept:
        return old, f"{kept} in Canvas, so {number(value)} is not written"
    return number(value), f"{old.strip()} becomes {number(value)}" if differs(old, value) else ""
