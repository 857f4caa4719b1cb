"""What a worker is given and what comes back: arguments and results, in this process."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from autograder import protocol
from autograder.protocol import wire
from autograder.protocol.answers import MAX_NAME, MAX_TEXT
from autograder.worker import describe
from tests.small_suite_helpers import X, call, converse, numbers, program, single


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
    result = single(f"def f(x):\n    return {expression}")
    expected = eval(f"{expression}", {"torch": torch, "x": torch.from_numpy(X)})
    assert isinstance(result.value, protocol.Tensor)
    assert result.value.array.dtype == dtype
    np.testing.assert_array_equal(numbers(result.value), expected.detach().resolve_conj().resolve_neg().numpy())


@pytest.mark.parametrize(
    ("expression", "dtype", "device"),
    [
        ("x.bfloat16()", "bfloat16", "cpu"),
        ("x.to(torch.uint16)", "other", "cpu"),
        ("x.to('meta')", "float64", "meta"),
        ("x.to_sparse()", "float64", "cpu"),
    ],
)
def test_tensors_without_numbers_come_back_by_name_and_shape(expression: str, dtype: str, device: str) -> None:
    result = single(f"def f(x):\n    return {expression}")
    assert isinstance(result.value, protocol.Tensor)
    array = result.value.array
    assert (array.dtype, array.device, array.shape, array.data) == (dtype, device, (2, 3), b"")


def test_a_tensor_that_lies_about_its_kind_has_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any text that a submission puts there would travel, and hidden messages name dtypes and devices."""

    class Device:
        type = "4711"

    with monkeypatch.context() as lying:
        lying.setattr(torch.Tensor, "dtype", property(lambda _: "torch.4711"), raising=False)
        lying.setattr(torch.Tensor, "device", property(lambda _: Device), raising=False)
        array = describe.tensor(torch.ones(2))
    assert (array.dtype, array.device) == ("other", "other")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("None", protocol.Scalar(None)),
        ("True", protocol.Scalar(True)),
        ("7", protocol.Scalar(7)),
        ("-(2 ** 63) + 1", protocol.Scalar(-(2**63) + 1)),
        ("2 ** 70", protocol.Scalar(2.0**70)),
        ("1.5", protocol.Scalar(1.5)),
        ("__import__('numpy').float64(1.5)", protocol.Scalar(1.5)),
        ("__import__('numpy').int64(2**53 + 1)", protocol.Scalar(2**53 + 1)),
        ("'text'", protocol.Scalar("text")),
        ("'x' * 9999", protocol.Scalar("x" * MAX_TEXT)),
        ("'a\\udcff'", protocol.Scalar("a?")),
        (
            "(1, [2, 'x'])",
            protocol.Sequence(
                "tuple", (protocol.Scalar(1), protocol.Sequence("list", (protocol.Scalar(2), protocol.Scalar("x"))))
            ),
        ),
        (
            "__import__('collections').namedtuple('Pair', 'a b')(1, 2)",
            protocol.Sequence("Pair", (protocol.Scalar(1), protocol.Scalar(2))),
        ),
        ("{'a': 1}", protocol.Opaque("builtins.dict")),
        ("x.numpy()", protocol.Opaque("numpy.ndarray")),
        ("__import__('numpy').float32(1)", protocol.Opaque("numpy.float32")),
        ("[0] * 10_001", protocol.Opaque("builtins.list")),
        ("f", protocol.Opaque("builtins.function")),
        ("(i for i in x)", protocol.Opaque("builtins.generator")),
    ],
)
def test_other_results_come_back_as_plain_data(expression: str, expected: protocol.Value) -> None:
    result = single(f"def f(x):\n    return {expression}")
    assert (result.value, result.raised) == (expected, None)
    assert wire.decode(wire.encode(result)[wire.HEADER.size :], protocol.StepResult) == result


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
    assert shown["out"].value is None or isinstance(shown["out"].value, protocol.Opaque | protocol.Tensor)
    np.testing.assert_array_equal(numbers(shown["other"].value), X)


def test_a_list_in_itself_ends() -> None:
    result = single("def f(x):\n    a = []\n    a.append(a)\n    return a")
    value, depth = result.value, 0
    while isinstance(value, protocol.Sequence):
        value, depth = value.items[0], depth + 1
    assert depth == describe.MAX_DEPTH
    assert value == protocol.Opaque("builtins.list")


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
    assert isinstance(value, protocol.Sequence)
    np.testing.assert_array_equal(numbers(value.items[0]), values)
    assert value.items[2] == protocol.Scalar(True)
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
    step = protocol.Call("out", "f", [protocol.Ref("x"), protocol.Ref("x")], {"z": protocol.Ref("x")})
    assert converse(text, program(step, x=X))["out"].value == protocol.Scalar(True)


def test_arguments_may_be_literals_parts_of_results_and_keywords() -> None:
    text = "def f(x):\n    return x, 2 * x\ndef g(a, b, c, *, d):\n    return a * b + len(c) + d"
    step = protocol.Call("end", "g", [protocol.Ref("out", 1), 3, ["p", "q"]], {"d": 1.5})
    asked = program(call("f", "x", outputs=("a", "b")), step, x=X)
    np.testing.assert_array_equal(numbers(converse(text, asked)["end"].value), 6 * X + 3.5)


def test_integers_and_masks_keep_their_dtype() -> None:
    asked = program(call("f", "i", "m"), i=np.array([1, 2]), m=np.array([True, False]), dtype="float32")
    result = converse("def f(i, m):\n    return str(i.dtype) + str(m.dtype)", asked)["out"]
    assert result.value == protocol.Scalar("torch.int64torch.bool")


# ---------------------------------------------------------------- long names

LONG = """
name = "n" * 1_000_000
Long = type("Long" + name, (), {})
LongError = type("LongError" + name, (Exception,), {})
LongList = type("LongList" + name, (list,), {})
code = compile("def softmax(x):\\n    return x", "/torch/functional.py", "exec")
library = {"__name__": "torch." + name}
exec(code, library)
library["softmax"].__code__ = library["softmax"].__code__.replace(co_qualname="softmax" + name)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_parameter(name, torch.nn.Parameter(torch.zeros(1)))
        self.register_parameter("short", torch.nn.Parameter(torch.zeros(1)))
        self.add_module("m" + name, torch.nn.Linear(1, 1))
        self.add_module("child", type("Child" + name, (torch.nn.Embedding,), {})(2, 1, padding_idx=0))

def raises(x):
    raise LongError(name)

def runs(x):
    with torch.autograd.profiler.record_function("aten::" + name):
        return library["softmax"](x)

exec(f"def takes(a{name}): pass")
"""


def test_long_names_of_a_submission_are_cut_or_left_out() -> None:
    """Whatever comes back can be read again: its names have the lengths that a grader takes."""
    steps = [
        protocol.Make("net", "Net"),
        protocol.Inspect("seen", "net"),
        protocol.Inspect("taken", "takes"),
        protocol.State("state", "net"),
        call("raises", "x", into="raised"),
        call("runs", "x", into="ran", trace=True),
    ]
    shown = converse(LONG, program(*steps, x=X))
    again = wire.decode(msgspec.msgpack.encode(tuple(shown.values())), tuple[protocol.StepResult, ...])
    assert {result.into: result for result in again} == shown
    assert shown["seen"].interface is not None
    assert [one.name for one in shown["seen"].interface.parameters] == ["short", "child.weight"]
    assert shown["seen"].interface.modules.keys() == {"child"}
    assert shown["seen"].interface.modules["child"].endswith(" with padding_idx")
    assert shown["state"].parameters.keys() == {"short", "child.weight"}
    assert any("softmaxnnn" in operation for operation in shown["ran"].operations)


@pytest.mark.parametrize("code", ["Long()", "LongList()"])
def test_long_names_of_types_are_cut(code: str) -> None:
    value = single(f"{LONG}def f(x):\n    return {code}").value
    assert isinstance(value, protocol.Opaque | protocol.Sequence)
    assert len(value.type) == MAX_NAME
