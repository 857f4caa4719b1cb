"""The grader held to its corpus: right submissions get everything, wrong ones and mutants do not, and causes are
told rightly. ``make test`` takes some of the mutants, ``make thorough`` all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder import model
from autograder.audit.figures import CAUSES_FOUND, CAUSES_WRONG, Figures
from autograder.commands.audit import audited

CORPUS = Path(__file__).resolve().parents[1] / "submissions"
LISTS = ("marked_down", "let_through", "survived", "other_status", "cause_missed", "cause_wrong")


def failures(found: Figures) -> str:
    """Who was not judged as it must be."""
    lines = [f"{found.topic}: causes found {found.found:.1%}, wrong causes {found.misled:.1%}"]
    for field in LISTS:
        verdicts = getattr(found, field)
        lines += [f"{field} ({len(verdicts)}):"] * bool(verdicts)
        lines += [f"  {verdict.name}: {verdict.why}" for verdict in verdicts]
    return "\n".join(lines)


@pytest.mark.parametrize("one_in", [6, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("topic", model.TOPICS[::-1])  # the longest first
def test_the_grader_is_as_good_as_it_must_be(topic: str, one_in: int) -> None:
    found = audited(topic, CORPUS / topic, "audit", one_in=one_in)
    assert found.good, failures(found)
    assert min(found.right, found.wrong, found.mutants) >= 10


def test_how_good_it_must_be() -> None:
    assert CAUSES_FOUND >= 0.95
    assert CAUSES_WRONG <= 0.01
