"""``gradescope``: a folder with a ``results.json`` for each student, in a subfolder named by the file-safe id.

Gradescope reads scores only from an autograder's ``results.json``, never from a table. ``scores.csv`` is for people: it
lists the students and their files.
"""

import msgspec

from autograder import model
from autograder.integrations.export.job import Job, Product, csv_file
from autograder.integrations.export.scores import number, worth
from autograder.integrations.gradescope_results import results
from autograder.model.text import escaped_json
from autograder.runs.results import file_name

HEADER = ("Student", "Name", "Email", "Total Score", "Max Points", "Status", "File")


def write(job: Job) -> Product:
    """See ``export.write``. A student without a score gets no file, since Gradescope would show it as graded."""
    files: dict[str, bytes] = {}
    rows = []
    for grade in job.grades:
        value = worth(grade, job.missing_as_zero)
        name = "" if value is None else f"{file_name(grade.student)}/results.json"
        if value is not None:
            files[name] = _json(msgspec.structs.replace(grade, final_score=value), job.view)
        person = job.person(grade.student)
        known = (person.name, person.email) if person else ("", "")
        rows.append((grade.student, *known, number(value), number(grade.max_score), grade.status, name))
    return Product({**files, "scores.csv": csv_file(HEADER, rows)})


def _json(grade: model.Grade, view: model.StudentView) -> bytes:
    written = msgspec.json.encode(results(grade, view=view))
    return escaped_json(msgspec.json.format(written, indent=2)) + b"\n"
