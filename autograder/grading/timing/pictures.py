"""What checks of speed measured, kept for reports.

Timed inputs are secret, so a student gets only the figure that the check's message says. ``feedback.shown`` sees to it.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograder import model
from autograder.feedback import messages
from autograder.grading.timing.checker import CheckTiming
from autograder.grading.timing.verdict import CallTiming


def speeds(check: model.Check, timing: CheckTiming, said: CallTiming | None) -> Iterator[model.SpeedPicture]:
    """Yield a picture for each call that was measured. ``said`` is the one whose figure the message says."""
    for result in timing.results:
        facts = result.facts
        low, high = ("low", "high") if result.verdict == "inconclusive" else ("figure", "figure")
        yield model.SpeedPicture(
            check.part,
            check.id,
            result.timed.axis,
            result.timed.at,
            result.quantity,
            result.verdict,
            messages.figure(low, facts),
            messages.figure(high, facts),
            messages.figure("limit", facts),
            result is said and (result.verdict, result.quantity) != ("inconclusive", "exponent"),
            result.costs,
        )
