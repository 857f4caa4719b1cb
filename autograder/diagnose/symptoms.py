"""From a finding to a cause, where the symptom leaves no doubt about it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autograder import compare, model, wire
from autograder.diagnose.record import Record
from autograder.diagnose.whole import Whole

CERTAIN = {
    "not-implemented": "not-implemented",
    "wrong-parameters": "wrong-parameters",
    "forbidden-call": "forbidden-call",
    "recording-stopped": "forbidden-call",
    "changed-input": "modifies-input",
    "made-in-dtype": "dtype-hardcoded",
    "wrong-device": "device-hardcoded",
    "mixed-devices": "device-hardcoded",
    "timed-out": "too-slow",
    "given-up": "too-slow",
}


def cause(finding: model.Finding, record: Record, whole: Whole) -> str | None:
    """The id of the cause, or None where the symptom allows more than one."""
    if finding.symptom in CERTAIN:
        return CERTAIN[finding.symptom]
    rule = RULES.get(finding.symptom)
    if rule is None or record.answer is None:
        return None
    if finding.symptom in ("no-gradient", "zero-gradient", "backward-raised") and any(
        key.what == "value" for other in whole.failing_of(record.targets) for key in other.wrong
    ):
        return None  # other things are wrong, of which this may follow
    try:
        return rule(finding, record.prepared, record.answer)
    except wire.WireError:  # what came can't be read, so it tells no cause
        return None


def _missing_name(finding: model.Finding, prepared: model.Prepared, answer: model.Answer) -> str | None:
    """A parameter that can't be loaded is a matter of the constructor, a name that is not there of the file."""
    step = next(s for s in prepared.program.steps if getattr(s, "into", None) == finding.step)
    if finding.facts["raised"].message.endswith("; it has none"):
        return "not-implemented"
    has_state = isinstance(step, model.Make) and bool(step.state)
    return (
        "wrong-parameters"
        if has_state and "parameter" in finding.facts["raised"].message
        else "not-implemented"
    )


def _swapped(finding: model.Finding, prepared: model.Prepared, answer: model.Answer) -> str | None:
    """Two results, each with the shape of the other."""
    came, due = _value(answer.seen, finding.step), _value(prepared.expected, finding.step)
    if not (isinstance(came, model.Sequence) and isinstance(due, model.Sequence) and len(due.items) == 2):
        return None
    shapes = [_shape(v) for v in came.items]
    wanted = [_shape(v) for v in due.items]
    return "returns-swapped" if shapes == wanted[::-1] and shapes[0] != shapes[1] else None


def _dtype(finding: model.Finding, prepared: model.Prepared, answer: model.Answer) -> str | None:
    floating = ("float16", "bfloat16", "float32", "float64")
    wrong = finding.facts["came"] in floating and finding.facts["due"] in floating
    return "dtype-hardcoded" if wrong else None


def _nan_gradient(finding: model.Finding, prepared: model.Prepared, answer: model.Answer) -> str | None:
    """NaN only in the gradient; where the values are NaN too, they are the cause."""
    came = _value(answer.seen, finding.step)
    tensors = [v.array for v in _leaves(came) if isinstance(v, model.Tensor)]
    record = Record(prepared, answer)
    masked = record.masked and not record.extreme
    finite = all(np.isfinite(wire.to_numpy(a)).all() for a in tensors)
    return "nan-in-gradient" if masked and finite else None


def _detached(finding: model.Finding, prepared: model.Prepared, answer: model.Answer) -> str | None:
    if nothing := _nothing(finding, prepared, answer):
        return nothing
    raised: model.Raised = finding.facts["raised"]
    whole = "element 0 of tensors does not require grad" in raised.message
    return "detached-graph" if whole else None


def _value(seen: tuple[model.Seen, ...], step: str) -> model.Value | None:
    return next((one.value for one in seen if one.into == step), None)


def _leaves(value: model.Value | None) -> tuple[model.Value | None, ...]:
    return value.items if isinstance(value, model.Sequence) else (value,)


def _shape(value: model.Value) -> tuple[int, ...] | None:
    return value.array.shape if isinstance(value, model.Tensor) else None


def _cut_off(finding: model.Finding, prepared: model.Prepared, answer: model.Answer) -> str | None:
    """Right values without a gradient: computed as it must be, and cut off. Where the values are wrong too, the input
    may not have been used at all, or something else than asked for was computed."""
    came, due = _value(answer.seen, finding.step), _value(prepared.expected, finding.step)
    pairs = zip(_leaves(came), _leaves(due), strict=False)
    right = [_equal(one, other, prepared.program.dtype) for one, other in pairs]
    return "detached-graph" if right and all(right) else None


def _equal(came: model.Value | None, due: model.Value | None, dtype: str) -> bool:
    if not isinstance(came, model.Tensor) or not isinstance(due, model.Tensor):
        return False
    if came.array.shape != due.array.shape:
        return False
    values = wire.to_numpy(came.array), wire.to_numpy(due.array)
    return compare.difference(*values, compare.TOLERANCES["cpu", dtype]) is None


# What torch says of mistakes that have a name.
SAYINGS = {
    "modifies-input": ("leaf Variable that requires grad",),
    "dtype-hardcoded": (
        "expected scalar type", "same dtype", "expected m1 and m2", "dtypes to match", "result type",
        "without overflow",
        "dtypes must be the same",
        "Index put requires the source and destination dtypes match",
    ),
    "device-hardcoded": (
        "Torch not compiled with CUDA", "Found no NVIDIA driver", "No CUDA GPUs", "is not on the expected device",
    ),
}  # fmt: skip


def _said(finding: model.Finding, prepared: model.Prepared, answer: model.Answer) -> str | None:
    text = finding.facts["raised"].message
    return next((id for id, sayings in SAYINGS.items() if any(one in text for one in sayings)), None)


def _nothing(finding: model.Finding, prepared: model.Prepared, answer: model.Answer) -> str | None:
    """A function that returns nothing has no result yet."""
    return "not-implemented" if _value(answer.seen, finding.step) == model.Scalar(None) else None


def _not_zero(finding: model.Finding, prepared: model.Prepared, answer: model.Answer) -> str | None:
    """Values that are right but for tiny weights where exactly 0 is due: the mask fills in what is not low enough."""
    record = Record(prepared, answer)
    return "mask-leaks" if record.masked and not record.wrong else None


RULES: dict[str, Callable[[model.Finding, model.Prepared, model.Answer], str | None]] = {
    "missing-name": _missing_name,
    "raised": _said,
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
