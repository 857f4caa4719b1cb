"""From a finding to its cause, where the symptom allows only one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autograder import model, protocol
from autograder.feedback.diagnose.case_record import CaseRecord
from autograder.feedback.diagnose.submission_records import SubmissionRecords
from autograder.judge import tolerances
from autograder.protocol import wire

CERTAIN = {
    "not-implemented": "not-implemented",
    "wrong-parameters": "wrong-parameters",
    "not-a-module": "wrong-parameters",
    "forbidden-call": "forbidden-call",
    "did-not-raise": "wrong-exception",
    "recording-stopped": "forbidden-call",
    "changed-input": "modifies-input",
    "made-in-dtype": "dtype-hardcoded",
    "wrong-device": "device-hardcoded",
    "mixed-devices": "device-hardcoded",
    "timed-out": "too-slow",
    "timed-out-wall": "too-slow",
    "given-up": "too-slow",
    "too-much-memory": "too-much-memory",
}


BROKEN = {"TypeError", "NameError", "AttributeError", "UnboundLocalError"}  # explained as themselves


def cause(finding: model.Finding, record: CaseRecord, submission: SubmissionRecords) -> str | None:
    """Return the id of the cause; None where the symptom allows several."""
    symptom = finding.facts.get("also", finding).symptom
    if finding.symptom == "mixed-devices" and _well_alone(record, submission):
        return "stateful"  # tensors of earlier calls are on their devices
    if symptom in CERTAIN:
        return CERTAIN[symptom]
    rule = RULES.get(finding.symptom)
    if rule is None or record.answer is None:
        return None
    if finding.symptom in ("no-gradient", "zero-gradient", "backward-raised") and any(
        key.what == "value" for other in submission.failing_of(record.targets) for key in other.wrong
    ):
        return None  # which this may follow from
    try:
        return rule(finding, record.prepared, record.answer)
    except wire.WireError:  # an answer that can't be read shows no cause
        return None


def _well_alone(record: CaseRecord, submission: SubmissionRecords) -> bool:
    """Whether a case that raises an exception after others raises none in a new process."""
    first = submission.run(record.prepared)[0]
    return first.answer is not None and not first.raised


def _missing_name(finding: model.Finding, prepared: model.Prepared, answer: protocol.Answer) -> str | None:
    """A parameter that can't be loaded is the constructor's fault. A missing name is code that is not written yet."""
    step = next(s for s in prepared.program.steps if getattr(s, "into", None) == finding.step)
    if finding.facts["raised"].message.endswith("; it has none"):
        return "not-implemented"
    has_state = isinstance(step, protocol.Make) and bool(step.state)
    return "wrong-parameters" if has_state and "parameter" in finding.facts["raised"].message else "not-implemented"


def _other(finding: model.Finding, prepared: model.Prepared, answer: protocol.Answer) -> str | None:
    """Another exception than the one that is due; not one that Python raises for code that can't run."""
    return None if finding.facts["raised"].type in BROKEN else "wrong-exception"


def _swapped(finding: model.Finding, prepared: model.Prepared, answer: protocol.Answer) -> str | None:
    """Two results, each with the shape of the other one."""
    actual, expected = _value(answer.results, finding.step), _value(prepared.expected_results, finding.step)
    if not (
        isinstance(actual, protocol.Sequence) and isinstance(expected, protocol.Sequence) and len(expected.items) == 2
    ):
        return None
    shapes = [_shape(v) for v in actual.items]
    wanted = [_shape(v) for v in expected.items]
    return "returns-swapped" if shapes == wanted[::-1] and shapes[0] != shapes[1] else None


def _dtype(finding: model.Finding, prepared: model.Prepared, answer: protocol.Answer) -> str | None:
    floating = ("float16", "bfloat16", "float32", "float64")
    wrong = finding.facts["actual"] in floating and finding.facts["expected"] in floating
    return "dtype-hardcoded" if wrong else None


def _nan_gradient(finding: model.Finding, prepared: model.Prepared, answer: protocol.Answer) -> str | None:
    """NaN only in the gradient. Where the values are NaN too, they are the cause."""
    actual = _value(answer.results, finding.step)
    tensors = [v.array for v in _leaves(actual) if isinstance(v, protocol.Tensor)]
    record = CaseRecord(prepared, answer)
    masked = record.masked and not record.extreme
    finite = all(np.isfinite(wire.to_numpy(a)).all() for a in tensors)
    return "nan-in-gradient" if masked and finite else None


def _detached(finding: model.Finding, prepared: model.Prepared, answer: protocol.Answer) -> str | None:
    if nothing := _nothing(finding, prepared, answer):
        return nothing
    raised: protocol.Raised = finding.facts["raised"]
    whole = "element 0 of tensors does not require grad" in raised.message
    return "detached-graph" if whole else None


def _value(results: tuple[protocol.StepResult, ...], step: str) -> protocol.Value | None:
    return next((one.value for one in results if one.into == step), None)


def _leaves(value: protocol.Value | None) -> tuple[protocol.Value | None, ...]:
    return value.items if isinstance(value, protocol.Sequence) else (value,)


def _shape(value: protocol.Value) -> tuple[int, ...] | None:
    return value.array.shape if isinstance(value, protocol.Tensor) else None


def _cut_off(finding: model.Finding, prepared: model.Prepared, answer: protocol.Answer) -> str | None:
    """Right values without a gradient: the graph is cut. Where the values are wrong too, the code may not use the input
    at all, or may compute something else."""
    actual, expected = _value(answer.results, finding.step), _value(prepared.expected_results, finding.step)
    pairs = zip(_leaves(actual), _leaves(expected), strict=False)
    right = [_equal(one, other, prepared.program.dtype) for one, other in pairs]
    return "detached-graph" if right and all(right) else None


def _equal(actual: protocol.Value | None, expected: protocol.Value | None, dtype: str) -> bool:
    if not isinstance(actual, protocol.Tensor) or not isinstance(expected, protocol.Tensor):
        return False
    if actual.array.shape != expected.array.shape:
        return False
    values = wire.to_numpy(actual.array), wire.to_numpy(expected.array)
    return tolerances.difference(*values, tolerances.TOLERANCES["cpu", dtype]) is None


# cause -> parts of torch's messages about it
TORCH_MESSAGES = {
    "modifies-input": ("leaf Variable that requires grad",),
    "dtype-hardcoded": (
        "expected scalar type",
        "same dtype",
        "expected m1 and m2",
        "dtypes to match",
        "result type",
        "without overflow",
        "dtypes must be the same",
        "Index put requires the source and destination dtypes match",
    ),
    "contiguous-only": ("view size is not compatible with input tensor's size and stride",),
    "device-hardcoded": (
        "Torch not compiled with CUDA",
        "Found no NVIDIA driver",
        "No CUDA GPUs",
        "is not on the expected device",
    ),
}


def _torch_message(finding: model.Finding, prepared: model.Prepared, answer: protocol.Answer) -> str | None:
    text = finding.facts["raised"].message
    return next((id for id, parts in TORCH_MESSAGES.items() if any(part in text for part in parts)), None)


def _nothing(finding: model.Finding, prepared: model.Prepared, answer: protocol.Answer) -> str | None:
    """A function that returns None is not written yet."""
    return "not-implemented" if _value(answer.results, finding.step) == protocol.Scalar(None) else None


def _not_zero(finding: model.Finding, prepared: model.Prepared, answer: protocol.Answer) -> str | None:
    """Right values, except tiny weights where 0 is expected: the mask fills in a number that is not low enough."""
    record = CaseRecord(prepared, answer)
    return "mask-leaks" if record.masked and not record.wrong else None


def _property(finding: model.Finding, prepared: model.Prepared, answer: protocol.Answer) -> str | None:
    """What the check says that this property shows."""
    return finding.facts["cause"] or None


RULES: dict[str, Callable[[model.Finding, model.Prepared, protocol.Answer], str | None]] = {
    "missing-name": _missing_name,
    "broken-property": _property,
    "raised": _torch_message,
    "raised-other": _other,
    "not-zero": _not_zero,
    "wrong-type": _nothing,
    "wrong-structure": _nothing,
    "backward-raised": _detached,
    "no-gradient": _cut_off,
    "zero-gradient": _cut_off,
    "wrong-shape": _swapped,
    "wrong-dtype": _dtype,
    "nan-gradient": _nan_gradient,
}
