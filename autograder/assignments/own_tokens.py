"""Which assignments give each student a token, and the state of the token in a submission."""

from __future__ import annotations

from collections.abc import Sequence

from autograder import assignments, model
from autograder.model import tokens


def has_token(assignment: str) -> bool:
    """Return whether each student's file of an assignment has a token."""
    return bool(assignments.declared(assignment, "", "TOKEN", False))


def state_of(work: model.Submission, assignment: str, students: Sequence[str] = (), key: bytes = b"") -> tokens.State:
    """Return the state of a submission's token (see ``tokens.state``); empty if its assignment has none."""
    if not work.cells or not has_token(assignment):
        return ""
    return tokens.state(tokens.written(work), assignment, students, key)
