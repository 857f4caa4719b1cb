"""What travels between the sending machine and the grading ones: MessagePack, typed and strict, in plain bytes."""

import functools

import msgspec

from autograder import model
from autograder.grading import fingerprints
from autograder.grading.environment import environment
from autograder.runs import pool


class Versions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that a grade depends on except the plan and the work."""

    sources: str  # digest of the grader's and the references' files
    environment: dict[str, str]
    courses: dict[str, str] = {}  # digests of the files of courses' assignments, by name


class WorkerSetup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a Dask worker needs to grade. Every task begins with it."""

    plan: pool.RunPlan
    versions: Versions


class Reply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A grade, or why ``machine`` refuses to grade. Both are empty if a task only asks whether it would grade."""

    grade: model.Grade | None = None
    refused: str = ""
    machine: str = ""


@functools.cache
def versions() -> Versions:
    """Return this process's versions, with the files as they were at the first call."""
    return Versions(fingerprints.of_grader(), environment(), fingerprints.of_courses())


def difference(ours: Versions, theirs: Versions, assignment: str) -> str:
    """Return how another machine's versions (``theirs``) differ from ``ours``; empty if they don't.

    Of courses' assignments only ``assignment`` matters.
    """
    here, there = ours.environment, theirs.environment
    differences = [
        f"{name} {there.get(name, 'none')} there, {here.get(name, 'none')} here"
        for name in sorted(here.keys() | there.keys())
        if here.get(name) != there.get(name)
    ]
    if not differences and ours.sources != theirs.sources:
        differences = ["other files of the grader or of the references there than here"]
    if (mine := ours.courses.get(assignment)) != (other := theirs.courses.get(assignment)):
        without = f"no assignment {assignment} {'there' if other is None else 'here'}"
        differences.append(f"other files of {assignment} there than here" if mine and other else without)
    return ", ".join(differences)
