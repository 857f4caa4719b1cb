"""Comparing arrays."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograder.judge import tolerances
from autograder.protocol import wire

EXACT = tolerances.Tolerance(0.0, 0.0)
DOUBLE = tolerances.TOLERANCES["cpu", "float64"]
NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False)
VALUES = arrays.arrays(np.float64, arrays.array_shapes(max_dims=3, max_side=4), elements=NUMBERS)
NAN, INF = float("nan"), float("inf")


@pytest.fixture(autouse=True)
def _no_warnings() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("dtype", list(wire.DTYPES))
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
def test_equal_arrays_have_no_difference(dtype: str, shape: tuple[int, ...]) -> None:
    values = (np.arange(np.prod(shape)) + 1).reshape(shape).astype(dtype)
    assert tolerances.difference(values, values, EXACT) is None


@settings(max_examples=100, deadline=None)
@given(VALUES, st.sampled_from(["float64", "float32"]))
def test_every_entry_within_tolerance_passes(expected: np.ndarray, dtype: str) -> None:
    tolerance = tolerances.TOLERANCES["cpu", dtype]
    actual = expected + 0.9 * (tolerance.relative * np.abs(expected) + tolerance.of_largest * np.abs(expected).max())
    assert tolerances.difference(actual, expected, tolerance) is None


@settings(max_examples=200, deadline=None)
@given(VALUES, st.data())
def test_one_wrong_entry_is_found_with_its_index(expected: np.ndarray, data: st.DataObject) -> None:
    index = tuple(data.draw(st.integers(0, n - 1)) for n in expected.shape)
    allowed = DOUBLE.relative * abs(expected[index]) + DOUBLE.of_largest * np.abs(expected).max()
    step = data.draw(st.sampled_from([3 * allowed + 1e-9, -3 * allowed - 1e-9, 1.0, 1e300, INF, -INF, NAN]))
    actual = expected.copy()
    actual[index] += step
    found = tolerances.difference(actual, expected, DOUBLE)
    assert found is not None
    assert (found.wrong, found.total, found.index) == (1, expected.size, index)
    assert found.expected == expected[index]
    np.testing.assert_equal(found.actual, actual[index])


@settings(max_examples=100, deadline=None)
@given(VALUES, VALUES)
def test_the_worst_of_several_is_reported(expected: np.ndarray, other: np.ndarray) -> None:
    assume(other.size >= expected.size)
    gap = np.resize(other, expected.shape)
    found = tolerances.difference(expected + gap, expected, EXACT)
    if found is not None:
        assert abs(found.actual - found.expected) == np.abs((expected + gap) - expected).max()
        assert found.wrong == ((expected + gap) != expected).sum()


@pytest.mark.parametrize(
    ("actual", "expected", "same"),
    [
        (NAN, NAN, False),
        (NAN, 0.0, False),
        (0.0, NAN, False),
        (INF, INF, True),
        (-INF, -INF, True),
        (INF, -INF, False),
        (1e308, INF, False),
        (0.0, INF, False),
        (INF, 1.0, False),
        (NAN, INF, False),
        (0.0, -0.0, True),
        (1 + 5j, 1.0, False),
        (1 + 0j, 1.0, True),
        (complex(1, NAN), 1.0, False),
    ],
)
def test_infinities_and_nan_are_never_within_tolerance(actual: Any, expected: float, same: bool) -> None:
    one, other = np.array([actual, 2.0]), np.array([expected, 2.0])
    for tolerance in (EXACT, DOUBLE, tolerances.Tolerance(1.0, 1.0)):
        assert (tolerances.difference(one, other, tolerance) is None) == same


ANY = st.one_of(st.sampled_from([0.0, 1e-9, 1.0, 1e300, INF, -INF, NAN]), st.floats(width=32))
PAIRS = arrays.array_shapes(max_dims=2, max_side=3, min_side=0).flatmap(
    lambda shape: st.tuples(*[arrays.arrays(np.float64, shape, elements=ANY)] * 2)
)


@settings(max_examples=300, deadline=None)
@given(PAIRS, st.sampled_from([EXACT, DOUBLE, tolerances.Tolerance(0.0, 2.0)]), st.sampled_from([0.0, 1.0, 1e9]))
def test_the_fast_path_agrees_with_the_full_comparison(
    pair: tuple[np.ndarray, np.ndarray], tolerance: tolerances.Tolerance, scale: float
) -> None:
    wrong, _ = tolerances._floating(*pair, tolerance, scale)
    assert (tolerances.difference(*pair, tolerance, scale) is None) == (not wrong.any())
    for long in (pair[0], pair[1]):
        found = tolerances.difference(long, long, tolerance, scale)
        assert (found is None) == (not np.isnan(long).any())


def test_infinities_do_not_widen_the_scale() -> None:
    assert tolerances.difference(np.array([INF, 1.0]), np.array([INF, 2.0]), DOUBLE) is not None


def test_a_wider_scale_than_the_values() -> None:
    actual, expected = np.array([1e-10]), np.array([0.0])
    assert tolerances.difference(actual, expected, DOUBLE) is not None
    assert tolerances.difference(actual, expected, DOUBLE, scale=1.0) is None
    assert tolerances.difference(np.array([1e-8]), expected, DOUBLE, scale=1.0) is not None


def test_small_numbers_may_differ_only_by_a_share_of_the_largest() -> None:
    expected = np.array([1.0, 0.0])
    assert tolerances.difference(np.array([1.0, 5e-10]), expected, DOUBLE) is None
    assert tolerances.difference(np.array([1.0, 5e-9]), expected, DOUBLE) is not None


@pytest.mark.parametrize(
    ("actual", "expected", "same"),
    [
        ([1, 2], [1, 2], True),
        ([1, 3], [1, 2], False),
        ([True, False], [True, False], True),
        ([True, True], [True, False], False),
        ([1, 0], [True, False], True),
        ([2, 0], [True, False], False),
        ([1.0, 2.0], [1, 2], True),
        ([1.5, 2.0], [1, 2], False),
        ([NAN, 2.0], [1, 2], False),
        ([2**62, 1], [2**62 + 1, 1], False),
    ],
)
def test_integers_and_masks_are_compared_exactly(actual: list[Any], expected: list[Any], same: bool) -> None:
    found = tolerances.difference(np.array(actual), np.array(expected), EXACT)
    assert (found is None) == same


@pytest.mark.parametrize(
    ("actual", "place"),
    [
        ([[0.0, 5.0], [0.0, 0.0]], None),
        ([[0.0, 5.0], [1e-300, 0.0]], (1, 0)),
        ([[0.0, 5.0], [0.0, NAN]], (1, 1)),
        ([[-0.0, 5.0], [0.0, 0.0]], None),
        ([[0.0, 5.0], [INF, NAN]], (1, 0)),
    ],
)
def test_zeros_are_exact(actual: list[list[float]], place: tuple[int, ...] | None) -> None:
    where = np.array([[True, False], [True, True]])
    assert tolerances.first_nonzero(np.array(actual), where) == place


@pytest.mark.parametrize(
    ("dtype", "largest", "room"), [("float32", 1e4, 2.4e-3), ("float64", 1e4, 0), ("float32", 3, 0)]
)
def test_large_scores_are_known_as_exactly_as_their_dtype_has_them(dtype: str, largest: float, room: float) -> None:
    assert tolerances.condition(dtype, largest) == pytest.approx(room, rel=0.02, abs=1e-6)


def test_scores_that_are_hidden_and_huge_do_not_excuse_everything() -> None:
    assert tolerances.condition("float32", 1e30) == tolerances.MOST_OF_CONDITION
