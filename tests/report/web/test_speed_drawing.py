"""What a check of speed measured as bars and curves, and in words."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from autograder.model import SizeCost, SpeedPicture
from autograder.report.web.speed_drawing import BOTTOM, LABEL, LEFT, RIGHT, TOP, speed_drawing

COSTS = (SizeCost(10, 0.2, 0.1), SizeCost(100, 2.0, 1.0), SizeCost(1000, 20.0, 10.0))
COST = st.floats(1e-6, 1e6)
SIZES = st.lists(st.integers(1, 10**6), unique=True, max_size=16).map(sorted)


def picture(**changes: Any) -> SpeedPicture:
    usual: dict[str, Any] = {
        "quantity": "ratio",
        "verdict": "within",
        "low": 2.0,
        "high": 2.0,
        "limit": 5.0,
        "said": True,
    }
    return SpeedPicture(**{"part": "attend", "check": "speed", "axis": "rows", "size": 1000} | usual | changes)


def test_bars_are_in_proportion() -> None:
    made = speed_drawing(picture())
    reference, returned, limit = float(made.reference), float(made.low), float(made.limit)
    assert returned == pytest.approx(2 * reference, abs=0.1)
    assert limit == pytest.approx(5 * reference, abs=0.1)
    assert (made.low, made.kind) == (made.high, "had")
    assert speed_drawing(picture(verdict="over", low=9.0, high=9.0)).kind == "over"


def test_an_exponent_starts_at_nothing() -> None:
    made = speed_drawing(picture(quantity="exponent", verdict="over", low=1.0, high=1.0, limit=0.5))
    assert (made.reference, float(made.low)) == ("0.0", pytest.approx(2 * float(made.limit), abs=0.2))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "1000 rows: 2.0 times the reference's CPU time; the limit is 5 times"),
        (
            {"verdict": "inconclusive", "low": 1.5, "high": 9.0},
            "1000 rows: between 1.5 and 9.0 times the reference's CPU time; the limit is 5 times",
        ),
        (
            {"quantity": "exponent", "limit": 0.5},
            "rows: the CPU time grows as a power that is 2.0 higher than the reference's; the limit is 0.5",
        ),
    ],
)
def test_the_figure_in_words(changes: dict[str, Any], words: str) -> None:
    made = speed_drawing(picture(said=False, **changes))
    assert (made.text, made.caption) == (words, words)
    assert speed_drawing(picture(**changes)).caption == words.rpartition("; ")[2]  # the message says the rest


def test_costs_that_grow_alike_are_parallel_lines() -> None:
    curve = speed_drawing(picture(costs=COSTS)).curve
    assert curve is not None
    assert [point.x for point in curve.returned] == [point.x for point in curve.reference] == [LEFT, 179, RIGHT]
    gaps = [mine.y - other.y for mine, other in zip(curve.returned, curve.reference, strict=True)]
    assert gaps == pytest.approx([gaps[0]] * 3, abs=0.2)
    assert gaps[0] < 0  # more is higher
    assert curve.limit is not None
    assert (curve.limit.x, curve.limit.text) == (RIGHT, "1000: 50 ms")
    assert "100: 2 ms, the reference 1 ms;" in curve.text
    assert [tick.text for tick in curve.sizes] == ["10", "100", "1000"]


@pytest.mark.parametrize("costs", [(), COSTS[:1], (SizeCost(10, 0.0, 1.0), COSTS[1])])
def test_one_size_is_no_curve(costs: tuple[SizeCost, ...]) -> None:
    assert speed_drawing(picture(costs=costs)).curve is None


def test_only_a_ratio_has_its_limit_on_the_curve() -> None:
    curve = speed_drawing(picture(costs=COSTS, quantity="exponent", limit=0.5)).curve
    assert curve is not None
    assert curve.limit is None


@given(SIZES.flatmap(lambda sizes: st.tuples(*(st.builds(SizeCost, st.just(size), COST, COST) for size in sizes))))
def test_any_costs_lie_on_the_picture(costs: tuple[SizeCost, ...]) -> None:
    size = costs[-1].size if costs else 1
    curve = speed_drawing(replace(picture(costs=costs), size=size)).curve
    assert (curve is None) == (len(costs) < 2)
    if curve:
        for point in (*curve.returned, *curve.reference, *([curve.limit] if curve.limit else [])):
            assert LEFT <= point.x <= RIGHT
            assert TOP <= point.y <= BOTTOM
        labels = [tick.at for tick in curve.sizes if tick.text]
        assert labels[-1] == RIGHT
        assert all(later - earlier >= LABEL for earlier, later in itertools.pairwise(labels))
        assert len(curve.costs) >= 2
