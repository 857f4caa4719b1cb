"""Which grades can be shared: the same work in the same run is graded once, whoever handed it in."""

from typing import Literal

import msgspec

from autograder import model
from autograder.model.text import printable

Origin = Literal["graded", "before", "copy"]  # graded now, known from an earlier run, copied from the same work

SHARED = ("graded", "import-error")
SUFFIXES = {"script": "py", "notebook": "ipynb"}


def anonymous(submission: model.Submission, assignment: str) -> model.Submission:
    """Return the submission under the assignment's file name and without its note.

    A grade may depend on the file name (``__file__``, syntax errors), so all copies are graded under the same one.
    """
    if submission.status != "ready":
        return submission
    return msgspec.structs.replace(submission, filename=f"{assignment}.{SUFFIXES[submission.kind]}", note="")


def addressed(grade: model.Grade, submission: model.Submission) -> model.Grade:
    """Return the grade of anonymous work for one student; its message begins with how the file was found."""
    if submission.status != "ready":
        return grade
    message = " ".join(filter(None, (submission.note, grade.message)))
    return msgspec.structs.replace(grade, student=submission.student, message=printable(message))


def may_be_shared(grade: model.Grade, shortest_limit: float) -> bool:
    """Return whether a grade does not depend on timing or chance. ``shortest_limit`` is in seconds.

    Not shared: infrastructure errors, timeouts, undecided speed. A timeout may leave no trace in the grade, for example
    in a notebook cell. So no grade that took as long as the shortest limit is shared either.
    """
    incomplete = any(check.status in ("timeout", "skipped") for check in grade.checks)
    return grade.status in SHARED and not incomplete and grade.seconds < shortest_limit
