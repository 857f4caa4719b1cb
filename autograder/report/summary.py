"""What the reports on a terminal and in HTML have in common."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from autograder import model
from autograder.model.text import harmless, visible

if TYPE_CHECKING:
    from rich.table import Table

LOST = ("failed", "error", "timeout")
LONGEST_REASON = 110  # characters
NAMED = 20  # names in a line


class FailedChecks(NamedTuple):
    """Checks that failed for the same reason: the first, and the ids of the others."""

    check: model.Outcome
    others: tuple[str, ...]


def number(value: float | None) -> str:
    """Return points without trailing zeros."""
    return "-" if value is None else f"{value:.10g}"


def lost(grade: model.Grade) -> list[model.Outcome]:
    """Return the checks that cost points."""
    return [check for check in grade.checks if check.status in LOST]


def grouped(checks: Sequence[model.Outcome]) -> list[FailedChecks]:
    """Group checks with the same reason, in the order of each group's first check."""
    groups: dict[tuple[str, str | None], list[model.Outcome]] = {}
    for check in checks:
        groups.setdefault((check.message.partition(" Called: ")[0], check.diagnosis), []).append(check)
    return [FailedChecks(first, tuple(check.id for check in rest)) for first, *rest in groups.values()]


def causes(grade: model.Grade) -> str:
    """Return a grade's causes and how many checks failed without one. If there is no score, add the grade's message."""
    if grade.status not in ("graded", "partial"):
        return _short(grade.message)
    failed = lost(grade)
    parts = list(dict.fromkeys(check.diagnosis for check in failed if check.diagnosis))
    if unnamed := sum(not check.diagnosis for check in failed):
        parts.append(f"{unnamed} {'other ' if parts else ''}check{'s' if unnamed > 1 else ''} failed")
    if grade.message and not grade.score:
        parts.append(_short(grade.message))
    return ", ".join(parts)


def status_counts(statuses: Mapping[str, int]) -> str:
    """Return a text such as ``40 graded, 2 import-error``."""
    return ", ".join(f"{count} {status}" for status, count in statuses.items())


def some(names: Sequence[str], most: int = NAMED) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(visible, names[:most])) + more


def table(*headings: str, right: Collection[str] = ()) -> Table:
    """Return an empty table without lines for a terminal. ``right``: headings of the columns with numbers."""
    from rich.table import Table  # here, because an autograder.zip has no rich

    made = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        made.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    return made


def _short(text: str) -> str:
    return textwrap.shorten(harmless(text), LONGEST_REASON, placeholder=" …")
