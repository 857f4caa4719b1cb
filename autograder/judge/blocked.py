"""Checks whose own property holds while the values are wrong (contract, section 4: ``blocked``)."""

from __future__ import annotations

from autograder import model
from autograder.model.words import AssertionName, Kind

# kind of check -> the assertions that its title is about. Its others only say that the values must be right too.
OWN: dict[Kind, set[AssertionName]] = {
    "interface": {"signature", "parameters", "raises", "mode"},
    "shape": {"shapes", "dtypes"},
    "weight_sum": {"sums", "zeros"},
    "constraint": {"untouched", "device", "fits"},
    "invariance": {"permuted", "same", "unchanged", "mode"},
    "timing": set(),
}
OF_VALUES = {
    "wrong-values",
    "wrong-gradient",
    "zero-gradient",
    "nan-gradient",
    "no-gradient",
    "wrong-gradient-shape",
    "wrong-update",
}
OF_RESULTS = OF_VALUES | {"wrong-shape", "wrong-structure", "wrong-type", "wrong-dtype"}


def in_order(check: model.Check) -> tuple[model.Assertion, ...]:
    """Return a check's assertions, those that its title is about first."""
    own = OWN.get(check.kind, set())
    return tuple(sorted(check.assertions, key=lambda assertion: assertion.name not in own))


def is_blocked(check: model.Check, finding: model.Finding) -> bool:
    """Whether a finding of the check says only that values are wrong, not what the check's title is about."""
    if check.kind not in OWN or finding.status != "failed":
        return False
    if check.kind == "invariance" and not any(one.name in OWN["invariance"] for one in check.assertions):
        return False  # right values are what it is about
    return finding.symptom in (OF_VALUES if check.kind == "shape" else OF_RESULTS)
