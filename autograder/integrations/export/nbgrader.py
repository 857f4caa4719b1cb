"""``nbgrader``: the table of ``nbgrader export`` (nbgrader 0.9.6, ``CsvExportPlugin``).

nbgrader writes 0 for missing students. Here the cells stay empty, except with ``missing_as_zero``.
"""

from autograder import model
from autograder.integrations.export.job import Job, Product, csv_file
from autograder.integrations.export.scores import real, worth

HEADER = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)


def write(job: Job) -> Product:
    """See ``export.write``."""
    return Product({"": csv_file(HEADER, [_row(job, grade) for grade in job.grades])})


def _row(job: Job, grade: model.Grade) -> tuple[str, ...]:
    person = job.person(grade.student)
    value = worth(grade, job.missing_as_zero)
    score = "" if value is None else real(value)  # nbgrader writes floats
    penalty = "" if value is None else real(grade.late_penalty)
    raw = "" if value is None else real(value + grade.late_penalty)
    last, first, email = (person.last, person.first, person.email) if person else ("", "", "")
    return (
        *(grade.assignment, "", "", grade.student, last, first, email),
        *(raw, penalty, score, real(grade.max_score)),
    )
