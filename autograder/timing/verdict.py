"""How many times the reference's cost a submission's is, how sure that is, and what follows.

Costs are compared in blocks: student, reference, reference, student, in a row and on the same inputs, so that
whatever slows the machine down slows both. A block gives one ratio. Ratios are compared as logarithms, in which
twice as fast and twice as slow are equally far from equal.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

Verdict = Literal["within", "over", "inconclusive"]
WITHIN: Verdict = "within"
OVER: Verdict = "over"
INCONCLUSIVE: Verdict = "inconclusive"

FEWEST = 3  # blocks from which anything is said
SURE = 8  # samples from which a median has a 99 % interval
# Student's t, two-sided 99 %, by degrees of freedom (Student 1908); beyond the last one it changes little.
T_99 = (
    63.66, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169,
    3.106, 3.055, 3.012, 2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845,
)  # fmt: skip


class Interval(msgspec.Struct, frozen=True):
    """A figure, and between which it lies with 99 % confidence."""

    low: float
    middle: float
    high: float


def interval(samples: Sequence[float]) -> Interval:
    """The mean of ``samples`` and its confidence interval; without bounds where there are fewer than FEWEST."""
    middle = statistics.fmean(samples) if samples else math.nan
    if len(samples) < FEWEST:
        return Interval(-math.inf, middle, math.inf)
    spread = statistics.stdev(samples) / math.sqrt(len(samples))
    half = T_99[min(len(samples) - 1, len(T_99)) - 1] * spread
    return Interval(middle - half, middle, middle + half)


def ratio_interval(ratios: Sequence[float]) -> Interval:
    """The geometric mean of ratios and its confidence interval."""
    found = interval([math.log(ratio) for ratio in ratios])
    return Interval(math.exp(found.low), math.exp(found.middle), math.exp(found.high))


def median_interval(samples: Sequence[float]) -> Interval:
    """The median of ``samples`` and the ordered samples that enclose the true one with 99 % confidence, whatever the
    distribution: as many lie above it as a fair coin shows heads. With fewer than SURE samples the smallest and the
    largest, which is less sure. Raises ValueError without any."""
    if not samples:
        raise ValueError("there are no samples")
    ordered, count = sorted(samples), len(samples)
    chances = [math.comb(count, heads) / 2**count for heads in range((count + 1) // 2)]
    cut = max(0, sum(2 * outside <= 0.01 for outside in itertools.accumulate(chances)) - 1)
    return Interval(ordered[cut], statistics.median(ordered), ordered[count - 1 - cut])


def verdict(found: Interval, limit: float) -> Verdict:
    """``within`` or ``over`` where all of the interval is on that side of ``limit``."""
    if found.high <= limit:
        return WITHIN
    return OVER if found.low > limit else INCONCLUSIVE


def growth(costs: Mapping[int, float]) -> float:
    """The exponent k of costs that grow as size^k: the slope, by least squares, of their logarithms over those of the
    sizes (``costs`` by size). Of ratios to the reference's costs: by how much k exceeds the reference's."""
    sizes = [math.log(size) for size in costs]
    logarithms = [math.log(cost) for cost in costs.values()]
    return statistics.linear_regression(sizes, logarithms).slope
