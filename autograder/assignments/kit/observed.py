"""Calls in which the grader looks for ready-made operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Literal

from msgspec.structs import replace

from autograder import model, protocol
from autograder.assignments.kit.assertions import RIGHT, Assertions, expect
from autograder.assignments.kit.kinds import constraint
from autograder.assignments.kit.programs import InputGenerator

Watch = Literal["softmax", "attention"]  # the kernels that a worker looks for
Groups = tuple[tuple[str, ...], ...]  # the names that each judging check looks at
READY_MADE = (
    "scaled_dot_product fused_sdp flex_attention multi_head_attention multihead flash_attention efficient_attention"
)


def untouched(words: str, later: str, by: Sequence[str]) -> Assertions:
    """Assert that no call of ``by`` runs an operation whose name contains one of the words.

    ``later`` holds the words for the backward pass. Spaces separate words.
    """
    return expect("untouched", words=words.split(), later=later.split(), by=[*by])


def not_ready_made(name: str) -> Assertions:
    """Assert that no call of ``name`` runs ready-made attention."""
    return untouched(READY_MADE, later=READY_MADE, by=[name])


def by_hand(id: str, name: str, points: float, *cases: model.Case) -> model.Check:
    """Return the check that a part does without ready-made attention."""
    hidden = " on other inputs either" if id.endswith("hidden") else ""
    title = f"{name} does without ready-made attention{hidden}"
    return constraint(id, points, title).on(*cases).expects(not_ready_made(name), RIGHT)


def watched(
    checks: Sequence[model.Check],
    watch: Watch,
    judges: Mapping[str, Sequence[str]],
    traced: float = 0.0,
    most: int = 100,
) -> tuple[model.Check, ...]:
    """Watch calls in all checks' cases. ``judges``: a check -> the names whose calls it judges, ``most`` in a case.

    So code gains nothing by behaving well for some sizes or values only. Tracing is slow, so only the share ``traced``
    of the cases is traced. The seed decides which calls and cases. Assertions of a judging check that do not say ``by``
    stay limited to its own cases.
    """
    unique = {case.id: case for check in checks for case in check.cases}
    groups, every = tuple(map(tuple, judges.values())), tuple(chain.from_iterable(judges.values()))
    observed = {
        case.id: _observed(case, groups, watch, traced, most) for case in unique.values() if _calls(case, every)
    }

    def changed(check: model.Check) -> model.Check:
        cases = {case.id: observed.get(case.id, case) for case in check.cases}
        if check.id not in judges:
            return replace(check, cases=tuple(cases.values()))
        own = tuple(cases)
        assertions = (one if "by" in one.options else replace(one, cases=own) for one in check.assertions)
        judged = {name: case for name, case in observed.items() if _calls(case, judges[check.id])}
        return replace(check, cases=tuple((cases | judged).values()), assertions=tuple(assertions))

    return tuple(map(changed, checks))


def _calls(case: model.Case, by: Sequence[str]) -> bool:
    """Return whether a case calls one of them on the CPU: on ``meta`` there are no values to obtain."""
    program = case.build(InputGenerator("", "", case.id))
    return program.device == "cpu" and bool(program.calls_of(by))


def _observed(case: model.Case, groups: Groups, watch: Watch, traced: float, most: int) -> model.Case:
    return replace(case, build=partial(_build_observed, case.build, groups, watch, traced, most))


def _build_observed(
    build: Callable[[Any], protocol.Program],
    groups: Groups,
    watch: Watch,
    traced: float,
    most: int,
    generator: InputGenerator,
) -> protocol.Program:
    program = build(generator)
    trace = float(generator.uniform()) < traced
    chosen: set[str] = set()
    for group in groups:
        calls = [call.into for call in program.calls_of(group)]
        chosen |= set(sorted(calls, key=lambda _: float(generator.uniform()))[:most] if len(calls) > most else calls)
    steps = (
        replace(step, trace=trace or step.trace, watch=watch)
        if isinstance(step, protocol.Call) and step.into in chosen
        else step
        for step in program.steps
    )
    return replace(program, steps=tuple(steps))
