"""What a worker is given and what comes back: arguments and results, in this process."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from autograder import model, wire
from autograder.worker import observe
from tests.core.tools import X, call, converse, numbers, program, single


@pytest.mark.parametrize(
    ("expression", "dtype"),
    [
        ("x", "float64"),
        ("x.float()", "float32"),
        ("x.half()", "float16"),
        ("x.long()", "int64"),
        ("x > 0", "bool"),
        ("x.to(torch.complex64)", "complex64"),
        ("x.to(torch.complex128).conj()", "complex128"),
        ("x.to(torch.complex128).conj().imag", "float64"),
        ("x.T", "float64"),
        ("x[:, ::2]", "float64"),
        ("x.expand(5, 2, 3)", "float64"),
        ("torch.nn.Parameter(x)", "float64"),
        ("x.sum()", "float64"),
        ("x[:0]", "float64"),
    ],
)
def test_tensors_come_back_with_their_numbers(expression: str, dtype: str) -> None:
    seen = single(f"def f(x):\n    return {expression}")
    due = eval(f"{expression}", {"torch": torch, "x": torch.from_numpy(X)})
    assert isinstance(seen.value, model.Tensor)
    assert seen.value.array.dtype == dtype
    np.testing.assert_array_equal(numbers(seen.value), due.detach().resolve_conj().resolve_neg().numpy())


@pytest.mark.parametrize(
    ("expression", "dtype", "device"),
    [
        ("x.bfloat16()", "bfloat16", "cpu"),
        ("x.to('meta')", "float64", "meta"),
        ("x.to_sparse()", "float64", "cpu"),
    ],
)
def test_tensors_without_numbers_come_back_by_name_and_shape(
    expression: str, dtype: str, device: str
) -> None:
    seen = single(f"def f(x):\n    return {expression}")
    assert isinstance(seen.value, model.Tensor)
    array = seen.value.array
    assert (array.dtype, array.device, array.shape, array.data) == (dtype, device, (2, 3), b"")


@pytest.mark.parametrize(
    ("expression", "due"),
    [
        ("None", model.Scalar(None)),
        ("True", model.Scalar(True)),
        ("7", model.Scalar(7)),
        ("-(2 ** 63) + 1", model.Scalar(-(2**63) + 1)),
        ("2 ** 70", model.Scalar(2.0**70)),
        ("1.5", model.Scalar(1.5)),
        ("__import__('numpy').float64(1.5)", model.Scalar(1.5)),
        ("'text'", model.Scalar("text")),
        ("'x' * 9999", model.Scalar("x" * observe.MAX_TEXT)),
        ("'a\\udcff'", model.Scalar("a?")),
        (
            "(1, [2, 'x'])",
            model.Sequence(
                "tuple", (model.Scalar(1), model.Sequence("list", (model.Scalar(2), model.Scalar("x"))))
            ),
        ),
        (
            "__import__('collections').namedtuple('Pair', 'a b')(1, 2)",
            model.Sequence("Pair", (model.Scalar(1), model.Scalar(2))),
        ),
        ("{'a': 1}", model.Opaque("builtins.dict")),
        ("x.numpy()", model.Opaque("numpy.ndarray")),
        ("__import__('numpy').float32(1)", model.Opaque("numpy.float32")),
        ("[0] * 10_001", model.Opaque("builtins.list")),
        ("f", model.Opaque("builtins.function")),
        ("(i for i in x)", model.Opaque("builtins.generator")),
    ],
)
def test_other_results_come_back_as_plain_data(expression: str, due: model.Value) -> None:
    seen = single(f"def f(x):\n    return {expression}")
    assert (seen.value, seen.raised) == (due, None)
    assert wire.decode(wire.encode(seen)[wire.HEADER.size :], model.Seen) == seen


@pytest.mark.parametrize(
    "expression",
    [
        "10 ** 400",  # no float
        "type('T', (), {'__module__': property(lambda s: 1 / 0), '__qualname__': 5})()",
        "type('F', (float,), {'__float__': lambda s: exit(3)})(1)",
        "type('S', (torch.Tensor,), {'detach': lambda s: 1 / 0})()",
    ],
)
def test_results_that_cannot_be_read_out_are_told(expression: str) -> None:
    both = program(call("f", "x"), call("g", "x", into="other"), x=X)
    shown = converse(f"def f(x):\n    return {expression}\ndef g(x):\n    return x", both)
    assert shown["out"].value is None or isinstance(shown["out"].value, model.Opaque | model.Tensor)
    np.testing.assert_array_equal(numbers(shown["other"].value), X)


def test_a_list_in_itself_ends() -> None:
    seen = single("def f(x):\n    a = []\n    a.append(a)\n    return a")
    value, depth = seen.value, 0
    while isinstance(value, model.Sequence):
        value, depth = value.items[0], depth + 1
    assert depth == observe.MAX_DEPTH
    assert value == model.Opaque("builtins.list")


def test_subclasses_of_tensor_come_back_as_tensors() -> None:
    text = """
class Mine(torch.Tensor):
    pass
def f(x):
    return x.as_subclass(Mine) * 2
"""
    np.testing.assert_array_equal(numbers(single(text).value), 2 * X)


def test_results_are_read_after_the_last_step() -> None:
    """A result in a buffer that a later call overwrites is not what the first call returned any more."""
    text = "store = torch.zeros(2, 3, dtype=torch.float64)\ndef f(x):\n    store.copy_(x)\n    return store"
    asked = program(call("f", "x", into="first"), call("f", "y", into="second"), x=X, y=-X)
    np.testing.assert_array_equal(numbers(converse(text, asked)["first"].value), -X)


def test_each_call_gets_fresh_inputs_and_echoes_what_became_of_them() -> None:
    text = "def f(x):\n    x += 1\n    return x.clone()\ndef g(x):\n    return x * 1"
    asked = program(call("f", "x", into="first", echo=True), call("g", "x", into="second", echo=True), x=X)
    shown = converse(text, asked)
    np.testing.assert_array_equal(wire.to_numpy(shown["first"].echoes["x"]), X + 1)
    np.testing.assert_array_equal(wire.to_numpy(shown["second"].echoes["x"]), X)
    np.testing.assert_array_equal(numbers(shown["second"].value), X)


@pytest.mark.parametrize("layout", ["contiguous", "reversed", "gapped"])
@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (2, 3, 4)])
def test_layouts_change_strides_and_nothing_else(layout: Any, shape: tuple[int, ...]) -> None:
    values = np.arange(float(np.prod(shape))).reshape(shape)
    text = "def f(x):\n    return x * 1, list(x.stride()), x.is_leaf and x.requires_grad"
    step = call("f", "x", layout=layout, wrt=("x",), outputs=("a", "b", "c"))
    value = converse(text, program(step, x=values))["out"].value
    assert isinstance(value, model.Sequence)
    np.testing.assert_array_equal(numbers(value.items[0]), values)
    assert value.items[2] == model.Scalar(True)
    strides = [s.value for s in value.items[1].items]  # type: ignore[union-attr]
    dense = list(torch.from_numpy(values).stride())
    if layout == "gapped" and shape:
        assert strides[-1] == 2
    elif layout == "reversed" and len(shape) > 1:
        assert strides == list(torch.zeros(shape[::-1]).stride())[::-1]
    else:
        assert strides == dense


def test_the_same_array_twice_is_one_tensor() -> None:
    text = "def f(x, y, z=None):\n    return x is y and y is z"
    step = model.Call("out", "f", [model.Ref("x"), model.Ref("x")], {"z": model.Ref("x")})
    assert converse(text, program(step, x=X))["out"].value == model.Scalar(True)


def test_arguments_may_be_literals_parts_of_results_and_keywords() -> None:
    text = "def f(x):\n    return x, 2 * x\ndef g(a, b, c, *, d):\n    return a * b + len(c) + d"
    step = model.Call("end", "g", [model.Ref("out", 1), 3, ["p", "q"]], {"d": 1.5})
    asked = program(call("f", "x", outputs=("a", "b")), step, x=X)
    np.testing.assert_array_equal(numbers(converse(text, asked)["end"].value), 6 * X + 3.5)


def test_integers_and_masks_keep_their_dtype() -> None:
    asked = program(call("f", "i", "m"), i=np.array([1, 2]), m=np.array([True, False]), dtype="float32")
    seen = converse("def f(i, m):\n    return str(i.dtype) + str(m.dtype)", asked)["out"]
    assert seen.value == model.Scalar("torch.int64torch.bool")
