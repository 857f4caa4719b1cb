"""``csv``: for spreadsheets and pandas; a row for each check of each student, or with ``wide`` for each student."""

from collections.abc import Callable, Sequence

from autograder import model
from autograder.intake.roster import Person
from autograder.integrations.export.job import ExportError, Job, Product, csv_file
from autograder.integrations.export.scores import number, worth

Row = tuple[model.Grade, model.Outcome | None, Person | None]
OF_STUDENT: dict[str, Callable[[Job, Row], str]] = {
    "student": lambda job, row: row[0].student,
    "name": lambda job, row: row[2].name if row[2] else "",
    "email": lambda job, row: row[2].email if row[2] else "",
    "assignment": lambda job, row: row[0].assignment,
    "status": lambda job, row: row[0].status,
    "score": lambda job, row: number(worth(row[0], job.missing_as_zero)),
    "max_score": lambda job, row: number(row[0].max_score),
    "adjustment": lambda job, row: number(row[0].adjustment),
    "late_penalty": lambda job, row: number(row[0].late_penalty),
    "excused": lambda job, row: "yes" if row[0].excused else "",
    "seconds": lambda job, row: number(row[0].seconds),
    "note": lambda job, row: row[0].message,
}
OF_CHECK: dict[str, Callable[[model.Outcome], str]] = {
    "check": lambda check: check.id,
    "title": lambda check: check.title,
    "part": lambda check: check.part,
    "kind": lambda check: check.kind,
    "visibility": lambda check: check.visibility,
    "check_status": lambda check: check.status,
    "points": lambda check: "" if check.status == "skipped" else number(check.points),
    "max_points": lambda check: number(check.max_points),
    "diagnosis": lambda check: check.diagnosis or "",
    "consequence_of": lambda check: check.consequence_of or "",
    "message": lambda check: check.message,
    "hint": lambda check: check.hint,
}
FROM_ROSTER = ("name", "email")


def write(job: Job) -> Product:
    """See ``export.write``. A student without checks gets one row, with empty columns for checks."""
    wide = job.wide
    checks = list(dict.fromkeys(check.id for grade in job.grades for check in grade.checks)) if wide else []
    known = [*OF_STUDENT, *checks] if wide else [*OF_STUDENT, *OF_CHECK]
    header = list(job.columns) or [name for name in known if job.roster or name not in FROM_ROSTER]
    if unknown := [name for name in header if name not in known]:
        raise ExportError(f"--columns: there is no column {unknown[0]!r}; choose from {', '.join(known)}")
    rows: list[Sequence[str]] = []
    for grade in job.grades:
        person = job.person(grade.student)
        by_id: dict[str, model.Outcome] = {check.id: check for check in grade.checks}
        for check in (None,) if wide or not grade.checks else grade.checks:
            row = (grade, check, person)
            rows.append([_cell(job, row, name, by_id) for name in header])
    return Product({"": csv_file(header, rows)})


def _cell(job: Job, row: Row, name: str, by_id: dict[str, model.Outcome]) -> str:
    if name in OF_STUDENT:
        return OF_STUDENT[name](job, row)
    if job.wide:  # the column holds the points of the check with this id
        return OF_CHECK["points"](by_id[name]) if name in by_id else ""
    return OF_CHECK[name](row[1]) if row[1] else ""
