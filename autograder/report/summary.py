"""What terminal and page say alike of a grade."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import msgspec

from autograder import model

LOST = ("failed", "error", "timeout")
LONGEST_REASON = 110


class Failure(msgspec.Struct, frozen=True):
    """Checks that failed for one and the same reason, told by the first of them."""

    check: model.Outcome
    others: tuple[str, ...]  # ids


def number(value: float | None) -> str:
    """Points without needless zeros."""
    return "-" if value is None else f"{value:.10g}"


def lost(grade: model.Grade) -> list[model.Outcome]:
    """The checks that cost points."""
    return [check for check in grade.checks if check.status in LOST]


def grouped(checks: Sequence[model.Outcome]) -> list[Failure]:
    """Checks with the same reason together, in the order of the first of each."""
    groups: dict[tuple[str, str | None], list[model.Outcome]] = {}
    for check in checks:
        groups.setdefault((check.message.partition(" Called: ")[0], check.diagnosis), []).append(check)
    return [Failure(first, tuple(check.id for check in rest)) for first, *rest in groups.values()]


def causes(grade: model.Grade) -> str:
    """The diagnoses of a grade, and how many more checks failed; of work that earned nothing, what was found."""
    if grade.status not in ("graded", "partial"):
        return _short(grade.message)
    failed = lost(grade)
    named = list(dict.fromkeys(check.diagnosis for check in failed if check.diagnosis))
    unnamed = sum(1 for check in failed if not check.diagnosis)
    more = f"{unnamed} {'other ' if named else ''}check{'s' if unnamed > 1 else ''} failed"
    found = _short(grade.message) if not grade.score else ""
    return ", ".join([*named, *([more] if unnamed else []), *([found] if found else [])])


def status_counts(statuses: Mapping[str, int]) -> str:
    """``40 graded, 2 import-error``."""
    return ", ".join(f"{count} {status}" for status, count in statuses.items())


def one_line(text: str) -> str:
    """Text that can't break a row or steer a terminal."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def _short(text: str) -> str:
    return textwrap.shorten(one_line(text), LONGEST_REASON, placeholder=" …")
