"""Every property that a check can demand: what is right has it, and each way to lack it has its symptom."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from autograder import judge, messages, model, wire
from autograder.diagnose import symptoms
from autograder.diagnose.record import Record
from tests.core.test_wire import SEEN, VALUES
from tests.core.tools import call, program, tensor, whole

NAN, INF = float("nan"), float("inf")
X = np.array([[1.0, 0.0, -2.0], [0.5, 4.0, 0.0]])
A, B = np.array([[0.2, 0.8], [1.0, 0.0]]), np.array([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0]])
ORDER = np.array([2, 0, 1])
TOKENS = np.array([[5, 6, 2], [7, 2, 0]])
PARAMETERS = tuple(model.ParameterInfo(n, s, "float32", True) for n, s in (("v", (1, 5)), ("w", (3, 5))))
ERROR = model.Raised("ValueError", ("ValueError", "Exception"), "must divide")


def gradient(values: Any) -> model.Array:
    return wire.to_array(np.asarray(values, dtype=float))


def pair(first: Any, second: Any) -> model.Sequence:
    """Two results."""
    return model.Sequence("tuple", (tensor(first), tensor(second)))


STEPS = (
    model.Make("m", "Thing", [3], {}, {"w": "w"}),
    call("m", "x", into="out", outputs=("a", "b"), wrt=("x",), modules=("m",), cotangents=("ca", "cb"),
         trace=True, echo=True),
    call("m", "x", into="again", outputs=("a", "b")),
    call("m", "y", into="moved", outputs=("a", "b")),
    call("decode", "x", into="tokens"),
    call("loss", "x", into="loss"),
    call("zero", "x", into="zero"),
    call("mask", "x", into="mask"),
    model.Make("bad", "Thing", [0]),
    model.Inspect("look", "Thing"),
    model.Inspect("parameters", "m"),
    model.State("state", "m"),
)  # fmt: skip
DUE = {
    "m": model.Seen("m"),
    "out": model.Seen(
        "out", pair(A, B), gradients={"x": gradient(X), "m.w": gradient([1.0, 2.0]), "m.v": gradient([0.0])},
        echoes={"x": wire.to_array(X)}, operations=("aten::exp", "aten::mul"),
    ),
    "again": model.Seen("again", pair(A, B)),
    "moved": model.Seen("moved", pair(A, B[:, ORDER])),
    "tokens": model.Seen("tokens", tensor(TOKENS)),
    "loss": model.Seen("loss", model.Scalar(2.5)),
    "zero": model.Seen("zero", tensor(np.zeros(3))),
    "mask": model.Seen("mask", tensor(np.array([True, False]))),
    "bad": model.Seen("bad", raised=ERROR),
    "look": model.Seen("look", interface=model.Interface("class", ("size", "bias"), ("size",))),
    "parameters": model.Seen("parameters", interface=model.Interface("module", parameters=PARAMETERS)),
    "state": model.Seen("state", parameters={"w": gradient([1.0, 2.0])}, training=False),
}  # fmt: skip
CAME = dict(DUE)
PREPARED = model.Prepared(
    "case",
    program(*STEPS, x=X, y=X, w=np.ones(2), ca=np.ones((2, 2)), cb=np.ones((2, 3)), order=ORDER),
    tuple(DUE.values()),
)


def found(hold: model.Hold, came: dict[str, model.Seen], dtype: str = "float64") -> model.Finding | None:
    """What a hold finds in an answer."""
    prepared = replace(PREPARED, program=replace(PREPARED.program, dtype=dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return judge.judge(hold, prepared, model.Answer("n", tuple(came.values())))


def symptom(what: str, of: str, options: dict[str, Any], **changes: Any) -> str | None:
    """The symptom of a step that showed something else."""
    finding = found(model.Hold(what, of, options), CAME | {of: replace(CAME[of], **changes)})
    return finding and finding.symptom


def changed(values: np.ndarray, *index: int, to: float) -> np.ndarray:
    """A copy with one other entry."""
    copy = values.copy()
    copy[index] = to
    return copy


# what, of, options, changes -> symptom; without changes every one of them is met
LOOK, PARAMS = DUE["look"].interface, DUE["parameters"].interface
assert LOOK
assert PARAMS
G = DUE["out"].gradients
V, W = PARAMETERS
ROWS: list[tuple[str, str, dict[str, Any], dict[str, Any], str | None]] = [
    # ---- reading results
    ("shapes", "out", {}, {"value": None}, "wrong-structure"),
    ("shapes", "out", {}, {"value": tensor(A)}, "wrong-structure"),
    ("shapes", "out", {}, {"value": model.Sequence("tuple", (tensor(A),))}, "wrong-structure"),
    (
        "shapes",
        "out",
        {},
        {"value": model.Sequence("tuple", (tensor(A), tensor(B), tensor(B)))},
        "wrong-structure",
    ),
    ("shapes", "out", {}, {"value": model.Sequence("list", (tensor(A), tensor(B)))}, None),
    ("shapes", "out", {}, {"value": pair(B, A)}, "wrong-shape"),
    ("shapes", "out", {}, {"value": pair(A, B[None])}, "wrong-shape"),
    ("shapes", "out", {"only": ["a"]}, {"value": pair(A, B[None])}, None),
    ("shapes", "out", {}, {"value": model.Sequence("tuple", (tensor(A), model.Scalar(1.0)))}, "wrong-type"),
    (
        "shapes",
        "out",
        {},
        {"value": model.Sequence("tuple", (tensor(A), model.Opaque("numpy.ndarray")))},
        "wrong-type",
    ),
    ("shapes", "zero", {}, {"value": None}, "wrong-type"),
    ("shapes", "zero", {}, {"value": model.Scalar(None)}, "wrong-type"),
    ("shapes", "zero", {}, {"value": model.Scalar(0.0)}, "wrong-type"),
    ("shapes", "zero", {}, {"value": model.Sequence("tuple", (tensor(np.zeros(3)),))}, "wrong-type"),
    (
        "shapes",
        "zero",
        {},
        {"value": model.Tensor(model.Array("float64", (3,), b"", "meta"))},
        "wrong-device",
    ),
    ("shapes", "zero", {}, {"value": model.Tensor(model.Array("bfloat16", (3,), b""))}, "wrong-dtype"),
    ("shapes", "zero", {}, {"value": model.Tensor(model.Array("float64", (3,), b""))}, "wrong-type"),
    (
        "shapes",
        "zero",
        {},
        {"value": model.Tensor(model.Array("float64", (3,), b"123"))},
        "unreadable-answer",
    ),
    # ---- dtypes
    ("dtypes", "out", {}, {"value": pair(A, B.astype("float32"))}, "wrong-dtype"),
    ("dtypes", "out", {}, {"value": pair(A, B.astype("int64"))}, "wrong-dtype"),
    ("dtypes", "out", {}, {"value": pair(A, B.astype("complex128"))}, "wrong-dtype"),
    ("dtypes", "out", {"only": ["a"]}, {"value": pair(A, B.astype("float32"))}, None),
    ("dtypes", "zero", {}, {"value": model.Tensor(model.Array("bfloat16", (3,), b""))}, "wrong-dtype"),
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
    ("values", "loss", {}, {"value": model.Scalar(2)}, "wrong-values"),
    ("values", "loss", {}, {"value": model.Scalar("2.5")}, "wrong-type"),
    ("values", "loss", {}, {"value": tensor([2.5])}, "wrong-type"),
    ("values", "loss", {}, {"value": model.Scalar(NAN)}, "wrong-values"),
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
    (
        "tokens",
        "tokens",
        {"pad": 0, "widest": 4},
        {"value": tensor(np.pad(TOKENS, ((0, 0), (0, 2))))},
        "wrong-shape",
    ),
    (
        "tokens",
        "tokens",
        {"pad": 9, "widest": 5},
        {"value": tensor(np.pad(TOKENS, ((0, 0), (0, 2))))},
        "wrong-values",
    ),
    ("tokens", "tokens", {"pad": 0, "widest": 2}, {"value": tensor(TOKENS[:, :2])}, "wrong-shape"),
    ("tokens", "tokens", {"pad": 0, "widest": 5}, {"value": tensor(TOKENS[:1])}, "wrong-shape"),
    ("tokens", "tokens", {"pad": 0, "widest": 5}, {"value": tensor(TOKENS[0])}, "wrong-shape"),
    ("tokens", "tokens", {"pad": 0, "widest": 5}, {"value": tensor(TOKENS + 1)}, "wrong-values"),
    ("tokens", "tokens", {"pad": 0, "widest": 5}, {"value": model.Scalar(5)}, "wrong-type"),
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
    (
        "gradients",
        "out",
        {},
        {"gradients": G | {"x": model.Array("bfloat16", (2, 3), b"")}},
        "unreadable-answer",
    ),
    # ---- inputs
    (
        "unchanged",
        "out",
        {},
        {"echoes": {"x": wire.to_array(changed(X, 0, 0, to=1 + 1e-15))}},
        "changed-input",
    ),
    ("unchanged", "out", {}, {"echoes": {"x": wire.to_array(X.T)}}, "changed-input"),
    ("unchanged", "out", {}, {"echoes": {}}, "no-echo"),
    # ---- two calls
    ("same", "out", {"other": "again"}, {"value": pair(A, B + 1e-3)}, "not-repeatable"),
    ("same", "out", {"other": "again"}, {"value": pair(A, changed(B, 0, 0, to=NAN))}, "not-repeatable"),
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
        {"raised": model.Raised("TypeError", ("TypeError",), "")},
        "raised-other",
    ),
    (
        "raises",
        "bad",
        {"error": "ValueError"},
        {"raised": model.Raised("NotImplementedError", ("NotImplementedError", "RuntimeError"), "")},
        "not-implemented",
    ),
    (
        "raises",
        "bad",
        {"error": "ValueError"},
        {"raised": model.Raised("Missing", ("Exception",), "no")},
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
    (
        "parameters",
        "parameters",
        {},
        {"interface": replace(PARAMS, persistent_buffers=("scale",))},
        "wrong-parameters",
    ),
    (
        "parameters",
        "parameters",
        {},
        {"interface": replace(PARAMS, parameters=(W, V), modules={"x": "Y"})},
        None,
    ),
    (
        "parameters",
        "parameters",
        {},
        {"interface": replace(PARAMS, parameters=(V, replace(W, dtype="float64")))},
        "made-in-dtype",
    ),
    # ---- devices
    ("device", "out", {}, {"value": pair(A, B + 1e-3)}, "wrong-values"),
    ("device", "zero", {}, {"raised": model.Raised("RuntimeError", ("RuntimeError",), "no")}, "raised"),
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
    (
        "untouched",
        "out",
        {"words": ["softmax"]},
        {"operations": ("aten::exp", "sys.setprofile")},
        "recording-stopped",
    ),
    (
        "untouched",
        "out",
        {"words": ["softmax"]},
        {"operations": ("aten::exp", "recording::interrupted")},
        "recording-stopped",
    ),
    (
        "untouched",
        "out",
        {"words": ["softmax"]},
        {"operations": ("aten::exp", "recording::changed")},
        "changed-later",
    ),
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
    ("python_float", "loss", {}, {"value": model.Scalar(2)}, "wrong-type"),
    ("python_float", "loss", {}, {"value": model.Scalar(True)}, "wrong-type"),
    ("python_float", "loss", {}, {"value": None}, "wrong-type"),
]
HOLDS = {(what, of, repr(options)): model.Hold(what, of, options) for what, of, options, _, _ in ROWS}
WITHOUT_WORDS = [hold for hold in HOLDS.values() if hold.options.get("pad") != 9]


def test_every_property_is_tested() -> None:
    assert {what for what, *_ in ROWS} == judge.HOLDS.keys()


@pytest.mark.parametrize("hold", WITHOUT_WORDS, ids=lambda hold: f"{hold.what}-{hold.of}")
def test_what_is_right_is_met(hold: model.Hold) -> None:
    assert found(hold, CAME) is None


@pytest.mark.parametrize(("what", "of", "options", "changes", "due"), ROWS)
def test_every_way_to_fail_has_its_symptom(
    what: str, of: str, options: dict[str, Any], changes: dict[str, Any], due: str | None
) -> None:
    assert symptom(what, of, options, **changes) == due


@pytest.mark.parametrize("hold", HOLDS.values(), ids=lambda hold: f"{hold.what}-{hold.of}")
def test_no_evidence_is_never_enough(hold: model.Hold) -> None:
    """A step that showed nothing at all meets no property."""
    assert found(hold, CAME | {hold.of: model.Seen(hold.of)}) is not None


# ---------------------------------------------------------------- steps that failed


def failed(kind: str, during: Any = "call", *bases: str) -> model.Raised:
    """An exception."""
    return model.Raised(kind, (*bases, "Exception"), "text", during=during)


@pytest.mark.parametrize(
    ("step", "raised", "due"),
    [
        ("out", failed("TypeError"), "raised"),
        ("out", failed("NotImplementedError", "call", "NotImplementedError"), "not-implemented"),
        ("out", failed("Missing"), "missing-name"),
        ("out", replace(failed("Missing"), line=3), "raised"),
        ("m", failed("TypeError", "make"), "raised"),
        ("m", failed("Missing", "make"), "missing-name"),
        ("again", failed("TypeError"), None),
        ("out", failed("TypeError", "backward"), None),
    ],
)
def test_what_was_raised_is_told_by_the_step_that_did(
    step: str, raised: model.Raised, due: str | None
) -> None:
    came = CAME | {step: replace(CAME[step], raised=raised)}
    finding = found(model.Hold("values", "out"), came)
    assert (finding and finding.symptom) == due
    if finding:
        assert (finding.step, finding.status) == (step, "error")


def test_a_backward_pass_that_failed_matters_to_gradients_only() -> None:
    came = CAME | {"out": replace(CAME["out"], raised=failed("RuntimeError", "backward"), gradients={})}
    for what, due in (("gradients", "backward-raised"), ("shapes", None), ("unchanged", None)):
        finding = found(model.Hold(what, "out"), came)
        assert (finding and finding.symptom) == due


def test_skipped_steps_are_told_by_what_they_needed() -> None:
    skipped = model.Seen("out", raised=failed("Skipped", "skipped"))
    made = model.Seen("m", raised=failed("TypeError", "make"))
    finding = found(model.Hold("values", "out"), CAME | {"m": made, "out": skipped})
    assert finding
    assert (finding.step, finding.symptom) == ("m", "raised")


def test_the_other_of_two_calls_may_have_failed_too() -> None:
    came = CAME | {"again": model.Seen("again", raised=failed("TypeError"))}
    finding = found(model.Hold("same", "out", {"other": "again"}), came)
    assert finding
    assert (finding.step, finding.symptom) == ("again", "raised")


def test_a_float32_case_is_held_to_float32() -> None:
    came = CAME | {
        "out": replace(CAME["out"], value=pair(A.astype("float32"), B.astype("float32") * (1 + 1e-6)))
    }
    assert found(model.Hold("values", "out"), came, "float32") is None
    assert found(model.Hold("dtypes", "out"), came, "float32") is None
    finding = found(model.Hold("dtypes", "out"), CAME, "float32")
    assert finding
    assert finding.facts["due"] == "float32"


# ---------------------------------------------------------------- causes of symptoms


def told(finding: model.Finding, prepared: model.Prepared, answer: model.Answer | None) -> str | None:
    """The cause of a finding, as far as the symptom tells it."""
    record = Record(prepared, answer)
    return symptoms.cause(finding, record, whole({prepared.id: record}, [prepared.id]))


@pytest.mark.parametrize(
    ("what", "of", "changes", "cause"),
    [
        ("shapes", "out", {"value": pair(B, A)}, "returns-swapped"),
        ("shapes", "out", {"value": pair(B, B)}, None),
        ("shapes", "out", {"raised": failed("Missing")}, "not-implemented"),
        (
            "shapes",
            "m",
            {"raised": replace(failed("Missing", "make"), message="has no parameter w")},
            "wrong-parameters",
        ),
        (
            "shapes",
            "out",
            {"raised": failed("NotImplementedError", "call", "NotImplementedError")},
            "not-implemented",
        ),
        ("dtypes", "out", {"value": pair(A, B.astype("float32"))}, "dtype-hardcoded"),
        ("dtypes", "out", {"value": pair(A, B.astype("int64"))}, None),
        ("shapes", "zero", {"value": model.Tensor(model.Array("bfloat16", (3,), b""))}, "dtype-hardcoded"),
        (
            "shapes",
            "zero",
            {"value": model.Tensor(model.Array("float64", (3,), b"", "cuda"))},
            "device-hardcoded",
        ),
        ("unchanged", "out", {"echoes": {"x": wire.to_array(X + 1)}}, "modifies-input"),
        ("gradients", "out", {"gradients": {}}, "detached-graph"),
        (
            "gradients",
            "out",
            {
                "raised": replace(
                    failed("RuntimeError", "backward"),
                    message="element 0 of tensors does not require grad and does not have a grad_fn",
                )
            },
            "detached-graph",
        ),
        ("gradients", "out", {"raised": failed("RuntimeError", "backward")}, None),
        ("parameters", "parameters", {"interface": replace(PARAMS, parameters=())}, "wrong-parameters"),
    ],
)
def test_causes_that_are_beyond_doubt_are_named(
    what: str, of: str, changes: dict[str, Any], cause: str | None
) -> None:
    came = CAME | {of: replace(CAME[of], **changes)}
    finding = found(model.Hold(what, of if of != "m" else "out"), came)
    assert finding
    answer = model.Answer("n", tuple(came.values()))
    assert told(finding, PREPARED, answer) == cause
    assert told(finding, PREPARED, None) in (cause, None)


@pytest.mark.parametrize(
    ("value", "cause"),
    [
        (pair(A, B), "nan-in-gradient"),
        (pair(A, changed(B, 0, 0, to=NAN)), None),
        (model.Sequence("tuple", (model.Tensor(model.Array("bfloat16", (2, 2), b"")), tensor(B))), None),
        (None, "nan-in-gradient"),
    ],
)
def test_a_gradient_that_is_nan_where_values_are_finite(value: Any, cause: str | None) -> None:
    came = CAME | {"out": replace(CAME["out"], value=value, gradients=G | {"x": gradient(X * NAN)})}
    finding = found(model.Hold("gradients", "out"), came)
    assert finding
    assert finding.symptom == "nan-gradient"
    masked = dict(PREPARED.program.arrays, mask=wire.to_array(np.array([True, False])))
    prepared = replace(PREPARED, program=replace(PREPARED.program, arrays=masked))
    answer = model.Answer("n", tuple(came.values()))
    assert told(finding, prepared, answer) == cause
    assert told(finding, PREPARED, answer) is None


# ---------------------------------------------------------------- hostile answers


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(list(HOLDS.values())), st.data())
def test_no_answer_brings_the_judge_down(hold: model.Hold, data: st.DataObject) -> None:
    """Whatever the frames hold, there is a finding and a sentence, or the property is met."""
    forged = replace(data.draw(SEEN), into=hold.of)
    if data.draw(st.booleans()):  # closer to what is due
        forged = replace(CAME[hold.of], value=data.draw(VALUES), raised=None)
    if data.draw(st.booleans()):
        shape = data.draw(st.sampled_from([(2, 2), (2, 3), (3,), ()]))
        kind = data.draw(st.sampled_from([*wire.DTYPES, "bfloat16", "", "x" * 100]))
        blob = data.draw(st.sampled_from([b"", b"\xff" * 48, b"\x01" * 24, b"\0" * 96, b"\x7f" * 12]))
        array = model.Array(kind, shape, blob, data.draw(st.sampled_from(["cpu", "cuda", "meta"])))
        forged = replace(
            forged, value=model.Sequence("t", (model.Tensor(array), model.Tensor(array))),
            gradients={"x": array, "m.w": array}, echoes={"x": array}, parameters={"w": array}, raised=None,
        )  # fmt: skip
    came = CAME | {hold.of: forged}
    answer = wire.decode(
        wire.encode(model.Answer("n", tuple(came.values())))[wire.HEADER.size :], model.Answer
    )
    finding = judge.judge(hold, PREPARED, answer)
    if finding is not None:
        told(finding, PREPARED, answer)
        for hidden in (True, False):
            assert 0 < len(messages.message(finding, PREPARED, hidden)) <= messages.LIMIT


def test_a_result_that_cannot_be_read_tells_no_cause_and_raises_nothing() -> None:
    """Also where a gradient is missing, and only then the values are looked at."""
    seen = next(one for one in PREPARED.expected if isinstance(one.value, model.Tensor))
    due = seen.value
    assert isinstance(due, model.Tensor)
    torn = model.Tensor(model.Array(due.array.dtype, due.array.shape, b"torn"))
    answer = model.Answer("n", (model.Seen(seen.into, value=torn),))
    finding = model.Finding("no-gradient", seen.into, {"name": "x"})
    assert told(finding, PREPARED, answer) is None
