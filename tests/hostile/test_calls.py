"""Honest submissions make no system call outside the list: here such a call ends the worker."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder import bulk, model
from autograder.sandbox import standing, syscalls
from autograder.sandbox.limits import Limits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
ROOT = Path(__file__).resolve().parents[2]
DEADLY = "import os\n\ndef stable_softmax(*_):\n    os.getppid()\n"


@pytest.fixture
def deadly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that do not survive a call outside the list."""
    layers = standing.layers()  # tried with the usual filter
    program = syscalls.compiled(deadly=True)
    monkeypatch.setattr(standing, "layers", lambda unconfined=False: layers)
    monkeypatch.setattr(syscalls, "compiled", lambda **_: program)


def graded(topic: str, texts: dict[str, str]) -> Iterator[tuple[str, model.Grade]]:
    works = [
        model.Submission(name, "ready", "script", f"{topic}.py", (text.encode(),))
        for name, text in texts.items()
    ]
    plan = bulk.Plan(topic, "calls", Limits(), timing=False, causes=False)
    for work, grade in bulk.grade_all(plan, works):
        yield work.student, grade


def honest(topic: str, *folders: str) -> dict[str, str]:
    """The solution, and the files of these folders of right submissions."""
    files = [ROOT / "solutions" / topic / f"{topic}.py"]
    for folder in folders:
        files += sorted((ROOT / "tests" / "submissions" / topic / folder).glob("*.py"))
    return {
        file.stem: file.read_text(encoding="utf-8") for file in files if not file.stem.startswith("keras_")
    }


def test_a_call_outside_the_list_is_seen_here(deadly: None) -> None:
    ((_, grade),) = graded("bahdanau", {"ana": DEADLY})
    assert any("SIGSYS" in check.message for check in grade.checks)
    assert grade.score == 0


@pytest.mark.parametrize(
    "folders", [("right",), pytest.param(("right", "third_party"), marks=pytest.mark.thorough)]
)
@pytest.mark.parametrize(
    "topic", ["masking", *(pytest.param(t, marks=pytest.mark.thorough) for t in model.TOPICS)]
)
def test_honest_submissions_make_no_other_call(deadly: None, topic: str, folders: tuple[str, ...]) -> None:
    for name, grade in graded(topic, honest(topic, *folders)):
        lost = [f"{check.id}: {check.message}" for check in grade.checks if check.status == "error"]
        assert grade.score == 100, (name, grade.message, lost)
