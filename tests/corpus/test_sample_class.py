"""The sample class, which ``make demo`` grades: each student gets the declared verdict and cause."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from autograder import intake
from autograder.assignments import NAMES
from autograder.grading.runner import Runner
from autograder.grading.usual import declared_limits
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.limits import Limits, altered
from tests.corpus import sample_class
from tests.corpus.suites import ALL, DEAREST, cost, drawn


@pytest.fixture(scope="session")
def class_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the class of each assignment."""
    folder = tmp_path_factory.mktemp("sample-class")
    for assignment in NAMES:
        sample_class.write(folder / assignment, assignment)
    return folder


def score_class(score: float | None, max_score: float) -> str | None:
    if score is None:
        return None
    return {0: "zero", max_score: "full"}.get(score, "part")


def test_the_class_has_at_least_fifty_students() -> None:
    assert sum(len(sample_class.students(assignment)) for assignment in NAMES) >= 50


def test_without_names_the_dear_classes_are_left_out_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample_class.main([str(tmp_path)])
    left_out = {line.removeprefix("Left out: ").partition(",")[0] for line in capsys.readouterr().out.splitlines()}
    assert left_out == {assignment for assignment in NAMES if cost(assignment) >= DEAREST} != set()
    assert {folder.name for folder in tmp_path.iterdir()} == set(NAMES) - left_out


@pytest.mark.parametrize("assignment", NAMES)
def test_every_submission_is_declared_and_found(assignment: str, class_folder: Path) -> None:
    found = {entry.student for entry in intake.discover(class_folder / assignment, assignment)}
    assert found == set(sample_class.students(assignment))


@pytest.mark.thorough
@pytest.mark.parametrize("assignment", ALL)
def test_every_student_gets_the_declared_verdict_and_cause(assignment: str, class_folder: Path) -> None:
    verdicts, details = {}, {}
    limits = altered(Limits(case_seconds=4.0), declared_limits(assignment))
    with closing(ForkServer(limits)) as launcher:
        runner = Runner(drawn(assignment), launcher)
        for entry in intake.discover(class_folder / assignment, assignment):
            grade = runner.grade(intake.read(entry, assignment))
            named = {one.diagnosis for one in grade.checks if one.points < one.max_points and one.diagnosis}
            verdicts[entry.student] = (grade.status, score_class(grade.score, grade.max_score), named)
            unmet = [f"{one.id}: {one.message}" for one in grade.checks if one.points < one.max_points]
            details[entry.student] = (grade.score, grade.message, unmet[:3])
    expected = {
        student.id: (student.status, student.score, {student.diagnosis} - {None})
        for student in sample_class.students(assignment).values()
    }
    wrong = {
        student: {"expected": str(expected.get(student)), "actual": str(actual), "details": details[student]}
        for student, actual in verdicts.items()
        if actual != expected.get(student)
    }
    assert not wrong, json.dumps(wrong, indent=1, ensure_ascii=False)
