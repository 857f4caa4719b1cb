"""Compare costs with a limit: confidence intervals of ratios and growth, and the verdict that follows.

A block of measurements (student, reference, reference, student, on the same inputs) gives one ratio of costs. Ratios
are averaged as logarithms, in which twice as fast and twice as slow are equally far from equal.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

LimitVerdict = Literal["within", "over", "inconclusive"]

FEWEST = 3  # blocks that a verdict needs
TRIED = 8  # blocks, after which measuring may be given up
SURE = 8  # samples that a 99 % interval of a median needs
# Student's t, two-sided 99 %, by degrees of freedom (Student 1908). After the last entry it changes little.
_T_99 = """63.66 9.925 5.841 4.604 4.032 3.707 3.499 3.355 3.250 3.169
3.106 3.055 3.012 2.977 2.947 2.921 2.898 2.878 2.861 2.845"""
T_99 = tuple(map(float, _T_99.split()))


class Interval(msgspec.Struct, frozen=True):
    """A figure with its 99 % confidence interval."""

    low: float
    middle: float
    high: float


def interval(samples: Sequence[float]) -> Interval:
    """Return the mean of ``samples`` and its interval. Fewer than FEWEST samples give infinite bounds."""
    middle = statistics.fmean(samples) if samples else math.nan
    if len(samples) < FEWEST:
        return Interval(-math.inf, middle, math.inf)
    spread = statistics.stdev(samples) / math.sqrt(len(samples))
    half = T_99[min(len(samples) - 1, len(T_99)) - 1] * spread
    return Interval(middle - half, middle, middle + half)


def ratio_interval(ratios: Sequence[float]) -> Interval:
    """Return the geometric mean of ratios and its interval."""
    logs = interval([math.log(ratio) for ratio in ratios])
    return Interval(math.exp(logs.low), math.exp(logs.middle), math.exp(logs.high))


def logs(figure: Interval) -> Interval:
    """Return the interval of the logarithm of a figure that is not negative."""
    return Interval(*(math.log(value) if value else -math.inf for value in msgspec.structs.astuple(figure)))


def median_interval(samples: Sequence[float]) -> Interval:
    """Return the median of ``samples`` and its interval, for any distribution. Raises ValueError without samples.

    The number of samples above the true median is binomial, as for a fair coin. So two of the ordered samples enclose
    the median with 99 % confidence. With fewer than SURE samples the bounds are the smallest and the largest sample,
    with less confidence.
    """
    if not samples:
        raise ValueError("there are no samples")
    ordered, count = sorted(samples), len(samples)
    chances = [math.comb(count, heads) / 2**count for heads in range((count + 1) // 2)]
    cut = max(0, sum(2 * outside <= 0.01 for outside in itertools.accumulate(chances)) - 1)
    return Interval(ordered[cut], statistics.median(ordered), ordered[count - 1 - cut])


def verdict(figure: Interval, limit: float) -> LimitVerdict:
    """Return ``within`` or ``over`` if the whole interval is on that side of ``limit``, otherwise ``inconclusive``."""
    if figure.high <= limit:
        return "within"
    return "over" if figure.low > limit else "inconclusive"


def is_futile(figure: Interval, limit: float, count: int, most: int) -> bool:
    """Whether ``most`` samples will hardly lead to a verdict, as the mean of ``count`` samples shows.

    The interval of ``most`` samples would be narrower, by the root of their number. It is futile to go on if a quarter
    of that interval, about the same mean, would contain the limit.
    """
    if count < TRIED:
        return False
    half = (figure.high - figure.low) / 2 * math.sqrt(count / most)
    return abs(figure.middle - limit) < half / 4


def growth(costs: Mapping[int, float]) -> float:
    """Return the exponent k of costs (by size) that grow as size^k.

    It is the least-squares slope of log cost over log size. For ratios to the reference's costs, it is the difference
    of the exponents.
    """
    sizes = [math.log(size) for size in costs]
    logarithms = [math.log(cost) for cost in costs.values()]
    return statistics.linear_regression(sizes, logarithms).slope
