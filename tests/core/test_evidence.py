"""What steps showed, as named arrays, and when two of them say the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograder import evidence, model, wire
from autograder.evidence import Key
from tests.core.tools import asked, call, shown, tensor

NAN, INF = float("nan"), float("inf")
Y = np.array([[1.0, -2.0], [3.0, 0.5]])
STEPS = (
    call("f", "x", into="one"),
    call("f", "x", into="two", outputs=("a", "b"), wrt=("x",), cotangents=(None, "x")),
    model.State("state", "m"),
)


def table(*seen: model.Seen) -> dict[Key, Any]:
    """The arrays of what was seen, as lists."""
    program = asked("case", STEPS, {}, x=Y).program
    return {key: array.tolist() for key, array in evidence.table(program, seen).items()}


def test_results_gradients_and_parameters_are_named() -> None:
    gradients = {"x": wire.to_array(2 * Y), "m.w": None}
    two = model.Seen("two", model.Sequence("list", (tensor(Y), tensor(-Y))), gradients=gradients)
    state = model.Seen("state", parameters={"w": wire.to_array(3 * Y)})
    assert table(shown("one", Y), two, state) == {
        Key("one", "value", "result"): Y.tolist(),
        Key("two", "value", "a"): Y.tolist(),
        Key("two", "value", "b"): (-Y).tolist(),
        Key("two", "gradient", "x"): (2 * Y).tolist(),
        Key("two", "gradient", "m.w"): 0.0,  # asked for and not there
        Key("state", "parameter", "w"): (3 * Y).tolist(),
    }


@pytest.mark.parametrize(("given_", "kept"), [(True, 1.0), (3, 3.0), (2.5, 2.5)])
def test_numbers_are_arrays_without_axes(given_: Any, kept: float) -> None:
    assert table(model.Seen("one", model.Scalar(given_))) == {Key("one", "value", "result"): kept}


@pytest.mark.parametrize(
    "value",
    [
        None,
        model.Scalar(None),
        model.Scalar("text"),
        model.Opaque("numpy.ndarray"),
        model.Sequence("tuple", (tensor(Y),)),
        model.Tensor(model.Array("bfloat16", (2,), b"\0\0\0\0")),
        model.Tensor(model.Array("float64", (2,), b"", "meta")),
    ],
)
def test_what_is_no_array_is_not_in_the_table(value: Any) -> None:
    assert table(model.Seen("one", value)) == {}


def test_another_number_of_results_than_was_due_is_none() -> None:
    assert table(shown("two", Y)) == {}
    assert table(shown("two", (Y, Y, Y))) == {}


def test_an_empty_tensor_is_a_result() -> None:
    assert table(shown("one", np.zeros((0, 3)))) == {Key("one", "value", "result"): []}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_rounding_does_not_matter_and_what_is_ten_times_as_much_does(dtype: str) -> None:
    relative = evidence.SAME[dtype].relative
    assert evidence.same(Y * (1 + relative / 2), Y, dtype)
    assert not evidence.same(Y * (1 + 3 * relative), Y, dtype)
    assert not evidence.differs(Y * (1 + 3 * relative), Y, dtype)
    assert evidence.differs(Y * (1 + 20 * relative), Y, dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_is_kept_in_single_precision_is_known_again(dtype: str) -> None:
    values = np.random.default_rng(0).normal(size=(5, 7)) * 10.0 ** np.arange(-3, 4)
    assert evidence.kept(values).dtype == np.float32
    assert evidence.same(values, evidence.kept(values), dtype)
    assert evidence.kept(np.array([1, 2])).dtype.kind == "i"
    assert evidence.kept(np.array([True])).dtype == np.bool_
    with np.errstate(all="raise"):
        assert np.isinf(evidence.kept(np.array([1e300]))).all()


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ([NAN, 1.0], [NAN, 1.0], True),
        ([NAN, 1.0], [1.0, NAN], False),
        ([NAN, 1.0], [0.0, 1.0], False),
        ([INF, 1.0], [INF, 1.0], True),
        ([INF, 1.0], [-INF, 1.0], False),
        ([1.0, 2.0], [[1.0, 2.0]], False),
        ([True, False], [True, False], True),
        ([True, False], [True, True], False),
        ([1, 2], [1, 3], False),
        ([1e-14, 0.0], [0.0, 0.0], True),  # what rounding leaves of a 0
        ([1e-3, 0.0], [0.0, 0.0], False),
        (0.0, [0.0, 0.0], True),  # no gradient at all is a gradient of 0
        (0.0, [0.0, 1.0], False),
        (1.0, [1.0, 1.0], False),
        ([[5, 6, 2]], [[5, 6, 2, 0, 0]], True),  # padding at the end
        ([[5, 6, 2]], [[5, 6, 2, 0, 7]], False),
        ([[5, 6, 2, 9]], [[5, 6, 3]], False),
    ],
)
def test_two_answers_that_say_the_same(one: Any, other: Any, alike: bool) -> None:
    pair = np.asarray(one), np.asarray(other)
    assert evidence.same(*pair, "float64") == alike
    assert evidence.differs(*pair, "float64") != alike


def test_a_small_gradient_counts_from_where_rounding_ends() -> None:
    zero, small = np.zeros(3), np.full(3, 1e-7)
    assert evidence.same(small, zero, "float32", "gradient")
    assert not evidence.same(small, zero, "float64", "gradient")
    assert not evidence.same(np.full(3, 1e-3), zero, "float32", "gradient")


NUMBERS = arrays.arrays(
    np.float64, st.tuples(st.integers(0, 3), st.integers(1, 3)), elements=st.floats(width=64)
)


@settings(max_examples=100, deadline=None)
@given(NUMBERS, NUMBERS, st.sampled_from(["float64", "float32"]))
def test_what_is_the_same_does_not_differ(one: np.ndarray, other: np.ndarray, dtype: str) -> None:
    assert evidence.same(one, one, dtype)
    assert not evidence.differs(one, one, dtype)
    assert not (evidence.same(one, other, dtype) and evidence.differs(one, other, dtype))
