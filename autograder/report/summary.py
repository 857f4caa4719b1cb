"""What the reports on a terminal and in HTML have in common."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, get_args

from autograder import model
from autograder.model.numbers import short, two_decimals
from autograder.model.text import harmless, visible
from autograder.report.mistakes import FOLLOWS, LOST, Mistake, lost

if TYPE_CHECKING:
    from rich.table import Table

TO_MEND = "What to mend, first things first"  # the heading above mistakes, on pages and on a terminal
SIGNS = {"passed": "✓", "skipped": "·", "blocked": "○", FOLLOWS: "↳"} | dict.fromkeys(LOST, "✗")
LONGEST_REASON = 110  # characters
NAMED = 20  # names in a line
SHOWN_IDS = 6  # of checks that fail for one reason


def number(value: float | None) -> str:
    """Return the points of a check or a part: at most two decimals, without trailing zeros."""
    return "-" if value is None else short(value)


def score(value: float | None) -> str:
    """Return a student's score with two decimals."""
    return "-" if value is None else two_decimals(value)


def beside(mistake: Mistake) -> str:
    """Return what there is to say about the other checks of a mistake, and the points given back; empty if nothing."""
    if not mistake.others:
        return ""
    if not mistake.given:
        return _also(mistake)
    points = "1 point is" if mistake.given == 1 else f"{number(mistake.given)} points are"
    return f"{_also(mistake)} One mistake costs once: {points} given back."


def _also(mistake: Mistake) -> str:
    """Return a sentence about the other checks of a mistake, and one about those that only may fail because of it."""
    guessed = mistake.guessed
    sure = [one for one in mistake.others if one not in guessed]
    sentences = (sure, "only because of this"), (guessed, "too, perhaps because of this")
    return " ".join(_counted(others, why) for others, why in sentences if others)


def _counted(others: Sequence[model.Outcome], why: str) -> str:
    """Return how many checks fail, why, and which."""
    names = ", ".join(other.id for other in others[:SHOWN_IDS]) + (" and more" if len(others) > SHOWN_IDS else "")
    waiting = sum(other.status == "blocked" for other in others)
    many = "fail" if not waiting else "are not counted" if waiting == len(others) else "fail or are not counted"
    one = "is not counted" if waiting else "fails"
    subject = f"1 other check {one}" if len(others) == 1 else f"{len(others)} other checks {many}"
    return f"{subject} {why}: {names}."


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


def sentence(text: str) -> str:
    """Return a text as a sentence."""
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def status_counts(statuses: Mapping[str, int]) -> str:
    """Return a text such as ``40 graded, 2 import-error``, in the order of the contract."""
    return ", ".join(f"{statuses[status]} {status}" for status in get_args(model.GradeStatus) if statuses.get(status))


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
