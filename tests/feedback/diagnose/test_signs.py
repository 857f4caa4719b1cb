"""Each sign sees what only its cause makes, and nothing else."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from autograder import protocol
from autograder.feedback.causes import CAUSES
from autograder.feedback.diagnose import signs
from tests.small_suite_helpers import asked, call, record, softmax

RNG = np.random.default_rng(4)
WIDTH = 7
S = RNG.normal(size=(2, 3, 5))
W = softmax(S)
QUERY = RNG.normal(size=(2, 3, WIDTH))
MASK = np.array([[1, 1, 0, 0, 0], [1, 0, 1, 1, 0], [0, 1, 1, 1, 1]], bool) & np.ones((2, 1, 1), bool)
BLANK = MASK & np.array([True, True, False])[:, None]  # the last row of each sentence is all False
H = RNG.normal(size=(2, 5, 4))
CONTEXT = H.sum(1)
ENTROPY = -(W * np.log(W)).sum(-1)
NAN = float("nan")


def masked(scores: np.ndarray, mask: np.ndarray, fill: float = -np.inf) -> np.ndarray:
    return softmax(np.where(mask, scores, fill))


def positions(power: float = 1.0, start: int = 0, length: int = 6, dim: int = 8) -> np.ndarray:
    angles = (np.arange(length) + start)[:, None] / 10000.0 ** (power * np.arange(0, dim, 2) / dim)
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(length, dim)


def told(
    actual: Any, expected: Any, name: str = "attend", into: str = "out", dtype: str = "float64", **arrays: Any
) -> set[str]:
    """What the signs say of one wrong result of a call."""
    steps: tuple[protocol.Step, ...] = (call(name, *arrays, into=into),)
    if "." in name:
        steps = (protocol.Make("module", name.split(".")[0]), call(f"module.{name.split('.')[1]}", *arrays))
    case = asked("case", steps, {into: expected}, dtype, **arrays)
    return signs.SignMatcher().causes([record(case, {into: actual})])


class Row(NamedTuple):
    """An example: what came, what was due, and whether the sign is seen."""

    sign: str
    what: str
    seen: bool
    actual: Any
    expected: Any
    name: str = "attend"
    arrays: dict[str, Any] = {}


KNOWN = {"scores": S, "mask": MASK}
MASKED = {"mask": MASK}
WEIGHTS = masked(S, MASK)
WITH_BLANK = np.where(BLANK.any(-1, keepdims=True), masked(S, BLANK), 0)
EXAMPLES = [
    Row("softmax-wrong-axis", "the next axis", True, softmax(S, -2), W),
    Row("softmax-wrong-axis", "the first axis", True, softmax(S, 0), W),
    Row("softmax-wrong-axis", "all together", True, softmax(S, (0, 1, 2)), W),
    Row("softmax-wrong-axis", "another temperature", False, softmax(3 * S), W),
    Row("softmax-wrong-axis", "no softmax", False, S, W),
    Row("softmax-wrong-axis", "not finite", False, softmax(S, -2) * NAN, W),
    Row("hard-attention", "a single 1", True, (W.max(-1, keepdims=True) == W).astype(float), W),
    Row("hard-attention", "nearly a single 1", False, softmax(40 * S), W),
    Row("hard-attention", "zeros", False, 0 * W, W),
    Row("hard-attention", "a single 1 elsewhere", False, (W.min(-1, keepdims=True) == W).astype(float), W),
    Row("not-softmax", "a share of what grows", True, (S + 9) / (S + 9).sum(-1, keepdims=True), W),
    Row("not-softmax", "another temperature", False, softmax(2 * S), W),
    Row("not-softmax", "upside down", False, (9 - S) / (9 - S).sum(-1, keepdims=True), W),
    Row("not-softmax", "even", False, np.full_like(W, 0.2), W),
    Row("missing-scale", "the root of the width", True, softmax(S * WIDTH**0.5), W, "a", {"query": QUERY}),
    Row("missing-scale", "another number", False, softmax(S * 2.2), W, "a", {"query": QUERY}),
    Row("missing-scale", "the wrong way", False, softmax(S / WIDTH**0.5), W, "a", {"query": QUERY}),
    Row("wrong-scale", "another number", True, softmax(S * 2.2), W, "a", {"query": QUERY}),
    Row("wrong-scale", "the wrong way", True, softmax(S / WIDTH**0.5), W, "a", {"query": QUERY}),
    Row("wrong-scale", "scores", True, S * 3, S, "Thing.score", {"h": H}),
    Row("wrong-scale", "the root of the width", False, softmax(S * WIDTH**0.5), W, "a", {"query": QUERY}),
    Row("wrong-scale", "upside down", False, softmax(-S), W),
    Row("wrong-scale", "other scores", False, S + 1, S, "Thing.score", {"h": H}),
    Row("mask-inverted", "weights", True, masked(S, ~MASK), WEIGHTS, "attend", MASKED),
    Row("mask-inverted", "a mask", True, ~MASK[0], MASK[0]),
    Row("mask-inverted", "no mask", False, W, WEIGHTS, "attend", MASKED),
    Row("mask-inverted", "a mask moved by one", False, np.roll(MASK[0], 1, -1), MASK[0]),
    Row("mask-leaks", "known scores", True, masked(S, MASK, -3.0), WEIGHTS, "masked_softmax", KNOWN),
    Row("mask-leaks", "added to scores", True, softmax(S - 4 * ~MASK), WEIGHTS, "masked_softmax", KNOWN),
    Row("mask-leaks", "scores unknown", True, masked(S, MASK, -3.0), WEIGHTS, "attend", MASKED),
    Row(
        "mask-leaks",
        "shares that no fill explains",
        False,
        0.9 * WEIGHTS + 0.05 * ~MASK,
        WEIGHTS,
        "masked_softmax",
        KNOWN,
    ),
    Row("mask-leaks", "weights cut off", False, W * MASK, WEIGHTS, "attend", MASKED),
    Row("mask-leaks", "otherwise divided", False, softmax(2 * S), WEIGHTS, "attend", MASKED),
    Row("mask-leaks", "nothing masked", False, softmax(S - 4 * ~MASK), W, "attend"),
    Row("wrong-frequency", "twice the exponent", True, positions(2), positions(), "sinusoidal_positions"),
    Row("wrong-frequency", "from 1", False, positions(start=1), positions(), "sinusoidal_positions"),
    Row("wrong-frequency", "cosines first", False, positions()[:, ::-1], positions(), "sinusoidal_positions"),
    Row("wrong-frequency", "another function", False, positions(2), positions(), "table"),
    Row(
        "nan-on-masked-row",
        "there",
        True,
        np.where(WITH_BLANK.any(-1, keepdims=True), WITH_BLANK, NAN),
        WITH_BLANK,
        "attend",
        {"mask": BLANK},
    ),
    Row("nan-on-masked-row", "everywhere", False, WITH_BLANK * NAN, WITH_BLANK, "attend", {"mask": BLANK}),
    Row(
        "nan-on-masked-row", "no mask", False, np.where(WITH_BLANK.any(-1, keepdims=True), WITH_BLANK, NAN), WITH_BLANK
    ),
    Row(
        "uniform-on-masked-row",
        "there",
        True,
        np.where(WITH_BLANK.any(-1, keepdims=True), WITH_BLANK, 0.2),
        WITH_BLANK,
        "attend",
        {"mask": BLANK},
    ),
    Row(
        "uniform-on-masked-row",
        "and wrong elsewhere",
        False,
        np.where(WITH_BLANK.any(-1, keepdims=True), masked(2 * S, BLANK), 0.2),
        WITH_BLANK,
        "attend",
        {"mask": BLANK},
    ),
    Row("uniform-on-masked-row", "no such row", False, masked(2 * S, MASK), WEIGHTS, "attend", MASKED),
    Row("wrong-log-base", "bits", True, ENTROPY / np.log(2), ENTROPY, "attention_entropy"),
    Row("wrong-log-base", "decimal", True, ENTROPY / np.log(10), ENTROPY, "attention_entropy"),
    Row("wrong-log-base", "another factor", False, ENTROPY / 2, ENTROPY, "attention_entropy"),
    Row("wrong-log-base", "another function", False, ENTROPY / np.log(2), ENTROPY, "attend"),
    Row("mean-not-sum", "by how many", True, CONTEXT / 5, CONTEXT, "attend", {"h": H}),
    Row("mean-not-sum", "by another number", False, CONTEXT / 5.5, CONTEXT, "attend", {"h": H}),
    Row("mean-not-sum", "weights", False, W / 5, W, "attend", {"h": H}),
    Row("ignores-batch", "the first one's", True, np.broadcast_to(CONTEXT[:1], CONTEXT.shape), CONTEXT),
    Row("ignores-batch", "the first one's, and wrong", False, np.broadcast_to(CONTEXT[:1] + 1, CONTEXT.shape), CONTEXT),
    Row("ignores-batch", "each its own", False, CONTEXT + 1, CONTEXT),
    Row("ignores-batch", "constant", False, np.ones_like(CONTEXT), CONTEXT),
    Row("hardcoded-answer", "even weights", True, np.full_like(W, 0.2), W),
    Row("hardcoded-answer", "zeros", True, 0 * CONTEXT, CONTEXT),
    Row("hardcoded-answer", "other numbers", False, CONTEXT[::-1], CONTEXT),
    Row("hardcoded-answer", "rows of one entry", False, 0 * CONTEXT[..., :1], CONTEXT[..., :1]),
    Row("hardcoded-answer", "ones: weights over a single one", False, np.ones_like(W), W),
]


@pytest.mark.parametrize("row", EXAMPLES, ids=lambda row: f"{row.sign}: {row.what}")
def test_a_sign_sees_what_its_cause_makes_and_nothing_else(row: Row) -> None:
    said = told(row.actual, row.expected, row.name, **row.arrays)
    assert (row.sign in said) == row.seen, said


def test_every_sign_has_both_sorts_of_examples_and_is_a_cause() -> None:
    both = {sign for sign in signs.SIGNS if {row.seen for row in EXAMPLES if row.sign == sign} == {True, False}}
    assert both == set(signs.SIGNS) <= set(CAUSES)


@pytest.mark.parametrize("row", [row for row in EXAMPLES if row.seen], ids=lambda row: f"{row.sign}: {row.what}")
def test_where_a_result_is_right_no_sign_is_seen(row: Row) -> None:
    assert told(row.expected, row.expected, row.name, **row.arrays) == set()


def test_another_result_without_a_sign_speaks_against_it() -> None:
    """Seen in one case and contradicted in another, a sign tells nothing; in one that can't tell, it stands."""
    wrong = record(asked("one", call("attend"), {"out": W}), {"out": softmax(S, 0)})
    for actual, expected, seen in ((softmax(3 * S), W, False), (CONTEXT + 1, CONTEXT, True), (W, W, True)):
        other = record(asked("other", call("attend"), {"out": expected}), {"out": actual})
        said = signs.SignMatcher().causes([wrong, other])
        assert ("softmax-wrong-axis" in said) == seen


def test_extreme_scores_and_other_shapes_give_no_sign() -> None:
    assert told(softmax(S, 0), W, scores=1e4 * S) == set()
    assert told(softmax(S, 0)[..., None], W) == set()
    assert told(softmax(S, 0).sum(-1), W) == set()


@st.composite
def scores(draw: st.DrawFn) -> np.ndarray:
    """Scores of some shape, with two axes of more than one entry at least."""
    shape = draw(st.lists(st.integers(2, 6), min_size=2, max_size=4))
    return np.random.default_rng(draw(st.integers(0, 2**32))).normal(size=shape)


@settings(max_examples=80, deadline=None)
@given(scores(), st.data(), st.sampled_from(["float64", "float32"]))
def test_a_softmax_along_another_axis_is_always_seen(given_: np.ndarray, data: st.DataObject, dtype: str) -> None:
    axis = data.draw(st.integers(-given_.ndim, -2))
    actual = softmax(given_, axis).astype(dtype)
    assert "softmax-wrong-axis" in told(actual, softmax(given_), dtype=dtype, scores=given_)


@settings(max_examples=80, deadline=None)
@given(scores(), st.floats(0.05, 5))
def test_a_temperature_is_always_the_slope(given_: np.ndarray, factor: float) -> None:
    assume(abs(factor - 1) > 2 * signs.SCALED)
    case = asked("case", call("attend", "scores"), {"out": softmax(given_)}, scores=given_)
    one = record(case, {"out": softmax(factor * given_)})
    assume(one.wrong and min(softmax(factor * given_).min(), softmax(given_).min()) > 1e-9)
    slope = signs.WrongResult(one, one.wrong[0]).slope
    assert slope == pytest.approx(factor, rel=1e-3)
    assert "wrong-scale" in signs.SignMatcher().causes([one])
    assert not {"missing-scale", "not-softmax", "softmax-wrong-axis"} & signs.SignMatcher().causes([one])


@settings(max_examples=80, deadline=None)
@given(scores(), st.booleans(), st.sampled_from(["float64", "float32"]))
def test_a_right_answer_gives_no_sign(given_: np.ndarray, hidden: bool, dtype: str) -> None:
    mask = np.random.default_rng(0).random(given_.shape) > 0.4 if hidden else np.ones(given_.shape, bool)
    expected = softmax(np.where(mask, given_, -np.inf))
    assert told(expected.astype(dtype), expected, "masked_softmax", dtype=dtype, scores=given_, mask=mask) == set()
