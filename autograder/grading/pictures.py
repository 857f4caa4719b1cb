"""A submission's own attention weights beside the expected ones, kept for reports.

Only answers to shipped inputs of public checks are kept: a worker gives them before it knows any hidden input.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from autograder import model, protocol
from autograder.feedback.axes import CALLS
from autograder.grading.responses import Responses
from autograder.grading.suite import CheckSuite
from autograder.judge.comparison import AssertionFailed, Comparison
from autograder.protocol.wire import WireError

OUTPUT = "weights"  # the name of the result
OF_A_PART = 2  # pictures: the worked example, and one of the shipped numbers
DIGITS = 4


def pictures(suite: CheckSuite, responses: Responses) -> tuple[model.WeightPicture, ...]:
    """Return the pictures of a submission: at most OF_A_PART a part, the worked example first."""
    public = [check for check in suite.spec.checks if check.visibility == "public" and check.kind != "timing"]
    found: list[model.WeightPicture] = []
    count: Counter[str] = Counter()
    for check in sorted(public, key=lambda check: ("example" not in check.id, check.kind != "value")):
        for case in check.cases:
            if count[check.part] == OF_A_PART:
                break
            picture = _picture(suite.prepared[case.id], responses, check)
            if picture is not None and picture.expected not in (one.expected for one in found):
                found.append(picture)
                count[check.part] += 1
    return tuple(found)


def _picture(prepared: model.Prepared, responses: Responses, check: model.Check) -> model.WeightPicture | None:
    """Return the picture of one case; None if no call in it returns weights of the right shape."""
    steps = list(_calls(prepared.program))
    answer = responses.answer(prepared.id) if steps else None
    if answer is None:
        return None
    comparison = Comparison(prepared, answer)
    for step in steps:
        try:
            comparison.raise_earlier_failure(step)
            [(_, actual, expected)] = comparison.arrays(step, (OUTPUT,))
        except (AssertionFailed, WireError, KeyError):
            continue
        if expected.ndim and expected.size and expected.dtype.kind == "f":
            axes = _axes(prepared.program, step, expected.ndim)
            return model.WeightPicture(check.part, check.id, axes, _matrix(actual), _matrix(expected))
    return None


def _calls(program: protocol.Program) -> Iterator[str]:
    for name, step in program.named.items():
        if isinstance(step, protocol.Call) and OUTPUT in step.outputs:
            yield name


def _axes(program: protocol.Program, step: str, rank: int) -> tuple[str, str]:
    """Return the names of the last two axes of the weights, as the handout has them."""
    call = program.named[step]
    assert isinstance(call, protocol.Call)
    known = CALLS.get(program.target(call))
    names = known.results[call.outputs.index(OUTPUT)].split() if known else []
    if len(names) < rank or "..." in names:
        return "", ""
    return (names[-2] if rank > 1 else "", names[-1])


def _matrix(array: np.ndarray) -> model.grades.Matrix:
    """Return the last two axes, of the first entry of each axis before them, cut to SIDE rows and columns."""
    while array.ndim > 2:
        array = array[0]
    cut = np.atleast_2d(array)[: model.SIDE, : model.SIDE].astype(np.float64)
    return tuple(tuple(round(float(value), DIGITS) if np.isfinite(value) else None for value in row) for row in cut)
