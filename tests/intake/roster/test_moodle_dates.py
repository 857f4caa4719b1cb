"""The times in Moodle's grading worksheet."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.intake.roster.moodle_dates import utc


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("Sunday, 1 February 2026, 11:59 PM", "UTC", "2026-02-01T23:59:00Z"),
        ("Sunday, 1 February 2026, 11:59 PM", "Europe/Berlin", "2026-02-01T22:59:00Z"),
        ("Wednesday, 1 July 2026, 12:05 AM", "Europe/Berlin", "2026-06-30T22:05:00Z"),
        ("Wednesday, 1 July 2026, 12:05 PM", "America/New_York", "2026-07-01T16:05:00Z"),
        ("1 February 2026, 09:30", "UTC", "2026-02-01T09:30:00Z"),
        (" Sunday, 1 February 2026, 9:30 am ", "UTC", "2026-02-01T09:30:00Z"),
        *[(text, "UTC", "") for text in ("-", "", "Sonntag, 1. Februar 2026, 23:59", "31 February 2026, 10:00 AM")],
        *[(text, "UTC", "") for text in ("1 February 2026, 99:99", "1 Smarch 2026, 10:00", "0 May 2026, 10:00")],
    ],
)
def test_times(text: str, zone: str, expected: str) -> None:
    assert utc(text, zone) == expected


@given(st.datetimes(datetime(1990, 1, 1), datetime(2080, 1, 1)), st.sampled_from(["UTC", "Asia/Tokyo", "Asia/Kolkata"]))
def test_what_moodle_writes_is_read_again(at: datetime, zone: str) -> None:
    text = at.strftime("%A, %d %B %Y, %I:%M %p").replace(", 0", ", ", 1)
    expected = at.replace(second=0, microsecond=0, tzinfo=ZoneInfo(zone)).astimezone(UTC)
    assert utc(text, zone) == expected.strftime("%Y-%m-%dT%H:%M:%SZ")


@given(st.text())
def test_any_text_is_a_time_or_none(text: str) -> None:
    assert utc(text, "UTC") == "" or utc(text, "UTC").endswith("Z")
