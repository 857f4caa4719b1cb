"""Assertions about results without right values: each passes what has the property, and names what does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from autograder import judge, model, protocol
from autograder.instructor.oracle import interpreter
from tests.small_suite_helpers import call, program, tensor

CURVES = np.array([[0.9, 0.5, 0.2], [1.0, 0.9, 0.8]], dtype=np.float32)
FREE = (protocol.FreeResult("float32", (2, 3)),)
DRAW = np.random.default_rng(0).integers(3, 8, (200, 6))
ROWS = {"src": (200, 6), "tgt_in": (200, 7)}
FREE_ROWS = tuple(protocol.FreeResult("int64", shape) for shape in ROWS.values())
STEPS = (
    call("f", "x", into="out", free=FREE),
    call("f", "x", into="again", free=FREE),
    call(
        "g", "x", into="rows", outputs=tuple(ROWS), free=tuple(protocol.FreeResult("int64", s) for s in ROWS.values())
    ),
    call("h", "x", into="scores", outputs=("one", "two")),
)
SCORES = protocol.Sequence("list", (protocol.Scalar(1.5), protocol.Scalar(0.0)))
EXPECTED = (
    *(interpreter._free_result(step) for step in STEPS[:3]),  # what is expected where nothing is right or wrong
    protocol.StepResult("scores", SCORES),
)
PREPARED = model.Prepared("case", program(*STEPS, x=np.ones(2), dtype="float32"), EXPECTED)
BOS_FIRST = np.concatenate([np.ones((200, 1), np.int64), DRAW], axis=1)
ACTUAL = {
    "out": protocol.StepResult("out", tensor(CURVES)),
    "again": protocol.StepResult("again", tensor(CURVES)),
    "rows": protocol.StepResult("rows", protocol.Sequence("tuple", (tensor(DRAW), tensor(BOS_FIRST)))),
    "scores": protocol.StepResult("scores", SCORES),
}
SAYS = "it holds"


def finding(name: Any, step: str, options: dict[str, Any], **changes: protocol.StepResult) -> model.Finding | None:
    given = {} if name == "python_floats" else {"says": SAYS}
    results = {**ACTUAL, **changes}
    answer = protocol.Answer("", tuple(results[one.into] for one in STEPS), "")
    return judge.first_failure([model.Assertion(name, step, options | given)], PREPARED, answer)


def curves(values: Any) -> protocol.StepResult:
    return protocol.StepResult("out", tensor(np.asarray(values, dtype=np.float32)))


def rows(src: np.ndarray, tgt_in: np.ndarray | None = None) -> protocol.StepResult:
    first = np.concatenate([np.ones((200, 1), np.int64), src], axis=1) if tgt_in is None else tgt_in
    return protocol.StepResult("rows", protocol.Sequence("tuple", (tensor(src), tensor(first))))


def scores(*values: Any) -> protocol.StepResult:
    return protocol.StepResult("scores", protocol.Sequence("list", values))


WEIGHED = {"terms": [[1, 0, 0], [-1, 0, 2]], "least": 0.3}
EVENLY = {"output": "src", "low": 3, "high": 7}
FAILS: list[tuple[Any, str, dict[str, Any], protocol.StepResult]] = [
    ("within", "out", {"low": 0.0, "high": 1.0}, curves(CURVES + 0.5)),
    ("within", "out", {"low": 0.0, "high": 1.0}, curves(np.where(CURVES == 0.5, np.nan, CURVES))),
    ("within", "out", {"low": 0.0, "high": np.inf}, curves(np.where(CURVES == 0.5, np.inf, CURVES))),
    ("within", "rows", {"low": 3, "high": 7, "only": ["src"]}, rows(np.where(DRAW == 4, 2, DRAW))),
    ("weighed", "out", WEIGHED, curves([[0.5, 0.5, 0.3], [1, 1, 1]])),
    ("weighed", "out", WEIGHED, curves([[np.nan, 0.5, 0.3], [1, 1, 1]])),
    ("descends", "out", {"row": 0, "slack": 0.05}, curves([[0.5, 0.9, 0.3], [1, 1, 1]])),
    ("descends", "out", {"row": 0, "slack": 0.05}, curves([[0.9, 0.1, 0.3], [1, 1, 1]])),
    ("agrees", "out", {"other": "again"}, curves(CURVES + 0.1)),
    ("agrees", "out", {"other": "again", "factor": 3.0}, curves(CURVES * 4)),
    ("joined", "rows", {"output": "tgt_in", "of": "src", "before": [1]}, rows(DRAW, BOS_FIRST[:, ::-1].copy())),
    ("holds", "rows", {"output": "src", "entry": 7}, rows(np.minimum(DRAW, 6))),
    ("evenly", "rows", EVENLY, rows(np.where(DRAW == 4, 5, DRAW))),
    ("evenly", "rows", EVENLY, rows(np.repeat(DRAW[:, :1], 6, axis=1))),  # each position is even, pairs are not
    ("evenly", "rows", EVENLY, rows(np.where(np.arange(6) == 0, 3, DRAW))),
    ("evenly", "rows", EVENLY, rows(DRAW + 1)),
    ("undrawn", "rows", {}, replace(ACTUAL["rows"], drew=True)),
    ("python_floats", "scores", {}, scores(protocol.Scalar(1.5))),
    ("python_floats", "scores", {}, scores(protocol.Scalar(1.5), protocol.Scalar(0))),
    ("python_floats", "scores", {}, scores(protocol.Scalar(1.5), tensor(np.array(0.0)))),
    ("python_floats", "scores", {}, protocol.StepResult("scores", tensor(np.ones(2)))),
]
TESTED = {name for name, *_ in FAILS} | {"differs"}


@pytest.mark.parametrize(("name", "step", "options", "wrong"), FAILS)
def test_a_property_holds_or_is_named(
    name: Any, step: str, options: dict[str, Any], wrong: protocol.StepResult
) -> None:
    assert finding(name, step, options) is None
    found = finding(name, step, options, **{step: wrong})
    assert found is not None
    assert found.symptom == ("wrong-type" if name == "python_floats" else "broken-property")
    assert found.facts.get("property", SAYS) == SAYS


def test_two_results_that_must_differ() -> None:
    options = {"other": "again"}
    assert finding("differs", "out", options, out=curves(CURVES + 0.1)) is None
    found = finding("differs", "out", options)
    assert found is not None
    assert found.symptom == "broken-property"


def test_a_cause_is_what_the_check_says() -> None:
    found = finding("weighed", "out", {**WEIGHED, "cause": "not-trained"}, out=curves(np.zeros((2, 3))))
    assert found is not None
    assert found.facts["cause"] == "not-trained"


@pytest.mark.parametrize("name", ["within", "weighed", "descends", "agrees"])
def test_another_shape_is_named_first(name: Any) -> None:
    options = next(options for one, _, options, _ in FAILS if one == name)
    found = finding(name, "out", options, out=curves(CURVES.T))
    assert found is not None
    assert found.symptom == "wrong-shape"


def test_an_even_draw_is_never_refused() -> None:
    for seed in range(200):
        src = np.random.default_rng(seed).integers(3, 8, (200, 6))
        assert finding("evenly", "rows", EVENLY, rows=rows(src)) is None
