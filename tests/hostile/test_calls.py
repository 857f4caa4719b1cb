"""Honest submissions make no system call outside the list: here such a call ends the worker."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from autograder import model
from autograder.grading.usual import usual_limits
from autograder.instructor.audit.corpus import right_ones
from autograder.runs import pool
from autograder.sandbox import availability, syscalls
from tests.corpus.suites import ALL
from tests.paths import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

DEADLY = "import os\n\ndef stable_softmax(*_):\n    os.getppid()\n"


ASKING = ("keras_", "scipy_")  # these packages look at the machine as they are imported, and do without the answer


@pytest.fixture
def deadly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that do not survive a call outside the list."""
    layers = availability.layers()  # tried with the usual filter
    program = syscalls.compiled(deadly=True)
    monkeypatch.setattr(availability, "layers", lambda *_: layers)
    monkeypatch.setattr(syscalls, "compiled", lambda **_: program)


def graded(assignment: str, texts: dict[str, str]) -> Iterator[tuple[str, model.Grade]]:
    works = [
        model.Submission(name, "ready", "script", f"{assignment}.py", (text.encode(),)) for name, text in texts.items()
    ]
    plan = pool.RunPlan(assignment, "calls", usual_limits(assignment), timing=False, causes=False)
    for work, grade in pool.grade_all(plan, works):
        yield work.student, grade


def honest(assignment: str, third_party: bool) -> dict[str, str]:
    """Return the solution and the right submissions, or those that wrap packages which ask the system for no more."""
    folder = ROOT / "tests" / "assignments" / assignment
    if not third_party:
        return right_ones(folder, ROOT / "solutions" / assignment / f"{assignment}.py")
    wrapped = [file for file in (folder / "third_party").glob("*.py") if not file.stem.startswith(ASKING)]
    return {file.stem: file.read_text(encoding="utf-8") for file in wrapped}


def test_a_call_outside_the_list_is_seen_here(deadly: None) -> None:
    ((_, grade),) = graded("bahdanau", {"ana": DEADLY})
    assert any("SIGSYS" in check.message for check in grade.checks)
    assert grade.score == 0


@pytest.mark.parametrize("third_party", [False, pytest.param(True, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    "assignment", ["masking", *(one._replace(marks=(pytest.mark.thorough, *one.marks)) for one in ALL)]
)
def test_honest_submissions_make_no_other_call(deadly: None, assignment: str, third_party: bool) -> None:
    works = honest(assignment, third_party)
    if not works:
        pytest.skip("no package is wrapped")
    for name, grade in graded(assignment, works):
        lost = [f"{check.id}: {check.message}" for check in grade.checks if check.status == "error"]
        assert grade.score == 100, (name, grade.message, lost)
