"""The same submission gets the same mark, to the last digit: ten times, in any company, on a busy machine."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import msgspec
import pytest

from autograder import model
from autograder.grading.runner import Runner
from autograder.grading.usual import usual_limits
from autograder.sandbox.forkserver import ForkServer
from tests.corpus import sample_class
from tests.corpus.suites import FIRST, ONE_BY_DAY, drawn
from tests.grading_helpers import submission

STUDENT = "pia"  # extra biases, a weight that nobody loads: what once came out differently from run to run
ELSE = "ines"  # where there is no such student
BETWEEN = ("dara", "bo")
LOAD = 10  # busy processes


def grade(runner: Runner, assignment: str, student: str) -> bytes:
    """Return everything of a grade but its time, as one text."""
    known = sample_class.students(assignment)
    work = submission(sample_class.text_of(assignment, student, known), assignment)
    return msgspec.json.encode(msgspec.structs.replace(runner.grade(work), seconds=0.0, environment={}))


def students(assignment: str) -> set[str]:
    """Return the students whose work is a script."""
    known = sample_class.students(assignment)
    return {name for name, one in known.items() if one.file.endswith(".py") and one.base != "skeleton" and not one.cut}


@contextlib.contextmanager
def busy_machine() -> Iterator[None]:
    """Keep LOAD processes computing meanwhile."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(LOAD)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def grades(assignment: str, times: int, afresh: bool) -> set[bytes]:
    """Return the different grades of STUDENT. ``afresh``: each from a grader of its own; else with others between."""
    found = set()
    with contextlib.ExitStack() as stack:
        runner = None
        for _ in range(times):
            if runner is None or afresh:
                runner = Runner(drawn(assignment), stack.enter_context(closing(ForkServer(usual_limits(assignment)))))
            found.add(grade(runner, assignment, STUDENT if STUDENT in students(assignment) else ELSE))
            for other in () if afresh else students(assignment) & set(BETWEEN):
                grade(runner, assignment, other)
    return found


@pytest.mark.parametrize("assignment", FIRST)
def test_one_submission_has_one_mark_whoever_is_graded_between(assignment: str) -> None:
    assert len(grades(assignment, 3, afresh=False)) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("assignment", ONE_BY_DAY)
def test_one_submission_has_one_mark_in_ten_runs(assignment: str) -> None:
    quiet = grades(assignment, 10, afresh=True)
    assert len(quiet) == 1
    (only,) = quiet
    assert 0 < msgspec.json.decode(only, type=model.Grade).score < 100  # type: ignore[operator]


@pytest.mark.thorough
@pytest.mark.parametrize("assignment", ONE_BY_DAY)
def test_a_busy_machine_changes_no_mark(assignment: str) -> None:
    quiet = grades(assignment, 1, afresh=True)
    with busy_machine():
        assert grades(assignment, 10, afresh=False) == quiet
