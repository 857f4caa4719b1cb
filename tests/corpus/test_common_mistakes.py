"""Each of a handout's "Common mistakes" is caught by a public check, which names it.

Students read these bullets and have the public checks, so `check` must know every one of them.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache

import msgspec
import pytest

from autograder import assignments, model
from autograder.grading import suite
from autograder.grading.runner import Runner
from autograder.sandbox.forkserver import ForkServer
from tests.corpus.suites import CORPUS, DEAREST, ROOT, cost
from tests.grading_helpers import submission


class Mistake(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """See the head of a ``common_mistakes.toml``."""

    bullet: str
    cause: list[str]
    replace: list[tuple[str, str]]


@cache
def mistakes(assignment: str) -> list[Mistake]:
    text = (CORPUS / assignment / "common_mistakes.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text)["mistake"], list[Mistake])


@cache
def checks(assignment: str) -> suite.CheckSuite:
    return suite.public(assignment)


def wrong(assignment: str, mistake: Mistake) -> str:
    text = (ROOT / "solutions" / assignment / f"{assignment}.py").read_text(encoding="utf-8")
    for old, new in mistake.replace:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


EVERY = [
    pytest.param(name, one, id=f"{name}: {one.bullet[:40]}", marks=pytest.mark.nightly if cost(name) >= DEAREST else ())
    for name in assignments.NAMES
    for one in mistakes(name)
]


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_every_bullet_of_the_handout_is_here(assignment: str) -> None:
    handout = (ROOT / "assignments" / assignment / "README.md").read_text(encoding="utf-8")
    section = handout.partition("## Common mistakes")[2].partition("\n## ")[0]
    bullets = [re.sub(r"\s+", " ", one) for one in section.split("\n- **")[1:]]
    assert len(bullets) >= 5
    starts = {mistake.bullet for mistake in mistakes(assignment)}
    assert [one[:60] for one in bullets if not one.replace("**", "").startswith(tuple(starts))] == []
    assert {one for one in starts if not any(bullet.replace("**", "").startswith(one) for bullet in bullets)} == set()


@pytest.mark.parametrize(("assignment", "mistake"), EVERY)
def test_a_public_check_catches_it_and_names_it(server: ForkServer, assignment: str, mistake: Mistake) -> None:
    grade = Runner(checks(assignment), server).grade(submission(wrong(assignment, mistake), assignment))
    failed: list[model.Outcome] = [check for check in grade.checks if check.status not in ("passed", "skipped")]
    assert failed
    assert {check.diagnosis for check in failed} - {None} <= set(mistake.cause), grade
    assert not mistake.cause or any(check.diagnosis in mistake.cause for check in failed), failed
