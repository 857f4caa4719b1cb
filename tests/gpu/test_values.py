"""Verdicts on a CUDA device: right submissions get everything, and wrong ones lose points, as on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from autograder import assignments, intake, model, protocol
from autograder.grading import gpu
from autograder.grading.gpu import GPU
from autograder.grading.runner import Runner
from autograder.instructor.audit.corpus import Sample, load
from tests.corpus import sample_class
from tests.corpus.suites import CORPUS, DEAREST, cost, drawn
from tests.gpu.conftest import Servers
from tests.grading_helpers import failures, submission
from tests.paths import ROOT

pytestmark = pytest.mark.gpu
EVERY = 12  # of the wrong submissions that show on any device
RIGHT_ON_CUDA = ("positions-on-cuda",)  # a function without tensors among its inputs, whose result may lie there
OTHER_ON_CUDA = (  # of the sample classes; they lose points there, but not always the same ones
    ("variations", "dara"),  # Tensor.scatter with equal indices: torch doesn't say which value wins
    ("self_attention", "mo"),  # F.scaled_dot_product_attention: each kernel has masks and blank rows of its own
)
SHARES = 8  # of an assignment's submissions, so that several processes can share them


# Each submission of the others trains models for a minute or more.
SHARED = [name for name in assignments.NAMES if cost(name) < DEAREST]
IN_SHARES = pytest.mark.parametrize(
    ("assignment", "share"), [(name, share) for name in SHARED for share in range(SHARES)]
)


@cache
def corpus(assignment: str) -> list[Sample]:
    return load(CORPUS / assignment, ROOT / "solutions" / assignment / f"{assignment}.py")


def chosen(assignment: str, share: int, which: Callable[[Sample], bool]) -> list[Sample]:
    """Return a share of an assignment's submissions that fit."""
    return [one for one in corpus(assignment) if which(one)][share::SHARES]


def lost_points(grade: model.Grade) -> bool:
    return grade.status == "graded" and grade.score is not None and grade.score < grade.max_score


def graded(servers: Servers, assignment: str, source: str) -> model.Grade:
    return Runner(drawn(assignment, device="cuda"), servers(assignment)).grade(submission(source, assignment))


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_the_device_is_healthy_before_and_after_a_submission(servers: Servers, assignment: str) -> None:
    device = GPU(drawn(assignment, device="cuda"), servers(assignment))
    assert device.trouble == ""
    solution = (ROOT / "solutions" / assignment / f"{assignment}.py").read_text(encoding="utf-8")
    grade = Runner(drawn(assignment, device="cuda"), servers(assignment), gpu=device).grade(
        submission(solution, assignment)
    )
    assert grade.score == grade.max_score == 100, failures(grade)
    assert device.check() == ""


AWAKE = b"""
import torch

found = torch.cuda.is_initialized()


def works():
    return found
"""


def test_the_driver_runs_before_a_submission_is_loaded(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its start takes seconds, which would count towards the limits of the first question."""
    monkeypatch.setattr(gpu, "PROBE", AWAKE)
    assert GPU(drawn("masking", device="cuda"), servers("masking")).trouble == ""


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_skeletons_get_nothing(servers: Servers, assignment: str) -> None:
    skeleton = (ROOT / "assignments" / assignment / f"{assignment}.py").read_text(encoding="utf-8")
    assert graded(servers, assignment, skeleton).score == 0


def has_fixed_device(one: Sample) -> bool:
    return one.sort == "wrong" and one.right_causes == {"device-hardcoded"}


def test_there_are_submissions_with_a_fixed_device() -> None:
    assert sum(has_fixed_device(one) for name in SHARED for one in corpus(name)) >= 30


@IN_SHARES
def test_a_fixed_device_costs_points_and_is_named(servers: Servers, assignment: str, share: int) -> None:
    wrong = [one for one in chosen(assignment, share, has_fixed_device) if one.name not in RIGHT_ON_CUDA]
    grades = {one.name: graded(servers, assignment, one.source) for one in wrong}
    assert {name: grade.status for name, grade in grades.items() if not lost_points(grade)} == {}
    named = {name: {check.diagnosis for check in grade.checks} for name, grade in grades.items()}
    assert {name: causes for name, causes in named.items() if "device-hardcoded" not in causes} == {}


@IN_SHARES
def test_right_submissions_get_everything(servers: Servers, assignment: str, share: int) -> None:
    right = chosen(assignment, share, lambda one: one.sort == "right" and not one.notebook)
    grades = {one.name: graded(servers, assignment, one.source) for one in right}
    assert {name: failures(grade) for name, grade in grades.items() if grade.score != 100} == {}


@IN_SHARES
def test_the_sample_class_gets_the_same_grades_as_on_the_cpu(
    servers: Servers, cpu_servers: Servers, assignment: str, share: int, tmp_path: Path
) -> None:
    """Causes are part of it: they need many workers, and a device may leave no time for them."""
    sample_class.write(tmp_path, assignment)
    students = [intake.read(one, assignment) for one in intake.discover(tmp_path, assignment)[share::SHARES]]

    def grades(device: protocol.Device, launchers: Servers) -> dict[str, model.Grade]:
        runner = Runner(drawn(assignment, device=device), launchers(assignment))
        return {one.student: runner.grade(one) for one in students}

    there, here = grades("cuda", servers), grades("cpu", cpu_servers)
    assert {student: grade.status for student, grade in there.items()} == {
        student: grade.status for student, grade in here.items()
    }
    other = {student for student in there if (assignment, student) in OTHER_ON_CUDA}
    assert {student for student in other if not lost_points(there[student])} == set()
    assert {
        student: lines
        for student, grade in here.items()
        if student not in other and (lines := differences(grade, there[student]))
    } == {}


def differences(here: model.Grade, there: model.Grade) -> list[str]:
    """Return a line for the score and for each check that differs, in points or in cause."""

    def marks(grade: model.Grade) -> dict[str, object]:
        return {"score": grade.score} | {check.id: (check.points, check.diagnosis) for check in grade.checks}

    cpu, cuda = marks(here), marks(there)
    return [f"{name}: {cpu[name]} on the CPU, {cuda.get(name)} on CUDA" for name in cpu if cpu[name] != cuda.get(name)]


@IN_SHARES
def test_wrong_submissions_lose_points(servers: Servers, assignment: str, share: int) -> None:
    usual = chosen(assignment, share, lambda one: one.sort == "wrong" and bool(one.base) and one.status == "graded")
    grades = {one.name: graded(servers, assignment, one.source) for one in usual[::EVERY]}
    assert {name: failures(grade) for name, grade in grades.items() if not lost_points(grade)} == {}
