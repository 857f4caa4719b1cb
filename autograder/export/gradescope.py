"""``gradescope``: a folder with the ``results.json`` of each student, by their file-safe ids.

Gradescope takes scores from an autograder's ``results.json`` only, never from a table; ``scores.csv`` beside them says
whose is which, and is for people.
"""

from __future__ import annotations

import msgspec

from autograder import model
from autograder.export.job import Job, Product, csv_file, number, worth
from autograder.integrations.gradescope import results
from autograder.results import file_name

HEADER = ("Student", "Name", "Email", "Total Score", "Max Points", "Status", "File")


def write(job: Job) -> Product:
    """See export.write. Who has no score has no file: Gradescope would show any as graded."""
    files: dict[str, bytes] = {}
    rows = []
    for grade in job.grades:
        value = worth(grade, job.missing_as_zero)
        name = "" if value is None else f"{file_name(grade.student)}/results.json"
        if value is not None:
            files[name] = _json(msgspec.structs.replace(grade, score=value))
        person = job.person(grade.student)
        known = (person.name, person.email) if person else ("", "")
        rows.append((grade.student, *known, number(value), number(grade.max_score), grade.status, name))
    return Product({**files, "scores.csv": csv_file(HEADER, rows)})


def _json(grade: model.Grade) -> bytes:
    return msgspec.json.format(msgspec.json.encode(results(grade)), indent=2) + b"\n"
