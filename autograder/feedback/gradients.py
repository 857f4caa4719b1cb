"""Gradients beside the expected ones, in words."""

from __future__ import annotations

from autograder.model import GradientPicture, GradientRow

AS_EXPECTED = "as expected"
STATES = {
    "right": AS_EXPECTED,
    "missing": "no gradient",
    "wrong-shape": "wrong shape",
    "not-finite": "NaN or infinity",
    "unreadable": "can't be read",
}
MANY_TIMES = 10.0  # the expected size; a larger difference is no percentage
LEAST_PERCENT = 0.01


def summary(picture: GradientPicture) -> str:
    """Return how many gradients differ, for those who do not see the picture."""
    wrong, count = sum(row.state != "right" for row in picture.rows), len(picture.rows)
    return f"{wrong} of {count} {'differs' if wrong == 1 else 'differ'}" if wrong else f"{count} {AS_EXPECTED}"


def verdict(row: GradientRow) -> str:
    """Return how one gradient compares with the expected one."""
    if row.state != "wrong":
        return STATES[row.state]
    if row.error is None:
        return "0 is expected" if row.expected == 0 else "differs"
    if row.error >= MANY_TIMES:
        return f"off by {row.error:.2g} times its size"
    return f"off by {_percent(100 * row.error)} %"


def _percent(share: float) -> str:
    if share < LEAST_PERCENT:
        return f"less than {LEAST_PERCENT}"
    return f"{share:.0f}" if share >= 9.5 else f"{share:.1g}"


def number(norm: float | None) -> str:
    """Return a norm as text."""
    return "-" if norm is None else f"{norm:.3g}"
