"""Students' feedback files in the zips that Moodle and Canvas take back.

- Moodle ("Upload multiple feedback files in a zip", ``assignfeedback_file``) reads the participant's number in
  ``Participant_4711_assignsubmission_file_NAME``, and shows the student NAME.
- Canvas ("Upload Submissions", where graded files come back) reads the numbers of person and upload in
  ``feedback_101_5001_NAME``, and attaches the file to a comment. It takes a file only for who handed one in, and shows
  it under the name of *that* file. So a text is better there than a page: it reads well under any name.
"""

import io
import re
import zipfile
from collections.abc import Mapping
from typing import NamedTuple

from autograder import model
from autograder.intake.roster import Person

DATE = (2000, 1, 1, 0, 0, 0)  # the same feedback is the same zip
PARTICIPANT = re.compile(r"Participant (\d+)")


class Target(NamedTuple):
    """A program that takes a zip: the suffix of the files that go in, where it is uploaded, where numbers come from."""

    name: str
    suffix: str
    where: str
    numbers: str


TARGETS = {
    "moodle": Target(
        *("Moodle", ".html", "View all submissions > Upload multiple feedback files in a zip"),
        "grade Moodle's own download, or give its grading worksheet as --roster",
    ),
    "canvas": Target("Canvas", ".md", "the assignment > Upload Submissions", "grade Canvas's own download"),
}


def place(target: str, grade: model.Grade, person: Person | None) -> str:
    """Return the name of a student's file in the zip; "" if the program could not tell whose it is."""
    name = f"{grade.assignment}-feedback{TARGETS[target].suffix}"
    if target == "moodle":
        number = _participant(person) or grade.lms_id
        return f"Participant_{number}_assignsubmission_file_{name}" if number else ""
    return f"feedback_{grade.lms_id}_{grade.lms_upload}_{name}" if grade.lms_id and grade.lms_upload else ""


def packed(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of files by their names."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, DATE), content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def _participant(person: Person | None) -> str:
    """Return the number in Moodle's worksheet."""
    found = (PARTICIPANT.fullmatch(value) for value in (person.keys.values() if person else ()))
    return next((match[1] for match in found if match), "")
