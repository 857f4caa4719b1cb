"""Functions that timed out: the others are asked first, and after some tries such a function is given up.

So an endless loop does not use up the time of everything else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from autograder.grading.responses import NoAnswer

MAX_TIMEOUTS = 3  # of one function; then its other cases are skipped
SECOND_SECONDS = 0.5  # CPU seconds of a case whose function timed out before; an honest one takes a tenth


class Timeouts:
    """Counts timeouts by the name of a function or method."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, names: Iterable[str]) -> None:
        """Count one timeout of a call of these functions."""
        self._counts.update(names)

    def any_of(self, names: Iterable[str]) -> bool:
        """Whether one of these functions timed out before."""
        return any(name in self._counts for name in names)

    def seconds(self, names: Iterable[str]) -> float | None:
        """Return the CPU seconds that a call of these functions gets; None for the usual limit."""
        return SECOND_SECONDS if self.any_of(names) else None

    def given_up(self, names: Iterable[str]) -> NoAnswer | None:
        """Return the reason why a call of these functions is skipped; None if it is not."""
        if any(self._counts[name] >= MAX_TIMEOUTS for name in names):
            return NoAnswer("given-up", "timeout", {"tries": MAX_TIMEOUTS})
        return None
