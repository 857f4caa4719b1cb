"""When enough is measured, and whether a call is fast enough."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from autograder import model
from autograder.grading.timing import intervals
from autograder.grading.timing.paired import PairedCosts, Ratio

MAX_BLOCKS = 20
CLEAR = 2.0  # times over or below the limit: two ratios beyond it, or the smallest one, are more than noise
NEAR = 1.5  # times below the limit, where the reference was measured beside the submission
CHEAP = 0.5  # of the reference's cost
DEAR = 0.015  # seconds of a question, beside which disturbances are small
FAR = 8 * CLEAR  # times over the limit: twice what the square of a size needs, to be CLEAR over it at half of the size
LOOKS = 3  # shared questions at most, before the reference is measured beside the submission
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
        first, ratios = self._first(timed), list[float]()
        if first.most < timed.limit / CLEAR:
            level = CallTiming(timed, "within", "ratio", intervals.Interval(first.measured, first.measured, first.most))
        else:
            level = self._hopeless(timed, first.measured) or self._level(timed, ratios)
        if level.verdict != "within" or not timed.sizes or self._grows_little(timed, first):
            return level
        growth = self._growth(timed, ratios)
        return level if growth.verdict == "within" else growth

    def _first(self, timed: model.TimedCall) -> Ratio:
        """Return the smallest ratio of up to LOOKS questions: disturbances and one-off costs only add to a cost.

        The first that is clear decides. Another question of the same form is observed.
        """
        before = secrets.randbelow(2)  # so a submission cannot tell which one
        if before:
            self.observe(timed)
        ratio = self.shared_ratio(timed, timed.at)
        if not before:
            self.observe(timed)
        for _ in range(LOOKS - 1):
            if _clear(ratio, timed.limit):
                break
            ratio = min(ratio, self.shared_ratio(timed, timed.at))
        return ratio

    def _hopeless(self, timed: model.TimedCall, first: float) -> CallTiming | None:
        """Return the timing of a call that is far over the limit twice, or None.

        A dear call is made once more only. If it is very far over the limit, half of its size shows that too.
        """
        if not first > CLEAR * timed.limit:
            return None
        dear = self.latest > DEAR
        if dear:
            half = first > FAR * timed.limit
            second = self.ratio(timed, timed.at // 2 if half else timed.at, turns=1, calls=1)
        else:
            second = self.ratio(timed, timed.at)
        if second <= CLEAR * timed.limit:
            return None
        low, high = sorted((first, second))
        return CallTiming(timed, "over", "ratio", intervals.Interval(low, first if dear else second, high))

    def _level(self, timed: model.TimedCall, samples: list[float]) -> CallTiming:
        """Return the ratio of costs at size ``at``: measured in turns until its interval lies on one side of the limit,
        or more questions would hardly decide. Adds the measured ratios to ``samples``.
        """
        first = self.ratio(timed, timed.at, turns=1)  # includes one-off costs, so it counts only in clear cases
        samples.append(self.ratio(timed, timed.at))
        clear = _clear((first, samples[0]), timed.limit, NEAR)
        if clear:
            low, high = sorted((first, samples[0]))
            return CallTiming(timed, clear, "ratio", intervals.Interval(low, samples[0], high))
        while True:
            samples.append(self.ratio(timed, timed.at))
            capped = intervals.ratio_interval([min(sample, RATIO_CAP * timed.limit) for sample in samples])
            figure = msgspec.structs.replace(capped, middle=intervals.ratio_interval(samples).middle)
            verdict = intervals.verdict(figure, timed.limit)
            if verdict != "inconclusive" or self._enough(len(samples), intervals.logs(capped), math.log(timed.limit)):
                return CallTiming(timed, verdict, "ratio", figure)

    def _grows_little(self, timed: model.TimedCall, first: Ratio) -> bool:
        """Whether the cost clearly grows no faster than the reference's, from the smallest size to the largest.

        ``first`` is the ratio at size ``at``. Of the questions of one size, the cheapest counts. What costs less than
        CHEAP of the reference at the largest size does not grow too fast, whatever it costs at others.
        """
        least, most = min(timed.sizes), max(timed.at, *timed.sizes)
        small = min(self.shared_ratio(timed, least) for _ in range(LOOKS))
        large = first if most == timed.at else self.shared_ratio(timed, most)
        for looks in range(1, LOOKS + 1):
            growth = intervals.growth({least: small.measured, most: large.most})
            if large.measured < CHEAP or growth < timed.slack / CLEAR:
                return True
            if looks < LOOKS:
                large = min(large, self.shared_ratio(timed, most))
        return False

    def _growth(self, timed: model.TimedCall, levels: Sequence[float]) -> CallTiming:
        """Return by how much the exponent of the cost exceeds the reference's.

        ``levels`` are ratios at size ``at``, which is measured if there are none.
        """
        samples: list[float] = []
        while True:
            ratios = {size: self.ratio(timed, size, turns=1) for size in timed.sizes if size != timed.at or not levels}
            if levels:
                ratios[timed.at] = levels[len(samples) % len(levels)]
            samples.append(intervals.growth(ratios))
            figure = intervals.interval(samples)
            verdict = intervals.verdict(figure, timed.slack)
            if len(samples) == 2 and max(samples) < timed.slack / CLEAR:
                verdict = "within"
            if verdict != "inconclusive" or self._enough(len(samples), figure, timed.slack):
                return CallTiming(timed, verdict, "exponent", figure)

    def _enough(self, blocks: int, figure: intervals.Interval, limit: float) -> bool:
        """Whether to stop measuring. A call that seems too slow cannot escape by using up the budget."""
        if blocks < intervals.FEWEST:
            return False
        spent = self.left <= 0 and figure.middle <= limit
        return spent or blocks >= MAX_BLOCKS or intervals.is_futile(figure, limit, blocks, MAX_BLOCKS)


def _clear(ratios: Sequence[float], limit: float, below: float = CLEAR) -> intervals.LimitVerdict | None:
    """Return the verdict if all ratios are far from the limit, on one side: CLEAR times over it, or ``below`` below."""
    if min(ratios) > CLEAR * limit:
        return "over"
    return "within" if max(ratios) < limit / below else None
