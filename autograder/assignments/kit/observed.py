"""Calls in which the grader looks for ready-made operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

from msgspec.structs import replace

from autograder import model, protocol
from autograder.assignments.kit.assertions import Assertions, expect
from autograder.assignments.kit.programs import InputGenerator

Watch = Literal["softmax", "attention"]  # the kernels that a worker looks for


def untouched(words: str, later: str, by: Sequence[str]) -> Assertions:
    """Assert that no call of ``by`` runs an operation whose name contains one of the words.

    ``later`` holds the words for the backward pass. Spaces separate words.
    """
    return expect("untouched", words=words.split(), later=later.split(), by=[*by])


def watched(
    checks: Sequence[model.Check], name: str, by: Sequence[str], watch: Watch, traced: float = 0.0, most: int = 100
) -> tuple[model.Check, ...]:
    """Watch the calls of ``by`` in all checks' cases, ``most`` in a case, and let check ``name`` judge all of them.

    So code gains nothing by behaving well for some sizes or values only. Tracing is slow, so only the share ``traced``
    of the cases is traced. The seed decides which calls and cases. Assertions of check ``name`` that do not say ``by``
    stay limited to its own cases.
    """
    unique = {case.id: case for check in checks for case in check.cases}
    observed = {case.id: _observed(case, by, watch, traced, most) for case in unique.values() if _calls(case, by)}

    def changed(check: model.Check) -> model.Check:
        cases = {case.id: observed.get(case.id, case) for case in check.cases}
        if check.id != name:
            return replace(check, cases=tuple(cases.values()))
        own = tuple(cases)
        assertions = (one if "by" in one.options else replace(one, cases=own) for one in check.assertions)
        return replace(check, cases=tuple((cases | observed).values()), assertions=tuple(assertions))

    return tuple(map(changed, checks))


def _calls(case: model.Case, by: Sequence[str]) -> bool:
    """Return whether a case calls one of them on the CPU: on ``meta`` there are no values to obtain."""
    program = case.build(InputGenerator("", "", case.id))
    return program.device == "cpu" and bool(program.calls_of(by))


def _observed(case: model.Case, by: Sequence[str], watch: Watch, traced: float, most: int) -> model.Case:
    return replace(case, build=partial(_build_observed, case.build, tuple(by), watch, traced, most))


def _build_observed(
    build: Callable[[Any], protocol.Program],
    by: Sequence[str],
    watch: Watch,
    traced: float,
    most: int,
    generator: InputGenerator,
) -> protocol.Program:
    program = build(generator)
    trace = float(generator.uniform()) < traced
    calls = [call.into for call in program.calls_of(by)]
    chosen = set(sorted(calls, key=lambda _: float(generator.uniform()))[:most]) if len(calls) > most else set(calls)
    steps = (
        replace(step, trace=trace or step.trace, watch=watch)
        if isinstance(step, protocol.Call) and step.into in chosen
        else step
        for step in program.steps
    )
    return replace(program, steps=tuple(steps))
