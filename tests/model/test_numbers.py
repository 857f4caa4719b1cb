"""Points as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.model.numbers import half_up, whole_cents

POINTS = st.lists(st.floats(0, 50, allow_nan=False), max_size=60)


@given(POINTS)
def test_points_in_cents_keep_their_sum_and_each_its_place(points: list[float]) -> None:
    cents = whole_cents(points)
    assert sum(cents) == pytest.approx(half_up(sum(points)), abs=1e-9)
    assert all(abs(one - other) < 0.01 + 1e-9 for one, other in zip(cents, points, strict=True))
    assert all(half_up(one) == one for one in cents)


def test_the_largest_remainders_get_what_is_left() -> None:
    assert whole_cents([10 / 3, 10 / 3, 10 / 3]) == [3.34, 3.33, 3.33]
    assert whole_cents([0.004, 0.009, 0.007]) == [0.0, 0.01, 0.01]
    assert whole_cents([2.5, 4.0]) == [2.5, 4.0]
