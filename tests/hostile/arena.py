"""Grades attacks, one after another or as a class, and says which signs of success it saw.

    python -m tests.hostile.arena JOB    JOB is a Job in JSON; every line of the output is an AttackResult in JSON

A process of its own, below which everything comes back that a submission leaves behind, and which may die.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Literal

import msgspec

from autograder import intake, model
from autograder.cli import app
from autograder.runs import pool, results
from autograder.sandbox import availability
from autograder.sandbox.limits import Limits
from tests.hostile import processes, signs
from tests.hostile.attacks import Attack, declared, solution
from tests.hostile.world import CANARY, World

# Short, as many attacks only wait; long enough for an honest submission beside them on a busy machine.
LIMITS = Limits(
    load_seconds=3.0, case_seconds=1.0, submission_seconds=8.0, memory_bytes=400 << 20, answer_bytes=1 << 20
)
HONEST, END = "honest", "the end"


class Job(msgspec.Struct, frozen=True):
    """``names`` are attacks of one topic."""

    world: World
    names: tuple[str, ...]
    how: Literal["alone", "class"] = "alone"


class AttackResult(msgspec.Struct, frozen=True):
    """``signs`` of success of an attack; None before it has been graded."""

    attack: str
    signs: tuple[str, ...] | None = None


def alone(world: World, attacks: list[Attack]) -> Iterator[AttackResult]:
    """One grader grades all, and honest work in between."""
    assignment = attacks[0].assignment
    grader = pool.Grader(pool.RunPlan(assignment, CANARY, LIMITS, timing=False, causes=False))
    grades = []
    yield AttackResult(HONEST, tuple(_honest(grader, assignment)))  # the first to be graded waits for the fork server
    usual = len(processes.below())
    for number, attack in enumerate(attacks, start=1):
        yield AttackResult(attack.name)
        grades.append(grader.grade(_handed_in(world, attack)))
        found = [*signs.in_grade(attack, grades[-1]), *_left(world, usual)]
        if "neighbour" in attack.signs or number % 12 == 0:
            found += _honest(grader, assignment)
        yield AttackResult(attack.name, tuple(found))
    yield AttackResult(END)
    found = list(_honest(grader, assignment))
    grader.close()
    reports = world.folder / "reports"
    reports.mkdir(exist_ok=True)
    yield AttackResult(END, (*found, *_left(world, 0), *signs.in_reports(grades, reports)))


def _handed_in(world: World, attack: Attack) -> model.Submission:
    folder = world.work / attack.name
    attack.hand_in(folder, world.words())
    return intake.read(model.Entry(attack.name, (folder,)), attack.assignment)


def _honest(grader: pool.Grader, assignment: str) -> Iterator[str]:
    source = solution(assignment).encode()
    grade = grader.grade(model.Submission("honest", "ready", "script", f"{assignment}.py", (source,)))
    if grade.score != 100:
        lost = [check.message for check in grade.checks if check.status != "passed"]
        yield f"neighbour: {grade.status} {grade.score} {grade.message} {lost[:1]}"


def _left(world: World, usual: int) -> Iterator[str]:
    """Traces and processes that are there, beside as many as there were at first."""
    yield from (f"trace: {path}" for path in world.leftovers())
    now = processes.settled(usual)
    if len(now) > usual or world.comm in now.values():
        yield f"process: {sorted(now.values())}"


def together(world: World, attacks: list[Attack]) -> Iterator[AttackResult]:
    """``attngrade grade`` grades a class of them, two at a time, with an honest student after every eighth."""
    assignment, out = attacks[0].assignment, world.folder / "graded"
    for number, attack in enumerate(attacks):
        attack.hand_in(world.work / attack.name, world.words())
        if number % 8 == 7 or "neighbour" in attack.signs:
            place = world.work / f"{attack.name}-{HONEST}"
            place.mkdir()
            (place / f"{assignment}.py").write_text(solution(assignment))
    limits = [
        f"--limit=load_seconds={LIMITS.load_seconds}",
        f"--limit=answer_bytes={LIMITS.answer_bytes}",
        f"--case-seconds={LIMITS.case_seconds}",
        f"--submission-seconds={LIMITS.submission_seconds}",
        "--memory-gb=0.4",
        "--no-timing",
        "--jobs=2",
        "--json",
    ]
    yield AttackResult(END)
    status = app.run(["grade", str(world.work), "--assignment", assignment, "--out", str(out), *limits])
    found = [f"ours: exit status {status}"] if status else []
    yield AttackResult(END, (*found, *_left(world, 0), *signs.in_files(out)))
    grades = {}
    for path in (out / "results").glob("*.json"):
        grade = results.read_result(path)
        grades[grade.student] = grade
    for attack in attacks:
        yield AttackResult(attack.name, tuple(signs.in_grade(attack, grades.pop(attack.name))))
    grades.pop("neighbour")
    for student, grade in grades.items():
        yield AttackResult(student, () if grade.score == 100 else (f"neighbour: {grade.status} {grade.score}",))


def main(argument: str) -> None:
    """Plays a job."""
    job = msgspec.json.decode(argument, type=Job)
    missing = availability.missing("cpu")
    attacks = [a for name in job.names for a in declared() if a.name == name and a.layer not in missing]
    told = sys.stdout
    sys.stdout = sys.stderr
    processes.adopt()
    if attacks:
        for seen in (alone if job.how == "alone" else together)(job.world, attacks):
            print(msgspec.json.encode(seen).decode(), file=told, flush=True)
    processes.end_all()


if __name__ == "__main__":
    main(sys.argv[1])
