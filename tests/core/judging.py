"""One case with a step of every sort, what is due in it, and what holds find in answers to it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from msgspec.structs import replace

from autograder import judge, model, wire
from tests.core.tools import call, program, tensor

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
