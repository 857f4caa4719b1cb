"""``nbgrader``: the table that ``nbgrader export`` writes (nbgrader 0.9.6, ``CsvExportPlugin``).

nbgrader writes a 0 for who handed nothing in; here the cells stay empty unless a 0 is asked for.
"""

from __future__ import annotations

from autograder import model
from autograder.export.job import Job, Product, csv_file, real, worth

HEADER = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)


def write(job: Job) -> Product:
    """See export.write."""
    return Product({"": csv_file(HEADER, [_row(job, grade) for grade in job.grades])})


def _row(job: Job, grade: model.Grade) -> tuple[str, ...]:
    person = job.person(grade.student)
    value = worth(grade, job.missing_as_zero)
    score = "" if value is None else real(value)  # a float's own spelling, as nbgrader has it
    penalty = "" if value is None else "0.0"
    last, first, email = (person.last, person.first, person.email) if person else ("", "", "")
    return (
        *(grade.assignment, "", "", grade.student, last, first, email),
        *(score, penalty, score, real(grade.max_score)),
    )
