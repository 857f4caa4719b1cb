"""Declared calls: classes that take other classes, and draws of corner cases."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder import author, protocol
from autograder.assignments.kit.programs import InputGenerator, ProgramBuilder
from autograder.author import constant, function, integers, lengths, module, normal, token_lists, weights, zeros

INNER = module("Inner", init=["V", "h"], weights={"w": "V h"})
OUTER = module("Outer", init=[INNER, "h", constant("@2*h")], weights={"out": "V 2*h+1"})
CALL = OUTER.call(x=integers("B T", below="V"), returns={"result": "B T V"})


def drawn(one: Any, how: str = "draw", shape: tuple[int, ...] = (4, 7), **sizes: int) -> np.ndarray:
    return np.asarray(getattr(one, how)(InputGenerator("seed", "a", "c"), shape, sizes))


def test_every_axis_gets_a_size_also_one_that_only_a_draw_reads() -> None:
    call = function("f", x=integers("B T", below="V"), n=lengths("B", upto="T+more"), returns={"r": "B"})
    assert call.axes == ["B", "T", "V", "more"]
    assert len(set(call.sizes().values())) == 4


def test_a_constructor_may_take_another_class() -> None:
    assert CALL.axes == ["h", "V", "B", "T"]
    builder = ProgramBuilder(InputGenerator("seed", "a", "c"))
    CALL.once(builder, V=7, h=3)
    inner, outer, call = builder.steps
    assert isinstance(inner, protocol.Make)
    assert isinstance(outer, protocol.Make)
    assert isinstance(call, protocol.Call)
    assert (inner.name, inner.args, outer.args) == ("Inner", [7, 3], [protocol.Ref(inner.into), 3, 6])
    assert builder.arrays[inner.state["w"]].shape == (7, 3)
    assert builder.arrays[outer.state["out"]].shape == (7, 7)
    assert call.name == outer.into == "object"


def test_corner_cases_are_drawn() -> None:
    may_be_empty = drawn(lengths("B", upto="T", least=0), shape=(5,), T=9)
    assert (may_be_empty[0], may_be_empty[-1]) == (9, 0)
    assert drawn(lengths("B", upto="T"), shape=(500,), T=9).min() == 1
    some_zero = drawn(weights("B T"), "blank")
    assert (some_zero == 0).any(1).all()
    np.testing.assert_allclose(some_zero.sum(1), 1)
    whole = drawn(normal("B T"), "whole")
    assert (whole == np.round(whole)).all()
    assert len(np.unique(whole)) < whole.size


def test_lists_are_drawn_for_each_case() -> None:
    call = function("bleu", x=token_lists("N", below=3, upto=8), returns={"r": ""})
    found = []
    for seed in "ab":
        builder = ProgramBuilder(InputGenerator(seed, "a", "c"))
        call.once(builder, N=4)
        (step,) = builder.steps
        assert isinstance(step, protocol.Call)
        (lists,) = step.args
        assert isinstance(lists, list)
        assert len(lists) == 4
        assert all(4 <= len(one) <= 8 and set(one) <= {0, 1, 2} for one in lists)
        found.append(lists)
    assert found[0] != found[1]


F = function("f", x="B T", returns={"r": "B T"})


def test_zeros_are_exact() -> None:
    assert [one.name for one in zeros(F, 1).assertions] == ["shapes", "values", "zeros"]


def test_all_names_of_authors_exist() -> None:
    assert all(hasattr(author, name) for name in author.__all__)
    assert author.__all__ == sorted(author.__all__, key=lambda name: (not name.isupper(), name[0].islower(), name))
