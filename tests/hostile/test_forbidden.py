"""No trick hides a forbidden function, and no honest work is taken for one (submissions/forbidden.toml)."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any

import pytest

from autograder import model
from autograder.judge.source import Source
from autograder.runs.pool import Grader, RunPlan
from autograder.sandbox.limits import Limits
from tests.paths import ROOT

TABLE: dict[str, list[dict[str, Any]]] = tomllib.loads(
    (ROOT / "tests/hostile/submissions/forbidden.toml").read_text(encoding="utf-8")
)
CONSTRAINTS = {
    "stable_softmax": ["softmax-constraint", "softmax-constraint-hidden"],
    "softmax_vjp": ["vjp-constraint", "vjp-constraint-hidden"],
    "attention": ["sdpa-constraint", "sdpa-constraint-hidden"],
    "heads": ["heads-constraint", "heads-constraint-hidden"],
}


@functools.cache
def grader(assignment: str) -> Grader:
    """One for all tests; its server ends with the process."""
    return Grader(RunPlan(assignment, "a secret of the test", Limits(case_seconds=10.0), timing=False))


@functools.cache
def grade(assignment: str, code: str, first: str = "", encoding: str = "utf-8") -> model.Grade:
    """The grade of the solution with this after it, and with a line before it."""
    solution = (ROOT / "solutions" / assignment / f"{assignment}.py").read_text(encoding="utf-8")
    cells = (f"{first}{solution}\n\n{code}".encode(encoding),)
    return grader(assignment).grade(model.Submission("eve", "ready", "script", f"{assignment}.py", cells))


def test_there_are_enough_tricks() -> None:
    assert len(TABLE["trick"]) >= 40
    assert len({one["name"] for one in TABLE["trick"]}) == len(TABLE["trick"])


def tricks() -> list[Any]:
    """Return all tricks; ``make test`` tries every third."""
    marks = {True: (), False: (pytest.mark.thorough,)}
    return [pytest.param(one, marks=marks[place % 3 == 0], id=one["name"]) for place, one in enumerate(TABLE["trick"])]


@pytest.mark.parametrize("trick", tricks())
def test_a_forbidden_function_is_found(trick: dict[str, Any]) -> None:
    told = grade(trick["assignment"], trick["code"], trick.get("first", ""), trick.get("encoding", "utf-8"))
    assert told.status == trick.get("status", "graded"), told.message
    checks = {check.id: check for check in told.checks}
    for name in trick.get("lost", CONSTRAINTS[trick["of"]]):
        check = checks[name]
        assert check.status != "passed", f"{name} was passed"
        cause = trick.get("cause", "forbidden-call")
        assert cause in (check.diagnosis, "any"), (check.diagnosis, check.message)


@pytest.mark.parametrize("work", TABLE["honest"], ids=lambda one: one["name"])
def test_honest_work_that_looks_like_it_keeps_its_points(work: dict[str, Any]) -> None:
    told = grade(work["assignment"], work["code"], work.get("first", ""), work.get("encoding", "utf-8"))
    trouble = [(check.id, check.message) for check in told.checks if check.status != "passed"]
    assert (told.score, trouble) == (100, []), told.message


FALSIFIED = sorted((ROOT / "tests/hostile/submissions/falsified").glob("*.py"))
IN_WORKER = ("get_kernel", "result_del", "sdpa_math_redispatch", "vjp_nodes_called")  # which are also graded


@pytest.mark.parametrize("path", FALSIFIED, ids=lambda path: path.stem)
def test_code_that_falsifies_the_record_is_seen_in_the_source(path: Path) -> None:
    """Each of these got all points for a forbidden function once. Its first line names the assignment."""
    code = path.read_text(encoding="utf-8")
    assignment = code.splitlines()[0].removeprefix("# ")
    solution = (ROOT / "solutions" / assignment / f"{assignment}.py").read_text(encoding="utf-8")
    assert Source("script", [f"{solution}\n\n{code}".encode()]).tampering
    assert Source("script", [solution.encode()]).tampering is None


@pytest.mark.parametrize("path", [path for path in FALSIFIED if path.stem in IN_WORKER], ids=lambda path: path.stem)
def test_code_that_falsifies_the_record_earns_nothing_for_it(path: Path) -> None:
    code = path.read_text(encoding="utf-8")
    told = grade(code.splitlines()[0].removeprefix("# "), code)
    constraints = [check for check in told.checks if "constraint" in check.id]
    assert constraints
    assert not [check.id for check in constraints if check.status == "passed"]


def test_the_evidence_is_told() -> None:
    trick = next(one for one in TABLE["trick"] if one["name"] == "getattr-joined")
    checks = {check.id: check for check in grade(trick["assignment"], trick["code"]).checks}
    message = checks["softmax-constraint"].message
    assert "calls `softmax`, which is not allowed" in message, message
    assert "stable_softmax" in message
