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
    return f"off by {row.error:.2g} times its size" if row.error >= MANY_TIMES else f"off by {_percent(row.error)} %"


def _percent(error: float) -> str:
    percent = 100 * error
    return f"{percent:.0f}" if percent >= 10 else f"{percent:.1g}"


def number(norm: float | None) -> str:
    """Return a norm as text."""
    return "-" if norm is None else f"{norm:.3g}"
