"""Arrays against arrays."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograder import compare, wire

EXACT = compare.Tolerance(0.0, 0.0)
DOUBLE = compare.TOLERANCES["cpu", "float64"]
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
def test_what_came_as_due_is_no_difference(dtype: str, shape: tuple[int, ...]) -> None:
    values = (np.arange(np.prod(shape)) + 1).reshape(shape).astype(dtype)
    assert compare.difference(values, values, EXACT) is None


@settings(max_examples=100, deadline=None)
@given(VALUES, st.sampled_from(["float64", "float32"]))
def test_every_entry_within_tolerance_passes(due: np.ndarray, dtype: str) -> None:
    tolerance = compare.TOLERANCES["cpu", dtype]
    came = due + 0.9 * (tolerance.relative * np.abs(due) + tolerance.of_largest * np.abs(due).max())
    assert compare.difference(came, due, tolerance) is None


@settings(max_examples=200, deadline=None)
@given(VALUES, st.data())
def test_one_entry_outside_is_found_with_its_place(due: np.ndarray, data: st.DataObject) -> None:
    index = tuple(data.draw(st.integers(0, n - 1)) for n in due.shape)
    allowed = DOUBLE.relative * abs(due[index]) + DOUBLE.of_largest * np.abs(due).max()
    step = data.draw(st.sampled_from([3 * allowed + 1e-9, -3 * allowed - 1e-9, 1.0, 1e300, INF, -INF, NAN]))
    came = due.copy()
    came[index] += step
    found = compare.difference(came, due, DOUBLE)
    assert found is not None
    assert (found.wrong, found.total, found.index) == (1, due.size, index)
    assert found.due == due[index]
    np.testing.assert_equal(found.came, came[index])


@settings(max_examples=100, deadline=None)
@given(VALUES, VALUES)
def test_the_worst_of_several_is_told(due: np.ndarray, other: np.ndarray) -> None:
    assume(other.size >= due.size)
    gap = np.resize(other, due.shape)
    found = compare.difference(due + gap, due, EXACT)
    if found is not None:
        assert abs(found.came - found.due) == np.abs((due + gap) - due).max()
        assert found.wrong == ((due + gap) != due).sum()


@pytest.mark.parametrize(
    ("came", "due", "same"),
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
def test_what_is_not_finite_is_never_near_anything(came: Any, due: float, same: bool) -> None:
    one, other = np.array([came, 2.0]), np.array([due, 2.0])
    for tolerance in (EXACT, DOUBLE, compare.Tolerance(1.0, 1.0)):
        assert (compare.difference(one, other, tolerance) is None) == same


ANY = st.one_of(st.sampled_from([0.0, 1e-9, 1.0, 1e300, INF, -INF, NAN]), st.floats(width=32))
PAIRS = arrays.array_shapes(max_dims=2, max_side=3, min_side=0).flatmap(
    lambda shape: st.tuples(*[arrays.arrays(np.float64, shape, elements=ANY)] * 2)
)


@settings(max_examples=300, deadline=None)
@given(PAIRS, st.sampled_from([EXACT, DOUBLE, compare.Tolerance(0.0, 2.0)]), st.sampled_from([0.0, 1.0, 1e9]))
def test_the_short_way_says_what_the_long_way_says(
    pair: tuple[np.ndarray, np.ndarray], tolerance: compare.Tolerance, scale: float
) -> None:
    wrong, _ = compare._floating(*pair, tolerance, scale)
    assert (compare.difference(*pair, tolerance, scale) is None) == (not wrong.any())
    for long in (pair[0], pair[1]):
        found = compare.difference(long, long, tolerance, scale)
        assert (found is None) == (not np.isnan(long).any())


def test_infinities_leave_the_scale_alone() -> None:
    assert compare.difference(np.array([INF, 1.0]), np.array([INF, 2.0]), DOUBLE) is not None


def test_a_wider_scale_than_the_values() -> None:
    came, due = np.array([1e-10]), np.array([0.0])
    assert compare.difference(came, due, DOUBLE) is not None
    assert compare.difference(came, due, DOUBLE, scale=1.0) is None
    assert compare.difference(np.array([1e-8]), due, DOUBLE, scale=1.0) is not None


def test_small_numbers_may_differ_by_a_part_of_the_largest_only() -> None:
    due = np.array([1.0, 0.0])
    assert compare.difference(np.array([1.0, 5e-10]), due, DOUBLE) is None
    assert compare.difference(np.array([1.0, 5e-9]), due, DOUBLE) is not None


@pytest.mark.parametrize(
    ("came", "due", "same"),
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
def test_integers_and_masks_are_compared_exactly(came: list[Any], due: list[Any], same: bool) -> None:
    found = compare.difference(np.array(came), np.array(due), EXACT)
    assert (found is None) == same


@pytest.mark.parametrize(
    ("came", "place"),
    [
        ([[0.0, 5.0], [0.0, 0.0]], None),
        ([[0.0, 5.0], [1e-300, 0.0]], (1, 0)),
        ([[0.0, 5.0], [0.0, NAN]], (1, 1)),
        ([[-0.0, 5.0], [0.0, 0.0]], None),
        ([[0.0, 5.0], [INF, NAN]], (1, 0)),
    ],
)
def test_zeros_are_exact(came: list[list[float]], place: tuple[int, ...] | None) -> None:
    where = np.array([[True, False], [True, True]])
    assert compare.first_nonzero(np.array(came), where) == place


@settings(max_examples=50, deadline=None)
@given(VALUES, st.data())
def test_relaying_moves_entries_along_one_axis(values: np.ndarray, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-values.ndim, values.ndim - 1))
    order = data.draw(st.permutations(range(values.shape[axis])))
    moved = compare.relayed(values, axis, np.array(order))
    assert compare.relayed(moved, axis, np.argsort(order)).tolist() == values.tolist()
    np.testing.assert_array_equal(np.moveaxis(moved, axis, 0)[0], np.moveaxis(values, axis, 0)[order[0]])
