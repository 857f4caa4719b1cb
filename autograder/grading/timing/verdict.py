"""When enough is measured, and whether a call is fast enough."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from autograder import model
from autograder.grading.timing import intervals
from autograder.grading.timing.paired import PairedCosts

MAX_BLOCKS = 20
# Two ratios in a row beyond one of these factors are more than noise:
HOPELESS = 3.0  # times the limit
CLEAR = 2.0  # times below the limit
RATIO_CAP = 2.0  # times the limit; larger ratios count as this, so one outlier cannot keep the interval undecided


class CallTiming(msgspec.Struct, frozen=True):
    """The timing of one call. ``figure`` is the ratio of costs at its size, or the difference of the exponents.

    ``costs`` are what was measured, by size, for reports.
    """

    timed: model.TimedCall
    verdict: intervals.LimitVerdict
    quantity: Literal["ratio", "exponent"]
    figure: intervals.Interval
    costs: tuple[model.SizeCost, ...] = ()

    @property
    def facts(self) -> dict[str, Any]:
        """The figures for a message."""
        timed, exponent = self.timed, self.quantity == "exponent"
        return {
            "figure": self.figure.middle,
            "low": self.figure.low,
            "high": self.figure.high,
            "limit": timed.slack if exponent else timed.limit,
            "axis": timed.axis,
            "size": timed.at,
            "sizes": ", ".join(map(str, timed.sizes)),
        }


class SpeedVerdict(PairedCosts):
    """Measures a call until the verdict on its speed is clear, or the budget is spent."""

    def run(self, timed: model.TimedCall) -> CallTiming:
        """Return the timing of one call. Raises WrongAnswer, and SandboxError if the reference does not answer."""
        result = self._result(timed)
        return msgspec.structs.replace(result, costs=self.costs(timed))

    def _result(self, timed: model.TimedCall) -> CallTiming:
        ratios: list[float] = []
        level = self._level(timed, ratios)
        if level.verdict != "within" or not timed.sizes:
            return level
        growth = self._growth(timed, ratios)
        return level if growth.verdict == "within" else growth

    def _level(self, timed: model.TimedCall, samples: list[float]) -> CallTiming:
        """Return the ratio of costs at size ``at``. Adds the measured ratios to ``samples``."""
        first = self.ratio(timed, timed.at, turns=1)  # includes one-off costs, so it counts only in clear cases
        before = secrets.randbelow(2)  # so a submission cannot tell which question is observed
        if before:
            self.observe(timed)
        samples.append(self.ratio(timed, timed.at))
        if not before:
            self.observe(timed)
        clear = _clear((first, samples[0]), timed.limit)
        if clear:
            low, high = sorted((first, samples[0]))
            return CallTiming(timed, clear, "ratio", intervals.Interval(low, samples[0], high))
        while True:
            samples.append(self.ratio(timed, timed.at))
            capped = intervals.ratio_interval([min(sample, RATIO_CAP * timed.limit) for sample in samples])
            figure = msgspec.structs.replace(capped, middle=intervals.ratio_interval(samples).middle)
            verdict = intervals.verdict(figure, timed.limit)
            if verdict != "inconclusive" or self._enough(samples, figure.middle > timed.limit):
                return CallTiming(timed, verdict, "ratio", figure)

    def _growth(self, timed: model.TimedCall, levels: list[float]) -> CallTiming:
        """Return by how much the exponent of the cost exceeds the reference's. ``levels`` are ratios at size ``at``."""
        samples: list[float] = []
        while True:
            ratios = {size: self.ratio(timed, size, turns=1) for size in timed.sizes if size != timed.at}
            ratios[timed.at] = levels[len(samples) % len(levels)]
            samples.append(intervals.growth(ratios))
            figure = intervals.interval(samples)
            verdict = intervals.verdict(figure, timed.slack)
            if len(samples) == 2 and max(samples) < timed.slack / CLEAR:
                verdict = "within"
            if verdict != "inconclusive" or self._enough(samples, figure.middle > timed.slack):
                return CallTiming(timed, verdict, "exponent", figure)

    def _enough(self, samples: list[float], slow: bool) -> bool:
        """Whether to stop measuring. A call that seems too slow cannot escape by using up the budget."""
        spent = self.left <= 0 and not slow
        return len(samples) >= intervals.FEWEST and (spent or len(samples) >= MAX_BLOCKS)


def _clear(ratios: Sequence[float], limit: float) -> intervals.LimitVerdict | None:
    """Return the verdict if all ratios are far from the limit, on one side."""
    if min(ratios) > HOPELESS * limit:
        return "over"
    return "within" if max(ratios) < limit / CLEAR else None
