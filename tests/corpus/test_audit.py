"""The grader judges its corpus rightly: right submissions get all points, wrong ones and mutants do not, and causes are
right. ``make test`` grades a part of one assignment, ``make thorough`` a part of some, ``make nightly`` all."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from autograder import assignments
from autograder.cli.auditing import audited
from autograder.instructor.audit import marks
from autograder.instructor.audit.figures import CAUSES_FOUND, CAUSES_WRONG, Figures
from tests.corpus.suites import CORPUS, DEAR, SEED, cost

LISTS = ("marked_down", "let_through", "survived", "other_status", "cause_missed", "cause_wrong")


def failures(found: Figures) -> str:
    """Return the submissions that were judged wrongly, as text."""
    lines = [f"{found.assignment}: causes found {found.found:.1%}, wrong causes {found.misled:.1%}"]
    for field in LISTS:
        verdicts = getattr(found, field)
        lines += [f"{field} ({len(verdicts)}):"] * bool(verdicts)
        lines += [f"  {verdict.name}: {verdict.why}" for verdict in verdicts]
    return "\n".join(lines)


CHEAP = 0.12  # CPU seconds; submissions that cost more are graded in `make thorough` only
# How many of an assignment's wrong submissions are a sample, evenly in their order; of its mutants, half as densely.
SAMPLES = [
    *[pytest.param(name, 8) for name in assignments.NAMES[::-1] if cost(name) < CHEAP][:1],
    *(pytest.param(name, 10, marks=pytest.mark.thorough) for name in assignments.NAMES if cost(name) < DEAR),
]


def sample(assignment: str, size: int) -> dict[str, int]:
    """Return which wrong submissions and mutants are taken: every n-th."""
    every = len(wrong_submissions(assignment)) // size
    return {"wrong": every, "mutants": 2 * every}


def missed(found: Figures) -> set[str]:
    """Return the wrong submissions for which the grader names another cause, or none, without those that may be missed.

    What draws random numbers may be right by chance. But it must not get a wrong cause.
    """
    random = {one["name"] for one in wrong_submissions(found.assignment) if "random-in-eval" in one["cause"]}
    silent, wrong = ({one.name for one in verdicts} for verdicts in (found.cause_missed, found.cause_wrong))
    return ((silent - random) | wrong) - known_misses(found.assignment)


def wrong_submissions(assignment: str) -> list[dict[str, Any]]:
    tables = tomllib.loads((CORPUS / assignment / "wrong.toml").read_text(encoding="utf-8"))
    return list(tables["wrong"])


def known_misses(assignment: str) -> set[str]:
    """Return the wrong submissions that the grader is known to miss."""
    every = wrong_submissions(assignment)
    index = tomllib.loads((CORPUS / assignment / "realistic" / "index.toml").read_text(encoding="utf-8"))
    realistic = {f"realistic/{one['file']}" for one in index["submission"] if one.get("missed")}
    return realistic | {one["name"] for one in every if one.get("missed")}


def unfair(found: Figures) -> set[str]:
    """Return the mistakes that cost more than they may, without those that are known to."""
    known = {one["name"] for one in wrong_submissions(found.assignment) if one.get("unfair")}
    return {one.name for one in found.unfair} - known


@pytest.mark.parametrize(("assignment", "size"), SAMPLES)
def test_the_grader_judges_a_sample_rightly(assignment: str, size: int) -> None:
    found = audited(assignment, CORPUS / assignment, SEED, **sample(assignment, size))
    spoilt = (*found.marked_down, *found.let_through, *found.survived, *found.other_status)
    assert not spoilt, failures(found)
    assert unfair(found) == set()
    assert missed(found) == set(), failures(found)
    assert min(found.right, 2 * found.wrong, 4 * found.mutants) >= 8


@pytest.mark.nightly
@pytest.mark.parametrize("assignment", assignments.NAMES[::-1])
def test_the_grader_is_as_good_as_it_must_be(assignment: str) -> None:
    found = audited(assignment, CORPUS / assignment, SEED)
    assert found.good, failures(found)
    assert unfair(found) == set()
    assert marks.summary(found.costs)[1] <= 25
    assert missed(found) == set(), failures(found)


def test_how_good_it_must_be() -> None:
    assert CAUSES_FOUND >= 0.96
    assert CAUSES_WRONG <= 0.01
