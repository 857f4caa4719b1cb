"""Which grades are another's, too: the same work under the same exam is graded once, whoever hands it in."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from autograder import messages, model

How = Literal["graded", "before", "copy"]  # now; in an earlier run; as the same work of another student was

SHARED = ("graded", "import-error")
SUFFIXES = {"script": "py", "notebook": "ipynb"}


def identity(submission: model.Submission) -> str:
    """Changes with the work and with what is told about how it was found."""
    parts = (submission.status, submission.kind, submission.filename, submission.note, submission.digest)
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def content(submission: model.Submission) -> str:
    """Changes with the work alone; empty where there is none."""
    return submission.digest if submission.status == "ready" else ""


def anonymous(submission: model.Submission, topic: str) -> model.Submission:
    """What is graded: nothing of how the file was found, and the name that the assignment gives it. A grade may depend
    on a file's name (``__file__``, and what Python says of a syntax error), so all copies must have the same."""
    if submission.status != "ready":
        return submission
    return msgspec.structs.replace(submission, filename=f"{topic}.{SUFFIXES[submission.kind]}", note="")


def addressed(grade: model.Grade, submission: model.Submission) -> model.Grade:
    """A grade of anonymous work as the student gets it: first, how the file was found."""
    if submission.status != "ready":
        return grade
    told = " ".join(filter(None, (submission.note, grade.message)))
    return msgspec.structs.replace(grade, student=submission.student, message=messages.printable(told))


def may_be_shared(grade: model.Grade, shortest_limit: float) -> bool:
    """Whether nothing in a grade depends on the moment. Not shared are our own faults; work whose time ran out, as a
    whole or in a case; speed that was not decided; and, as what ran out may not show in the end (a cell of a notebook
    that was left, a case behind another one that failed), whatever took as long as the ``shortest_limit`` (seconds)
    that there is."""
    undone = any(check.status in ("timeout", "skipped") for check in grade.checks)
    return grade.status in SHARED and not undone and grade.seconds < shortest_limit
