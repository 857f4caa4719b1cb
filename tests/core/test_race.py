"""Who is too slow, by costs that are made up."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from autograder import model, timing
from autograder.race import MOST_BLOCKS, Result, Wrong
from autograder.sandbox.standing import SandboxError
from autograder.transcript import Failure
from tests.core.racing import BUDGET, CALL, EMPTY, Costs, Fake, failing, race, reference, timed


def ran(costs: Costs, what: model.Timed | None = None, budget: float = BUDGET) -> tuple[Result, Fake]:
    """The verdict on a call, and who was asked."""
    student = Fake(costs)
    return race(student, budget=budget).run(what or timed()), student


def in_turn(*costs: float) -> Costs:
    """These costs, again and again: of one question's two calls each."""
    doubled = itertools.cycle([cost for cost in costs for _ in range(2)])
    return lambda size: next(doubled)


# ---------------------------------------------------------------- one call


@pytest.mark.parametrize(
    ("ratio", "due", "blocks"),
    [
        (0.1, "within", 1),
        (2.4, "within", 1),
        (4.5, "within", 3),
        (5.5, "over", 3),
        (14, "over", 3),
        (16, "over", 1),
    ],
)
def test_a_ratio_is_held_to_the_limit(ratio: float, due: str, blocks: int) -> None:
    """Of calls alone: together with the asking, 14 would be 24 to 11."""
    result, student = ran(lambda size: ratio * CALL)
    assert (result.verdict, result.of) == (due, "ratio")
    assert result.figure.middle == pytest.approx(ratio)
    assert len(student.asked) == 1 + 2 * blocks


def test_who_costs_nothing_is_not_infinitely_fast() -> None:
    result, _ = ran(lambda size: -EMPTY / 2)
    assert result.figure.middle == pytest.approx(0.02)


def test_the_hopeless_are_known_early() -> None:
    result, student = ran(lambda size: 30 * CALL)
    assert result.verdict == timing.OVER
    assert result.figure.middle == pytest.approx(30)
    assert len(student.asked) == 3


def test_once_fast_is_not_clear() -> None:
    """One question in ten took much less, or the reference's much more."""
    fast = itertools.chain([CALL] * 2, itertools.repeat(8 * CALL))
    assert ran(lambda size: next(fast))[0].verdict == timing.OVER


def test_once_slow_is_not_hopeless() -> None:
    slow = itertools.chain([100 * CALL] * 2, itertools.repeat(CALL))
    assert ran(lambda size: next(slow))[0].verdict == timing.WITHIN


def test_what_varies_about_the_limit_is_not_decided() -> None:
    result, student = ran(in_turn(3, 9, 9, 3), budget=1e9)
    assert result.verdict == timing.INCONCLUSIVE
    assert result.figure.low < 5 < result.figure.high
    assert len(student.asked) == 1 + 2 * MOST_BLOCKS


def test_nor_when_the_budget_is_spent() -> None:
    _, student = ran(in_turn(2, 9, 9, 2), budget=5 * 4 * EMPTY)
    assert len(student.asked) < 2 * MOST_BLOCKS


def test_who_seems_too_slow_does_not_get_away_by_using_the_budget_up() -> None:
    _, student = ran(in_turn(3, 9, 9, 3), budget=5 * 4 * EMPTY)
    assert len(student.asked) == 1 + 2 * MOST_BLOCKS


def test_no_budget_still_buys_what_a_verdict_needs() -> None:
    assert ran(lambda size: CALL, budget=0.0)[0].verdict == timing.WITHIN


@pytest.mark.parametrize("wasted", [50, 1000, 1e6])
def test_who_is_slow_is_not_saved_by_being_slower_at_times(wasted: float) -> None:
    """One question in five, from the fourth on: the mean would have no bounds, and the budget be gone."""
    result, _ = ran(in_turn(8, 8, 8, wasted, 8))
    assert result.verdict == timing.OVER


# ---------------------------------------------------------------- growth

SIZES = (10, 50, 100)


@pytest.mark.parametrize(("power", "due"), [(0.0, "within"), (0.4, "within"), (0.6, "over"), (1.0, "over")])
def test_growth_is_held_to_the_slack(power: float, due: str) -> None:
    result, _ = ran(lambda size: 3 * CALL * (size / 100) ** power, timed(sizes=SIZES))
    assert result.verdict == due
    if due == "over":
        assert result.of == "exponent"
        assert result.figure.middle == pytest.approx(power)
        assert result.facts["limit"] == 0.5


def test_growth_without_sizes_is_not_looked_at() -> None:
    _, student = ran(lambda size: CALL)
    assert {len(array.data) for asked in student.asked for array in asked.arrays.values()} == {4 * 100}


# ---------------------------------------------------------------- answers


@pytest.mark.parametrize(
    ("student", "symptom"),
    [
        (Fake(lambda size: CALL, factor=3.0), "wrong-values"),
        (Fake(lambda size: CALL, raised=model.Raised("ValueError", (), "")), "raised"),
    ],
)
def test_wrong_answers_are_not_timed(student: Fake, symptom: str) -> None:
    with pytest.raises(Wrong) as wrong:
        race(student).run(timed())
    assert wrong.value.finding.symptom == symptom


def test_no_answer_is_an_error() -> None:
    with pytest.raises(Wrong) as wrong:
        race(failing()).run(timed())
    assert (wrong.value.finding.symptom, wrong.value.finding.status) == ("crashed", "error")


def test_a_worker_that_died_with_its_server_is_our_trouble() -> None:
    lost = reference()
    lost.costing = lambda *_: (Failure("crashed", "error", {"why": "gone"}, ours=True), 0.0)  # type: ignore[method-assign]
    with pytest.raises(SandboxError, match="worker was lost: gone"):
        race(lost).run(timed())


@pytest.mark.parametrize(
    "other", [failing(), Fake(lambda size: CALL, raised=model.Raised("ValueError", (), ""))]
)
def test_a_reference_that_fails_is_our_trouble(other: Fake) -> None:
    with pytest.raises(SandboxError, match="the reference could not be timed"):
        race(reference(), other).run(timed())


def test_both_are_asked_the_same_and_nothing_twice() -> None:
    student, other = reference(), reference()
    race(student, other).run(timed(sizes=SIZES))
    inputs = [array.data for asked in student.asked for array in asked.arrays.values()]
    assert len(set(inputs)) == len(inputs) > 20
    assert student.asked == [asked for asked in other.asked if asked.steps]


@pytest.mark.parametrize(
    ("operations", "passes"), [(("aten::add",), True), (("aten::softmax",), False), ((), False)]
)
def test_one_question_is_watched(operations: tuple[str, ...], passes: bool) -> None:
    allowed = model.Hold("untouched", "out", {"words": ["softmax"], "by": ["double"]})
    student = Fake(lambda size: CALL, operations=operations)
    found: Any = None
    try:
        found = race(student).run(timed(watch="softmax", allowed=allowed))
    except Wrong as wrong:
        found = wrong
    watched = [step for asked in student.asked for step in asked.steps if step.watch]  # type: ignore[union-attr]
    assert [step.watch for step in watched] == ["softmax"]
    assert isinstance(found, Result if passes else Wrong)
