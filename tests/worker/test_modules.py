"""Modules, their parameters and gradients, and what a submission looks like to a worker, in this process."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from autograder import protocol
from autograder.protocol import wire
from tests.small_suite_helpers import X, call, converse, numbers, program

LINEAR = """
class Scale(torch.nn.Module):
    def __init__(self, size, bias=False):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(size))
        self.unused = torch.nn.Parameter(torch.ones(2))
        self.register_buffer("kept", torch.ones(1))
        self.register_buffer("private", torch.ones(1), persistent=False)
        self.inner = torch.nn.Linear(2, 3)
    def forward(self, x):
        return x * self.w
"""
MAKE = protocol.Make("scale", "Scale", [3], {}, {"w": "w"})
W = np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_modules_get_their_weights_in_the_programs_dtype_and_eval_mode(dtype: str) -> None:
    asked = program(MAKE, call("scale", "x"), protocol.State("state", "scale"), dtype=dtype, w=W, x=X)
    shown = converse(LINEAR, asked)
    np.testing.assert_array_equal(numbers(shown["out"].value), (X * W).astype(dtype))
    assert shown["state"].training is False
    assert shown["state"].parameters.keys() == {"w", "unused", "inner.weight", "inner.bias"}
    assert {a.dtype for a in shown["state"].parameters.values()} == {dtype}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_buffer_has_the_programs_dtype_where_all_parameters_are_given(dtype: str) -> None:
    text = """
class Shift(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(3))
        self.register_buffer("by", torch.full((3,), 0.1))
    def forward(self, x):
        return str(self.w.dtype) + str(self.by.dtype)
"""
    make = protocol.Make("shift", "Shift", [], {}, {"w": "w"})
    result = converse(text, program(make, call("shift", "x"), w=W, x=X, dtype=dtype))["out"]
    assert result.value == protocol.Scalar(f"torch.{dtype}torch.{dtype}")


def test_what_is_done_to_one_modules_weights_does_not_reach_anothers() -> None:
    text = LINEAR + "def double(m):\n    with torch.no_grad():\n        m.w.mul_(2)"
    other = msgspec.structs.replace(MAKE, into="other")
    later = msgspec.structs.replace(MAKE, into="later")
    steps = (
        MAKE,
        other,
        call("double", "scale"),
        later,
        *(protocol.State(f"{n}-state", n) for n in ("other", "later")),
    )
    shown = converse(text, program(*steps, w=W))
    for name in ("other-state", "later-state"):
        np.testing.assert_array_equal(wire.to_numpy(shown[name].parameters["w"]), W)


def test_weights_that_two_names_share_stay_shared() -> None:
    text = """
class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = self.b = torch.nn.Parameter(torch.ones(3))
    def forward(self, x):
        return (self.a is self.b, self.a.grad_fn is None, self.b * x)
"""
    make = protocol.Make("tied", "Tied", [], {}, {"a": "w", "b": "w"})
    result = converse(text, program(make, call("tied", "x"), w=W, x=X))["out"]
    assert isinstance(result.value, protocol.Sequence)
    assert result.value.items[:2] == (protocol.Scalar(True), protocol.Scalar(True))
    np.testing.assert_array_equal(numbers(result.value.items[2]), X * W)


def test_training_mode_is_as_asked() -> None:
    make = protocol.Make("scale", "Scale", [3], train=True)
    assert converse(LINEAR, program(make, protocol.State("state", "scale")))["state"].training is True


@pytest.mark.parametrize(
    ("state", "trouble"),
    [
        ({"v": "w"}, "has no parameter v"),
        ({"unused": "w"}, "has shape (2,), expected (3,)"),
        ({"inner": "w"}, "no parameter inner"),
    ],
)
def test_weights_that_do_not_fit_are_told(state: dict[str, str], trouble: str) -> None:
    make = protocol.Make("scale", "Scale", [3], {}, state)
    raised = converse(LINEAR, program(make, w=W))["scale"].raised
    assert raised is not None
    assert raised.during == "make"
    assert trouble in raised.message


def test_gradients_of_inputs_and_parameters() -> None:
    step = call("scale", "x", wrt=("x",), modules=("scale",), cotangents=("c",))
    gradients = converse(LINEAR, program(MAKE, step, w=W, x=X, c=2 * X))["out"].gradients
    assert gradients.keys() == {"x", "scale.w", "scale.unused", "scale.inner.weight", "scale.inner.bias"}
    assert gradients["scale.unused"] is None
    assert gradients["x"]
    assert gradients["scale.w"]
    np.testing.assert_allclose(wire.to_numpy(gradients["x"]), 2 * X * W)
    np.testing.assert_allclose(wire.to_numpy(gradients["scale.w"]), (2 * X * X).sum(0))


def test_a_gradient_from_one_of_two_results() -> None:
    step = call("f", "x", outputs=("a", "b"), wrt=("x",), cotangents=(None, "c"))
    gradients = converse("def f(x):\n    return 5 * x, x * x", program(step, x=X, c=np.ones_like(X)))["out"].gradients
    assert gradients["x"]
    np.testing.assert_allclose(wire.to_numpy(gradients["x"]), 2 * X)


def test_a_gradient_of_what_an_earlier_call_got() -> None:
    first, last = call("f", "x", into="first", wrt=("x",)), call("f", "first", wrt=("x",), cotangents=("c",))
    gradients = converse("def f(x):\n    return x * x", program(first, last, x=X, c=np.ones_like(X)))["out"].gradients
    assert gradients["x"]
    np.testing.assert_allclose(wire.to_numpy(gradients["x"]), 4 * X**3)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return (x * 2).detach()", "does not require grad"),
        ("return x.numpy()", ""),
        ("return None", "None has no gradient"),
        ("return x, x", ""),
        ("return torch.zeros(7, 7, 7)", ""),
    ],
)
def test_a_backward_pass_that_fails_leaves_the_value(body: str, message: str) -> None:
    step = call("f", "x", wrt=("x",), cotangents=("c",))
    result = converse(f"def f(x):\n    {body}", program(step, x=X, c=X))["out"]
    assert result.gradients == {}
    assert result.raised is not None
    assert message in result.raised.message
    if "numpy" not in body:
        assert result.raised.during == "backward"
        assert result.value is not None


def test_a_backward_of_the_students_own_that_exits() -> None:
    text = """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        exit(3)
def f(x):
    return Own.apply(x)
"""
    result = converse(text, program(call("f", "x", wrt=("x",), cotangents=("c",)), x=X, c=X))["out"]
    assert result.raised is not None
    assert (result.raised.type, result.raised.during) == ("SystemExit", "backward")


def test_training_steps_change_parameters() -> None:
    text = LINEAR + "def train(m, o, x):\n    m(x).sum().backward()\n    o.step()\n    return 1.0"
    steps = (
        MAKE,
        protocol.Optimizer("opt", "SGD", "scale", {"lr": 0.5}),
        protocol.SetGrads("scale", 2.0),
        call("train", "scale", "opt", "x"),
        protocol.State("state", "scale"),
    )
    shown = converse(text, program(*steps, w=W, x=X))
    assert shown["out"].value == protocol.Scalar(1.0)
    np.testing.assert_allclose(wire.to_numpy(shown["state"].parameters["w"]), W - 0.5 * (2 + X.sum(0)))
    np.testing.assert_allclose(wire.to_numpy(shown["state"].parameters["unused"]), np.zeros(2))


def look(text: str, name: str, *steps: protocol.Step, **arrays: Any) -> protocol.Interface:
    """The interface of a name."""
    result = converse(text, program(*steps, protocol.Inspect("look", name), **arrays))["look"]
    assert result.interface is not None, result.raised
    return result.interface


@pytest.mark.parametrize(
    ("definition", "arguments", "required", "variadic"),
    [
        ("def f(a, b=1, *, c, d=2):\n    pass", ("a", "b", "c", "d"), ("a", "c"), False),
        ("def f(a, *args, **kwargs):\n    pass", ("a",), ("a",), True),
        ("f = lambda scores, dim=-1: 0", ("scores", "dim"), ("scores",), False),
        ("import functools\n@functools.lru_cache\ndef f(a, b):\n    pass", ("a", "b"), ("a", "b"), False),
        ("import functools\nf = functools.partial(lambda a, b: 0, 1)", ("b",), ("b",), False),
        ("@torch.no_grad()\ndef f(a):\n    pass", ("a",), ("a",), False),
        ("f = torch.softmax", (), (), True),
    ],
)
def test_functions_tell_their_arguments(
    definition: str, arguments: tuple[str, ...], required: tuple[str, ...], variadic: bool
) -> None:
    assert look(definition, "f") == protocol.Interface("function", arguments, required, variadic)


def test_classes_and_methods_tell_theirs_without_self() -> None:
    assert look(LINEAR, "Scale") == protocol.Interface("class", ("size", "bias"), ("size",))
    assert look(LINEAR, "Scale.forward") == protocol.Interface("function", ("x",), ("x",))
    assert look("f = 5", "f") == protocol.Interface("other")


def test_modules_tell_parameters_children_and_persistent_state() -> None:
    result = look(LINEAR, "scale", MAKE, w=W)
    assert result.kind == "module"
    assert [(p.name, p.shape, p.dtype, p.requires_grad) for p in result.parameters[:1]] == [
        ("w", (3,), "float32", True)  # as it was made
    ]
    assert {p.name for p in result.parameters} == {"w", "unused", "inner.weight", "inner.bias"}
    assert result.modules == {"inner": "Linear"}
    assert result.persistent_buffers == ("kept",)


def test_a_method_that_is_not_there_is_missing() -> None:
    shown = converse(LINEAR, program(MAKE, call("scale.score", "x"), w=W, x=X))
    assert shown["out"].raised is not None
    assert (shown["out"].raised.type, shown["out"].raised.line) == ("Missing", None)


def test_a_call_that_reuses_tensors_gets_the_same_objects_with_its_own_numbers() -> None:
    text = "seen = []\ndef same(x):\n    seen.append(x)\n    return torch.stack([x * 1, seen[0] * 1])"
    other = X + 1
    first, moved = call("same", "x", into="first"), call("same", "y", reuses="first", into="moved")
    shown = converse(text, program(first, moved, x=X, y=other))
    np.testing.assert_array_equal(numbers(shown["first"].value), np.stack([X, X]))
    np.testing.assert_array_equal(numbers(shown["moved"].value), np.stack([other, other]))
    apart = msgspec.structs.replace(moved, reuses="")
    shown = converse(text, program(first, apart, x=X, y=other))
    np.testing.assert_array_equal(numbers(shown["moved"].value), np.stack([other, X]))
