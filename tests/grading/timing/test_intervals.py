"""Confidence intervals of ratios and growth, and the verdicts that follow."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.grading.timing import intervals

ratios = st.floats(1e-3, 1e3)
samples = st.lists(st.floats(-100, 100), min_size=intervals.FEWEST, max_size=40)
sizes = st.lists(st.integers(1, 5000), min_size=2, max_size=6, unique=True)


@given(samples)
def test_the_interval_contains_the_mean(values: list[float]) -> None:
    found = intervals.interval(values)
    assert found.low <= found.middle <= found.high
    assert found.middle == pytest.approx(statistics.fmean(values), abs=1e-9)


@given(samples, st.integers(2, 5))
def test_more_samples_with_the_same_spread_make_it_narrower(values: list[float], times: int) -> None:
    few, many = intervals.interval(values), intervals.interval(values * times)
    assert many.middle == pytest.approx(few.middle, abs=1e-9)
    assert many.high - many.low <= few.high - few.low
    if statistics.stdev(values) > 1e-6:
        assert many.high - many.low < few.high - few.low


@given(samples, st.floats(1.5, 10))
def test_a_wider_spread_makes_it_wider(values: list[float], factor: float) -> None:
    narrow, wide = intervals.interval(values), intervals.interval([factor * value for value in values])
    assert wide.high - wide.low == pytest.approx(factor * (narrow.high - narrow.low), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("count", "student"), [(3, 9.925), (4, 5.841), (10, 3.250)])
def test_the_interval_is_that_of_the_textbook(count: int, student: float) -> None:
    """Student's t, two-sided 99 %."""
    values = [float(n) for n in range(count)]
    found = intervals.interval(values)
    assert found.high - found.middle == pytest.approx(student * statistics.stdev(values) / math.sqrt(count))


@given(st.lists(ratios, min_size=intervals.FEWEST, max_size=20), st.floats(0.01, 100))
def test_ratios_of_another_scale_give_the_interval_on_that_scale(values: list[float], scale: float) -> None:
    one, other = intervals.ratio_interval(values), intervals.ratio_interval([scale * value for value in values])
    for bound in ("low", "middle", "high"):
        assert math.log(getattr(other, bound)) == pytest.approx(
            math.log(getattr(one, bound)) + math.log(scale), abs=1e-6
        )


@given(ratios)
def test_twice_as_fast_and_twice_as_slow_cancel(ratio: float) -> None:
    assert intervals.ratio_interval([ratio / 2, ratio, 2 * ratio]).middle == pytest.approx(ratio)


@given(st.lists(ratios, max_size=intervals.FEWEST - 1), ratios)
def test_few_samples_decide_nothing(values: list[float], limit: float) -> None:
    found = intervals.interval(values)
    assert (found.low, found.high) == (-math.inf, math.inf)
    assert intervals.verdict(found, limit) == "inconclusive"


@given(ratios, ratios, ratios, ratios)
def test_a_verdict_needs_all_of_the_interval_on_one_side(a: float, b: float, c: float, limit: float) -> None:
    low, middle, high = sorted((a, b, c))
    actual = intervals.verdict(intervals.Interval(low, middle, high), limit)
    assert (actual == "within") == (high <= limit)
    assert (actual == "over") == (low > limit)
    assert (actual == "inconclusive") == (low <= limit < high)


@given(sizes, st.floats(-2, 3), ratios)
def test_costs_that_grow_by_a_power_give_that_power(lengths: list[int], power: float, factor: float) -> None:
    found = intervals.growth({size: factor * size**power for size in lengths})
    assert found == pytest.approx(power, abs=1e-6)


def test_a_constant_factor_is_no_growth() -> None:
    assert intervals.growth({10: 4.0, 100: 4.0, 1000: 4.0}) == pytest.approx(0)


@pytest.mark.parametrize(
    ("middle", "half", "count", "futile"),
    [
        (5.1, 1.0, intervals.TRIED, True),
        (5.1, 1.0, intervals.TRIED - 1, False),
        (5.2, 1.0, intervals.TRIED, False),
        (5.2, 1.0, 20, True),
        (4.9, 1.0, intervals.TRIED, True),
        (5.0, math.inf, intervals.TRIED, True),
    ],
)
def test_measuring_is_futile_near_the_limit(middle: float, half: float, count: int, futile: bool) -> None:
    """After 8 of 20 samples a half of 1 becomes 0.63, of which a quarter is 0.16."""
    figure = intervals.Interval(middle - half, middle, middle + half)
    assert intervals.is_futile(figure, 5.0, count, 20) is futile


def test_logarithms_of_an_interval() -> None:
    assert intervals.logs(intervals.Interval(0.0, 1.0, math.e)) == intervals.Interval(-math.inf, 0.0, 1.0)
