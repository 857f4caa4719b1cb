"""One case with a step of every kind, its expected results, and the findings of assertions about it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from msgspec.structs import replace

from autograder import judge, model, protocol
from autograder.protocol import wire
from tests.small_suite_helpers import call, program, tensor

NAN, INF = float("nan"), float("inf")
X = np.array([[1.0, 0.0, -2.0], [0.5, 4.0, 0.0]])
A, B = np.array([[0.2, 0.8], [1.0, 0.0]]), np.array([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0]])
ORDER = np.array([2, 0, 1])
TOKENS = np.array([[5, 6, 2], [7, 2, 0]])
PARAMETERS = tuple(protocol.ParameterInfo(n, s, "float32", True) for n, s in (("v", (1, 5)), ("w", (3, 5))))
ERROR = protocol.Raised("ValueError", ("ValueError", "Exception"), "must divide")


def gradient(values: Any) -> protocol.Array:
    return wire.to_array(np.asarray(values, dtype=float))


def pair(first: Any, second: Any) -> protocol.Sequence:
    """Two results."""
    return protocol.Sequence("tuple", (tensor(first), tensor(second)))


STEPS = (
    protocol.Make("m", "Thing", [3], {}, {"w": "w"}),
    call(
        "m",
        "x",
        into="out",
        outputs=("a", "b"),
        wrt=("x",),
        modules=("m",),
        cotangents=("ca", "cb"),
        trace=True,
        echo=True,
    ),
    call("m", "x", into="again", outputs=("a", "b")),
    call("m", "y", into="moved", outputs=("a", "b")),
    call("decode", "x", into="tokens"),
    call("loss", "x", into="loss"),
    call("zero", "x", into="zero"),
    call("mask", "x", into="mask"),
    protocol.Make("bad", "Thing", [0]),
    protocol.Inspect("look", "Thing"),
    protocol.Inspect("parameters", "m"),
    protocol.State("state", "m"),
)
EXPECTED = {
    "m": protocol.StepResult("m"),
    "out": protocol.StepResult(
        "out",
        pair(A, B),
        gradients={"x": gradient(X), "m.w": gradient([1.0, 2.0]), "m.v": gradient([0.0])},
        echoes={"x": wire.to_array(X)},
        operations=("aten::exp", "aten::mul"),
    ),
    "again": protocol.StepResult("again", pair(A, B)),
    "moved": protocol.StepResult("moved", pair(A, B[:, ORDER])),
    "tokens": protocol.StepResult("tokens", tensor(TOKENS)),
    "loss": protocol.StepResult("loss", protocol.Scalar(2.5)),
    "zero": protocol.StepResult("zero", tensor(np.zeros(3))),
    "mask": protocol.StepResult("mask", tensor(np.array([True, False]))),
    "bad": protocol.StepResult("bad", raised=ERROR),
    "look": protocol.StepResult("look", interface=protocol.Interface("class", ("size", "bias"), ("size",))),
    "parameters": protocol.StepResult("parameters", interface=protocol.Interface("module", parameters=PARAMETERS)),
    "state": protocol.StepResult("state", parameters={"w": gradient([1.0, 2.0])}, training=False),
}
ACTUAL = dict(EXPECTED)
PREPARED = model.Prepared(
    "case",
    program(*STEPS, x=X, y=X, w=np.ones(2), ca=np.ones((2, 2)), cb=np.ones((2, 3)), order=ORDER),
    tuple(EXPECTED.values()),
)


def found(
    assertion: model.Assertion, actual: dict[str, protocol.StepResult], dtype: str = "float64"
) -> model.Finding | None:
    """Return the finding of one assertion about an answer."""
    prepared = replace(PREPARED, program=replace(PREPARED.program, dtype=dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return judge.first_failure((assertion,), prepared, protocol.Answer("n", tuple(actual.values())))


def symptom(what: str, of: str, options: dict[str, Any], **changes: Any) -> str | None:
    """Return the symptom of a step with some fields of its result changed."""
    finding = found(model.Assertion(what, of, options), ACTUAL | {of: replace(ACTUAL[of], **changes)})
    return finding and finding.symptom


def changed(values: np.ndarray, *index: int, to: float) -> np.ndarray:
    """Return a copy with one entry changed."""
    copy = values.copy()
    copy[index] = to
    return copy
