"""Steps that failed, causes that a symptom tells by itself, and answers that nobody honest would give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from autograder import judge, messages, model, wire
from autograder.diagnose import symptoms
from autograder.diagnose.record import Record
from tests.core.judging import (
    CAME,
    NAN,
    PREPARED,
    A,
    B,
    X,
    changed,
    found,
    gradient,
    pair,
)
from tests.core.test_judge import HOLDS, PARAMS, G
from tests.core.test_wire import SEEN, VALUES
from tests.core.tools import tensor, whole

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
