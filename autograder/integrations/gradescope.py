"""A grade as Gradescope's ``results.json`` (https://gradescope-autograders.readthedocs.io/en/latest/specs/).

Every text is of format ``text``: no HTML, Markdown or colour of a student's making is rendered; the default of the
topmost ``output`` would be HTML.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from autograder import model

Visibility = Literal["visible", "after_due_date", "after_published", "hidden"]
RAN = ("graded", "partial", "import-error")  # of the others there are no checks to tell about


class Test(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the results; without ``score`` it is only told."""

    name: str
    number: str
    output: str
    visibility: Visibility
    score: float | UnsetType = UNSET
    max_score: float | UnsetType = UNSET
    status: Literal["passed", "failed"] | UnsetType = UNSET
    tags: tuple[str, ...] = ()
    name_format: str = "text"
    output_format: str = "text"


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """The file. What is printed while grading is for instructors only."""

    score: float
    execution_time: float
    output: str
    tests: tuple[Test, ...]
    extra_data: dict[str, object]
    output_format: str = "text"
    test_output_format: str = "text"
    test_name_format: str = "text"
    visibility: Visibility = "visible"
    stdout_visibility: Visibility = "hidden"


class NoScore(Exception):
    """Our own fault: there is no score, and none must be written."""


def results(
    grade: model.Grade, questions: Mapping[str, str] | None = None, hidden: Visibility = "after_published"
) -> Results:
    """``questions``: of every check the question (``q1``) that it belongs to, where there are any. ``hidden``: when
    hidden checks are shown. Points of checks that could not be decided are spread over the others, as the total of
    an assignment is fixed on Gradescope. Raises NoScore."""
    if grade.score is None:
        raise NoScore(grade.message)
    whole = sum(check.max_points for check in grade.checks) or grade.max_score
    factor = whole / grade.max_score if grade.max_score else 0.0
    return Results(
        score=round(grade.score * factor, 6),
        execution_time=grade.seconds,
        output=_opening(grade),
        tests=tuple(_tests(grade, questions or {}, hidden, factor)) if grade.status in RAN else (),
        extra_data={
            "status": grade.status,
            "score": grade.score,
            "max_score": grade.max_score,
            "diagnoses": list(dict.fromkeys(c.diagnosis for c in grade.checks if c.diagnosis)),
            "environment": grade.environment,
        },
    )


def _opening(grade: model.Grade) -> str:
    """What is said of the submission as a whole."""
    what = "" if grade.status == "graded" else f"{grade.status}."
    return "\n".join(filter(None, (what, grade.message)))


def _tests(
    grade: model.Grade, questions: Mapping[str, str], hidden: Visibility, factor: float
) -> Iterator[Test]:
    """The checks by question, in the order of the handout."""
    for question in dict.fromkeys(questions.values()) or ("",):
        checks = [check for check in grade.checks if questions.get(check.id, "") == question]
        for number, check in enumerate(checks, start=1):
            yield _test(check, f"{question.removeprefix('q')}.{number}".lstrip("."), hidden, factor)


def _test(check: model.Outcome, number: str, hidden: Visibility, factor: float) -> Test:
    visibility: Visibility = hidden if check.visibility == "hidden" else "visible"
    output = "\n".join(filter(None, (check.message, check.hint)))
    tags = (check.diagnosis,) if check.diagnosis else ()
    told = Test(name=check.title, number=number, output=output, visibility=visibility, tags=tags)
    if check.status == "skipped":
        return told
    return msgspec.structs.replace(
        told,
        score=round(check.points * factor, 6),
        max_score=round(check.max_points * factor, 6),
        status="passed" if check.status == "passed" else "failed",
    )
