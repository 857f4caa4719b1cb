"""How much memory this process has needed at most."""

from __future__ import annotations

import sys

try:
    from resource import RUSAGE_SELF, getrusage  # by name: a submission can replace what ``resource`` holds
except ImportError:  # Windows does not tell
    getrusage = None  # type: ignore[assignment]

UNIT = 1 if sys.platform == "darwin" else 1024  # bytes: getrusage(2) counts in kilobytes, macOS in bytes


def peak() -> int | None:
    """Return the largest number of bytes that this process has had in memory; None if unknown."""
    return None if getrusage is None else getrusage(RUSAGE_SELF).ru_maxrss * UNIT


def grown(before: int | None) -> int | None:
    """Return how many bytes the peak has grown since it was ``before``; None if unknown."""
    now = peak()
    return None if now is None or before is None else max(0, now - before)
