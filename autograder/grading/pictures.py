"""A submission's own attention weights beside the expected ones, kept for reports.

Only answers to shipped inputs of public checks are kept: a worker gives them before it knows any hidden input.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

import numpy as np

from autograder import assignments, model, protocol
from autograder.feedback.axes import CALLS
from autograder.grading.responses import Responses
from autograder.grading.suite import CheckSuite
from autograder.judge.comparison import AssertionFailed, Comparison
from autograder.model.grades import Mask, Matrix, Numbers, Words
from autograder.protocol import wire
from autograder.protocol.wire import WireError

OUTPUT, ONLY = "weights", ("result",)  # the name of the result, and of that of a function with no other
OF_A_PART = 2  # pictures: the worked example, and one of the shipped numbers, with a mask if there is one
DIGITS = 4
RETURN_WEIGHTS = frozenset(
    name for one in assignments.NAMES for name in assignments.declared(one, "words", "RETURN_WEIGHTS", ())
)


def pictures(suite: CheckSuite, responses: Responses) -> tuple[model.WeightPicture, ...]:
    """Return the pictures of a submission: at most OF_A_PART a part, the worked example first."""
    public = [check for check in suite.spec.checks if check.visibility == "public" and check.kind != "timing"]
    asked = [(check, suite.prepared[case.id]) for check in public for case in check.cases]
    found: list[model.WeightPicture] = []
    count: Counter[str] = Counter()
    for check, prepared in sorted(asked, key=lambda one: _rank(*one)):
        if count[check.part] == OF_A_PART:
            continue
        picture = _picture(prepared, responses, check, suite.spec.assignment)
        if picture is not None and picture.expected not in (one.expected for one in found):
            found.append(picture)
            count[check.part] += 1
    parts = [check.part for check in suite.spec.checks]
    return tuple(sorted(found, key=lambda one: parts.index(one.part)))


def can_draw(suite: CheckSuite) -> bool:
    """Whether any call of the public checks returns weights."""
    public = {case.id for check in suite.spec.checks if check.visibility == "public" for case in check.cases}
    return any(True for name in public for _ in _calls(suite.prepared[name].program))


def _rank(check: model.Check, prepared: model.Prepared) -> tuple[bool, bool, bool]:
    """Return the place of a case: worked examples come first, then those with a mask, then those of values."""
    steps = (prepared.program.named[name] for name in _calls(prepared.program))
    masked = any(isinstance(step, protocol.Call) and _given_mask(prepared.program, step) for step in steps)
    return "example" not in prepared.id, not masked, check.kind != "value"


def _picture(
    prepared: model.Prepared, responses: Responses, check: model.Check, assignment: str
) -> model.WeightPicture | None:
    """Return the picture of one case; None if no call in it returns weights of the right shape."""
    steps = list(_calls(prepared.program))
    answer = responses.answer(prepared.id) if steps else None
    if answer is None:
        return None
    comparison = Comparison(prepared, answer)
    for step in steps:
        if prepared.expected[step].raised:  # the reference refuses its arguments
            continue
        try:
            comparison.raise_earlier_failure(step)
            [(_, actual, expected)] = comparison.arrays(step, (_output(prepared.program, step),))
        except (AssertionFailed, WireError, KeyError):
            continue
        if expected.ndim and expected.size and expected.dtype.kind == "f" and actual.dtype.kind != "c":
            return model.WeightPicture(
                check.part,
                check.id,
                _axes(prepared.program, step, expected.ndim),
                _matrix(actual),
                _matrix(expected),
                _mask(prepared.program, step, expected.shape),
                _words(assignment).get(prepared.id, ((), ())),
                (_entropies(actual), _entropies(expected)),
            )
    return None


def _calls(program: protocol.Program) -> Iterator[str]:
    """Yield the names of the calls that return weights, with rows along the last axis."""
    for name, step in program.named.items():
        if not isinstance(step, protocol.Call) or step.kwargs.get("dim", -1) != -1:
            continue
        if OUTPUT in step.outputs or (step.outputs == ONLY and program.target(step) in RETURN_WEIGHTS):
            yield name


def _output(program: protocol.Program, step: str) -> str:
    """Return the name of a call's result that holds the weights."""
    call = program.named[step]
    assert isinstance(call, protocol.Call)
    return OUTPUT if OUTPUT in call.outputs else ONLY[0]


@cache
def _words(assignment: str) -> dict[str, tuple[Words, Words]]:
    """Return the words at rows and columns, by case."""
    found: dict[str, tuple[Words, Words]] = assignments.declared(assignment, "words", "WORDS", {})
    return found


def _axes(program: protocol.Program, step: str, rank: int) -> tuple[str, str]:
    """Return the names of the last two axes of the weights, as the handout has them."""
    names = _axis_names(program, step)
    if len(names) < rank or "..." in names:
        return "", ""
    return (names[-2] if rank > 1 else "", names[-1])


def _axis_names(program: protocol.Program, step: str) -> list[str]:
    """Return the names of all axes of the weights; none for a call that is not described."""
    call = program.named[step]
    assert isinstance(call, protocol.Call)
    known = CALLS.get(program.target(call))
    at = call.outputs.index(_output(program, step))
    return known.results[at].split() if known else []


def _given_mask(program: protocol.Program, call: protocol.Call) -> protocol.Array | None:
    """Return the mask of a call: the only argument that is boolean."""
    arrays = (program.arrays.get(ref.name) for ref in call.refs)
    return next((one for one in arrays if one is not None and one.dtype == "bool"), None)


def _mask(program: protocol.Program, step: str, shape: tuple[int, ...]) -> Mask:
    """Return the mask of a call, of the same rows and columns as ``_matrix``; () if none fits."""
    call = program.named[step]
    assert isinstance(call, protocol.Call)
    if (given := _given_mask(program, call)) is None:
        return ()
    mask, names = wire.to_numpy(given), _axis_names(program, step)
    own = CALLS[program.target(call)].mask.split() if names else []
    if own:  # the weights have axes that the mask does not
        mask = mask.reshape((1,) * (len(own) - mask.ndim) + mask.shape)
        mask = np.expand_dims(mask, tuple(at for at, name in enumerate(names) if name not in own))
    try:
        return tuple(tuple(map(bool, row)) for row in _first(np.broadcast_to(mask, shape)))
    except ValueError:
        return ()


def _matrix(array: np.ndarray) -> Matrix:
    """Return the last two axes, of the first entry of each axis before them, cut to SIDE rows and columns."""
    return tuple(map(_numbers, _first(array).astype(np.float64)))


def _entropies(weights: np.ndarray) -> Numbers:
    """Return the entropy of each row of ``_matrix``, over the whole row."""
    rows = _first(weights, columns=None).astype(np.float64)
    with np.errstate(all="ignore"):
        terms = np.where(rows > 0, rows * np.log(np.where(rows > 0, rows, 1.0)), np.where(rows <= 0, 0.0, np.nan))
        return _numbers(-terms.sum(-1) + 0.0)


def _first(array: np.ndarray, columns: int | None = model.SIDE) -> np.ndarray:
    while array.ndim > 2:
        array = array[0]
    return np.atleast_2d(array)[: model.SIDE, :columns]


def _numbers(values: np.ndarray) -> Numbers:
    return tuple(round(float(value), DIGITS) if np.isfinite(value) else None for value in values)
