"""The code that students get complete: the grader always uses its own copy."""

from __future__ import annotations

import functools

from autograder import assignments, model, protocol


def given_code(spec: model.Spec) -> protocol.RightParts | None:
    """Return the given code of an assignment, as the starter file has it; None if there is none.

    It holds no secret: a worker with it may still be asked what students see.
    """
    names = given_names(spec.assignment)
    return protocol.RightParts(_starter(spec.assignment), (), spec.parts, names) if names else None


def given_names(assignment: str) -> tuple[str, ...]:
    """Return the names of the given code."""
    return tuple(assignments.declared(assignment, "", "GIVEN", ()))


@functools.cache
def _starter(assignment: str) -> bytes:
    folder = assignments.released(assignment)
    if folder is None:
        raise FileNotFoundError(f"the starter file of {assignment} is not installed")
    return (folder / f"{assignment}.py").read_bytes()
