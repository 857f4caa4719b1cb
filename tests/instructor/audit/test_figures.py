"""The grader's own figures: each sort of failure is counted where it belongs."""

from __future__ import annotations

import io
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from autograder import model
from autograder.instructor.audit.corpus import Sample
from autograder.instructor.audit.figures import Figures, GradedPiece, figures
from autograder.report import auditing
from tests.small_suite_helpers import check

CHECKS = [check("one"), check("two"), check("idle"), check("timing", points=0)]


def outcome(name: str, failed: bool, cause: str | None) -> model.Outcome:
    points = next(one.points for one in CHECKS if one.id == name)
    return model.Outcome(
        name,
        name,
        "value",
        "hidden",
        "failed" if failed else "passed",
        0 if failed else points,
        points,
        f"{name} has wrong values." if failed else "",
        cause if failed else None,
    )


def judged(
    name: str, sort: Any, fails: str = "", cause: str | None = None, status: Any = "graded", **how: Any
) -> GradedPiece:
    """A submission, the checks in which it failed, and the cause that was reported."""
    checks = tuple(outcome(one.id, one.id in fails.split(), cause) for one in CHECKS)
    score = sum(one.points for one in checks)
    grade = model.Grade(name, "small", score, 30.0, status, checks, {}, message="a note")
    if sort == "wrong":
        how = {"causes": (("missing-tanh",),)} | how
    return GradedPiece(Sample(name, sort, "", diff=f"- {name}", **how), grade)


def counted(*samples: GradedPiece) -> Figures:
    return figures(model.Spec("small", "Small", tuple(CHECKS), ("double", "triple")), samples)


def names(found: Figures) -> dict[str, list[str]]:
    """Who is in which list; empty ones are left out."""
    lists = ("marked_down", "let_through", "survived", "other_status", "cause_missed", "cause_wrong")
    listed = {field: [verdict.name for verdict in getattr(found, field)] for field in lists}
    return {field: who for field, who in listed.items() if who}


CAUGHT = judged("caught", "wrong", "one two", "missing-tanh")
GOOD = (judged("right", "right"), CAUGHT, judged("killed", "mutant", "two"), judged("same", "equivalent"))


def test_where_all_is_as_it_must_be_nothing_is_listed() -> None:
    found = counted(*GOOD)
    assert names(found) == {}
    assert (found.right, found.wrong, found.labelled, found.symptoms) == (1, 1, 1, 0)
    assert (found.mutants, found.equivalent, found.found, found.misled, found.good) == (1, 1, 1.0, 0.0, True)


@pytest.mark.parametrize(
    ("sample", "where", "why"),
    [
        (judged("x", "right", "two"), ["marked_down"], "two: two has wrong values."),
        (judged("x", "right", status="import-error"), ["marked_down"], "import-error: a note"),
        (judged("x", "equivalent", "two"), ["marked_down"], "two: two has wrong values."),
        (judged("x", "mutant"), ["survived"], "got all points"),
        (judged("x", "wrong", causes=()), ["let_through"], "got all points"),
        (judged("x", "wrong"), ["let_through", "cause_missed"], "got all points"),
        (judged("x", "wrong", "one"), ["cause_missed"], "expected: missing-tanh; reported: nothing"),
        (
            judged("x", "wrong", "one", "too-slow"),
            ["cause_missed", "cause_wrong"],
            "expected: missing-tanh; reported: too-slow",
        ),
        (judged("x", "wrong", "one", "too-slow", causes=()), ["cause_wrong"], "expected: no cause; reported: too-slow"),
        (judged("x", "wrong", "one", "b", causes=(("a", "b"),)), [], ""),
        (
            judged("x", "wrong", "one two", "a", causes=(("a",), ("b",))),  # two mistakes, of which one was named
            ["cause_missed"],
            "expected: a, and b; reported: a",
        ),
        (judged("x", "wrong", "one", causes=()), [], ""),
        (judged("x", "wrong", "one two", "missing-tanh", "partial"), ["other_status"], "partial, not graded: a note"),
        (
            judged("x", "wrong", "one", "missing-tanh", "import-error"),
            ["other_status"],
            "import-error, not graded: a note",
        ),
        (
            judged("x", "mutant", "one", status="infrastructure-error"),
            ["other_status"],
            "infrastructure-error, not graded: a note",
        ),
    ],
)
def test_each_failure_has_its_list(sample: GradedPiece, where: list[str], why: str) -> None:
    found = counted(*GOOD, sample)
    assert names(found) == {field: ["x"] for field in where}
    if where:
        verdict = getattr(found, where[0])[0]
        assert (verdict.why, verdict.diff) == (why, "- x")


def test_causes_that_could_not_be_told_are_a_fault_of_ours() -> None:
    sample = judged("x", "mutant", "one")
    message = "The causes could not be diagnosed: KeyError."
    assert names(counted(sample._replace(grade=replace(sample.grade, message=message)))) == {"other_status": ["x"]}


def test_a_declared_status_is_none_to_be_listed() -> None:
    sample = judged("x", "wrong", "one two", "missing-tanh", "import-error")
    declared = sample._replace(sample=replace(sample.sample, status="import-error"))
    assert names(counted(declared)) == {}


@pytest.mark.parametrize(
    "sample",
    [
        judged("x", "right", "one"),
        judged("x", "mutant"),
        judged("x", "wrong", causes=()),
        judged("x", "wrong", "one", "missing-tanh", "partial"),
    ],
)
def test_one_wrong_verdict_is_one_too_many(sample: GradedPiece) -> None:
    assert not counted(*GOOD, sample).good


def test_of_the_causes_some_may_be_missed_and_fewer_be_wrong() -> None:
    caught = [judged(str(n), "wrong", "one", "missing-tanh") for n in range(100)]
    missed, wrong = judged("m", "wrong", "one"), judged("w", "wrong", "one", "too-slow", causes=())
    assert counted(*caught[:96], *[missed] * 4).good
    assert counted(*caught[:96], *[missed] * 4).found == pytest.approx(0.96)
    assert not counted(*caught[:95], *[missed] * 5).good
    assert counted(*caught[:99], wrong).good
    assert counted(*caught[:99], wrong).misled == pytest.approx(0.01)
    assert not counted(*caught[:98], wrong, wrong).good


def test_checks_are_counted_by_what_they_catch_and_what_they_alone_do() -> None:
    found = counted(
        *GOOD,
        judged("alone", "wrong", "one", "missing-tanh"),
        judged("marked-down", "right", "one"),  # which is no catch
        judged("broken", "wrong", "one", status="import-error", causes=()),  # fails everything, whatever is asked
    )
    assert found.caught == {"one": 2, "two": 2, "idle": 0}
    assert found.killed_alone == {"one": 1, "two": 1, "idle": 0}


def test_a_mistake_that_costs_points_of_another_part_is_unfair() -> None:
    """The checks here have no part, so whatever the mistake in ``double`` costs, it costs elsewhere."""
    sources: Any = {"base": "def double(x):\n    return x + x\n", "source": "def double(x):\n    return x\n"}
    unfair = judged("x", "wrong", "one", "missing-tanh")
    found = counted(*GOOD, unfair._replace(sample=replace(unfair.sample, **sources)))
    assert [one.name for one in found.unfair] == ["x"]
    assert [cost.parts for cost in found.costs] == [("double",)]


def test_no_wrong_ones_no_shares() -> None:
    assert (counted().found, counted().misled, counted().good) == (1.0, 0.0, True)


def test_a_report_names_what_went_wrong() -> None:
    out = io.StringIO()
    found = counted(*GOOD, judged("[bold]fishy", "mutant"), judged("hurt", "right", "two"))
    auditing.print_figures(Console(file=out, width=200), found, every_check=True)
    text = out.getvalue()
    for words in (
        "right: 2, marked down 1",
        "mutants: 2, killed 1; equivalent: 1",
        "[bold]fishy  got all points",
        "- [bold]fishy",
        "hurt  two: two has wrong values.",
        "Checks that caught nothing: idle",
        "causes: 100.0% of 1",
        "marks: one mistake with a known cause costs 0 points (median), at most 0",
    ):
        assert words in text
    assert "Wrong, but let through" not in text
    assert "timing" not in text
