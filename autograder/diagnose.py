"""From a finding to a cause (contract, section 5), where the symptom leaves no doubt about it.

Causes that only a comparison with known mistakes can tell are left open: a message with an honest symptom
is better than an invented cause.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autograder import compare, model, wire

CERTAIN = {
    "not-implemented": "not-implemented",
    "wrong-parameters": "wrong-parameters",
    "forbidden-call": "forbidden-call",
    "changed-input": "modifies-input",
    "wrong-device": "device-hardcoded",
    "timed-out": "too-slow",
    "given-up": "too-slow",
}


def diagnose(
    finding: model.Finding, prepared: model.Prepared | None, answer: model.Answer | None
) -> str | None:
    """The id of the cause, or None where the symptom allows more than one."""
    if finding.symptom in CERTAIN:
        return CERTAIN[finding.symptom]
    rule = RULES.get(finding.symptom)
    if rule is None or prepared is None or answer is None:
        return None
    try:
        return rule(finding, prepared, answer)
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
    masked = any(a.dtype == "bool" for a in prepared.program.arrays.values())
    finite = all(np.isfinite(wire.to_numpy(a)).all() for a in tensors)
    return "nan-in-gradient" if masked and finite else None


def _detached(finding: model.Finding, prepared: model.Prepared, answer: model.Answer) -> str | None:
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
    return compare.difference(*values, compare.TOLERANCES[dtype]) is None


RULES: dict[str, Callable[[model.Finding, model.Prepared, model.Answer], str | None]] = {
    "missing-name": _missing_name,
    "backward-raised": _detached,
    "no-gradient": _cut_off,
    "wrong-shape": _swapped,
    "wrong-dtype": _dtype,
    "nan-gradient": _nan_gradient,
}
