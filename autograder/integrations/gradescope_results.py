"""A grade as Gradescope's ``results.json`` (https://gradescope-autograders.readthedocs.io/en/latest/specs/).

Every text has the format ``text``, so Gradescope renders no HTML, Markdown or colours from a student. Only pictures of
attention weights are HTML: numbers and words of ours. The default format of the top-level ``output`` is HTML.
"""

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from autograder import model
from autograder.course.marks import reckoning
from autograder.feedback import shown, weights

Visibility = Literal["visible", "after_due_date", "after_published", "hidden"]
RAN = ("graded", "partial", "import-error")  # submissions with any other status have no checks


class Test(msgspec.Struct, frozen=True, kw_only=True):
    """One test of the results; without ``score`` it only shows text."""

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
    """The file. Only instructors see what the grader prints."""

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
    """The grader failed, so no score may be written."""


def results(
    grade: model.Grade,
    questions: Mapping[str, str] | None = None,
    hidden: Visibility = "after_published",
    view: model.StudentView = shown.USUAL,
) -> Results:
    """Return the results of a grade. Raises NoScore.

    ``questions`` maps check ids to questions such as ``q1``. ``hidden`` says when students see hidden checks, and
    ``view`` what they see of them.
    Gradescope fixes the total of an assignment, so the points of skipped checks are divided among the others.
    """
    if grade.final is None:
        raise NoScore(grade.message)
    whole = sum(check.max_points for check in grade.checks) or grade.max_score
    factor = whole / grade.max_score if grade.max_score else 0.0
    checks = shown.checks(grade, view)
    return Results(
        score=round(grade.final * factor, 6),
        execution_time=grade.seconds,
        output="\n".join(filter(None, (_status(grade), _sentence(grade), grade.message))),
        tests=(*_tests(checks, questions or {}, hidden, factor), *_pictures(grade)) if grade.status in RAN else (),
        extra_data={
            "status": grade.status,
            "score": grade.final,
            "adjustment": grade.adjustment,
            "late_penalty": grade.late_penalty,
            "max_score": grade.max_score,
            "diagnoses": list(dict.fromkeys(c.diagnosis for c in grade.checks if c.diagnosis)),
            "environment": grade.environment,
        },
    )


def _status(grade: model.Grade) -> str:
    return "" if grade.status == "graded" else f"{grade.status}."


def _sentence(grade: model.Grade) -> str:
    """Return how the score comes about, where it is not the sum of the checks."""
    line = reckoning(grade)
    return f"{line[0].upper()}{line[1:]}." if line else ""


def _tests(
    checks: Mapping[str, model.Outcome], questions: Mapping[str, str], hidden: Visibility, factor: float
) -> Iterator[Test]:
    """Yield the checks by question, in the order of the handout. The keys of ``checks`` are ids."""
    for question in dict.fromkeys(questions.values()) or ("",):
        asked = [check for name, check in checks.items() if questions.get(name, "") == question]
        for number, check in enumerate(asked, start=1):
            yield _test(check, f"{question.removeprefix('q')}.{number}".lstrip("."), hidden, factor)


def _pictures(grade: model.Grade) -> Iterator[Test]:
    """Yield the pictures of attention weights, without a score."""
    for picture in grade.pictures:
        name = f"Attention weights of {picture.part}"
        yield Test(name=name, number="", output=weights.table(picture), visibility="visible", output_format="html")


def _test(check: model.Outcome, number: str, hidden: Visibility, factor: float) -> Test:
    visibility: Visibility = hidden if check.visibility == "hidden" else "visible"
    output = "\n".join(filter(None, (check.message, check.hint)))
    tags = (check.diagnosis,) if check.diagnosis else ()
    test = Test(name=check.title, number=number, output=output, visibility=visibility, tags=tags)
    if check.status == "skipped":
        return test
    return msgspec.structs.replace(
        test,
        score=round(check.points * factor, 6),
        max_score=round(check.max_points * factor, 6),
        status="passed" if check.status == "passed" else "failed",  # said, as Gradescope passes whatever has all points
    )
