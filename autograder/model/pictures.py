"""What a report draws besides attention weights: gradients by parameter, and costs by size.

All names are the grader's own. All numbers are finite, and None stands where one is not.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

MOST_ROWS = 32  # parameters and inputs in a picture
MOST_SIZES = 16
GradientState = Literal["right", "wrong", "missing", "wrong-shape", "not-finite", "unreadable"]
Quantity = Literal["ratio", "exponent"]
Verdict = Literal["within", "over", "inconclusive"]


class GradientRow(msgspec.Struct, frozen=True):
    """The gradient of one parameter or input: Euclidean norms, and the norm of the difference over the expected one."""

    name: str
    state: GradientState
    actual: float | None
    expected: float | None
    error: float | None = None


class GradientPicture(msgspec.Struct, frozen=True):
    """The gradients that a submission returned for a public case, beside the expected ones."""

    part: str
    check: str
    rows: Annotated[tuple[GradientRow, ...], msgspec.Meta(max_length=MOST_ROWS)]


class SizeCost(msgspec.Struct, frozen=True):
    """What one call cost at a size, in milliseconds: medians of the submission and of the reference."""

    size: int
    actual: float
    reference: float


class SpeedPicture(msgspec.Struct, frozen=True):
    """What a check of speed measured for one call.

    ``low`` to ``high`` is the figure as messages say it. Both are the same once it is decided. A ``ratio`` is a
    multiple of the reference's cost at ``size``. An ``exponent`` is by how much more the cost grows than the
    reference's, as a power of the size. ``said``: the check's message says the figure too. ``costs`` are for staff.
    """

    part: str
    check: str
    axis: str
    size: int
    quantity: Quantity
    verdict: Verdict
    low: float
    high: float
    limit: float
    said: bool
    costs: Annotated[tuple[SizeCost, ...], msgspec.Meta(max_length=MOST_SIZES)] = ()
