"""Every assertion: right results pass it, and each way to fail it has its symptom."""

from __future__ import annotations

import re
from typing import Any, get_args

import numpy as np
import pytest
from msgspec.structs import replace

from autograder import judge, model, protocol
from autograder.grading.suite import CheckSuite, SuiteError
from autograder.protocol import wire
from tests.judge import test_numbers, test_properties
from tests.judge.judge_helpers import (
    ACTUAL,
    ERROR,
    EXPECTED,
    INF,
    NAN,
    PARAMETERS,
    PREPARED,
    TOKENS,
    A,
    B,
    X,
    changed,
    found,
    gradient,
    pair,
    symptom,
)
from tests.small_suite_helpers import check, tensor

# name, step, options, changes -> symptom; without changes every assertion passes
LOOK, PARAMS = EXPECTED["look"].interface, EXPECTED["parameters"].interface
assert LOOK
assert PARAMS
G = EXPECTED["out"].gradients
V, W = PARAMETERS
ROWS: list[tuple[str, str, dict[str, Any], dict[str, Any], str | None]] = [
    # ---- reading results
    ("shapes", "out", {}, {"value": None}, "wrong-structure"),
    ("shapes", "out", {}, {"value": tensor(A)}, "wrong-structure"),
    ("shapes", "out", {}, {"value": protocol.Sequence("tuple", (tensor(A),))}, "wrong-structure"),
    ("shapes", "out", {}, {"value": protocol.Sequence("tuple", (tensor(A), tensor(B), tensor(B)))}, "wrong-structure"),
    ("shapes", "out", {}, {"value": protocol.Sequence("list", (tensor(A), tensor(B)))}, None),
    ("shapes", "out", {}, {"value": pair(B, A)}, "wrong-shape"),
    ("shapes", "out", {}, {"value": pair(A, B[None])}, "wrong-shape"),
    ("shapes", "out", {"only": ["a"]}, {"value": pair(A, B[None])}, None),
    ("shapes", "out", {}, {"value": protocol.Sequence("tuple", (tensor(A), protocol.Scalar(1.0)))}, "wrong-type"),
    (
        "shapes",
        "out",
        {},
        {"value": protocol.Sequence("tuple", (tensor(A), protocol.Opaque("numpy.ndarray")))},
        "wrong-type",
    ),
    ("shapes", "zero", {}, {"value": None}, "wrong-type"),
    ("shapes", "zero", {}, {"value": protocol.Scalar(None)}, "wrong-type"),
    ("shapes", "zero", {}, {"value": protocol.Scalar(0.0)}, "wrong-type"),
    ("shapes", "zero", {}, {"value": protocol.Sequence("tuple", (tensor(np.zeros(3)),))}, "wrong-type"),
    ("shapes", "zero", {}, {"value": protocol.Tensor(protocol.Array("float64", (3,), b"", "meta"))}, "wrong-device"),
    ("shapes", "zero", {}, {"value": protocol.Tensor(protocol.Array("bfloat16", (3,), b""))}, "wrong-dtype"),
    ("shapes", "zero", {}, {"value": protocol.Tensor(protocol.Array("float64", (3,), b""))}, "wrong-type"),
    ("shapes", "zero", {}, {"value": protocol.Tensor(protocol.Array("float64", (3,), b"123"))}, "unreadable-answer"),
    # ---- dtypes
    ("dtypes", "out", {}, {"value": pair(A, B.astype("float32"))}, "wrong-dtype"),
    ("dtypes", "out", {}, {"value": pair(A, B.astype("int64"))}, "wrong-dtype"),
    ("dtypes", "out", {}, {"value": pair(A, B.astype("complex128"))}, "wrong-dtype"),
    ("dtypes", "out", {"only": ["a"]}, {"value": pair(A, B.astype("float32"))}, None),
    ("dtypes", "zero", {}, {"value": protocol.Tensor(protocol.Array("bfloat16", (3,), b""))}, "wrong-dtype"),
    ("dtypes", "zero", {}, {"value": tensor(np.zeros(3), device="cuda")}, "wrong-device"),
    ("dtypes", "tokens", {}, {"value": tensor(TOKENS.astype("int32"))}, None),
    ("dtypes", "tokens", {}, {"value": tensor(TOKENS.astype("float64"))}, "wrong-dtype"),
    ("dtypes", "mask", {}, {"value": tensor(np.array([1, 0]))}, "wrong-dtype"),
    # ---- values
    ("values", "out", {}, {"value": pair(A, B + 1e-10)}, None),
    ("values", "out", {}, {"value": pair(A, changed(B, 1, 2, to=6.001))}, "wrong-values"),
    ("values", "out", {"of_largest": 1e-2}, {"value": pair(A, changed(B, 1, 2, to=6.001))}, None),
    ("values", "out", {"relative": 1e-2}, {"value": pair(A, changed(B, 1, 2, to=6.001))}, None),
    ("values", "out", {"only": ["a"]}, {"value": pair(A, -B)}, None),
    ("values", "out", {}, {"value": pair(changed(A, 0, 0, to=NAN), B)}, "wrong-values"),
    ("values", "out", {"of_largest": 1.0}, {"value": pair(A, changed(B, 0, 0, to=INF))}, "wrong-values"),
    ("values", "out", {}, {"value": pair(A, B + 1j)}, "wrong-values"),
    ("values", "loss", {}, {"value": tensor(2.5)}, None),
    ("values", "loss", {}, {"value": protocol.Scalar(2)}, "wrong-values"),
    ("values", "loss", {}, {"value": protocol.Scalar("2.5")}, "wrong-type"),
    ("values", "loss", {}, {"value": tensor([2.5])}, "wrong-type"),
    ("values", "loss", {}, {"value": protocol.Scalar(NAN)}, "wrong-values"),
    ("values", "mask", {}, {"value": tensor(np.array([True, True]))}, "wrong-values"),
    # ---- sums
    ("sums", "out", {"output": "a"}, {"value": pair(A + 1e-7, B)}, None),
    ("sums", "out", {"output": "a"}, {"value": pair(A[:, ::-1], -B)}, None),
    ("sums", "out", {"output": "a"}, {"value": pair(A + 1e-3, B)}, "wrong-sum"),
    ("sums", "out", {"output": "a"}, {"value": pair([[NAN, 1.0], [1.0, 0.0]], B)}, "wrong-sum"),
    ("sums", "out", {"output": "a"}, {"value": pair([[INF, -INF], [1.0, 0.0]], B)}, "wrong-sum"),
    ("sums", "out", {"output": "a"}, {"value": pair(A + 1e-3j, B)}, "wrong-sum"),
    ("sums", "out", {"output": "a"}, {"value": pair([[-0.5, 1.5], [1.0, 0.0]], B)}, "negative-weights"),
    ("sums", "out", {"output": "a"}, {"value": pair([[1, 0], [True, False]], B)}, None),
    # ---- zeros
    ("zeros", "out", {}, {"value": pair([[9.0, 9.0], [9.0, 0.0]], B)}, None),
    ("zeros", "out", {}, {"value": pair([[0.2, 0.8], [1.0, 1e-30]], B)}, "not-zero"),
    ("zeros", "out", {}, {"value": pair([[0.2, 0.8], [1.0, NAN]], B)}, "not-zero"),
    ("zeros", "out", {"only": ["b"]}, {"value": pair([[0.2, 0.8], [1.0, NAN]], B)}, None),
    ("zeros", "out", {}, {"value": pair(B, A)}, "wrong-shape"),
    # ---- tokens
    ("tokens", "tokens", {"pad": 0, "widest": 5}, {"value": tensor(np.pad(TOKENS, ((0, 0), (0, 2))))}, None),
    ("tokens", "tokens", {"pad": 0, "widest": 4}, {"value": tensor(np.pad(TOKENS, ((0, 0), (0, 2))))}, "wrong-shape"),
    ("tokens", "tokens", {"pad": 9, "widest": 5}, {"value": tensor(np.pad(TOKENS, ((0, 0), (0, 2))))}, "wrong-values"),
    ("tokens", "tokens", {"pad": 0, "widest": 2}, {"value": tensor(TOKENS[:, :2])}, "wrong-shape"),
    ("tokens", "tokens", {"pad": 0, "widest": 5}, {"value": tensor(TOKENS[:1])}, "wrong-shape"),
    ("tokens", "tokens", {"pad": 0, "widest": 5}, {"value": tensor(TOKENS[0])}, "wrong-shape"),
    ("tokens", "tokens", {"pad": 0, "widest": 5}, {"value": tensor(TOKENS + 1)}, "wrong-values"),
    ("tokens", "tokens", {"pad": 0, "widest": 5}, {"value": protocol.Scalar(5)}, "wrong-type"),
    (
        "tokens",
        "tokens",
        {"pad": 0, "widest": 5},
        {"value": tensor(np.where(TOKENS == 5, NAN, TOKENS))},
        "wrong-values",
    ),
    # ---- gradients
    ("gradients", "out", {}, {"gradients": G | {"x": gradient(X + 1e-10)}}, None),
    ("gradients", "out", {}, {"gradients": G | {"x": None}}, "no-gradient"),
    ("gradients", "out", {}, {"gradients": {n: g for n, g in G.items() if n != "m.w"}}, "no-gradient"),
    ("gradients", "out", {}, {"gradients": {}}, "no-gradient"),
    ("gradients", "out", {}, {"gradients": G | {"m.v": None}}, None),
    ("gradients", "out", {}, {"gradients": G | {"m.v": gradient([1.0])}}, "wrong-gradient"),
    ("gradients", "out", {}, {"gradients": G | {"x": gradient(0 * X)}}, "zero-gradient"),
    ("gradients", "out", {}, {"gradients": G | {"x": gradient(2 * X)}}, "wrong-gradient"),
    ("gradients", "out", {"only": ["m.w"]}, {"gradients": G | {"x": gradient(2 * X)}}, None),
    ("gradients", "out", {"of_largest": 2.0}, {"gradients": G | {"x": gradient(2 * X)}}, None),
    ("gradients", "out", {}, {"gradients": G | {"x": gradient(changed(X, 0, 1, to=NAN))}}, "nan-gradient"),
    ("gradients", "out", {}, {"gradients": G | {"x": gradient(changed(X, 0, 1, to=INF))}}, "nan-gradient"),
    ("gradients", "out", {}, {"gradients": G | {"x": gradient(X[0])}}, "wrong-gradient-shape"),
    ("gradients", "out", {}, {"gradients": G | {"x": gradient(changed(X, 0, 1, to=7))}}, "wrong-gradient"),
    (
        "gradients",
        "out",
        {"finite_at_zero": True, "only": ["x"]},
        {"gradients": G | {"x": gradient(changed(X, 0, 1, to=7))}},
        None,
    ),
    (
        "gradients",
        "out",
        {"finite_at_zero": True, "only": ["x"]},
        {"gradients": G | {"x": gradient(changed(X, 0, 1, to=NAN))}},
        "nan-gradient",
    ),
    (
        "gradients",
        "out",
        {"finite_at_zero": True, "only": ["x"]},
        {"gradients": G | {"x": gradient(changed(X, 0, 0, to=7))}},
        "wrong-gradient",
    ),
    ("gradients", "out", {}, {"gradients": G | {"x": protocol.Array("bfloat16", (2, 3), b"")}}, "unreadable-answer"),
    # ---- inputs
    ("unchanged", "out", {}, {"echoes": {"x": wire.to_array(changed(X, 0, 0, to=1 + 1e-15))}}, "changed-input"),
    ("unchanged", "out", {}, {"echoes": {"x": wire.to_array(X.T)}}, "changed-input"),
    ("unchanged", "out", {}, {"echoes": {}}, "no-echo"),
    # ---- memory
    ("fits", "out", {"megabytes": 1.0}, {"grown": 2 * 10**6}, "too-much-memory"),
    ("fits", "out", {"megabytes": 2.0}, {"grown": 2 * 10**6}, None),
    ("fits", "out", {"megabytes": 1.0}, {"grown": None}, None),
    # ---- two calls
    ("same", "out", {"other": "again"}, {"value": pair(A, B + 1e-3)}, "not-repeatable"),
    ("same", "out", {"other": "again"}, {"value": pair(A, changed(B, 0, 0, to=NAN))}, "not-repeatable"),
    ("same", "out", {"other": "out"}, {"value": pair(A, changed(B, 0, 0, to=NAN))}, None),
    ("same", "out", {"other": "out"}, {"value": pair(A, np.full_like(B, INF))}, None),
    (
        "permuted",
        "out",
        {"other": "out", "order": "order", "axes": {"a": [], "b": []}},
        {"value": pair(A * NAN, B * NAN)},
        None,
    ),
    (
        "permuted",
        "out",
        {"other": "moved", "order": "order", "axes": {"a": [], "b": [1]}},
        {"value": pair(A, changed(B, 0, 0, to=NAN))},
        "not-equivariant",
    ),
    (
        "permuted",
        "out",
        {"other": "moved", "order": "order", "axes": {"a": [], "b": [1]}},
        {"value": pair(A, changed(B, 0, 0, to=9))},
        "not-equivariant",
    ),
    (
        "permuted",
        "out",
        {"other": "moved", "order": "order", "axes": {"a": [], "b": [1]}},
        {"value": pair(A[::-1], B)},
        "not-invariant",
    ),
    # ---- errors
    ("raises", "bad", {"error": "ValueError"}, {"raised": None}, "did-not-raise"),
    ("raises", "bad", {"error": "ValueError"}, {"raised": replace(ERROR, type="Own")}, None),
    (
        "raises",
        "bad",
        {"error": "ValueError"},
        {"raised": protocol.Raised("TypeError", ("TypeError",), "")},
        "raised-other",
    ),
    (
        "raises",
        "bad",
        {"error": "ValueError"},
        {"raised": protocol.Raised("NotImplementedError", ("NotImplementedError", "RuntimeError"), "")},
        "not-implemented",
    ),
    (
        "raises",
        "bad",
        {"error": "ValueError"},
        {"raised": protocol.Raised("Missing", ("Exception",), "no")},
        "missing-name",
    ),
    # ---- interfaces
    ("signature", "look", {}, {"interface": None}, "no-interface"),
    ("signature", "look", {}, {"interface": replace(LOOK, kind="function")}, "wrong-kind"),
    ("signature", "look", {}, {"interface": replace(LOOK, arguments=("size",))}, "wrong-signature"),
    ("signature", "look", {}, {"interface": replace(LOOK, arguments=("bias", "size"))}, "wrong-signature"),
    ("signature", "look", {}, {"interface": replace(LOOK, arguments=("size", "bias", "extra"))}, None),
    (
        "signature",
        "look",
        {},
        {"interface": replace(LOOK, arguments=("size", "bias", "extra"), required=("size", "extra"))},
        "wrong-signature",
    ),
    ("parameters", "parameters", {}, {"interface": None}, "not-a-module"),
    ("parameters", "parameters", {}, {"interface": LOOK}, "not-a-module"),
    ("parameters", "parameters", {}, {"interface": replace(PARAMS, parameters=(V,))}, "wrong-parameters"),
    (
        "parameters",
        "parameters",
        {},
        {"interface": replace(PARAMS, parameters=(V, W, replace(V, name="b")))},
        "wrong-parameters",
    ),
    (
        "parameters",
        "parameters",
        {},
        {"interface": replace(PARAMS, parameters=(V, replace(W, shape=(5, 3))))},
        "wrong-parameters",
    ),
    (
        "parameters",
        "parameters",
        {},
        {"interface": replace(PARAMS, parameters=(V, replace(W, requires_grad=False)))},
        "wrong-parameters",
    ),
    ("parameters", "parameters", {}, {"interface": replace(PARAMS, persistent_buffers=("scale",))}, "wrong-parameters"),
    ("parameters", "parameters", {}, {"interface": replace(PARAMS, parameters=(W, V), modules={"x": "Y"})}, None),
    (
        "parameters",
        "parameters",
        {},
        {"interface": replace(PARAMS, parameters=(V, replace(W, dtype="float64")))},
        "made-in-dtype",
    ),
    # ---- devices
    ("device", "out", {}, {"value": pair(A, B + 1e-3)}, "wrong-values"),
    ("device", "zero", {}, {"raised": protocol.Raised("RuntimeError", ("RuntimeError",), "no")}, "raised"),
    # ---- operations
    ("untouched", "out", {"words": ["softmax"]}, {"operations": ("aten::_softmax",)}, "forbidden-call"),
    ("untouched", "out", {"words": ["softmax"]}, {"operations": ("aten::SoftMax",)}, "forbidden-call"),
    (
        "untouched",
        "out",
        {"words": ["softmax"], "allowed": ["aten::_softmax"]},
        {"operations": ("aten::_softmax",)},
        None,
    ),
    ("untouched", "out", {"words": ["softmax"]}, {"operations": ()}, "no-operations"),
    ("untouched", "out", {"words": ["log_sum_exp"]}, {"operations": ("graph::Exp",)}, "no-operations"),
    ("untouched", "out", {"words": ["log_sum_exp"], "by": ["Thing"]}, {}, None),
    (
        "untouched",
        "out",
        {"words": ["log_sum_exp"], "by": ["Thing"]},
        {"operations": ("aten::exp", "graph::Logsumexp")},
        "forbidden-call",
    ),
    (
        "untouched",
        "out",
        {"words": ["?"], "later": ["softmax"]},
        {"operations": ("aten::mul",), "later": ("aten::_softmax",)},
        "forbidden-call",
    ),
    ("untouched", "out", {"words": ["softmax"]}, {"operations": ("aten::detach",)}, "no-operations"),
    ("untouched", "out", {"words": ["softmax"]}, {"operations": ("aten::exp", "sys.setprofile")}, "recording-stopped"),
    (
        "untouched",
        "out",
        {"words": ["softmax"]},
        {"operations": ("aten::exp", "recording::interrupted")},
        "recording-stopped",
    ),
    ("untouched", "out", {"words": ["softmax"]}, {"operations": ("aten::exp", "recording::changed")}, "changed-later"),
    ("untouched", "out", {"words": ["softmax"]}, {"raised": ERROR, "operations": ()}, "raised"),
    ("untouched", "out", {"words": ["softmax"], "by": ["Thing"]}, {"raised": ERROR, "operations": ()}, None),
    # ---- training
    ("state", "state", {}, {"parameters": {"w": gradient([1.0, 2.1])}}, "wrong-update"),
    ("state", "state", {}, {"parameters": {"w": gradient([1.0, NAN])}}, "wrong-update"),
    ("state", "state", {}, {"parameters": {}}, "wrong-parameters"),
    ("state", "state", {}, {"parameters": {"w": gradient([1.0])}}, "wrong-parameters"),
    ("state", "state", {}, {"parameters": {"w": gradient([1.0, 2.0 + 1e-6])}}, None),
    ("mode", "state", {}, {"training": True}, "changed-mode"),
    ("mode", "state", {}, {"training": None}, "changed-mode"),
    ("python_float", "loss", {}, {"value": tensor(2.5)}, "wrong-type"),
    ("python_float", "loss", {}, {"value": protocol.Scalar(2)}, "wrong-type"),
    ("python_float", "loss", {}, {"value": protocol.Scalar(True)}, "wrong-type"),
    ("python_float", "loss", {}, {"value": None}, "wrong-type"),
]
ASSERTIONS = {(what, of, repr(options)): model.Assertion(what, of, options) for what, of, options, _, _ in ROWS}
WITHOUT_WORDS = [assertion for assertion in ASSERTIONS.values() if assertion.options.get("pad") != 9]


def test_every_assertion_is_tested() -> None:
    assert {what for what, *_ in ROWS} | test_properties.TESTED | test_numbers.TESTED == judge.ASSERTIONS.keys()


@pytest.mark.parametrize("assertion", WITHOUT_WORDS, ids=lambda assertion: f"{assertion.name}-{assertion.step}")
def test_right_results_pass(assertion: model.Assertion) -> None:
    assert found(assertion, ACTUAL) is None


@pytest.mark.parametrize(("what", "of", "options", "changes", "expected"), ROWS)
def test_every_way_to_fail_has_its_symptom(
    what: str, of: str, options: dict[str, Any], changes: dict[str, Any], expected: str | None
) -> None:
    assert symptom(what, of, options, **changes) == expected


@pytest.mark.parametrize("assertion", ASSERTIONS.values(), ids=lambda assertion: f"{assertion.name}-{assertion.step}")
def test_no_evidence_is_never_enough(assertion: model.Assertion) -> None:
    """A step without any result passes no assertion."""
    assert found(assertion, ACTUAL | {assertion.step: protocol.StepResult(assertion.step)}) is not None


def test_every_name_has_an_assertion() -> None:
    assert set(get_args(model.AssertionName)) == judge.ASSERTIONS.keys()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("valeus", {}, "check halve: there is no assertion 'valeus'. Known names: agrees, "),
        ("values", {"relativ": 1e-3}, "check halve: wrong options for assertion 'values': got an unexpected"),
        ("sums", {}, "check halve: wrong options for assertion 'sums': missing a required argument: 'output'"),
    ],
)
@pytest.mark.parametrize("timed", [False, True])
def test_a_suite_with_an_invalid_assertion_does_not_load(
    name: Any, options: dict[str, Any], message: str, timed: bool
) -> None:
    assertion = model.Assertion(name, "out", options)
    call = model.TimedCall("c", "positions", lambda *_: PREPARED.program, 1, 5.0, allowed=assertion)
    invalid = replace(check("halve"), timed=(call,)) if timed else check("halve", assertion)
    with pytest.raises(SuiteError, match=re.escape(message)):
        CheckSuite(model.Spec("small", "Small", (invalid,)), {}, lambda _: ())
