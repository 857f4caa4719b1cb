"""What the cases that fail have in common, and those that don't."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from autograder import evidence, model
from autograder.diagnose.record import Record
from autograder.diagnose.state import alone, random, stateful
from autograder.diagnose.whole import Group, Whole
from autograder.evidence import Key

Pattern = Callable[[Group], bool]
MISFIT = ("must match the size", "not broadcastable", "expanded size", "shape mismatch", "output with shape")


def causes(whole: Whole, cases: Iterable[str]) -> set[str]:
    """What explains that these cases, and all others of the same calls, fail or do not."""
    targets = frozenset().union(*(whole.records[case].targets for case in cases))
    if targets not in whole.patterns:
        group = Group(whole.failing_of(targets), whole.passing_of(targets), whole)
        found = {cause for cause, pattern in PATTERNS.items() if pattern(group)}
        whole.patterns[targets] = found - ({"stateful"} if "modifies-input" in found else set())
    return whole.patterns[targets]


def only(trait: Callable[[Record], bool]) -> Pattern:
    """Everything that fails has a trait, and something without it went well."""
    return lambda group: all(map(trait, group.failing)) and not all(map(trait, group.passing))


def extreme(record: Record) -> bool:
    """Scores, or weights that make scores, are great."""
    return record.extreme


def single(record: Record) -> bool:
    """An input has an axis of one entry."""
    return any(1 in shape for call in record.amiss for shape in record.shapes(call))


def mixed(group: Group) -> bool:
    """Only batches of more than one sentence fail: for all but the first of them, or beside equal cases of one."""
    shown = [record for record in group.failing if record.wrong]
    plain = shown and not all(record.extreme for record in shown)
    if not plain or any(record.raised for record in group.failing) or not all(map(_several, shown)):
        return False
    if all(map(_first_right, shown)):
        return True
    like = {(record.masked, record.extreme) for record in shown}
    alone = [record for record in group.passing if _batch(record) == 1 and not _short(record)]
    rare = sum(map(_several, group.passing)) <= len(shown) / 4  # by chance: where all scores are equal, say
    return rare and any((record.masked, record.extreme) in like for record in alone)


def _batch(record: Record) -> int:
    return max((axes["B"] for axes in record.axes if "B" in axes), default=0)


def _several(record: Record) -> bool:
    return _batch(record) > 1


def _short(record: Record) -> bool:
    """Whether sentences are of one word, or a search is to end after one: much that is wrong does not show there."""
    asked = [arg for call in record.program.calls for arg in call.args]
    return record.longest <= 1 or any(type(arg) is int and arg == 1 for arg in asked)


def _first_right(record: Record) -> bool:
    """Whether the first sentence is right in every wrong value, and another one is not."""
    pairs = [(record.came[key], record.due[key]) for key in record.wrong if key.what == "value"]
    return bool(pairs) and all(
        came.shape == due.shape and came.ndim > 1 and evidence.same(came[0], due[0], record.dtype)
        for came, due in pairs
    )


def rounded(group: Group) -> bool:
    """Right in single, or only in half precision: something was computed in less than was given."""
    if any(record.raised for record in group.failing):
        return False
    plain = [record for record in group.failing if not record.extreme]
    pairs = [(record, *pair) for record in plain for pair in record.pairs() if _inexact(record, *pair)]
    told = [_coarse(*pair) for pair in pairs if not _one_factor(*pair[1:])]
    return bool(told) and all(told)


def _coarse(record: Record, came: np.ndarray, due: np.ndarray) -> bool:
    """Whether an answer is noisy as that of a narrower type is: not in decimals, and right where exactly 0 is due."""
    if came[due == 0].any() or any(np.array_equal(np.round(came, places), came) for places in range(1, 8)):
        return False
    if record.dtype == "float64":
        return came.dtype == np.float64 and np.allclose(came, due, rtol=1e-4, atol=1e-5)
    half = came.astype(np.float16).astype(came.dtype)
    return bool(np.array_equal(half, came) and np.allclose(came, due, rtol=2e-2, atol=2e-3))


def _one_factor(came: np.ndarray, due: np.ndarray) -> bool:
    """Whether all entries of each row are off by one factor, as an epsilon makes them, and not by noise."""
    shares = came / np.where(due, due, 1)
    shares = np.where(due != 0, shares, shares.max(-1, keepdims=True) if shares.ndim else shares)
    return bool(shares.size > 1 and (np.ptp(shares, -1) < 1e-12).all())


def _inexact(record: Record, came: np.ndarray, due: np.ndarray) -> bool:
    comparable = due.dtype.kind == came.dtype.kind == "f" and due.shape == came.shape
    if not comparable or (
        due.size > 1 and np.ptp(due) <= 1e-9 * np.abs(due).max()
    ):  # equal entries are all off by one error
        return False
    small = 1e-9 if record.dtype == "float64" else 2e-5
    return not np.allclose(came, due, rtol=small, atol=small / 10)


def hardcoded(group: Group) -> bool:
    """Two calls with different inputs, and different results due, give one result, which is right for neither."""
    shown: dict[tuple[str, str, tuple[int, ...]], list[tuple[np.ndarray, np.ndarray]]] = {}
    for record in group.failing:
        for key in record.wrong:
            if key.what == "value" and record.due[key].size > 1:
                label = (record.target(key.step), key.name, record.came[key].shape)
                shown.setdefault(label, []).append((record.came[key], record.due[key]))
    equal = [
        np.array_equal(came, other)
        for pairs in shown.values()
        for number, (came, due) in enumerate(pairs)
        for other, another in pairs[:number]
        if due.shape != another.shape or not np.allclose(due, another)
    ]
    short = all(
        key.what != "value" or record.due[key].dtype.kind in "iu"
        for record in group.failing
        for key in record.wrong
    )
    return len(equal) >= (3 if short else 1) and all(equal)  # short sentences may be equal by chance


def broadcast(group: Group) -> bool:
    """Shapes that do not fit, and where sizes happen to be equal, a result: of the wrong shape, or wrong."""
    steps = [raised for record in group.failing for raised in record.raised.values()]
    raised = [one for one in steps if one.during != "backward"]  # there it is the question that does not fit
    if any(not any(words in one.message for words in MISFIT) for one in raised):
        return False
    shaped = [record for record in group.failing if _grown(record) and not _swapped(record)]
    return bool(shaped) or (bool(raised) and any(_of_inputs(record) for record in group.failing))


def _of_inputs(record: Record) -> bool:
    """Whether something wrong came, all of whose axes are as long as one of the inputs' axes."""
    lengths = {call.into: {1}.union(*record.shapes(call)) for call in record.amiss}
    return any(set(record.came[key].shape) <= lengths.get(key.step, set()) for key in record.wrong)


def _grown(record: Record) -> bool:
    """Whether a result has an axis more, or one that was 1 or is another's length."""
    return any(
        came.ndim > due.ndim and came.size > due.size and set(came.shape) <= {*due.shape, 1}
        for came, due in record.pairs()
    )


def swapped(group: Group) -> bool:
    """Two results, each of which is the other one's."""
    return bool(group.failing) and all(map(_swapped, group.failing))


def _swapped(record: Record) -> bool:
    steps = [step for step in record.program.steps if isinstance(step, model.Call) and len(step.outputs) == 2]
    pairs = [tuple(Key(step.into, "value", name) for name in step.outputs) for step in steps]
    return bool(pairs) and all(
        one in record.came
        and other in record.came
        and evidence.same(record.came[one], record.due[other], record.dtype)
        and evidence.same(record.came[other], record.due[one], record.dtype)
        for one, other in pairs
    )


def squeezed(group: Group) -> bool:
    """Only inputs with an axis of one entry fail, for their shapes: axes are lost, or no longer fit."""
    raised = [raised for record in group.failing for raised in record.raised.values()]
    own = any(
        one.type == "AssertionError"
        or one.code.startswith("raise ")
        or "invalid for input of size" in one.message
        for one in raised
    )
    return only(single)(group) and not own and all(record.raised or _lost(record) for record in group.failing)


def _lost(record: Record) -> bool:
    """Whether an axis is gone; a scalar has none to show."""
    wrong = [(record.came[key], record.due[key]) for key in record.wrong]
    return any(came.ndim < due.ndim or due.ndim == 0 for came, due in wrong)


def changes(group: Group) -> bool:
    """An input is not as before after a call, somewhere."""
    return any(record.changed for record in group.failing)


def cut(group: Group) -> bool:
    """All values are right, and gradients, which are numbers, are not: a part of the graph is missing. Where a
    backward is written by hand, it may as well be wrong."""
    wrong = [key for record in group.failing for key in record.wrong]
    return (
        bool(wrong)
        and any(alone(record) for record in group.failing)
        and all(key.what == "gradient" for key in wrong)
        and not any(record.raised for record in group.failing)
        and all(np.isfinite(record.came[key]).all() for record in group.failing for key in record.wrong)
        and (
            not group.whole.own_backward
            or any(
                _stopped(record.came[key], record.due[key])
                for record in group.failing
                for key in record.wrong
            )
        )
    )


def _stopped(came: np.ndarray, due: np.ndarray) -> bool:
    """Whether some of a gradient is exactly 0 where it is due not to be."""
    return came.shape == due.shape and bool(((came == 0) & (np.abs(due) > 1e-6)).any())


CERTAIN = {"stateful", "random-in-eval", "modifies-input"}  # as sure as a symptom: they were tried or seen
PATTERNS: Mapping[str, Pattern] = {
    "softmax-unstable": only(extreme),
    "squeeze-drops-dim": squeezed,
    "ignores-batch": mixed,
    "dtype-hardcoded": rounded,
    "stateful": stateful,
    "random-in-eval": random,
    "hardcoded-answer": hardcoded,
    "silent-broadcast": broadcast,
    "returns-swapped": swapped,
    "detached-graph": cut,
    "modifies-input": changes,
}
