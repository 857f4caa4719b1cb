"""Step results as named arrays, and when two arrays count as the same answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograder import protocol
from autograder.judge import result_tables, same_answer
from autograder.judge.result_tables import Key
from autograder.protocol import wire
from tests.small_suite_helpers import asked, call, shown, tensor

NAN, INF = float("nan"), float("inf")
Y = np.array([[1.0, -2.0], [3.0, 0.5]])
STEPS = (
    call("f", "x", into="one"),
    call("f", "x", into="two", outputs=("a", "b"), wrt=("x",), cotangents=(None, "x")),
    protocol.State("state", "m"),
)


def table(*results: protocol.StepResult) -> dict[Key, Any]:
    """The arrays of step results, as lists."""
    program = asked("case", STEPS, {}, x=Y).program
    return {key: array.tolist() for key, array in result_tables.table(program, results).items()}


def test_results_gradients_and_parameters_are_named() -> None:
    gradients = {"x": wire.to_array(2 * Y), "m.w": None}
    two = protocol.StepResult("two", protocol.Sequence("list", (tensor(Y), tensor(-Y))), gradients=gradients)
    state = protocol.StepResult("state", parameters={"w": wire.to_array(3 * Y)})
    assert table(shown("one", Y), two, state) == {
        Key("one", "value", "result"): Y.tolist(),
        Key("two", "value", "a"): Y.tolist(),
        Key("two", "value", "b"): (-Y).tolist(),
        Key("two", "gradient", "x"): (2 * Y).tolist(),
        Key("two", "gradient", "m.w"): 0.0,  # requested and missing
        Key("state", "parameter", "w"): (3 * Y).tolist(),
    }


@pytest.mark.parametrize(("given_", "kept"), [(True, 1.0), (3, 3.0), (2.5, 2.5)])
def test_numbers_are_arrays_without_axes(given_: Any, kept: float) -> None:
    assert table(protocol.StepResult("one", protocol.Scalar(given_))) == {Key("one", "value", "result"): kept}


@pytest.mark.parametrize(
    "value",
    [
        None,
        protocol.Scalar(None),
        protocol.Scalar("text"),
        protocol.Opaque("numpy.ndarray"),
        protocol.Sequence("tuple", (protocol.Scalar(None), protocol.Scalar(1.0))),
        protocol.Tensor(protocol.Array("bfloat16", (2,), b"\0\0\0\0")),
        protocol.Tensor(protocol.Array("float64", (2,), b"", "meta")),
    ],
)
def test_other_values_are_not_in_the_table(value: Any) -> None:
    assert table(protocol.StepResult("one", value)) == {}


def test_a_wrong_number_of_results_gives_their_shapes() -> None:
    assert table(shown("two", Y)) == {Key("two", "structure", ""): [0, 2, 2, 2]}
    assert table(shown("two", (Y, Y[0], Y))) == {Key("two", "structure", ""): [3, 2, 2, 2, 1, 2, 2, 2, 2]}
    assert table(shown("one", (Y,))) == {Key("one", "structure", ""): [1, 2, 2, 2]}


def test_an_empty_tensor_is_a_result() -> None:
    assert table(shown("one", np.zeros((0, 3)))) == {Key("one", "value", "result"): []}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_rounding_is_the_same_and_ten_times_as_much_differs(dtype: str) -> None:
    relative = same_answer.SAME[dtype].relative
    assert same_answer.same(Y * (1 + relative / 2), Y, dtype)
    assert not same_answer.same(Y * (1 + 3 * relative), Y, dtype)
    assert not same_answer.differs(Y * (1 + 3 * relative), Y, dtype)
    assert same_answer.differs(Y * (1 + 20 * relative), Y, dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_stored_variants_are_recognised(dtype: str) -> None:
    values = np.random.default_rng(0).normal(size=(5, 7)) * 10.0 ** np.arange(-3, 4)
    assert result_tables.as_stored(values).dtype == np.float32
    assert same_answer.same(values, result_tables.as_stored(values), dtype)
    assert result_tables.as_stored(np.array([1, 2])).dtype.kind == "i"
    assert result_tables.as_stored(np.array([True])).dtype == np.bool_
    with np.errstate(all="raise"):
        assert np.isinf(result_tables.as_stored(np.array([1e300]))).all()


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
        ([1e-14, 0.0], [0.0, 0.0], True),  # a 0 after rounding
        ([1e-3, 0.0], [0.0, 0.0], False),
        (0.0, [0.0, 0.0], True),  # no gradient at all is a gradient of 0
        (0.0, [0.0, 1.0], False),
        (1.0, [1.0, 1.0], False),
        ([[5, 6, 2]], [[5, 6, 2, 0, 0]], True),  # padding at the end
        ([[5, 6, 2]], [[5, 6, 2, 0, 7]], False),
        ([[5, 6, 2, 9]], [[5, 6, 3]], False),
    ],
)
def test_two_answers_are_the_same(one: Any, other: Any, alike: bool) -> None:
    pair = np.asarray(one), np.asarray(other)
    assert same_answer.same(*pair, "float64") == alike
    assert same_answer.differs(*pair, "float64") != alike


def test_a_gradient_counts_if_it_is_larger_than_rounding() -> None:
    zero, small = np.zeros(3), np.full(3, 1e-7)
    assert same_answer.same(small, zero, "float32", "gradient")
    assert not same_answer.same(small, zero, "float64", "gradient")
    assert not same_answer.same(np.full(3, 1e-3), zero, "float32", "gradient")


NUMBERS = arrays.arrays(np.float64, st.tuples(st.integers(0, 3), st.integers(1, 3)), elements=st.floats(width=64))


@settings(max_examples=100, deadline=None)
@given(NUMBERS, NUMBERS, st.sampled_from(["float64", "float32"]))
def test_the_same_answers_do_not_differ(one: np.ndarray, other: np.ndarray, dtype: str) -> None:
    assert same_answer.same(one, one, dtype)
    assert not same_answer.differs(one, one, dtype)
    assert not (same_answer.same(one, other, dtype) and same_answer.differs(one, other, dtype))
