"""Durations in, verdicts out: statistics alone. Owns no clock and knows no submission."""

from autograder.timing.verdict import (
    FEWEST,
    INCONCLUSIVE,
    OVER,
    SURE,
    WITHIN,
    Interval,
    Verdict,
    growth,
    interval,
    median_interval,
    ratio_interval,
    verdict,
)

__all__ = [
    "FEWEST",
    "INCONCLUSIVE",
    "OVER",
    "SURE",
    "WITHIN",
    "Interval",
    "Verdict",
    "growth",
    "interval",
    "median_interval",
    "ratio_interval",
    "verdict",
]
