"""No wrong submission gets through and no right one is marked down.

Every topic that has a ``<topic>_mutants.py`` beside this file is tested; right submissions lie in
``tests/submissions/<topic>/right/``.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from autograder import exam, model
from autograder.build.source import stubbed
from autograder.runner import Runner
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.limits import Limits
from tests.specs.mutants import Mutant, failures, submission

ROOT = Path(__file__).resolve().parents[2]
TOPICS = [topic for topic in model.TOPICS if (Path(__file__).parent / f"{topic}_mutants.py").exists()]
SEEDS = ("one", "two", "three", "four", "five")


def solution(topic: str) -> str:
    """The model submission."""
    return (ROOT / "solutions" / topic / f"{topic}.py").read_text(encoding="utf-8")


def mutants() -> list[tuple[str, Mutant]]:
    """Every topic's wrong submissions."""
    modules = {topic: importlib.import_module(f"tests.specs.{topic}_mutants") for topic in TOPICS}
    return [(topic, mutant) for topic, module in modules.items() for mutant in module.MUTANTS]


def right_ones() -> list[tuple[str, Path]]:
    """Every topic's right submissions beside the model submission."""
    folder = ROOT / "tests" / "submissions"
    return [(topic, file) for topic in TOPICS for file in sorted((folder / topic / "right").glob("*.py"))]


def some_seeds() -> list[Any]:
    """One for ``make test``, which the audit's is not, and the others for ``make thorough``."""
    return [SEEDS[0], *(pytest.param(seed, marks=pytest.mark.thorough) for seed in SEEDS[1:])]


@cache
def prepared(topic: str, seed: str) -> exam.Exam:
    """A topic's exam."""
    return exam.full(topic, seed, timing=False)


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    """The one fork server of this module."""
    running = ForkServer(Limits())
    yield running
    running.close()


def graded(server: ForkServer, topic: str, text: str, seed: str) -> model.Grade:
    """The grade of a text."""
    return Runner(prepared(topic, seed), server).grade(submission(text, topic))


@pytest.mark.parametrize("topic", TOPICS)
def test_points_add_up_and_ids_are_unique(topic: str) -> None:
    paper = prepared(topic, "one")
    assert paper.points == 100
    ids = [check.id for check in paper.spec.checks]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("seed", some_seeds())
@pytest.mark.parametrize("topic", TOPICS)
def test_solution_gets_everything(server: ForkServer, topic: str, seed: str) -> None:
    grade = graded(server, topic, solution(topic), seed)
    assert grade.score == 100, failures(grade)


@pytest.mark.parametrize("seed", some_seeds())
@pytest.mark.parametrize("topic", TOPICS)
def test_skeleton_and_empty_file_get_nothing(server: ForkServer, topic: str, seed: str) -> None:
    for text in (stubbed(solution(topic)), ""):
        grade = graded(server, topic, text, seed)
        assert (grade.status, grade.score) == ("graded", 0), [c.id for c in grade.checks if c.points]


@pytest.mark.parametrize("seed", some_seeds())
@pytest.mark.parametrize(("topic", "file"), right_ones(), ids=lambda value: getattr(value, "stem", value))
def test_right_submissions_get_everything(server: ForkServer, topic: str, file: Path, seed: str) -> None:
    grade = graded(server, topic, file.read_text(encoding="utf-8"), seed)
    assert grade.score == 100, failures(grade)


@pytest.mark.thorough  # the audit's wrong submissions and its mutants are many, and other
@pytest.mark.parametrize(("topic", "mutant"), mutants(), ids=lambda value: getattr(value, "id", value))
def test_mutants_lose_points(server: ForkServer, topic: str, mutant: Mutant) -> None:
    text = mutant.applied(solution(topic))
    grade = graded(server, topic, text, "one")
    assert grade.status == "graded", failures(grade)
    assert grade.score is not None
    assert grade.score < 100
