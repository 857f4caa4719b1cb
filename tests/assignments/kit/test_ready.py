"""Checks from declared calls: the sizes and dtypes of their cases, and slips of authors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from autograder import author, model, protocol
from autograder.assignments.kit.keywords import keywords
from autograder.assignments.kit.programs import InputGenerator, ProgramBuilder
from autograder.author import function, mask, module, normal, size

CALL = function("f", x=normal("B T d"), seen=mask("B T"), returns={"weights": "B T", "y": "B d"})
LAYER = module("Layer", init=["d"], weights={"w": "d d"})
LAYER_CALL = LAYER.call(x="B T d", returns={"y": "B T d"})
ARRAYS = function("g", x="B T d", returns={"y": "B T d"}, numpy=True)
SUMS = function("h", x="B T d", past="B P d", returns={"y": "B A d"}, sizes={"A": "P + T", "d": size(multiple_of=2)})
LOSS = function("step", x="B T", returns={"loss": ""})
MADE = module("Model", init=["T", "h"], weights={"w": "h T"})


def wrong_and_right(builder: ProgramBuilder) -> None:
    """A wrong call and a right one."""
    builder.call("odd", "f", 3)
    builder.call("fine", "f", 4)


def wrong_alone(builder: ProgramBuilder) -> None:
    """A wrong call."""
    builder.make("odd", "Layer", 3)


CHECKS: dict[str, Callable[..., model.Check]] = {
    "values": author.values,
    "shapes": author.shapes,
    "ones": author.ones,
    "gradients": author.gradients,
    "signature": author.signature,
    "row_sums": lambda call, points, **options: author.row_sums(call, points, "weights", **options),
    "blank_rows": lambda call, points, **options: author.blank_rows(call, points, "seen", **options),
    "large": lambda call, points, **options: author.large(call, points, "x", **options),
    "permutation": lambda call, points, **options: author.permutation(call, points, "T", **options),
    "alone": author.alone,
    "shift": lambda call, points, **options: author.shift(call, points, "x", "T", **options),
    "strides": author.strides,
    "stateless": author.stateless,
    "devices": author.devices,
    "forbids": lambda call, points, **options: author.forbids(call, points, "softmax", **options),
}


def programs(check: model.Check) -> list[protocol.Program]:
    """The programs of a check's cases."""
    return [case.build(InputGenerator("seed", "assignment", case.id)) for case in check.cases]


@pytest.mark.parametrize("name", CHECKS)
def test_sizes_hold_wherever_inputs_are_drawn(name: str) -> None:
    check = CHECKS[name](CALL, 5, sizes={"d": 37})
    shapes = {key: array.shape for program in programs(check) for key, array in program.arrays.items()}
    drawn = [shape for key, shape in shapes.items() if key.split("_")[-1] == "x" or key == "moved"]
    assert drawn
    assert {shape[-1] for shape in drawn} == {37}


@pytest.mark.parametrize("name", sorted(CHECKS.keys() - {"shapes", "ones"}))
def test_each_table_of_sizes_makes_a_case(name: str) -> None:
    one, two = CHECKS[name](CALL, 5, sizes={"d": 37}), CHECKS[name](CALL, 5, sizes=[{"d": 37}, {"d": 41}])
    assert len(two.cases) == 2 * len(one.cases)
    assert len({case.id for case in two.cases}) == len(two.cases)


@pytest.mark.parametrize("name", CHECKS)
def test_an_unknown_keyword_is_an_error_with_a_suggestion(name: str) -> None:
    with pytest.raises(TypeError, match=r"takes no size; did you mean sizes\?"):
        CHECKS[name](CALL, 5, size={"d": 37})
    with pytest.raises(ValueError, match=r"sizes names D, but the axes are B, T, d; did you mean d\?"):
        CHECKS[name](CALL, 5, sizes={"D": 37})


def test_the_keywords_of_all_checks_are_known() -> None:
    assert keywords(author.values) == ("call", "points", "draws", "id", "title", "sizes")
    assert "error" in keywords(author.raises)


def test_shapes_are_asked_in_single_precision() -> None:
    assert {program.dtype for program in programs(author.shapes(CALL, 5))} == {"float32"}
    assert {program.dtype for program in programs(author.values(CALL, 5))} == {"float64"}


def test_sizes_of_one_keep_to_the_rules() -> None:
    found = [call.arrays for call in programs(author.ones(SUMS, 5))]
    shapes = [(one["x"].shape, one["past"].shape) for one in found]
    assert [(x[0], x[1], past[1]) for x, past in shapes] == [(1, 3, 5), (5, 1, 7), (7, 11, 1)]
    assert all(x[2] % 2 == 0 for x, _ in shapes)
    fixed = function("f", x="4 d", returns={"y": "4 d"}, sizes={"d": 6})
    with pytest.raises(ValueError, match="no axis of f may have the size 1"):
        author.ones(fixed, 5)


def test_a_timed_call_follows_the_rules() -> None:
    (timed,) = author.speed(SUMS, 5, "T", 100, sizes={"P": 7}).timed
    program = timed.build(InputGenerator("s", "a", "c"), 50, 1)
    assert program.arrays["n0_x"].shape[1] == 50
    (call,) = program.calls
    assert program.arrays["n0_past"].shape[1] == 7
    assert call.outputs == ("y",)
    with pytest.raises(ValueError, match="'A' is no axis that may grow"):
        author.speed(SUMS, 5, "A", 100)
    with pytest.raises(ValueError, match="expected a multiple of 2"):
        author.speed(SUMS, 5, "d", 101)


def test_training_draws_the_sizes_of_the_model_too() -> None:
    (program,) = programs(author.trains(LOSS, 5, MADE, sizes={"h": 6}))
    assert program.arrays["object.w"].shape == (6, program.arrays["x"].shape[1])
    with pytest.raises(ValueError, match="sizes names k"):
        author.trains(LOSS, 5, MADE, sizes={"k": 6})


def test_wrong_calls_stand_beside_right_ones() -> None:
    check = author.raises("errors", 3, "Refuses", wrong_and_right, "odd", error="TypeError")
    assert [(one.name, one.step) for one in check.assertions] == [
        ("raises", "odd"),
        ("shapes", "fine"),
        ("values", "fine"),
    ]
    assert check.cases[0].errors == ("TypeError",)


SLIPS: dict[str, tuple[Callable[[], object], str]] = {
    "no-right-call": (lambda: author.raises("e", 3, "t", wrong_alone, "odd"), "code that always raises would pass"),
    "no-such-step": (
        lambda: author.raises("e", 3, "t", wrong_and_right, "od"),
        "'od' is no step; did you mean odd? Known: odd, fine",
    ),
    "no-such-error": (lambda: author.raises("e", 3, "t", wrong_and_right, "odd", error="ValueEror"), "no built-in"),
    "a-class": (lambda: author.values(LAYER, 5), "declare a call of it: LAYER.call"),  # type: ignore[arg-type]
    "a-text": (lambda: author.values("f", 5), "'f', not a declared call"),  # type: ignore[arg-type]
    "points": (lambda: author.values(CALL, "5"), "has '5' points"),  # type: ignore[arg-type]
    "negative": (lambda: author.values(CALL, -5), "has -5 points"),
    "draw": (lambda: author.values(CALL, 5, draws={"seen": "blnk"}), "the input seen has no blnk draw"),
    "draw-of-none": (lambda: author.values(CALL, 5, draws={"mask": "blank"}), "'mask' is no input"),
    "large-of-mask": (lambda: author.large(CALL, 5, "seen"), "the input seen has no large draw"),
    "large-of-nothing": (lambda: author.large(CALL, 5), 'name an input that gets large numbers: large(CALL, 3, "x")'),
    "forbids-nothing": (lambda: author.forbids(CALL, 5), "name an operation"),
    "result": (lambda: author.row_sums(CALL, 5, "weight"), "'weight' is no result; did you mean weights?"),
    "axis": (lambda: author.permutation(CALL, 5, "t"), "'t' is no axis of an input; did you mean T?"),
    "shifted": (lambda: author.shift(CALL, 5, "x", "K"), "'K' is no axis of x"),
    "numpy-gradients": (lambda: author.gradients(ARRAYS, 5), "which has no such thing"),
    "numpy-devices": (lambda: author.devices(ARRAYS, 5), "which has no such thing"),
    "numpy-forbids": (lambda: author.forbids(ARRAYS, 5, "softmax"), "which has no such thing"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_named_where_it_is_written(slip: str) -> None:
    write, words = SLIPS[slip]
    with pytest.raises((TypeError, ValueError)) as error:
        write()
    assert words in str(error.value)


@pytest.mark.parametrize("name", ["values", "ones", "strides", "stateless", "permutation"])
def test_arrays_of_numpy_have_the_same_checks(name: str) -> None:
    found: Any = {program.library for program in programs(CHECKS[name](ARRAYS, 5))}
    assert found == {"numpy"}


def test_a_class_is_made_with_the_sizes_of_its_calls() -> None:
    for program in programs(author.values(LAYER_CALL, 5, sizes={"d": 37})):
        assert program.arrays["object.w"].shape == (37, 37)
