"""What a bench measures for an assignment: panels of calls, and their sizes."""

from __future__ import annotations

from typing import NamedTuple

from autograder import assignments, model
from autograder.assignments.kit import programs, speed

SEED = "attngrade bench"


class PanelPlan(NamedTuple):
    """One panel before it is measured: calls with their assignments, and the sizes."""

    title: str
    calls: tuple[tuple[str, model.TimedCall], ...]
    sizes: tuple[int, ...]


def plans(assignment: str) -> tuple[PanelPlan, ...]:
    """Return what to measure for an assignment: both mechanisms if it is one of the two, otherwise its timed calls.

    A call that is graded at one size is measured at two smaller sizes too, to show its growth.
    """
    declared = {name: assignments.declared(name, "speed", "MECHANISM", None) for name in assignments.NAMES}
    mechanisms = {name: timed for name, timed in declared.items() if timed}
    if assignment in mechanisms:
        title = f"One query over T source positions (d = {speed.D})"
        return (PanelPlan(title, tuple(mechanisms.items()), speed.LENGTHS),)
    return tuple(
        PanelPlan(_title(assignment, call), ((assignment, call),), call.sizes or (call.at // 4, call.at // 2, call.at))
        for check in assignments.load(assignment).checks
        for call in check.timed
    )


def _title(assignment: str, timed: model.TimedCall) -> str:
    """Return a panel's title: the name that students know, and what grows."""
    program = timed.build(programs.InputGenerator(SEED, assignment, timed.name), timed.at, 1)
    return f"{program.target(program.calls[0]).removesuffix('.forward')} by {timed.axis}"
