"""Declared calls: what their axes, inputs and rules give, and slips in them."""

from __future__ import annotations

from typing import Any

import pytest

from autograder.author import Input, constant, function, integers, lengths, module, size


def test_axes_of_draws_and_constants_have_sizes() -> None:
    call = function("f", x=integers("B T", below="V"), n=lengths("B", upto="T"), k=constant("@K"), returns={"y": "B T"})
    assert call.sizes() == {"B": 2, "T": 3, "K": 5, "V": 7}
    assert call.sizes(K=4)["K"] == 4
    own = function("f", x=Input("N", lambda generator, shape, sizes: shape, uses=("V",)), returns={"y": "N"})
    assert own.axes == ["N", "V"]


def test_an_axis_can_be_a_sum_of_products() -> None:
    call = function("f", x="B P d", y=integers("B N", below="2*d"), returns={"z": "B P+N 2*d"})
    assert call.axes == ["B", "P", "d", "N"]
    assert call.shapes(call.sizes(P=4, N=6, d=3)) == {"z": (2, 10, 6)}


def test_rules_of_a_class_hold_in_its_calls() -> None:
    layer = module("Layer", init=["d", constant("@h")], weights={"w": "d d"}, sizes={"d": size(multiple_of=4)})
    call = layer.call(x="B T d", returns={"y": "B T d"}, sizes={"T": 9})
    assert call.sizes() == {"d": 8, "B": 2, "T": 9, "h": 3}
    assert layer.sizes(h=2) == {"d": 8, "h": 2}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"x": "B d", "returns": {"y": "B d"}, "sizes": {"D": 4}}, "did you mean d"),
        ({"x": "B d", "returns": {"y": "B d"}, "size": {"d": 4}}, "the input size is of type dict; did you mean sizes"),
        ({"x": "B d", "returns": {"y": "B d"}, "eps": max}, "the input eps is of type builtin_function_or_method."),
        ({"x": "B,d", "returns": {"y": "B d"}}, "'B,d' is no text of axes"),
        ({"x": "(B d)", "returns": {"y": "B d"}}, "is no text of axes"),
        ({"x": "B d", "returns": {"y": (2, 3)}}, "(2, 3) is no text of axes"),
        ({"x": "B d", "returns": {}}, "f returns nothing"),
    ],
)
def test_slips_in_a_declaration(given: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError)) as error:
        function("f", **given)
    assert words in str(error.value)


def test_slips_in_a_class() -> None:
    with pytest.raises(TypeError, match="module takes no wieghts; did you mean weights"):
        module("Layer", init=["d"], wieghts={"w": "d"})  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="sizes names k"):
        module("Layer", init=["d"], sizes={"k": 4})
