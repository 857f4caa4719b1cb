"""How late a work is, and what that costs.

A deadline or an extension is a text, as people write it: a time with its zone ("2026-02-01T23:59+01:00"), or a duration
to add to the deadline before it ("2d", "36h", "90m").
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from autograder.model import HandedIn

DAY = timedelta(days=1)
DURATION = re.compile(r"(?P<number>\d{1,5}(?:\.\d{1,3})?)\s*(?P<unit>d|days?|h|hours?|m|min|minutes?)", re.IGNORECASE)
UNITS = {"d": timedelta(days=1), "h": timedelta(hours=1), "m": timedelta(minutes=1)}
EXPECTED = "expected a time with its zone, such as 2026-02-01T23:59+01:00, or a duration, such as 2d, 36h or 90m"
DIGITS = 6  # of a penalty, as of a score


class LateError(ValueError):
    """A deadline, an extension or a late rule is wrong. The text is for the person at the keyboard."""


class LateRule(msgspec.Struct, frozen=True):
    """What late work costs. By default it costs nothing, and lateness is only reported.

    ``deadline`` is a time with its zone, or empty. ``grace_minutes`` move every deadline. Each day that has begun after
    it costs ``percent_per_day`` of the mark, or ``points_per_day``; one of the two is 0. ``cap`` is the most that
    lateness costs, in the same unit. The first ``slip_days`` of each student cost nothing. ``timezone`` is the zone of
    times that a learning management system writes without one, such as "Europe/Berlin".
    """

    deadline: str = ""
    grace_minutes: float = 0.0
    percent_per_day: float = 0.0
    points_per_day: float = 0.0
    cap: float | None = None
    slip_days: int = 0
    timezone: str = ""

    def __post_init__(self) -> None:
        """Raises LateError for values that make no sense."""
        if self.deadline:
            time(self.deadline)
        if self.timezone:
            zone(self.timezone)
        numbers = (self.grace_minutes, self.percent_per_day, self.points_per_day, self.cap or 0.0, self.slip_days)
        if not all(math.isfinite(number) and number >= 0 for number in numbers):
            raise LateError("a late rule's numbers must be finite and not negative")
        if self.percent_per_day and self.points_per_day:
            raise LateError("a late rule takes percent_per_day or points_per_day, not both")
        if self.percent_per_day > 100:
            raise LateError(f"percent_per_day is {self.percent_per_day:g}; expected at most 100")


def zone(name: str) -> ZoneInfo:
    """Return a time zone by its name. Raises LateError."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise LateError(f"there is no time zone {name[:40]!r}; expected a name such as Europe/Berlin or UTC") from None


def time(text: str) -> datetime:
    """Return a time in UTC. Raises LateError for a text that is none, or that has no zone."""
    try:
        found = datetime.fromisoformat(text.strip())
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise LateError(f"{text[:40]!r} is no time; {EXPECTED}") from None
    raise LateError(f"{text[:40]!r} has no time zone; {EXPECTED}")


def duration(text: str) -> timedelta | None:
    """Return the duration in a text; None if the text is none."""
    match = DURATION.fullmatch(text.strip())
    return float(match["number"]) * UNITS[match["unit"][0].lower()] if match else None


def checked(text: str) -> str:
    """Return a deadline or an extension as it is kept. Raises LateError."""
    if duration(text) is None:
        time(text)
    return text.strip()


def due(rule: LateRule, extensions: Iterable[str] = ()) -> datetime | None:
    """Return a student's deadline without the grace. Each of ``extensions`` moves or replaces the one before."""
    found = time(rule.deadline) if rule.deadline else None
    for text in extensions:
        longer = duration(text)
        if longer is None:
            found = time(text)
        elif found is not None:
            found = min(found, datetime.max.replace(tzinfo=UTC) - longer) + longer
    return found


def days_late(rule: LateRule, handed_in: HandedIn, extensions: Iterable[str] = ()) -> int:
    """Return how many days late a work is; a day that has begun counts.

    The learning management system's ``LATE`` counts as one day, where the deadline or the time is not known. It knows
    nothing of extensions, so it counts for nobody who has one.
    """
    extensions = tuple(extensions)
    deadline, at = due(rule, extensions), _known(handed_in.at)
    if deadline is not None and at is not None:
        late = at - deadline - timedelta(minutes=rule.grace_minutes)
        return max(0, -(-late // DAY))
    return 1 if handed_in.late and not extensions else 0


def _known(text: str) -> datetime | None:
    """Return a time that a learning management system wrote; None if it wrote none that can be read."""
    with contextlib.suppress(LateError):
        return time(text)
    return None


def of_days(rule: LateRule, mark: float, days: int) -> float:
    """Return the points that ``days`` take from a mark: at least 0, and at most the mark."""
    counted = max(0, days - rule.slip_days)
    lost = counted * (rule.percent_per_day or rule.points_per_day)
    lost = lost if rule.cap is None else min(lost, rule.cap)
    points = mark * lost / 100 if rule.percent_per_day else lost
    return round(min(max(points, 0.0), max(mark, 0.0)), DIGITS)


def penalty(rule: LateRule, mark: float, handed_in: HandedIn, extensions: Iterable[str] = ()) -> float:
    """Return the points that lateness takes from a mark. It is a number from 0 to the mark."""
    return of_days(rule, mark, days_late(rule, handed_in, extensions))
