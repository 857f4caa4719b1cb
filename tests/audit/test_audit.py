"""The grader held to its corpus: right submissions get everything, wrong ones and mutants do not, and causes are
told rightly. ``make test`` takes a part of it, ``make thorough`` all."""

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


# Of a topic's wrong submissions and mutants, one in so many: by what one of them costs.
SAMPLE = {"bahdanau": 2, "luong": 2, "masking": 4, "self_attention": 6, "seq2seq": 12}


@pytest.mark.parametrize("topic", model.TOPICS[::-1])  # the longest first
def test_the_grader_is_as_good_as_it_must_be(topic: str) -> None:
    one_in = SAMPLE[topic]
    found = audited(topic, CORPUS / topic, "audit", mutants=2 * one_in, wrong=one_in)
    assert found.good, failures(found)
    assert min(found.right, found.wrong, found.mutants) >= 10


@pytest.mark.thorough
@pytest.mark.parametrize("topic", model.TOPICS[::-1])
def test_and_with_the_whole_corpus(topic: str) -> None:
    found = audited(topic, CORPUS / topic, "audit")
    assert found.good, failures(found)


def test_how_good_it_must_be() -> None:
    assert CAUSES_FOUND >= 0.95
    assert CAUSES_WRONG <= 0.01
