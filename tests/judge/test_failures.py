"""Steps that failed, causes that follow from a symptom alone, and hostile answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from autograder import judge, model, protocol
from autograder.feedback import messages
from autograder.feedback.diagnose import symptoms
from autograder.feedback.diagnose.case_record import CaseRecord
from autograder.model import text as text_module
from autograder.protocol import wire
from autograder.protocol.arrays import DTYPES
from tests.judge.judge_helpers import ACTUAL, NAN, PREPARED, A, B, X, changed, found, gradient, pair
from tests.judge.test_assertions import ASSERTIONS, PARAMS, G
from tests.protocol.test_wire import SEEN, VALUES
from tests.small_suite_helpers import submission_records, tensor

# ---------------------------------------------------------------- steps that failed


def failed(kind: str, during: Any = "call", *bases: str) -> protocol.Raised:
    """An exception."""
    return protocol.Raised(kind, (*bases, "Exception"), "text", during=during)


@pytest.mark.parametrize(
    ("step", "raised", "expected"),
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
def test_an_exception_is_reported_at_the_step_that_raised_it(
    step: str, raised: protocol.Raised, expected: str | None
) -> None:
    actual = ACTUAL | {step: replace(ACTUAL[step], raised=raised)}
    finding = found(model.Assertion("values", "out"), actual)
    assert (finding and finding.symptom) == expected
    if finding:
        assert (finding.step, finding.status) == (step, "error")


def test_a_failed_backward_pass_fails_gradients_only() -> None:
    actual = ACTUAL | {"out": replace(ACTUAL["out"], raised=failed("RuntimeError", "backward"), gradients={})}
    for what, expected in (("gradients", "backward-raised"), ("shapes", None), ("unchanged", None)):
        finding = found(model.Assertion(what, "out"), actual)
        assert (finding and finding.symptom) == expected


def test_results_of_another_shape_are_named_and_not_the_backward_pass_that_they_break() -> None:
    value, raised = pair(A[:1].copy(), B[:1].copy()), failed("RuntimeError", "backward")
    actual = ACTUAL | {"out": replace(ACTUAL["out"], value=value, raised=raised)}
    finding = found(model.Assertion("gradients", "out"), actual)
    assert finding
    assert (finding.symptom, finding.status) == ("wrong-shape", "failed")


def test_a_skipped_step_reports_the_step_that_it_needed() -> None:
    skipped = protocol.StepResult("out", raised=failed("Skipped", "skipped"))
    made = protocol.StepResult("m", raised=failed("TypeError", "make"))
    finding = found(model.Assertion("values", "out"), ACTUAL | {"m": made, "out": skipped})
    assert finding
    assert (finding.step, finding.symptom) == ("m", "raised")


def test_the_other_of_two_calls_may_have_failed_too() -> None:
    actual = ACTUAL | {"again": protocol.StepResult("again", raised=failed("TypeError"))}
    finding = found(model.Assertion("same", "out", {"other": "again"}), actual)
    assert finding
    assert (finding.step, finding.symptom) == ("again", "raised")


def test_a_float32_case_has_float32_tolerances() -> None:
    actual = ACTUAL | {"out": replace(ACTUAL["out"], value=pair(A.astype("float32"), B.astype("float32") * (1 + 1e-6)))}
    assert found(model.Assertion("values", "out"), actual, "float32") is None
    assert found(model.Assertion("dtypes", "out"), actual, "float32") is None
    finding = found(model.Assertion("dtypes", "out"), ACTUAL, "float32")
    assert finding
    assert finding.facts["expected"] == "float32"


# ---------------------------------------------------------------- causes of symptoms


def cause_of(finding: model.Finding, prepared: model.Prepared, answer: protocol.Answer | None) -> str | None:
    """Return the cause that follows from a finding's symptom, or None."""
    record = CaseRecord(prepared, answer)
    return symptoms.cause(finding, record, submission_records({prepared.id: record}, [prepared.id]))


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
        ("shapes", "out", {"raised": failed("NotImplementedError", "call", "NotImplementedError")}, "not-implemented"),
        ("dtypes", "out", {"value": pair(A, B.astype("float32"))}, "dtype-hardcoded"),
        ("dtypes", "out", {"value": pair(A, B.astype("int64"))}, None),
        ("shapes", "zero", {"value": protocol.Tensor(protocol.Array("bfloat16", (3,), b""))}, "dtype-hardcoded"),
        (
            "shapes",
            "zero",
            {"value": protocol.Tensor(protocol.Array("float64", (3,), b"", "cuda"))},
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
def test_certain_causes_are_named(what: str, of: str, changes: dict[str, Any], cause: str | None) -> None:
    actual = ACTUAL | {of: replace(ACTUAL[of], **changes)}
    finding = found(model.Assertion(what, of if of != "m" else "out"), actual)
    assert finding
    answer = protocol.Answer("n", tuple(actual.values()))
    assert cause_of(finding, PREPARED, answer) == cause
    assert cause_of(finding, PREPARED, None) in (cause, None)


@pytest.mark.parametrize(
    ("value", "cause"),
    [
        (pair(A, B), "nan-in-gradient"),
        (pair(A, changed(B, 0, 0, to=NAN)), None),
        (protocol.Sequence("tuple", (protocol.Tensor(protocol.Array("bfloat16", (2, 2), b"")), tensor(B))), None),
        (None, "nan-in-gradient"),
    ],
)
def test_a_gradient_that_is_nan_where_values_are_finite(value: Any, cause: str | None) -> None:
    actual = ACTUAL | {"out": replace(ACTUAL["out"], value=value, gradients=G | {"x": gradient(X * NAN)})}
    finding = found(model.Assertion("gradients", "out"), actual)
    assert finding
    assert finding.symptom == "nan-gradient"
    masked = dict(PREPARED.program.arrays, mask=wire.to_array(np.array([True, False])))
    prepared = replace(PREPARED, program=replace(PREPARED.program, arrays=masked))
    answer = protocol.Answer("n", tuple(actual.values()))
    assert cause_of(finding, prepared, answer) == cause
    assert cause_of(finding, PREPARED, answer) is None


# ---------------------------------------------------------------- hostile answers


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(list(ASSERTIONS.values())), st.data())
def test_no_answer_crashes_the_judge(assertion: model.Assertion, data: st.DataObject) -> None:
    """Any answer gives a finding with a sentence, or passes the assertion."""
    forged = replace(data.draw(SEEN), into=assertion.step)
    if data.draw(st.booleans()):  # closer to the expected result
        forged = replace(ACTUAL[assertion.step], value=data.draw(VALUES), raised=None)
    if data.draw(st.booleans()):
        shape = data.draw(st.sampled_from([(2, 2), (2, 3), (3,), ()]))
        kind = data.draw(st.sampled_from(DTYPES))
        blob = data.draw(st.sampled_from([b"", b"\xff" * 48, b"\x01" * 24, b"\0" * 96, b"\x7f" * 12]))
        array = protocol.Array(kind, shape, blob, data.draw(st.sampled_from(["cpu", "cuda", "meta"])))
        forged = replace(
            forged,
            value=protocol.Sequence("t", (protocol.Tensor(array), protocol.Tensor(array))),
            gradients={"x": array, "m.w": array},
            echoes={"x": array},
            parameters={"w": array},
            raised=None,
        )
    actual = ACTUAL | {assertion.step: forged}
    answer = wire.decode(wire.encode(protocol.Answer("n", tuple(actual.values())))[wire.HEADER.size :], protocol.Answer)
    finding = judge.first_failure((assertion,), PREPARED, answer)
    if finding is not None:
        cause_of(finding, PREPARED, answer)
        for hidden in (True, False):
            assert 0 < len(messages.message(finding, PREPARED, hidden)) <= text_module.LIMIT


def test_an_unreadable_result_has_no_cause_and_raises_nothing() -> None:
    """Also if a gradient is missing: only then the diagnosis reads the values."""
    result = next(one for one in PREPARED.expected_results if isinstance(one.value, protocol.Tensor))
    expected = result.value
    assert isinstance(expected, protocol.Tensor)
    torn = protocol.Tensor(protocol.Array(expected.array.dtype, expected.array.shape, b"torn"))
    answer = protocol.Answer("n", (protocol.StepResult(result.into, value=torn),))
    finding = model.Finding("no-gradient", result.into, {"name": "x"})
    assert cause_of(finding, PREPARED, answer) is None
