"""An assignment's checks, grouped into the questions of a notebook: a question is a cell that students fill in."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple

from autograder import cases, model


class Question(NamedTuple):
    """``q1``, what is written in its cell, and the checks about it."""

    name: str
    defines: frozenset[str]
    checks: tuple[model.Check, ...]


def questions(checks: Iterable[model.Check], sources: Iterable[str], topic: str) -> tuple[Question, ...]:
    """The questions of the cells ``sources``, in order. A check belongs to the last of them that it calls anything
    of, as only then all that it needs is written. Raises ValueError for a check that calls nothing of any."""
    written = [frozenset(_defined(source)) for source in sources]
    checks = tuple(checks)
    places = {check.id: _last(check, written, topic) for check in checks}
    return tuple(
        Question(f"q{number + 1}", names, tuple(c for c in checks if places[c.id] == number))
        for number, names in enumerate(written)
    )


def _defined(source: str) -> set[str]:
    """Names of the functions and classes at a cell's top level."""
    return {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def _last(check: model.Check, written: list[frozenset[str]], topic: str) -> int:
    used = set().union(*(_asked(program) for program in _programs(check, topic)))
    found = [number for number, names in enumerate(written) if names & used]
    if not found:
        raise ValueError(f"{topic}: the check {check.id} calls nothing that a cell defines")
    return found[-1]


def _programs(check: model.Check, topic: str) -> list[model.Program]:
    """What a check asks; the numbers in it are of no interest here."""
    asked = [case.build(cases.Draw(cases.PUBLIC_SEED, topic, case.id)) for case in check.cases]
    timed = [
        call.build(cases.Draw(cases.PUBLIC_SEED, topic, call.name), call.sizes[0] if call.sizes else 1, 1)
        for call in check.timed
    ]
    return asked + timed


def _asked(program: model.Program) -> set[str]:
    """The submission's names in a program."""
    steps = (step for step in program.steps if isinstance(step, model.Make | model.Call | model.Inspect))
    return {step.name.split(".")[0] for step in steps}
