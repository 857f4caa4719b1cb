"""No trick hides a forbidden function, and no honest work is taken for one (submissions/hostile/forbidden.toml)."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any

import pytest

from autograder import model
from autograder.bulk import Grader, Plan
from autograder.sandbox.limits import Limits

ROOT = Path(__file__).resolve().parent.parent.parent
TABLE: dict[str, list[dict[str, Any]]] = tomllib.loads(
    (ROOT / "tests/submissions/hostile/forbidden.toml").read_text(encoding="utf-8")
)
CONSTRAINTS = {
    "stable_softmax": ["softmax-constraint", "softmax-constraint-hidden"],
    "softmax_vjp": ["vjp-constraint", "vjp-constraint-hidden"],
    "attention": ["sdpa-constraint", "constraint-everywhere"],
}


@functools.cache
def grader(topic: str) -> Grader:
    """One for all tests; its server ends with the process."""
    return Grader(Plan(topic, "a secret of the test", Limits(case_seconds=10.0), timing=False))


@functools.cache
def grade(topic: str, code: str) -> model.Grade:
    """The grade of the solution with this after it."""
    solution = (ROOT / "solutions" / topic / f"{topic}.py").read_text(encoding="utf-8")
    cells = (f"{solution}\n\n{code}".encode(),)
    return grader(topic).grade(model.Submission("eve", "ready", "script", f"{topic}.py", cells))


def test_there_are_enough_tricks() -> None:
    assert len(TABLE["trick"]) >= 40
    assert len({one["name"] for one in TABLE["trick"]}) == len(TABLE["trick"])


@pytest.mark.parametrize("trick", TABLE["trick"], ids=lambda one: one["name"])
def test_a_forbidden_function_is_found(trick: dict[str, Any]) -> None:
    told = grade(trick["topic"], trick["code"])
    assert told.status == "graded", told.message
    checks = {check.id: check for check in told.checks}
    for name in trick.get("lost", CONSTRAINTS[trick["of"]]):
        check = checks[name]
        assert check.status != "passed", f"{name} was passed"
        cause = trick.get("cause", "forbidden-call")
        assert cause in (check.diagnosis, "any"), (check.diagnosis, check.message)


@pytest.mark.parametrize("work", TABLE["honest"], ids=lambda one: one["name"])
def test_honest_work_that_looks_like_it_keeps_its_points(work: dict[str, Any]) -> None:
    told = grade(work["topic"], work["code"])
    trouble = [(check.id, check.message) for check in told.checks if check.status != "passed"]
    assert (told.score, trouble) == (100, []), told.message


def test_the_evidence_is_told() -> None:
    trick = next(one for one in TABLE["trick"] if one["name"] == "getattr-joined")
    checks = {check.id: check for check in grade(trick["topic"], trick["code"]).checks}
    message = checks["softmax-constraint"].message
    assert "aten::softmax was seen to be called" in message, message
    assert "stable_softmax" in message
