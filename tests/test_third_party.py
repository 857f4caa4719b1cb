"""Implementations that others wrote and test, wrapped as submissions, get everything that the contract allows them.

Each file in ``tests/submissions/<topic>/third_party/`` begins with the name of the package it wraps: ``torch_sdpa.py``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from autograder import exam, model
from autograder.runner import Runner
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.limits import Limits
from tests.specs.mutants import failures, submission

FOLDER = Path(__file__).resolve().parent / "submissions"
SEEDS = ("one",)


def wrapped() -> list[tuple[str, Path]]:
    """Every topic's wrapped implementations."""
    return [
        (topic, file)
        for topic in model.TOPICS
        for file in sorted((FOLDER / topic / "third_party").glob("*.py"))
    ]


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


@pytest.mark.parametrize("package", ["torch", "keras"])
@pytest.mark.parametrize("topic", model.TOPICS)
def test_every_topic_has_one_of_each(topic: str, package: str) -> None:
    assert [file for where, file in wrapped() if where == topic and file.stem.startswith(f"{package}_")]


@pytest.mark.parametrize(("topic", "file"), wrapped(), ids=lambda value: getattr(value, "stem", value))
def test_wrapped_implementations_get_everything(server: ForkServer, topic: str, file: Path) -> None:
    package = file.stem.partition("_")[0]
    if importlib.util.find_spec(package) is None:  # not imported: that is the worker's business
        pytest.skip(f"{package} is not installed")
    for seed in SEEDS:
        grade = Runner(prepared(topic, seed), server).grade(
            submission(file.read_text(encoding="utf-8"), topic)
        )
        assert grade.score == 100, f"{seed}: {failures(grade)}"
