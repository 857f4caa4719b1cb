"""A submission's own gradients beside the expected ones, by parameter, kept for reports.

Only answers to shipped inputs of public checks are kept: a worker gives them before it knows any hidden input.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import numpy as np

from autograder import judge, model
from autograder.grading.responses import Responses
from autograder.grading.suite import CheckSuite
from autograder.judge import tolerances
from autograder.judge.comparison import AssertionFailed, Comparison
from autograder.model.pictures import GradientState
from autograder.protocol.wire import WireError

GRADIENTS = "gradients"  # the assertion
STATES: dict[str, GradientState] = {
    "no-gradient": "missing",
    "wrong-gradient-shape": "wrong-shape",
    "nan-gradient": "not-finite",
}  # a symptom -> its state; any other is "wrong"
Failing = Callable[[str], Collection[str]]  # gets the id of a check, returns the cases in which it fails


def gradients(suite: CheckSuite, responses: Responses, failing: Failing) -> tuple[model.GradientPicture, ...]:
    """Return one picture a part: the first in which a gradient is wrong, else the one with most gradients."""
    asked = [check for check in suite.spec.checks if check.visibility == "public" and _asserted(check)]
    found: list[model.GradientPicture] = []
    for part in dict.fromkeys(check.part for check in asked):
        of_part = sorted((one for one in asked if one.part == part), key=lambda check: check.kind != "gradient")
        drawn = [picture for check in of_part for picture in _pictures(suite, responses, check, failing(check.id))]
        if drawn:
            wrong = (picture for picture in drawn if any(row.state != "right" for row in picture.rows))
            found.append(next(wrong, max(drawn, key=lambda picture: len(picture.rows))))
    return tuple(found)


def _asserted(check: model.Check) -> list[model.Assertion]:
    return [one for one in check.assertions if one.name == GRADIENTS]


def _pictures(
    suite: CheckSuite, responses: Responses, check: model.Check, failing: Collection[str]
) -> Iterator[model.GradientPicture]:
    """Yield the pictures of a check's shipped cases: of each assertion about gradients that can be looked at."""
    for case in check.cases:
        answer = responses.answer(case.id)
        for assertion in _asserted(check) if answer else ():
            if answer is None or (assertion.cases and case.id not in assertion.cases):
                continue
            comparison = Comparison(suite.prepared[case.id], answer)
            try:
                comparison.raise_earlier_failure(assertion.step, GRADIENTS)
                rows = tuple(_rows(comparison, assertion, passes=case.id not in failing))
            except (AssertionFailed, KeyError):
                continue
            if rows:
                yield model.GradientPicture(check.part, check.id, rows[: model.MOST_ROWS])


def _rows(comparison: Comparison, assertion: model.Assertion, *, passes: bool) -> Iterator[model.GradientRow]:
    """Yield a row for each gradient. Where the check ``passes``, all of them are right."""
    only = assertion.options.get("only")
    for name, wanted in comparison.expected[assertion.step].gradients.items():
        if wanted is not None and (only is None or name in only):
            state = "right" if passes else _state(comparison, assertion, name)
            yield _row(comparison, assertion, name, state)


def _state(comparison: Comparison, assertion: model.Assertion, name: str) -> GradientState:
    """Return how the judge finds one gradient."""
    options = assertion.options | {"only": [name]}
    try:
        judge.ASSERTIONS[GRADIENTS](comparison, assertion.step, **options)
    except AssertionFailed as failed:
        return STATES.get(failed.finding.symptom, "wrong")
    except WireError:
        return "unreadable"
    return "right"


def _row(comparison: Comparison, assertion: model.Assertion, name: str, state: GradientState) -> model.GradientRow:
    """Return the row of one gradient. Entries that only have to be finite do not count."""
    wanted = comparison.expected[assertion.step].gradients[name]
    assert wanted is not None
    array, expected = comparison.actual[assertion.step].gradients.get(name), comparison.numpy(wanted)
    if array is None or state in ("wrong-shape", "unreadable"):
        return model.GradientRow(name, state, 0.0 if state == "right" else None, _norm(expected))
    actual = comparison.numpy(array)
    if assertion.options.get("finite_at_zero"):
        counts = comparison.numpy(comparison.program.arrays[name]) != 0
        actual, expected = actual[counts], expected[counts]
    size = _norm(expected)
    with np.errstate(invalid="ignore", over="ignore"):
        gap = _norm(tolerances.widened(actual) - expected)
    return model.GradientRow(
        name, state, _norm(actual), size, _finite(gap / size) if gap is not None and size else None
    )


def _norm(array: np.ndarray) -> float | None:
    """Return the Euclidean norm, or None if it is not finite."""
    with np.errstate(invalid="ignore", over="ignore"):
        return _finite(float(np.linalg.norm(tolerances.widened(array).ravel())))


def _finite(value: float) -> float | None:
    return float(f"{value:.4g}") if np.isfinite(value) else None
