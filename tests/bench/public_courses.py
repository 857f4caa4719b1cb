"""What the tests of public courses let through, beside proposed checks and our own.

    python -m tests.bench.public_courses [--courses-only]

Every row has the mutants of one function or class of a solution, without those that behave like it. A test that raises
anything has caught a mutant. ``--courses-only`` leaves out what takes minutes: the checks of ours.
"""

from __future__ import annotations

import argparse
import signal
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import FrameType, ModuleType

import torch

from autograder import model
from autograder.assignments import places
from autograder.cli.suggesting import suggested
from autograder.grading.usual import usual_limits
from autograder.instructor.audit.corpus import mutants_of
from autograder.model.checks import HIDDEN
from autograder.runs import pool
from tests.bench.course_tests import COURSES, Course, Test

SECONDS = 10  # for all tests of a mutant
SEED = "audit"


class TooSlow(Exception):
    """A mutant runs on and on."""


def names(assignment: str) -> dict[str, str]:
    """Return the sources of the mutants that differ from the solution, by name."""
    place = places.place(assignment)
    mutants = mutants_of(place.solution.read_text(encoding="utf-8"), place.corpus)
    return {one.name: one.source for one in mutants if one.sort == "mutant"}


def passes(source: str, tests: Iterable[Test]) -> bool:
    """Whether a submission passes all tests, in time."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooSlow

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        ours = ModuleType("ours")
        exec(source, ours.__dict__)  # noqa: S102 - a mutant of our own solution
        for test in tests:
            torch.manual_seed(0)
            test(ours)
        return True
    except Exception:
        return False
    finally:
        signal.alarm(0)


def by_course(course: Course, assignment: str) -> set[str]:
    """Return the mutants that a course's tests catch. Raises ValueError where they don't fit the solution."""
    tests = [test for some in course.tests[assignment].values() for test in some]
    if not passes(places.place(assignment).solution.read_text(encoding="utf-8"), tests):
        raise ValueError(f"{assignment} fails the tests of {course.name}")
    return {name for name, source in names(assignment).items() if not passes(source, tests)}


@cache
def by_checks(assignment: str) -> tuple[set[str], set[str]]:
    """Return the mutants that our public checks catch, and those that all our checks catch."""
    plan = pool.RunPlan(assignment, SEED, usual_limits(assignment), timing=False, causes=False)
    mutants = names(assignment)
    works = [
        model.Submission(name, "ready", "script", f"{assignment}.py", (source.encode(),))
        for name, source in mutants.items()
    ]
    failed = {
        work.student: [check.id for check in grade.checks if check.status not in ("passed", "skipped", "blocked")]
        for work, grade in pool.grade_all(plan, works, pool.cores())
    }
    public = {name for name, ids in failed.items() if any(not id.startswith(HIDDEN) for id in ids)}
    return public, {name for name, ids in failed.items() if ids}


@cache
def by_suggestion(assignment: str) -> set[str]:
    """Return the mutants that the checks of ``author suggest`` catch."""
    found = suggested(assignment, (), "suggest", pool.cores())
    return names(assignment).keys() - {one.name for one in found.survived}


def part_of(mutant: str) -> str:
    return mutant.split(":")[0].split(".")[0]


def row(course: Course, assignment: str, columns: Mapping[str, Callable[[], set[str]]]) -> None:
    """Print a line for each part that the course tests, and what its tests let through."""
    caught = by_course(course, assignment)
    for part in course.tests[assignment]:
        mutants = {name for name in names(assignment) if part_of(name) == part}
        others = [f"{title} {len(mutants & column())}" for title, column in columns.items()]
        own = f"{course.name} {len(mutants & caught)}"
        print(f"{assignment}, {part}: {len(mutants)} mutants: {', '.join([own, *others])}", flush=True)
        for name in sorted(mutants - caught):
            print(f"    {course.name} lets through: {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--courses-only", action="store_true")
    alone = parser.parse_args().courses_only
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for course in COURSES:
        for assignment in course.tests:
            ours: dict[str, Callable[[], set[str]]] = {
                "suggest": lambda one=assignment: by_suggestion(one),
                "our public checks": lambda one=assignment: by_checks(one)[0],
                "all our checks": lambda one=assignment: by_checks(one)[1],
            }
            row(course, assignment, {} if alone else ours)


if __name__ == "__main__":
    main()
