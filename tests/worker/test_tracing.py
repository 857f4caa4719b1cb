"""What a worker sees to run while a function of a submission does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograder.protocol import wire
from autograder.worker import describe, integrity, interpreter, tracing
from tests.small_suite_helpers import X, call, converse, numbers, program, single

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
    result = single(f"hidden = lambda x: {expression}\ndef f(x):\n    return hidden(x)", trace=True)
    assert result.raised is None
    assert any("softmax" in name for name in result.operations), result.operations


@pytest.mark.parametrize(
    ("expression", "word"),
    [
        ("torch.nn.functional.scaled_dot_product_attention(x, x, x)", "scaled_dot_product_attention"),
        ("torch._C._nn.scaled_dot_product_attention(x, x, x)", "scaled_dot_product_attention"),
        ("torch.nn.MultiheadAttention(3, 1, dtype=torch.float64)(x, x, x)[0]", "multi_head_attention_forward"),
        ("torch.nn.MultiheadAttention(3, 1, dtype=torch.float64).eval()(x, x, x)[0]", "multi_head_attention"),
        ("torch.logsumexp(x, -1)", "logsumexp"),
        ("torch.autograd.grad((x * y).sum(), y)[0]", "autograd::engine"),
        ("(x * y).sum().backward()", "autograd::engine"),
        ("torch.autograd.functional.vjp(torch.exp, y, x)[1]", "autograd::engine"),
        ("torch.func.vjp(torch.exp, x)[1](x)[0]", "autograd::engine"),
    ],
)
def test_ready_made_parts_are_seen(expression: str, word: str) -> None:
    result = single(f"def f(x):\n    y = x.clone().requires_grad_()\n    return {expression}", trace=True)
    assert any(word in name for name in result.operations), (result.raised, result.operations)


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
    result = single(text, trace=True, watch="softmax", wrt=("x",), cotangents=("x",))
    assert {"aten::_softmax", off} <= set(result.operations)
    assert result.later == ("aten::_softmax_backward_data",)


def test_a_recording_that_was_stopped_says_so() -> None:
    again = "torch.autograd.profiler_legacy.profile().config()"
    text = f"A = torch._C._autograd\nC = {again}\ndef f(x):\n    A._disable_profiler_legacy()\n"
    result = single(text + "    A._enable_profiler_legacy(C)\n    return 2 * x", trace=True)
    assert "recording::interrupted" in result.operations
    assert "recording::interrupted" in single(text + "    return 2 * x", trace=True).operations
    unhooked = single("import sys\ndef f(x):\n    sys.setprofile(None)\n    return 2 * x", watch="softmax")
    assert {"recording::interrupted", "sys.setprofile"} == set(unhooked.operations)


def test_what_is_only_watched_tells_only_what_is_telling() -> None:
    assert single("def f(x):\n    return x.exp()", watch="softmax").operations == ("recording::whole",)
    result = single("def f(x):\n    return torch.ops.aten.softmax.int(x, -1)", watch="softmax")
    assert "aten::_softmax" in result.operations


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
    mine, theirs = (result.gradients["x"] for result in (watched, plain))
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
    restore = integrity.snapshot()
    right, code = describe.value, interpreter.Interpreter._call.__code__
    patched: Any = vars(describe), interpreter, interpreter.Interpreter
    patched[0]["value"] = patched[1].sorted = patched[2].__getattribute__ = lambda *_: 0
    interpreter.Interpreter._call.__code__ = (lambda self, step: 0).__code__
    restore()
    assert describe.value is right
    assert interpreter.Interpreter._call.__code__ is code
    assert "sorted" not in vars(interpreter)
    assert "__getattribute__" not in vars(interpreter.Interpreter)


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
    result = single(text, "stable_softmax", "x", trace=True)
    assert result.operations
    assert not [name for name in result.operations if "softmax" in name]


def test_asking_whether_there_is_something_ready_made_is_not_using_it() -> None:
    assert tracing._telling("flash_attention")
    assert tracing._telling("Softmax.forward")
    assert not tracing._telling("is_flash_attention_enabled")
    assert not tracing._telling("Config.can_use_flash_attention")
