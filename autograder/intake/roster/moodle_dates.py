"""When a work was handed in, by Moodle's grading worksheet in English.

Moodle writes "Sunday, 1 February 2026, 11:59 PM", in the time zone of the teacher who downloads the worksheet.
"""

from __future__ import annotations

import contextlib
import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

HANDED_IN = "Last modified (submission)"  # the heading
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_DATE = re.compile(
    r"(?:[a-z]+,\s*)?(?P<day>\d{1,2})\s+(?P<month>[a-z]+)\s+(?P<year>\d{4}),?\s+"
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?:\s*(?P<half>[ap])m)?",
    re.IGNORECASE,
)


def utc(text: str, timezone: str) -> str:
    """Return a time of the worksheet as ``HandedIn`` holds it; "" for "-" and whatever else is no such time."""
    match = _DATE.fullmatch(text.strip())
    if match is None or match["month"].casefold() not in _MONTHS:
        return ""
    month = _MONTHS.index(match["month"].casefold()) + 1
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].casefold() == "p" else 0)
    with contextlib.suppress(ValueError, OverflowError):
        local = datetime(int(match["year"]), month, int(match["day"]), hour, int(match["minute"]))
        return local.replace(tzinfo=ZoneInfo(timezone)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return ""
