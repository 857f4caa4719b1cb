"""Figures about a class: against NumPy and SciPy's definitions, and where there is nothing to say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograder.report.web import statistics

SHARES = st.floats(0, 1, allow_subnormal=False)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=60))
def test_quartiles_are_in_order_and_among_the_scores(scores: list[float]) -> None:
    found = statistics.summary(scores)
    assert found is not None
    assert min(scores) == found.low <= found.lower <= found.median <= found.upper <= found.high == max(scores)
    assert found.mean == pytest.approx(sum(scores) / len(scores), abs=1e-9)


def test_nobody_has_no_distribution() -> None:
    assert statistics.summary([]) is None
    assert statistics.histogram([], 100, 4) == [0, 0, 0, 0]
    assert statistics.histogram([5.0], 0, 3) == [0, 0, 0]


@given(st.lists(st.floats(-5, 130), max_size=50), st.integers(1, 30))
def test_every_score_is_in_one_bar(scores: list[float], bins: int) -> None:
    assert sum(statistics.histogram(scores, 100, bins)) == len(scores)


def test_a_full_score_is_in_the_last_bar_and_extra_credit_too() -> None:
    assert statistics.histogram([0.0, 24.9, 25.0, 100.0, 120.0], 100, 4) == [2, 1, 0, 2]


@given(arrays.arrays(np.float64, st.integers(2, 40), elements=SHARES))
def test_a_mean_lies_in_its_interval_and_both_in_0_to_1(shares: np.ndarray) -> None:
    found = statistics.mean(shares)
    assert 0 <= found.low <= found.value + 1e-12
    assert found.value - 1e-12 <= found.high <= 1


def test_intervals_narrow_with_the_root_of_the_class() -> None:
    few, many = (statistics.mean(np.tile([0.25, 0.75], count)) for count in (50, 5000))
    assert (few.high - few.low) / (many.high - many.low) == pytest.approx(10, rel=0.01)


@given(arrays.arrays(np.float64, st.tuples(st.just(2), st.integers(4, 40)), elements=st.integers(0, 9).map(float)))
def test_separation_is_the_correlation_within_its_interval(pair: np.ndarray) -> None:
    found = statistics.separation(*pair)
    if pair[0].std() == 0 or pair[1].std() == 0:
        assert found is None
        return
    assert found is not None
    assert found.value == pytest.approx(np.corrcoef(*pair)[0, 1], abs=1e-9)
    assert -1 <= found.low <= found.value + 1e-12
    assert found.value - 1e-12 <= found.high <= 1


def test_what_does_not_vary_or_is_too_small_separates_nobody() -> None:
    assert statistics.separation(np.ones(40), np.arange(40.0)) is None
    assert statistics.separation(np.arange(3.0), np.arange(3.0)) is None
