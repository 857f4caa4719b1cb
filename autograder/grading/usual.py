"""The limits of one submission where nobody sets others: the defaults, and those that the assignment declares."""

from __future__ import annotations

from autograder import assignments
from autograder.sandbox.limits import Limits, altered


def usual_limits(assignment: str) -> Limits:
    """Return the limits of an assignment's submissions."""
    return altered(Limits(), declared_limits(assignment))


def declared_limits(assignment: str) -> dict[str, float]:
    """Return the limits that an assignment declares as its own, by name. Most declare none."""
    return dict(assignments.declared(assignment, "", "LIMITS", {}))
