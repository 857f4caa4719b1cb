"""What the failing cases have in common, and the passing ones don't."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from autograder import protocol
from autograder.feedback.diagnose import batch
from autograder.feedback.diagnose.case_record import CaseRecord
from autograder.feedback.diagnose.repeatability import alone, random, stateful
from autograder.feedback.diagnose.submission_records import CallGroup, SubmissionRecords
from autograder.judge import same_answer
from autograder.judge.result_tables import Key

Pattern = Callable[[CallGroup], bool]
MISFIT = ("must match the size", "not broadcastable", "expanded size", "shape mismatch", "output with shape")


def causes(submission: SubmissionRecords, cases: Iterable[str]) -> set[str]:
    """Return the causes that explain which cases of the same calls as ``cases`` fail, and which pass."""
    targets = submission.targets(cases)
    if targets not in submission.patterns:
        group = CallGroup(submission.failing_of(targets), submission.passing_of(targets), submission)
        found = {cause for cause, pattern in PATTERNS.items() if pattern(group)}
        submission.patterns[targets] = found - ({"stateful"} if "modifies-input" in found else set())
    return submission.patterns[targets]


def only(trait: Callable[[CaseRecord], bool]) -> Pattern:
    """Return the pattern: all failing cases have a trait, and some passing case does not have it."""
    return lambda group: all(map(trait, group.failing)) and not all(map(trait, group.passing))


def extreme(record: CaseRecord) -> bool:
    """Whether the inputs make large scores."""
    return record.extreme


def single(record: CaseRecord) -> bool:
    """Whether an input has an axis of length 1."""
    return any(1 in shape for call in record.wrong_calls for shape in record.shapes(call))


def rounded(group: CallGroup) -> bool:
    """Whether results are right only up to single or half precision, less than that of the inputs."""
    if any(record.raised for record in group.failing):
        return False
    plain = [record for record in group.failing if not record.extreme]
    pairs = [(record, *pair) for record in plain for pair in record.pairs() if _inexact(record, *pair)]
    coarse = [_coarse(*pair) for pair in pairs if not _one_factor(*pair[1:])]
    return bool(coarse) and all(coarse)


def _coarse(record: CaseRecord, actual: np.ndarray, expected: np.ndarray) -> bool:
    """Whether the error is like that of a narrower dtype: no rounded decimals, and exact where 0 is expected."""
    if actual[expected == 0].any() or any(np.array_equal(np.round(actual, places), actual) for places in range(1, 8)):
        return False
    if record.dtype == "float64":
        return actual.dtype == np.float64 and np.allclose(actual, expected, rtol=1e-4, atol=1e-5)
    half = actual.astype(np.float16).astype(actual.dtype)
    return bool(np.array_equal(half, actual) and np.allclose(actual, expected, rtol=2e-2, atol=2e-3))


def _one_factor(actual: np.ndarray, expected: np.ndarray) -> bool:
    """Whether one factor explains the error of each row, as an added epsilon makes it, instead of noise."""
    shares = actual / np.where(expected, expected, 1)
    shares = np.where(expected != 0, shares, shares.max(-1, keepdims=True) if shares.ndim else shares)
    return bool(shares.size > 1 and (np.ptp(shares, -1) < 1e-12).all())


def _inexact(record: CaseRecord, actual: np.ndarray, expected: np.ndarray) -> bool:
    comparable = expected.dtype.kind == actual.dtype.kind == "f" and expected.shape == actual.shape
    if not comparable or (
        expected.size > 1 and np.ptp(expected) <= 1e-9 * np.abs(expected).max()
    ):  # equal entries are all off by one error
        return False
    small = 1e-9 if record.dtype == "float64" else 2e-5
    return not np.allclose(actual, expected, rtol=small, atol=small / 10)


class _Pair(NamedTuple):
    """A wrong result, and what was expected."""

    actual: np.ndarray
    expected: np.ndarray

    @property
    def cut_short(self) -> bool:
        """Whether there are fewer words than expected. Short sentences may be equal by chance."""
        words = self.expected.dtype.kind == "i" and self.actual.ndim == self.expected.ndim
        return words and self.actual.size < self.expected.size

    def expects_the_same(self, other: _Pair) -> bool:
        """Whether the same was expected."""
        return self.expected.shape == other.expected.shape and np.allclose(self.expected, other.expected)


def hardcoded(group: CallGroup) -> bool:
    """Whether calls with different expected results give the same result, wrong for both."""
    shown: dict[tuple[str, str, tuple[int, ...]], list[_Pair]] = {}
    for record in group.failing:
        for key in record.wrong:
            if key.what == "value" and record.expected[key].size > 1:
                label = (record.target(key.step), key.name, record.actual[key].shape)
                shown.setdefault(label, []).append(_Pair(record.actual[key], record.expected[key]))
    both = [
        (one, other)
        for pairs in shown.values()
        for one, other in itertools.combinations(pairs, 2)
        if not one.expects_the_same(other)
    ]
    discrete = all(
        key.what != "value" or record.expected[key].dtype.kind in "iub"
        for record in group.failing
        for key in record.wrong
    )
    enough = 3 if discrete else 1  # words and masks may be equal by chance
    whole = sum(not (one.cut_short or other.cut_short) for one, other in both)
    return whole >= enough and all(np.array_equal(one.actual, other.actual) for one, other in both)


def broadcast(group: CallGroup) -> bool:
    """Whether shapes that do not match are combined. It raises, or sizes are equal by chance and results are wrong."""
    steps = [raised for record in group.failing for raised in record.raised.values()]
    raised = [one for one in steps if one.during != "backward"]  # there the cotangent does not fit
    if any(not any(words in one.message for words in MISFIT) for one in raised):
        return False
    taller = [record for record in group.failing if _taller(record) and not _swapped(record)]
    grown = bool(taller) and all(map(_grown, taller))
    return grown or (bool(raised) and any(_of_inputs(record) for record in group.failing))


def _of_inputs(record: CaseRecord) -> bool:
    """Whether some wrong result has only axes that are as long as an axis of the inputs."""
    lengths = {call.into: {1}.union(*record.shapes(call)) for call in record.wrong_calls}
    return any(set(record.actual[key].shape) <= lengths.get(key.step, set()) for key in record.wrong if _is_array(key))


def _is_array(key: Key) -> bool:
    """Whether a result is one of the expected arrays. A wrong number of results, or a text, has no other to compare."""
    return key.what != "structure"


def _taller(record: CaseRecord) -> bool:
    """Whether a result has more axes than expected, and more entries."""
    return bool(_taller_pairs(record))


def _grown(record: CaseRecord) -> bool:
    """Whether results that are taller are made of the expected lengths and 1."""
    return all(set(actual.shape) <= {*expected.shape, 1} for actual, expected in _taller_pairs(record))


def _taller_pairs(record: CaseRecord) -> list[tuple[np.ndarray, np.ndarray]]:
    pairs = record.pairs()
    return [
        (actual, expected) for actual, expected in pairs if actual.ndim > expected.ndim and actual.size > expected.size
    ]


def swapped(group: CallGroup) -> bool:
    """Whether two results are exchanged in every failing case."""
    return bool(group.failing) and all(map(_swapped, group.failing))


def _swapped(record: CaseRecord) -> bool:
    steps = [step for step in record.program.steps if isinstance(step, protocol.Call) and len(step.outputs) == 2]
    pairs = [tuple(Key(step.into, "value", name) for name in step.outputs) for step in steps]
    return bool(pairs) and all(
        one in record.actual
        and other in record.actual
        and same_answer.same(record.actual[one], record.expected[other], record.dtype)
        and same_answer.same(record.actual[other], record.expected[one], record.dtype)
        for one, other in pairs
    )


def squeezed(group: CallGroup) -> bool:
    """Whether only inputs with an axis of length 1 fail, because an axis is lost."""
    raised = [raised for record in group.failing for raised in record.raised.values()]
    own = any(
        one.type == "AssertionError" or one.code.startswith("raise ") or "invalid for input of size" in one.message
        for one in raised
    )
    return only(single)(group) and not own and all(_stops(record) or _lost(record) for record in group.failing)


def _stops(record: CaseRecord) -> bool:
    """Whether a step raises. By the backward pass, the shapes have fit."""
    return any(raised.during != "backward" for raised in record.raised.values())


def _lost(record: CaseRecord) -> bool:
    """Whether a wrong result lost an axis, or is a scalar, which has none to lose."""
    wrong = [(record.actual[key], record.expected[key]) for key in record.wrong if _is_array(key)]
    if any(actual.shape == expected.shape and np.isnan(actual).any() for actual, expected in wrong):
        return False  # 0 / 0, with one position, loses no axis
    return any(actual.ndim < expected.ndim or expected.ndim == 0 for actual, expected in wrong)


def changes(group: CallGroup) -> bool:
    """Whether a failing case changes an input."""
    return any(record.changed for record in group.failing)


def cut(group: CallGroup) -> bool:
    """Whether all values are right and finite gradients are wrong: a part of the graph is missing. A backward pass that
    is written by hand may also be wrong, so there some gradient must be 0."""
    if any(record.raised for record in group.failing) or not any(map(alone, group.failing)):
        return False
    keys = [(record, key) for record in group.failing for key in record.wrong]
    if not keys or any(key.what != "gradient" for _, key in keys):
        return False
    wrong = [(record.actual[key], record.expected[key]) for record, key in keys]
    finite = all(np.isfinite(actual).all() for actual, _ in wrong)
    return finite and (not group.submission.own_backward or any(_stopped(*pair) for pair in wrong))


def _stopped(actual: np.ndarray, expected: np.ndarray) -> bool:
    """Whether a part of a gradient is exactly 0 where it must not be."""
    return actual.shape == expected.shape and bool(((actual == 0) & (np.abs(expected) > 1e-6)).any())


CERTAIN = {"stateful", "random-in-eval", "modifies-input"}  # as certain as a symptom: a rerun or the worker shows them
PATTERNS: Mapping[str, Pattern] = {
    "softmax-unstable": only(extreme),
    "squeeze-drops-dim": squeezed,
    "ignores-batch": batch.mixed,
    "dtype-hardcoded": rounded,
    "stateful": stateful,
    "random-in-eval": random,
    "hardcoded-answer": hardcoded,
    "silent-broadcast": broadcast,
    "returns-swapped": swapped,
    "detached-graph": cut,
    "modifies-input": changes,
}
