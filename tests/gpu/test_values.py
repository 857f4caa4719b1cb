"""Verdicts on a CUDA device: right submissions get everything, and wrong ones lose points, as on the CPU."""

from __future__ import annotations

from functools import cache

import pytest

from autograder import assignments, model
from autograder.grading import suite
from autograder.grading.gpu import GPU
from autograder.grading.runner import Runner
from autograder.instructor.audit.corpus import Sample, load
from autograder.sandbox.forkserver import ForkServer
from tests.corpus.suites import CORPUS, SEED
from tests.grading_helpers import failures, submission
from tests.paths import ROOT

pytestmark = pytest.mark.gpu
EVERY = 12  # of the wrong submissions that show on any device


@cache
def drawn(assignment: str) -> suite.CheckSuite:
    """Return an assignment's checks on the device, without timing."""
    return suite.full(assignment, SEED, timing=False, device="cuda")


@cache
def corpus(assignment: str) -> list[Sample]:
    return load(CORPUS / assignment, ROOT / "solutions" / assignment / f"{assignment}.py")


def graded(cuda: ForkServer, assignment: str, source: str) -> model.Grade:
    return Runner(drawn(assignment), cuda).grade(submission(source, assignment))


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_the_device_is_healthy_before_and_after_a_submission(cuda: ForkServer, assignment: str) -> None:
    device = GPU(drawn(assignment), cuda)
    assert device.trouble == ""
    solution = (ROOT / "solutions" / assignment / f"{assignment}.py").read_text(encoding="utf-8")
    grade = Runner(drawn(assignment), cuda, gpu=device).grade(submission(solution, assignment))
    assert grade.score == grade.max_score == 100, failures(grade)
    assert device.check() == ""


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_right_submissions_get_everything(cuda: ForkServer, assignment: str) -> None:
    right = [one for one in corpus(assignment) if one.sort == "right" and not one.notebook]
    grades = {one.name: graded(cuda, assignment, one.source) for one in right}
    assert len(grades) >= 10
    assert {name: failures(grade) for name, grade in grades.items() if grade.score != 100} == {}


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_skeletons_get_nothing(cuda: ForkServer, assignment: str) -> None:
    skeleton = (ROOT / "assignments" / assignment / f"{assignment}.py").read_text(encoding="utf-8")
    assert graded(cuda, assignment, skeleton).score == 0


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_a_fixed_device_costs_points_and_is_named(cuda: ForkServer, assignment: str) -> None:
    wrong = [one for one in corpus(assignment) if one.sort == "wrong" and one.right_causes == {"device-hardcoded"}]
    grades = {one.name: graded(cuda, assignment, one.source) for one in wrong}
    assert grades
    assert {name for name, grade in grades.items() if grade.score == grade.max_score} == set()
    named = {name: {check.diagnosis for check in grade.checks} for name, grade in grades.items()}
    assert {name: causes for name, causes in named.items() if "device-hardcoded" not in causes} == {}


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_wrong_submissions_lose_points(cuda: ForkServer, assignment: str) -> None:
    wrong = [one for one in corpus(assignment) if one.sort == "wrong" and one.base and one.status == "graded"]
    grades = {one.name: graded(cuda, assignment, one.source) for one in wrong[::EVERY]}
    assert {name for name, grade in grades.items() if grade.score == grade.max_score} == set()
    assert {name for name, grade in grades.items() if grade.status != "graded"} == set()
