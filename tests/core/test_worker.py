"""The conversation of a worker with a submission, in this process."""

from __future__ import annotations

import io
import sys
import types
import warnings
from typing import Any

import numpy as np
import pytest
import torch

from autograder import model, wire
from autograder.worker import observe, seal, serve, steps, tracing
from tests.core.tools import X, call, converse, numbers, program, request, script

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
MAKE = model.Make("scale", "Scale", [3], {}, {"w": "w"})
W = np.array([1.0, 2.0, 3.0])


def one(text: str, name: str = "f", *args: Any, **how: Any) -> model.Seen:
    """What a single call of a function on X shows."""
    return converse(text, program(call(name, *(args or ("x",)), **how), x=X))["out"]


# ---------------------------------------------------------------- results


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
    seen = one(f"def f(x):\n    return {expression}")
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
    seen = one(f"def f(x):\n    return {expression}")
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
    seen = one(f"def f(x):\n    return {expression}")
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
    seen = one("def f(x):\n    a = []\n    a.append(a)\n    return a")
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
    np.testing.assert_array_equal(numbers(one(text).value), 2 * X)


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


# ---------------------------------------------------------------- arguments


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


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    ("statement", "kind", "base", "message"),
    [
        ("raise NotImplementedError", "NotImplementedError", "NotImplementedError", ""),
        ("raise ValueError('too wide')", "ValueError", "ValueError", "too wide"),
        ("exit(7)", "SystemExit", "SystemExit", "7"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", "BaseException", ""),
        ("raise GeneratorExit", "GeneratorExit", "BaseException", ""),
        ("x[99]", "IndexError", "IndexError", "index 99 is out of bounds"),
        ("return f(x)", "RecursionError", "RecursionError", "maximum recursion"),
        ("raise type('Own', (ValueError,), {})('mine')", "Own", "ValueError", "mine"),
        (
            "raise type('Bad', (Exception,), {'__str__': lambda s: 1 / 0})",
            "Bad",
            "Exception",
            "can't be read",
        ),
        (
            "raise type('Bad', (Exception,), {'__str__': lambda s: exit(1)})",
            "Bad",
            "Exception",
            "can't be read",
        ),
        ("raise type('Bad', (Exception,), {'__str__': lambda s: 5})", "Bad", "Exception", "can't be read"),
        ("raise ValueError('\\udc80\\ud800')", "ValueError", "ValueError", "??"),
        ("raise ValueError('x' * 10 ** 6)", "ValueError", "ValueError", "xxx"),
        ("raise ExceptionGroup('many', [ValueError(1)])", "ExceptionGroup", "ExceptionGroup", "many"),
        ("raise SyntaxError('x', (b'small.py', 'no', None, None))", "SyntaxError", "SyntaxError", "x"),
        ("raise SyntaxError('x', ('small.py', 'no', None, None))", "SyntaxError", "SyntaxError", "x"),
        ("raise SyntaxError('x', ('small.py', 3, None, 5))", "SyntaxError", "SyntaxError", "x"),
    ],
)
def test_exceptions_of_all_sorts_are_told_and_later_steps_run(
    statement: str, kind: str, base: str, message: str
) -> None:
    asked = program(call("f", "x"), call("g", "x", into="later"), x=X)
    shown = converse(f"def f(x):\n    {statement}\ndef g(x):\n    return x", asked)
    raised = shown["out"].raised
    assert raised is not None
    assert (raised.type, raised.during) == (kind, "call")
    assert base in raised.bases
    assert message in raised.message
    assert len(raised.message) <= observe.MAX_TEXT
    assert shown["later"].raised is None
    assert wire.decode(wire.encode(shown["out"])[wire.HEADER.size :], model.Seen).raised == raised


def test_the_place_is_the_last_line_of_the_students_own() -> None:
    raised = one(
        "def f(x):\n    return g(x)\ndef g(x):\n    return torch.zeros(2) @ torch.zeros(3)  # here"
    ).raised
    assert raised is not None
    assert (raised.line, raised.code) == (5, "return torch.zeros(2) @ torch.zeros(3)  # here")


def test_missing_names_and_what_needs_them() -> None:
    steps = (
        model.Make("scale", "Scale", [3]),
        call("scale", "x"),
        call("scale.score", "x", into="score"),
        call("nothing", "x", into="nothing"),
        call("f", "x", into="f"),
        call("f", "out", into="needs"),
    )
    shown = converse("def f(x):\n    return x", program(*steps, x=X))
    types = {into: seen.raised and (seen.raised.type, seen.raised.during) for into, seen in shown.items()}
    assert types["scale"] == ("Missing", "make")
    assert types["score"] == ("Skipped", "skipped")
    assert types["nothing"] == ("Missing", "call")
    assert types["needs"] == ("Skipped", "skipped")
    assert types["f"] is None


def test_a_method_that_is_not_there_is_missing() -> None:
    shown = converse(LINEAR, program(MAKE, call("scale.score", "x"), w=W, x=X))
    assert shown["out"].raised is not None
    assert (shown["out"].raised.type, shown["out"].raised.line) == ("Missing", None)


# ---------------------------------------------------------------- modules, state and gradients


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_modules_get_their_weights_in_the_programs_dtype_and_eval_mode(dtype: str) -> None:
    asked = program(MAKE, call("scale", "x"), model.State("state", "scale"), dtype=dtype, w=W, x=X)
    shown = converse(LINEAR, asked)
    np.testing.assert_array_equal(numbers(shown["out"].value), (X * W).astype(dtype))
    assert shown["state"].training is False
    assert shown["state"].parameters.keys() == {"w", "unused", "inner.weight", "inner.bias"}
    assert {a.dtype for a in shown["state"].parameters.values()} == {dtype}


def test_training_mode_is_as_asked() -> None:
    make = model.Make("scale", "Scale", [3], train=True)
    assert converse(LINEAR, program(make, model.State("state", "scale")))["state"].training is True


@pytest.mark.parametrize(
    ("state", "trouble"),
    [
        ({"v": "w"}, "has no parameter v"),
        ({"unused": "w"}, "of shape"),
        ({"inner": "w"}, "no parameter inner"),
    ],
)
def test_weights_that_do_not_fit_are_told(state: dict[str, str], trouble: str) -> None:
    make = model.Make("scale", "Scale", [3], {}, state)
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
    gradients = converse("def f(x):\n    return 5 * x, x * x", program(step, x=X, c=np.ones_like(X)))[
        "out"
    ].gradients
    assert gradients["x"]
    np.testing.assert_allclose(wire.to_numpy(gradients["x"]), 2 * X)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return (x * 2).detach()", "does not require grad"),
        ("return x.numpy()", ""),
        ("return None", ""),
        ("return x, x", ""),
        ("return torch.zeros(7, 7, 7)", ""),
    ],
)
def test_a_backward_pass_that_fails_leaves_the_value(body: str, message: str) -> None:
    step = call("f", "x", wrt=("x",), cotangents=("c",))
    seen = converse(f"def f(x):\n    {body}", program(step, x=X, c=X))["out"]
    assert seen.gradients == {}
    assert seen.raised is not None
    assert message in seen.raised.message
    if "numpy" not in body:
        assert seen.raised.during == "backward"
        assert seen.value is not None


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
    seen = converse(text, program(call("f", "x", wrt=("x",), cotangents=("c",)), x=X, c=X))["out"]
    assert seen.raised is not None
    assert (seen.raised.type, seen.raised.during) == ("SystemExit", "backward")


def test_training_steps_change_parameters() -> None:
    text = LINEAR + "def train(m, o, x):\n    m(x).sum().backward()\n    o.step()\n    return 1.0"
    steps = (
        MAKE,
        model.Optimizer("opt", "SGD", "scale", {"lr": 0.5}),
        model.SetGrads("scale", 2.0),
        call("train", "scale", "opt", "x"),
        model.State("state", "scale"),
    )
    shown = converse(text, program(*steps, w=W, x=X))
    assert shown["out"].value == model.Scalar(1.0)
    np.testing.assert_allclose(wire.to_numpy(shown["state"].parameters["w"]), W - 0.5 * (2 + X.sum(0)))
    np.testing.assert_allclose(wire.to_numpy(shown["state"].parameters["unused"]), np.zeros(2))


# ---------------------------------------------------------------- interfaces


def look(text: str, name: str, *steps: model.Step, **arrays: Any) -> model.Interface:
    """The interface of a name."""
    seen = converse(text, program(*steps, model.Inspect("look", name), **arrays))["look"]
    assert seen.interface is not None, seen.raised
    return seen.interface


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
    assert look(definition, "f") == model.Interface("function", arguments, required, variadic)


def test_classes_and_methods_tell_theirs_without_self() -> None:
    assert look(LINEAR, "Scale") == model.Interface("class", ("size", "bias"), ("size",))
    assert look(LINEAR, "Scale.forward") == model.Interface("function", ("x",), ("x",))
    assert look("f = 5", "f") == model.Interface("other")


def test_modules_tell_parameters_children_and_persistent_state() -> None:
    seen = look(LINEAR, "scale", MAKE, w=W)
    assert seen.kind == "module"
    assert [(p.name, p.shape, p.dtype, p.requires_grad) for p in seen.parameters[:1]] == [
        ("w", (3,), "float32", True)  # as it was made
    ]
    assert {p.name for p in seen.parameters} == {"w", "unused", "inner.weight", "inner.bias"}
    assert seen.modules == {"inner": "Linear"}
    assert seen.persistent_buffers == ("kept",)


# ---------------------------------------------------------------- tracing


SOFTMAX_SPELLINGS = [
    "x.softmax(-1)",
    "torch.softmax(x, -1)",
    "torch.nn.functional.softmax(x, dim=-1)",
    "torch.nn.Softmax(-1)(x)",
    "torch.special.softmax(x, -1)",
    "torch.ops.aten.softmax.int(x, -1)",
    "torch._softmax(x, -1, False)",
    "getattr(torch, 'soft' + 'max')(x, -1)",
    "torch._C._VariableFunctions.softmax(x, -1)",
    "torch.log_softmax(x, -1).exp()",
    "torch.nn.functional.softmin(-x, dim=-1)",
    "torch.nn.functional.gumbel_softmax(x)",
]


@pytest.mark.parametrize("expression", SOFTMAX_SPELLINGS)
def test_a_softmax_is_seen_however_it_is_spelled(expression: str) -> None:
    seen = one(f"hidden = lambda x: {expression}\ndef f(x):\n    return hidden(x)", trace=True)
    assert seen.raised is None
    assert any("softmax" in name for name in seen.operations), seen.operations


@pytest.mark.parametrize(
    ("expression", "word"),
    [
        ("torch.nn.functional.scaled_dot_product_attention(x, x, x)", "scaled_dot_product_attention"),
        ("torch._C._nn.scaled_dot_product_attention(x, x, x)", "scaled_dot_product_attention"),
        (
            "torch.nn.MultiheadAttention(3, 1, dtype=torch.float64)(x, x, x)[0]",
            "multi_head_attention_forward",
        ),
        ("torch.nn.MultiheadAttention(3, 1, dtype=torch.float64).eval()(x, x, x)[0]", "multi_head_attention"),
        ("torch.logsumexp(x, -1)", "logsumexp"),
        ("torch.autograd.grad((x * y).sum(), y)[0]", "autograd::engine"),
        ("(x * y).sum().backward()", "autograd::engine"),
        ("torch.autograd.functional.vjp(torch.exp, y, x)[1]", "autograd::engine"),
        ("torch.func.vjp(torch.exp, x)[1](x)[0]", "autograd::engine"),
    ],
)
def test_ready_made_parts_are_seen(expression: str, word: str) -> None:
    seen = one(f"def f(x):\n    y = x.clone().requires_grad_()\n    return {expression}", trace=True)
    assert any(word in name for name in seen.operations), (seen.raised, seen.operations)


OWN = """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.softmax(x, -1)
    @staticmethod
    def backward(ctx, g):
        return torch._softmax_backward_data(g, g, -1, g.dtype)
"""


def test_kernels_are_seen_where_the_recorder_is_told_to_look_away() -> None:
    off = "torch._C._autograd._enable_record_function"
    text = f"{OWN}def f(x):\n    {off}(False)\n    y = Own.apply(x)\n    {off}(True)\n    return y"
    seen = one(text, trace=True, watch="softmax", wrt=("x",), cotangents=("x",))
    assert {"aten::_softmax", off} <= set(seen.operations)
    assert seen.later == ("aten::_softmax_backward_data",)


def test_a_recording_that_was_stopped_says_so() -> None:
    again = "torch.autograd.profiler_legacy.profile().config()"
    text = f"A = torch._C._autograd\nC = {again}\ndef f(x):\n    A._disable_profiler_legacy()\n"
    seen = one(text + "    A._enable_profiler_legacy(C)\n    return 2 * x", trace=True)
    assert "recording::interrupted" in seen.operations
    assert "recording::interrupted" in one(text + "    return 2 * x", trace=True).operations
    unhooked = one("import sys\ndef f(x):\n    sys.setprofile(None)\n    return 2 * x", watch="softmax")
    assert {"recording::interrupted", "sys.setprofile"} == set(unhooked.operations)


def test_what_is_only_watched_tells_only_what_is_telling() -> None:
    assert one("def f(x):\n    return x.exp()", watch="softmax").operations == ("recording::whole",)
    seen = one("def f(x):\n    return torch.ops.aten.softmax.int(x, -1)", watch="softmax")
    assert "aten::_softmax" in seen.operations


STANDING_IN = {
    "softmax": "torch.softmax(x, 0)",
    "logarithm": "torch.log_softmax(x, -1)",
    "total": "torch.logsumexp(x, -1)",
    "empty": "torch.softmax(x[:0], 0)",
    "attention": "torch.nn.functional.scaled_dot_product_attention(x, x, x)",
    "causal": "torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(*[x[None, None]] * 3, is_causal=True)[0]",
}


@pytest.mark.parametrize("code", STANDING_IN.values(), ids=STANDING_IN)
def test_the_stand_ins_compute_what_the_kernels_do(code: str) -> None:
    text = f"def f(x):\n    return ({code} ** 2).sum()"
    given = {"x": X, "one": np.array(1.0)}
    asked = (call("f", "x", wrt=("x",), cotangents=("one",), watch=watch) for watch in ("", "softmax"))
    plain, watched = (converse(text, program(step, **given))["out"] for step in asked)
    np.testing.assert_allclose(numbers(watched.value), numbers(plain.value), rtol=1e-12)
    mine, theirs = (seen.gradients["x"] for seen in (watched, plain))
    assert mine is not None
    assert theirs is not None
    np.testing.assert_allclose(wire.to_numpy(mine), wire.to_numpy(theirs), rtol=1e-9, atol=1e-12)


def test_a_result_that_changes_after_it_was_returned_is_noted() -> None:
    text = "kept = []\ndef f(x):\n    kept.append(2 * x)\n    kept[0].data.mul_(3)\n    return kept[-1]"
    calls = [call("f", "x", into=into, watch="softmax") for into in ("a", "b")]
    shown = converse(text, program(*calls, x=X))
    assert "recording::changed" in shown["a"].operations
    assert "recording::changed" not in shown["b"].operations


def test_our_own_code_is_put_back() -> None:
    restore = seal.sealed()
    right, code = observe.value, steps.Conversation._call.__code__
    patched: Any = vars(observe), steps, steps.Conversation
    patched[0]["value"] = patched[1].sorted = patched[2].__getattribute__ = lambda *_: 0
    steps.Conversation._call.__code__ = (lambda self, step: 0).__code__
    restore()
    assert observe.value is right
    assert steps.Conversation._call.__code__ is code
    assert "sorted" not in vars(steps)
    assert "__getattribute__" not in vars(steps.Conversation)


def test_tracing_starts_anew_and_ends_when_the_function_raises() -> None:
    text = "def f(x):\n    x.softmax(-1)\n    raise ValueError\ndef g(x):\n    return x * 2 + x.exp()"
    steps = [call(name, "x", into=f"{name}{i}", trace=True) for i in (1, 2) for name in "fg"]
    shown = converse(text, program(*steps, call("g", "x", into="off"), x=X))
    for i in "12":
        assert shown[f"f{i}"].raised is not None
        assert {"aten::mul", "aten::exp", "aten::add"} <= set(shown[f"g{i}"].operations)
        assert not any("softmax" in name for name in shown[f"g{i}"].operations)
    assert shown["off"].operations == ()


def test_what_is_not_traced_or_bears_a_name_only_is_not_seen() -> None:
    text = """
class softmax_by_hand(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.exp() / x.exp().sum(-1, keepdim=True)
ready = torch.ones(3).softmax(-1)
def stable_softmax(x):
    return softmax_by_hand.apply(x)
"""
    seen = one(text, "stable_softmax", "x", trace=True)
    assert seen.operations
    assert not [name for name in seen.operations if "softmax" in name]


# ---------------------------------------------------------------- what is printed, and a whole life


def test_prints_are_kept_up_to_a_limit() -> None:
    printed = observe.Printed(limit=10)
    out, err = printed.text(), printed.text()
    print("hällo", file=out, end="")
    print("x" * 10**6, file=err)
    assert printed.take() == "hälloxxxx"
    print("again", file=out, end="")
    assert printed.take() == "again"
    assert printed.take() == ""


@pytest.mark.parametrize(
    "statement",
    [
        "sys.stdout.reconfigure(encoding='utf-8')",
        "sys.stdout.buffer.write(b'raw')",
        "sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')",
        "sys.stdout = codecs.getwriter('utf-8')(sys.stdout.detach())",
        "sys.stdout.close()",
        "sys.stdout.isatty() or sys.stdout.flush()",
        "print('\\udc80')",
        "logging.warning('careful')",
        "print(sys.stdout.encoding.lower(), sys.stderr.errors)",
        "sys.__stdout__.write('')",
    ],
)
def test_what_scripts_do_to_their_output_costs_nothing(
    statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"import codecs, io, logging, sys, warnings\n{statement}\nprint('end', flush=True)"
    (answer,) = lived(monkeypatch, request(script(text)))
    assert isinstance(answer, model.Loaded)
    assert answer.raised is None
    assert "end" in answer.printed


def test_a_life_of_several_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "print('loading')\ndef f(x):\n    print('running')\n    return x"
    asked = program(call("f", "x"), x=X)
    answers = lived(monkeypatch, request(script(text)), model.Ask("a", asked), model.Ask("b", asked))
    assert [answer.nonce for answer in answers] == ["n", "a", "b"]
    assert answers[0].printed == "loading\n"
    assert answers[1].printed == "running\n"
    np.testing.assert_array_equal(numbers(answers[2].seen[0].value), X)


def test_a_question_before_anything_was_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    (answer,) = lived(monkeypatch, model.Ask("a", program(call("f", "x"), x=X)))
    assert answer.seen[0].raised.type == "Missing"


def lived(monkeypatch: pytest.MonkeyPatch, *asked: model.Load | model.Ask) -> list[Any]:
    """The answers of a worker's life in this process."""
    requests = list(asked)
    answers: list[bytes] = []

    def receive(*_: object) -> Any:
        if not requests:
            raise wire.Closed
        return requests.pop(0)

    class Answers:
        def write(self, data: bytes) -> None:
            answers.append(data[wire.HEADER.size :])

    with monkeypatch.context() as patch, warnings.catch_warnings():
        patch.setattr("sys.stdout", io.StringIO())
        patch.setattr("sys.stderr", io.StringIO())
        patch.setattr(wire, "receive", receive)
        patch.setitem(sys.modules, "otter", types.ModuleType("otter"))  # the worker's own goes with this
        serve.serve(Answers())  # type: ignore[arg-type]
    kinds: list[Any] = [model.Loaded if isinstance(one, model.Load) else model.Answer for one in asked]
    return [wire.decode(data, kind) for data, kind in zip(answers, kinds, strict=True)]


OTTERS = """\
# Initialize Otter
import otter
grader = otter.Notebook("small.ipynb")
def f(x):
    return x

grader.check("q1")
grader.check_all()
grader.export(pdf=False, ignore_log=True)
"""


@pytest.mark.parametrize("kind", ["notebook", "script"])
def test_the_lines_of_otter_cost_nothing(monkeypatch: pytest.MonkeyPatch, kind: Any) -> None:
    load = model.Load("n", "small", kind, f"small.{kind}", (OTTERS.encode(),), 5.0)
    answers = lived(monkeypatch, load, model.Ask("a", program(call("f", "x"), x=X)))
    assert (answers[0].raised, answers[0].cell_errors) == (None, ())
    np.testing.assert_array_equal(numbers(answers[1].seen[0].value), X)


def test_asking_whether_there_is_something_ready_made_is_not_using_it() -> None:
    assert tracing._telling("flash_attention")
    assert tracing._telling("Softmax.forward")
    assert not tracing._telling("is_flash_attention_enabled")
    assert not tracing._telling("Config.can_use_flash_attention")
