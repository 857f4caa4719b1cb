"""Input generators and program builders."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder import model, protocol
from autograder.assignments.kit.programs import InputGenerator, ProgramBuilder
from autograder.instructor import oracle

# ---------------------------------------------------------------- drawing


def drawn(*parts: str, attempt: int = 0) -> list[float]:
    """Some numbers of a generator."""
    generator = InputGenerator(*parts, attempt=attempt)
    return [*generator.normal(3), *generator.uniform(2), *generator.integers(2, high=9)]


def test_a_case_gets_the_same_numbers_every_time() -> None:
    assert drawn("seed", "luong", "one") == drawn("seed", "luong", "one")


@pytest.mark.parametrize(
    "other", [("other", "luong", "one"), ("seed", "masking", "one"), ("seed", "luong", "two"), ("seedl", "uong", "one")]
)
def test_other_seeds_assignments_and_cases_get_other_numbers(other: tuple[str, str, str]) -> None:
    assert not set(drawn("seed", "luong", "one")[:5]) & set(drawn(*other)[:5])


def test_another_attempt_gets_other_numbers() -> None:
    assert not set(drawn("s", "t", "c")[:5]) & set(drawn("s", "t", "c", attempt=1)[:5])


@settings(max_examples=50, deadline=None)
@given(st.integers(3, 12), st.text(max_size=5))
def test_a_permutation_keeps_nothing_in_its_place(count: int, seed: str) -> None:
    order = InputGenerator(seed.encode("utf-8", "replace").decode(), "t", "c").permutation(count)
    assert sorted(order) == list(range(count))
    assert (order != np.arange(count)).all()


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 4), st.integers(1, 6), st.floats(0, 1), st.integers())
def test_every_row_of_a_mask_has_both(rows: int, width: int, keep: float, seed: int) -> None:
    mask = InputGenerator(str(seed), "t", "c").mask(rows, width, keep=keep)
    assert mask.any(-1).all()
    assert width == 1 or not mask.all(-1).any()


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.integers(2, 5), st.integers(0, 400))
def test_a_mask_differs_along_every_axis(lead: list[int], width: int, seed: int) -> None:
    """Otherwise a mask that is applied along the wrong axis would not show."""
    mask = InputGenerator(str(seed), "masking", "case").mask(*lead, width)
    for axis, length in enumerate(mask.shape):
        assert length == 1 or not (mask == mask.take([0], axis)).all()


# ---------------------------------------------------------------- writing programs


def test_a_builder_writes_arrays_and_steps() -> None:
    builder = ProgramBuilder(InputGenerator("s", "t", "c"), "float32")
    builder.make("m", "Thing", 3, weights={"w": (2, 3), "v": np.ones(1)}, bias=True)
    x, places = builder.normal("x", 2, 3), builder.array("places", [0, 1])
    outputs = {"a": (2, 3), "b": None, "c": (2,)}
    builder.call("out", "m", x, places, outputs=outputs, wrt=("x",), modules=("m",), back_from=("a",), dim=-1)
    built = builder.program()
    assert {name: array.dtype for name, array in built.arrays.items()} == {
        "m.w": "float32",
        "m.v": "float32",
        "x": "float32",
        "places": "int64",
        "out.cotangent.a": "float32",
    }
    make, out = built.steps
    assert make == protocol.Make("m", "Thing", [3], {"bias": True}, {"w": "m.w", "v": "m.v"})
    assert isinstance(out, protocol.Call)
    assert (out.outputs, out.cotangents, out.kwargs) == (("a", "b", "c"), ("out.cotangent.a", None, None), {"dim": -1})


def test_inputs_for_the_gradients_of_a_later_call() -> None:
    builder = ProgramBuilder(InputGenerator("s", "t", "c"))
    builder.call("first", "f", builder.normal("x", 2), wrt=("x",))
    built = builder.program().named["first"]
    assert isinstance(built, protocol.Call)
    assert (built.wrt, built.cotangents) == (("x",), ())


def test_steps_for_the_reference_are_kept_apart() -> None:
    builder = ProgramBuilder(InputGenerator("s", "t", "c"))
    with builder.for_reference_only():
        builder.call("aside", "f")
    builder.call("out", "f")
    built = builder.program()
    assert ([one.into for one in built.calls], [getattr(one, "into", "") for one in built.reference_steps]) == (
        ["out"],
        ["aside"],
    )


def test_only_the_reference_runs_its_own_steps() -> None:
    shown: list[list[str]] = []

    def build(generator: InputGenerator) -> protocol.Program:
        builder = ProgramBuilder(generator)
        scores, center = builder.normal("scores", 1, 3), builder.array("center", np.array([1.0]))
        builder.call("out", "local_weights", scores, center, 1)
        with builder.for_reference_only():
            builder.call("aside", "local_weights", scores, center, 2)
        return builder.program()

    def is_informative(results: dict[str, protocol.StepResult]) -> bool:
        shown.append([name for name, one in results.items() if one.value is not None])
        return len(shown) == 2  # the numbers that were drawn first will not do

    prepared = oracle.prepare("luong", model.Case("hidden-x", build, is_informative), "seed")
    assert shown == [["out", "aside"]] * 2
    assert [one.into for one in prepared.program.calls] == [one.into for one in prepared.expected_results] == ["out"]
    assert prepared.program.reference_steps == ()
