"""Points as people read them."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
LARGEST = 1e15  # from here on, a float has no two decimals


def half_up(value: float) -> float:
    """Return points with two decimals, rounded half up as people do: 2.675 becomes 2.68."""
    if not abs(value) < LARGEST:  # nor have infinity and NaN
        return value
    return float(Decimal(repr(float(value))).quantize(CENT, ROUND_HALF_UP))


def two_decimals(value: float | None) -> str:
    """Return points with exactly two decimals, as ``2.50``; an empty text for None."""
    return "" if value is None else f"{half_up(value) + 0.0:.2f}"


def short(value: float) -> str:
    """Return points with at most two decimals and no trailing zeros, as ``2.5``."""
    return two_decimals(value).rstrip("0").rstrip(".")


def signed(value: float) -> str:
    """Return a change of points with its sign, as ``+5`` or ``-2.5``."""
    text = short(value)
    return text if text.startswith("-") else f"+{text}"
