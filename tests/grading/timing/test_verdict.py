"""Which calls are too slow, with invented costs."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from autograder import model, protocol
from autograder.grading.responses import NoAnswer
from autograder.grading.timing.intervals import TRIED
from autograder.grading.timing.paired import WrongAnswer
from autograder.grading.timing.verdict import LOOKS, MAX_BLOCKS, CallTiming
from autograder.protocol.wire import to_numpy
from autograder.sandbox.availability import SandboxError
from tests.grading.timing.paired_helpers import BUDGET, CALL, EMPTY, Costs, Fake, failing, paired, reference, timed


def ran(costs: Costs, what: model.TimedCall | None = None, budget: float = BUDGET) -> tuple[CallTiming, Fake]:
    """Return the timing of a call, and the student's session."""
    student = Fake(costs)
    return paired(student, budget=budget).run(what or timed()), student


def in_turn(*costs: float) -> Costs:
    """Return these costs in turn, each for the two calls of one question."""
    doubled = itertools.cycle([cost for cost in costs for _ in range(2)])
    return lambda size: next(doubled)


# ---------------------------------------------------------------- one call


@pytest.mark.parametrize(
    ("ratio", "expected", "asked"),
    [
        (0.1, "within", 1),
        (1.9, "within", 1),
        (3.2, "within", 6),
        (4.5, "within", 10),
        (5.5, "over", 10),
        (9.9, "over", 10),
        (11, "over", 2),
    ],
)
def test_a_ratio_is_compared_with_the_limit(ratio: float, expected: str, asked: int) -> None:
    """The ratio is of calls alone. With the cost of sending, a ratio of 11 would be 24 to 4."""
    result, student = ran(lambda size: ratio * CALL)
    assert (result.verdict, result.quantity) == (expected, "ratio")
    assert result.figure.middle == pytest.approx(ratio)
    assert len(student.asked) == asked


def test_a_cost_of_nothing_counts_as_a_small_share() -> None:
    result, _ = ran(lambda size: -EMPTY / 2)
    assert result.figure.middle == pytest.approx(0.02)


def test_hopeless_calls_are_decided_early() -> None:
    result, student = ran(lambda size: 30 * CALL)
    assert result.verdict == "over"
    assert result.figure.middle == pytest.approx(30)
    assert [len(asked.calls) for asked in student.asked] == [2, 1]


def test_a_dear_call_is_made_once_more_only() -> None:
    result, student = ran(lambda size: size / 5 * CALL)
    assert (result.verdict, result.figure.middle) == ("over", pytest.approx(20))
    assert [_sizes(asked) for asked in student.asked] == [[100, 100], [100]]


def test_a_call_very_far_over_the_limit_is_made_again_at_half_of_its_size() -> None:
    """The figure is the one at the size that the message names."""
    result, student = ran(lambda size: size**2 / 100 * CALL)
    assert (result.verdict, result.figure.middle) == ("over", pytest.approx(100))
    assert [_sizes(asked) for asked in student.asked] == [[100, 100], [50]]


def test_a_call_must_be_far_over_the_limit_at_half_of_its_size_too() -> None:
    _, student = ran(lambda size: (100 if size == 100 else 1) * CALL)
    assert [_sizes(asked) for asked in student.asked[:3]] == [[100, 100], [50], [100, 100]]


def _sizes(asked: protocol.Program) -> list[int]:
    return [len(to_numpy(array)) for array in asked.arrays.values()]


def test_the_cheapest_of_the_first_questions_decides() -> None:
    """Disturbances only add to a cost, so a cheap answer can't be an accident."""
    result, student = ran(in_turn(9, 9, 1, 9))
    assert result.verdict == "within"
    assert result.figure.middle == pytest.approx(1)
    assert len(student.asked) == 3


@pytest.mark.parametrize("times", [30, 100], ids=["made again", "made again at half of its size"])
def test_one_slow_question_is_not_hopeless(times: int) -> None:
    slow = itertools.chain([times * CALL] * 2, itertools.repeat(CALL))
    assert ran(lambda size: next(slow))[0].verdict == "within"


def test_a_ratio_that_varies_near_the_limit_stays_undecided() -> None:
    result, student = ran(in_turn(9, 9, 4, 4), budget=1e9)
    assert result.verdict == "inconclusive"
    assert result.figure.low < 5 < result.figure.high
    assert len(student.asked) == LOOKS + 1 + 2 * MAX_BLOCKS


def test_a_ratio_that_varies_around_the_limit_is_given_up() -> None:
    """Its mean is so near the limit that further blocks would hardly decide."""
    result, student = ran(in_turn(9, 9, 3, 3), budget=1e9)
    assert result.verdict == "inconclusive"
    assert len(student.asked) == LOOKS + 1 + 2 * TRIED


def test_measuring_stops_when_the_budget_is_spent() -> None:
    _, student = ran(in_turn(9, 9, 2.6, 2.6), budget=5 * 4 * EMPTY)
    assert len(student.asked) < 2 * MAX_BLOCKS


def test_a_call_that_seems_too_slow_cannot_escape_by_using_up_the_budget() -> None:
    _, student = ran(in_turn(9, 9, 4, 4), budget=5 * 4 * EMPTY)
    assert len(student.asked) == LOOKS + 1 + 2 * MAX_BLOCKS


def test_without_a_budget_a_verdict_is_still_reached() -> None:
    assert ran(lambda size: CALL, budget=0.0)[0].verdict == "within"


@pytest.mark.parametrize("wasted", [50, 1000, 1e6])
def test_outliers_do_not_keep_a_slow_call_undecided(wasted: float) -> None:
    """One question in five is an outlier. Without a cap on ratios the interval would be too wide to decide."""
    result, _ = ran(in_turn(8, 8, 8, wasted, 8))
    assert result.verdict == "over"


def test_a_disturbed_question_without_calls_makes_no_slow_call_fast() -> None:
    """The cost of sending is subtracted, so the first ones must not decide. The cost of a call is in turn disturbed."""
    other, student = reference(), Fake(lambda size: 6.5 * CALL)
    dear = itertools.chain([1.9] * 6, itertools.repeat(1.0))  # while the first questions are asked in turns
    other.empty = lambda: EMPTY * next(dear)
    result = paired(student, other).run(timed())
    assert result.verdict == "over"


# ---------------------------------------------------------------- growth

SIZES = (10, 50, 100)


@pytest.mark.parametrize(("power", "expected"), [(0.0, "within"), (0.4, "within"), (0.6, "over"), (1.0, "over")])
def test_growth_is_compared_with_the_slack(power: float, expected: str) -> None:
    result, _ = ran(lambda size: 3 * CALL * (size / 100) ** power, timed(sizes=SIZES))
    assert result.verdict == expected
    if expected == "over":
        assert result.quantity == "exponent"
        assert result.figure.middle == pytest.approx(power)
        assert result.facts["limit"] == 0.5


def test_growth_without_sizes_is_not_measured() -> None:
    _, student = ran(lambda size: CALL)
    assert {len(array.data) for asked in student.asked for array in asked.arrays.values()} == {4 * 100}


# ---------------------------------------------------------------- answers


@pytest.mark.parametrize(
    ("student", "symptom"),
    [
        (Fake(lambda size: CALL, factor=3.0), "wrong-values"),
        (Fake(lambda size: CALL, raised=protocol.Raised("ValueError", (), "")), "raised"),
    ],
)
def test_wrong_answers_are_not_timed(student: Fake, symptom: str) -> None:
    with pytest.raises(WrongAnswer) as wrong:
        paired(student).run(timed())
    assert wrong.value.finding.symptom == symptom


def test_no_answer_is_an_error() -> None:
    with pytest.raises(WrongAnswer) as wrong:
        paired(failing()).run(timed())
    assert (wrong.value.finding.symptom, wrong.value.finding.status) == ("crashed", "error")


def test_a_worker_that_died_with_its_server_is_our_fault() -> None:
    lost = reference()
    lost.ask_with_cost = lambda *_: (NoAnswer("crashed", "error", {"why": "gone"}, fault="ours"), 0.0)  # type: ignore[method-assign]
    with pytest.raises(SandboxError, match="worker was lost: gone"):
        paired(lost).run(timed())


@pytest.mark.parametrize("other", [failing(), Fake(lambda size: CALL, raised=protocol.Raised("ValueError", (), ""))])
def test_a_reference_that_fails_is_our_fault(other: Fake) -> None:
    with pytest.raises(SandboxError, match="the reference could not be timed"):
        paired(reference(), other).run(timed())


def test_the_reference_answers_every_question_and_none_is_asked_twice() -> None:
    student, other = Fake(lambda size: 4 * CALL * (size / 100) ** 0.4), reference()
    paired(student, other).run(timed(sizes=SIZES))
    inputs = [array.data for asked in student.asked for array in asked.arrays.values()]
    assert len(set(inputs)) == len(inputs) > 20
    assert all(asked in other.asked for asked in student.asked)


@pytest.mark.parametrize(("operations", "passes"), [(("aten::add",), True), (("aten::softmax",), False), ((), False)])
def test_one_question_is_observed(operations: tuple[str, ...], passes: bool) -> None:
    allowed = model.Assertion("untouched", "out", {"words": ["softmax"], "by": ["double"]})
    student = Fake(lambda size: CALL, operations=operations)
    found: Any = None
    try:
        found = paired(student).run(timed(watch="softmax", allowed=allowed))
    except WrongAnswer as wrong:
        found = wrong
    watched = [step for asked in student.asked for step in asked.steps if step.watch]  # type: ignore[union-attr]
    assert [step.watch for step in watched] == ["softmax", "softmax"]  # the two calls of one question
    assert isinstance(found, CallTiming if passes else WrongAnswer)
