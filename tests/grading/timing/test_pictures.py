"""What is kept of a measurement: the figure as its message says it, and the costs by size."""

from __future__ import annotations

import math
import re
import types
from typing import Any

import msgspec
import pytest

from autograder import model
from autograder.grading.outcomes import Outcomes, no_cause
from autograder.grading.timing import intervals
from autograder.grading.timing.checker import CheckTiming
from autograder.grading.timing.outcomes import TimedOutcomes
from autograder.grading.timing.pictures import speeds
from autograder.grading.timing.verdict import CallTiming
from tests.grading.timing.paired_helpers import CALL, EMPTY, Fake, paired, timed

SIZES = (10, 50, 100, 500)
CHECK = model.Check("speed", "Speed", "timing", 5, (), (), part="double", timed=(timed(),))
HARMLESS = model.Finding("wrong-values", "out")


def call(
    verdict: Any = "within", quantity: Any = "ratio", low: float = 1.0, middle: float = 2.04, high: float = 9.0
) -> CallTiming:
    return CallTiming(timed(), verdict, quantity, intervals.Interval(low, middle, high))


def test_costs_by_size_are_those_of_one_call_in_milliseconds() -> None:
    student = Fake(lambda size: size / 50 * CALL)
    result = paired(student).run(timed(sizes=SIZES, limit=5.0, slack=0.5))
    assert [cost.size for cost in result.costs] == list(SIZES)
    for cost in result.costs:
        assert cost.actual == pytest.approx(1000 * cost.size / 50 * CALL, rel=5e-3)
        assert cost.reference == pytest.approx(1000 * CALL, rel=5e-3)


def test_one_off_costs_are_no_point_of_the_curve() -> None:
    first = iter([1000 * CALL] * 2)
    result = paired(Fake(lambda size: next(first, CALL))).run(timed())
    assert [(cost.size, cost.actual) for cost in result.costs] == [(100, pytest.approx(1000 * CALL))]


def test_what_is_too_small_to_measure_is_no_point() -> None:
    assert paired(Fake(lambda size: -EMPTY / 2)).run(timed()).costs == ()


@pytest.mark.parametrize(
    ("timing", "said", "low", "high"),
    [
        (call(), True, 2.0, 2.0),
        (call("over", middle=1e9), True, 1000.0, 1000.0),
        (call("inconclusive", low=-math.inf, high=math.inf), True, 0.0, 1000.0),
        (call("inconclusive", low=1.26, high=9.04), True, 1.3, 9.0),
        (call("over", "exponent", middle=0.87), True, 0.9, 0.9),
        (call("inconclusive", "exponent", low=0.1, high=0.9), False, 0.1, 0.9),
        (call(middle=math.nan), True, 0.0, 0.0),
    ],
)
def test_the_figure_is_as_messages_say_it(timing: CallTiming, said: bool, low: float, high: float) -> None:
    """Timed inputs are secret. A figure with more digits, or without an end, would say more than the message."""
    [found] = speeds(CHECK, CheckTiming((timing,)), timing)
    assert (found.said, found.low, found.high) == (said, low, high)
    assert found.limit == (0.5 if timing.quantity == "exponent" else 5.0)
    assert msgspec.json.decode(msgspec.json.encode(found), type=model.SpeedPicture) == found


def outcome(timing: CheckTiming) -> tuple[model.Outcome, list[model.SpeedPicture]]:
    """Return the outcome of a check that measured this, and the pictures."""
    checker: Any = types.SimpleNamespace(measure=lambda *_: timing)
    nothing: dict[str, Any] = {}
    suite: Any = types.SimpleNamespace(spec=types.SimpleNamespace(checks=(), assignment="bahdanau"))
    isolation: Any = types.SimpleNamespace(failing=nothing, follows=nothing, session_of=lambda part: None)
    consequences: Any = types.SimpleNamespace(mistakes=nothing, causes=nothing, head=lambda part: None)
    outcomes = Outcomes(suite, {}, isolation, consequences, no_cause)
    made = TimedOutcomes(checker, outcomes, exhausted=False)
    return made.of(CHECK), made.speeds


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ((call(middle=1.5), call(middle=2.5)), [True, False]),
        ((call(middle=1.5), call("inconclusive", low=1.1, high=7.7)), [False, True]),
        ((call(middle=1.5), call("inconclusive", "exponent")), [False, False]),
    ],
)
def test_only_the_figure_that_the_message_says_is_said(results: tuple[CallTiming, ...], said: list[bool]) -> None:
    line, pictures = outcome(CheckTiming(results))
    assert [one.said for one in pictures] == said
    figures = {float(number) for number in re.findall(r"\d+\.\d", line.message)}
    assert {number for one in pictures if one.said for number in (one.low, one.high)} == figures


def test_a_slow_call_is_said_and_a_wrong_answer_says_no_figure() -> None:
    slow = call("over", middle=8.25)
    finding = model.Finding("too-slow", "out", slow.facts | {"operations": [(8, 0), (64, 0)]}, diagnosis="too-slow")
    line, pictures = outcome(CheckTiming((call(), slow), finding))
    assert [(one.said, one.verdict) for one in pictures] == [(False, "within"), (True, "over")]
    assert f"{pictures[1].low:.1f} times" in line.message
    line, pictures = outcome(CheckTiming((call(),), HARMLESS))
    assert [one.said for one in pictures] == [False]
    assert "times" not in line.message
