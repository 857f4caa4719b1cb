"""Grades to decide about."""

from __future__ import annotations

import msgspec

from autograder import model


def check(id: str, points: float, most: float, part: str = "Attention", **more: object) -> model.Outcome:
    """A check that passed if it has all points."""
    status = "passed" if points == most else "failed"
    return msgspec.structs.replace(
        model.Outcome(id, id, "value", "public", status, points, most, part=part),  # type: ignore[arg-type]
        **more,
    )


CHECKS = (
    check("shapes", 10.0, 10.0),
    check("values", 5.0, 30.0, diagnosis="missing-tanh"),
    check("sums", 0.0, 20.0, consequence_of="values"),
    check("softmax", 40.0, 40.0, "softmax"),
)


def grade(student: str = "ana", checks: tuple[model.Outcome, ...] = CHECKS, **more: object) -> model.Grade:
    """A grade of 55 of 100 points."""
    score = sum(one.points for one in checks)
    plain = model.Grade(student, "luong", score, 100.0, "graded", checks, {})
    return msgspec.structs.replace(plain, **more)
