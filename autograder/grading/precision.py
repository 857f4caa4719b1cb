"""Whether results that are nearly right come from a guard, which is right, or from a lower precision, which is not.

Both may be off by 1e-7. A result with a guard in it still follows its inputs smoothly. A rounded one jumps. So the
worker is asked twice more, with inputs that are a little smaller and a little larger: on a smooth curve, the three
results lie on a line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from autograder import model, protocol
from autograder.grading.findings import Findings
from autograder.grading.session import Session
from autograder.judge import result_tables, tolerances
from autograder.protocol import wire

STEP = 1e-6  # added to every number but 0; float32 numbers near 1 lie 1e-7 apart
MOST_BENT = 1e-3  # of the way: rounding to float32 bends it by 0.05, a curve by 1e-6
JUMP = 1e-5  # of the largest number: a step over an edge, such as that of a window
MOST_CASES = 3  # of a group, in which nothing else tells
# Largest numbers of an array next to which STEP tells something: below, it is no small step. Above, float64 itself
# rounds so much that the results bend.
SMALLEST, LARGEST = 1e-3, 1e5


class Group(NamedTuple):
    """Cases that are judged together: of a part, those that students have, their redrawn ones, or the hidden ones.

    Students' cases are judged apart, so a public check gives the same result on their machines and while grading.
    """

    part: str
    sort: str


def forgive_guards(session: Session, findings: Findings) -> None:
    """Let checks pass whose results are off by no more than a guard explains, where the part computes in float64.

    A new worker is asked.
    """
    if not findings.close:
        return
    session.end()
    close: dict[Group, list[tuple[str, str]]] = defaultdict(list)
    group_of = _groups(session.suite.spec.checks)
    for check, case in sorted(findings.close):
        close[group_of[check, case]].append((check, case))
    try:
        for group, found in close.items():
            if _exact(session, [case for _, case in found], _others(group, group_of)):
                for check, case in found:
                    findings.forgive(check, case)
    finally:
        session.end()


def _groups(checks: Collection[model.Check]) -> dict[tuple[str, str], Group]:
    """Return the group of each case of each check."""
    shown = {(check.id, case.id): Group(check.part, check.visibility) for check in checks for case in check.cases}
    return shown | {(check.id, case.id): Group(check.part, "redrawn") for check in checks for case in check.redrawn}


def _others(group: Group, group_of: dict[tuple[str, str], Group]) -> list[str]:
    """Return the cases of a group, and after secret ones those that students have."""
    sorts = dict.fromkeys((group.sort, "public"))
    return [case for sort in sorts for (_, case), one in group_of.items() if one == Group(group.part, sort)]


def _exact(session: Session, close: list[str], others: list[str]) -> bool:
    """Whether a part follows its inputs smoothly, wherever that can be seen."""
    programs = list(islice(_programs(session, close, others), MOST_CASES))
    found = [smooth(session, program) for program in programs]
    return False not in found and True in found


def _programs(session: Session, close: list[str], others: list[str]) -> Iterator[protocol.Program]:
    """Yield programs in which a step shows something, first those whose results are nearly right."""
    for case in dict.fromkeys([*close, *others]):
        program = session.suite.prepared[case].program
        if program.dtype == "float64" and program.device != "meta" and program.calls and tells(program):
            yield program


def tells(program: protocol.Program) -> bool:
    """Whether the numbers of all floating inputs have a size next to which a step is small, and not too small."""
    floating = [wire.to_numpy(one) for one in program.arrays.values() if tolerances.KINDS[one.dtype] == "float"]
    largest = [float(np.abs(values).max(initial=0.0)) for values in floating]
    return all(one == 0.0 or SMALLEST <= one <= LARGEST for one in largest)


def smooth(session: Session, program: protocol.Program) -> bool | None:
    """Whether the results follow the inputs smoothly; None where they do not move, or there are none.

    Raises SandboxError if the worker is lost by our own fault.
    """
    answers = [session.ask(nudged(program, step)) for step in (-STEP, 0.0, STEP)]
    given = [answer for answer in answers if isinstance(answer, protocol.Answer)]
    if len(given) < len(answers):
        return None
    try:
        tables = [result_tables.table(program, answer.results) for answer in given]
    except wire.WireError:  # a sparse gradient, for example, proves nothing
        return None
    common = list(_common(tables))
    size = max((float(np.abs(here).max(initial=0.0)) for _, here, _ in common), default=0.0)
    found = [straight(before, here, after, size) for before, here, after in common]
    return None if not any(found) and False not in found else False not in found


def _common(tables: list[dict[result_tables.Key, np.ndarray]]) -> Iterator[list[np.ndarray]]:
    """Yield the floating results that all three have, in one shape."""
    for key, first in tables[0].items():
        values = [table.get(key) for table in tables]
        if first.dtype.kind == "f" and all(value is not None and value.shape == first.shape for value in values):
            yield [value for value in values if value is not None]


def nudged(program: protocol.Program, step: float) -> protocol.Program:
    """Return the program with each floating input moved by ``step`` up or down. What is exactly 0 stays."""
    directions = np.random.default_rng(0)  # any, and the same for every step
    arrays = {}
    for name, array in program.arrays.items():
        values = wire.to_numpy(array)
        if tolerances.KINDS[array.dtype] == "float":
            way = directions.choice([-1.0, 1.0], size=values.shape)
            array = wire.to_array(values + np.where(values == 0, 0.0, way * step), array.device)
        arrays[name] = array
    return replace(program, arrays=arrays)


def straight(before: np.ndarray, here: np.ndarray, after: np.ndarray, size: float) -> bool | None:
    """Whether three results lie on a line; None where they are the same, or too far apart for rounding.

    ``size`` is the largest number of the program's results.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        way = np.abs(after - before).max(initial=0.0)
        bend = np.abs(after - 2 * here + before).max(initial=0.0)
    if not np.isfinite(way) or max(way, bend) <= 1e-12 * size or bend > JUMP * size:
        return None
    return bool(bend <= MOST_BENT * way)
