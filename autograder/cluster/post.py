"""What travels between the machine that asks and those that grade: MessagePack, typed and strict, in plain bytes."""

from __future__ import annotations

import functools

import msgspec

from autograder import bulk, exam, model
from autograder.environment import environment


class Versions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All but the plan and the work that a grade depends on."""

    sources: str  # digest of the grader's and the references' files
    environment: dict[str, str]


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What every task of a run begins with."""

    plan: bulk.Plan
    versions: Versions


class Reply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A grade; or why nothing is graded on that ``machine``; or neither, of a task that asked only whether it
    would be."""

    grade: model.Grade | None = None
    refused: str = ""
    machine: str = ""


@functools.cache
def versions() -> Versions:
    """This process's: of the files as they were when it first asked."""
    return Versions(exam.sources(), environment())


def difference(ours: Versions, theirs: Versions) -> str:
    """How another machine's versions (``theirs``) differ from ``ours``; empty where they don't."""
    names = sorted(ours.environment.keys() | theirs.environment.keys())
    found = [
        f"{name} {theirs.environment.get(name, 'none')} there, {ours.environment.get(name, 'none')} here"
        for name in names
        if ours.environment.get(name) != theirs.environment.get(name)
    ]
    if not found and ours.sources != theirs.sources:
        found = ["other files of the grader or of the references there than here"]
    return ", ".join(found)
