"""Figures about a class, each with the interval that the number of students allows.

The intervals are those of a normal approximation, at 95 %. Checks share causes, so no figure here assumes that they are
independent of each other (as Cronbach's alpha would).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Z = 1.96  # 95 % of a normal distribution lie within so many standard deviations
FEWEST = 30  # students; below, an interval says more about chance than about the class
LEAST_SPREAD = 1e-12


class Estimate(NamedTuple):
    """A figure and its interval."""

    value: float
    low: float
    high: float


class Summary(NamedTuple):
    """The distribution of scores: quartiles as NumPy interpolates them, and the mean."""

    low: float
    lower: float
    median: float
    upper: float
    high: float
    mean: float


def summary(scores: Sequence[float]) -> Summary | None:
    """Return the distribution of scores; None if there are none."""
    if not scores:
        return None
    low, lower, median, upper, high = (float(value) for value in np.percentile(scores, (0, 25, 50, 75, 100)))
    return Summary(low, lower, median, upper, high, float(np.mean(scores)))


def histogram(scores: Sequence[float], most: float, bins: int) -> list[int]:
    """Return how many scores fall into each of equal bins from 0 to ``most``. What is above falls into the last."""
    if most <= 0:
        return [0] * bins
    counts, _ = np.histogram(np.clip(scores, 0, most), bins=bins, range=(0, most))
    return [int(count) for count in counts]


def mean(shares: NDArray[np.float64]) -> Estimate:
    """Return the mean of shares from 0 to 1."""
    value = float(shares.mean())
    half = Z * float(shares.std(ddof=1)) / math.sqrt(len(shares)) if len(shares) > 1 else 1.0
    return Estimate(value, max(0.0, value - half), min(1.0, value + half))


def separation(shares: NDArray[np.float64], rest: NDArray[np.float64]) -> Estimate | None:
    """Return how well an item separates students: its correlation with the rest of the score (item-rest).

    The interval is Fisher's (z = artanh r). None if there are fewer than 4 students, or one of the two does not vary.
    """
    if len(shares) < 4 or shares.std() < LEAST_SPREAD or rest.std() < LEAST_SPREAD:
        return None
    value = float(np.clip(np.corrcoef(shares, rest)[0, 1], -1, 1))
    if abs(value) > 1 - LEAST_SPREAD:
        return Estimate(value, value, value)
    middle, half = math.atanh(value), Z / math.sqrt(len(shares) - 3)
    return Estimate(value, math.tanh(middle - half), math.tanh(middle + half))
