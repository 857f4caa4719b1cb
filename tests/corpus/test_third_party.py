"""Right submissions get everything, and so do implementations that others wrote and test, wrapped as submissions.

Each file in ``tests/assignments/T/third_party/`` begins with the name of the package it wraps: ``torch_sdpa.py``.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from autograder import assignments
from autograder.grading.runner import Runner
from autograder.instructor.audit.corpus import right_ones
from autograder.sandbox.forkserver import ForkServer
from tests.corpus.suites import ALL, CORPUS, MORE_SEEDS, NOT_DEAR, OTHER_SEEDS, ROOT, SEED, drawn
from tests.grading_helpers import failures, submission


def wrapped() -> list[tuple[str, Path]]:
    """Return the wrapped implementations of all assignments."""
    return [
        (assignment, file)
        for assignment in assignments.NAMES
        for file in sorted((CORPUS / assignment / "third_party").glob("*.py"))
    ]


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_two_packages_of_others_hold_every_assignment_to_account(assignment: str) -> None:
    packages = {file.stem.partition("_")[0] for where, file in wrapped() if where == assignment}
    tests = (CORPUS / assignment / "test_reference.py").read_text(encoding="utf-8")
    packages |= set(re.findall(r"^(?:import|from) (scipy|sklearn|transformers)\b", tests, re.MULTILINE))
    assert len(packages) >= 2


def cases() -> list[Any]:
    """Return all with a seed. With its own seed, the audit grades what wraps PyTorch."""
    night = {one.values[0]: one.marks for one in ALL}
    return [
        *(
            pytest.param(*one, SEED, marks=(pytest.mark.thorough, *night[one[0]]))
            for one in wrapped()
            if not one[1].stem.startswith("torch_")
        ),
        *(
            pytest.param(name, file, OTHER_SEEDS[0], marks=(pytest.mark.thorough, *night[name]))
            for name, file in wrapped()
        ),
    ]


@pytest.mark.parametrize(("assignment", "file", "seed"), cases(), ids=lambda value: getattr(value, "stem", value))
def test_wrapped_implementations_get_everything(server: ForkServer, assignment: str, file: Path, seed: str) -> None:
    package = file.stem.partition("_")[0]
    if importlib.util.find_spec(package) is None:  # not imported: that is the worker's business
        pytest.skip(f"{package} is not installed")
    grade = Runner(drawn(assignment, seed), server).grade(submission(file.read_text(encoding="utf-8"), assignment))
    assert grade.score == 100, failures(grade)


@pytest.mark.thorough  # with its own seed, the audit does it
@pytest.mark.parametrize("seed", [*OTHER_SEEDS, pytest.param(MORE_SEEDS[0], marks=pytest.mark.nightly)])
@pytest.mark.parametrize("assignment", NOT_DEAR)
def test_right_ones_get_everything_whatever_the_seed(server: ForkServer, assignment: str, seed: str) -> None:
    runner = Runner(drawn(assignment, seed), server)
    texts = right_ones(CORPUS / assignment, ROOT / "solutions" / assignment / f"{assignment}.py")
    grades = {name: runner.grade(submission(text, assignment)) for name, text in texts.items()}
    assert len(grades) >= 10
    assert {name: failures(grade) for name, grade in grades.items() if grade.score != 100} == {}
