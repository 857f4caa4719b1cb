"""What the reports on a terminal and in HTML have in common."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, get_args

from autograder import model
from autograder.course.marks import UNWRITTEN
from autograder.model.numbers import short, two_decimals
from autograder.model.text import harmless, visible

if TYPE_CHECKING:
    from rich.table import Table

TO_MEND = "What to mend, first things first"  # the heading above mistakes, on pages and on a terminal
LOST = ("failed", "error", "timeout")
FOLLOWS = "follows"  # shown in place of the status of a check that fails only because another does
SIGNS = {"passed": "✓", "skipped": "·", "blocked": "○", FOLLOWS: "↳"} | dict.fromkeys(LOST, "✗")
LONGEST_REASON = 110  # characters
NAMED = 20  # names in a line
SHOWN_IDS = 6  # of checks that fail for one reason
NOT_RUN = "Not run: "  # begins the message of a call that others make pointless
ARGUMENTS = " must take the arguments "  # in the message about a signature
STUB = re.compile(r"(?P<name>\S+) is not written yet: it raises NotImplementedError\.(?: See (?P<line>line \d+)\.)?")
RAISED = re.compile(r" raised (\w+)")


class Mistake(NamedTuple):
    """Checks that fail for the same reason: the one that says it best, and the others."""

    check: model.Outcome
    others: tuple[model.Outcome, ...]

    @property
    def lost(self) -> float:
        """The points that the mistake costs."""
        return round(sum(one.max_points - one.points for one in (self.check, *self.others)), 6)

    @property
    def given(self) -> float:
        """The points of failed checks that are given back, because the mistake is charged elsewhere."""
        return round(sum(one.points for one in (self.check, *self.others) if one.status in LOST), 6)


class Part(NamedTuple):
    """A part with its checks."""

    name: str
    checks: tuple[model.Outcome, ...]

    @property
    def points(self) -> float:
        """The points of the checks that count."""
        return round(sum(one.points for one in self.checks), 6)

    @property
    def max_points(self) -> float:
        """The most points that these can have."""
        return round(sum(one.max_points for one in self.checks if one.status != "skipped"), 6)


def number(value: float | None) -> str:
    """Return the points of a check or a part: at most two decimals, without trailing zeros."""
    return "-" if value is None else short(value)


def score(value: float | None) -> str:
    """Return a student's score with two decimals."""
    return "-" if value is None else two_decimals(value)


def lost(grade: model.Grade) -> list[model.Outcome]:
    """Return the checks that cost points."""
    return [check for check in grade.checks if check.status in LOST]


def parts(checks: Iterable[model.Outcome]) -> list[Part]:
    """Return the parts, in the order in which they stand on each other, which is that of their first checks."""
    by_part: dict[str, list[model.Outcome]] = {}
    for check in checks:
        by_part.setdefault(check.part, []).append(check)
    return [Part(name, tuple(those)) for name, those in by_part.items()]


def mistakes(grade: model.Grade) -> list[Mistake]:
    """Return the mistakes of a grade, what to mend first comes first: speed comes after what is wrong.

    Checks that were charged together are one mistake, and so are those of a part with the same cause, or without one
    and with the same message. A check that only waits until others are right is never a mistake of its own, unless
    nothing else of its part fails.
    """
    failed = [check for part in parts(grade.checks) for check in part.checks if check.status in (*LOST, "blocked")]
    groups: dict[object, list[model.Outcome]] = {}
    for check in failed:
        groups.setdefault(_reason(check, failed), []).append(check)
    plain = {one.part for one in grade.checks if one.kind == "value" and one.status == "passed"}
    found = sorted((_mistake(group, plain) for group in groups.values()), key=lambda one: one.check.kind == "timing")
    telling = {one.check.part for one in found if one.check.status != "blocked"}
    return [one for one in found if one.check.status != "blocked" or one.check.part not in telling]


def leaders(grade: model.Grade) -> dict[str, model.Outcome]:
    """Return, by the id of each check that fails only because another does, that other check.

    A hidden check without a cause is none of these: its message says too little to tell.
    """
    followers = ((one, found.check) for found in mistakes(grade) for one in found.others if one.status in LOST)
    return {one.id: leader for one, leader in followers if not _says_little(one)}


def _says_little(check: model.Outcome) -> bool:
    known = check.diagnosis or check.consequence_of
    return check.visibility == "hidden" and check.status == "failed" and not known


def shown_status(check: model.Outcome, led: Collection[str]) -> str:
    """Return what a table shows of a check: its status, or FOLLOWS if its id is in ``led`` (see ``leaders``)."""
    return FOLLOWS if check.id in led else check.status


def _reason(check: model.Outcome, failed: Sequence[model.Outcome]) -> object:
    """Return what checks that fail for the same reason have in common."""
    if charged := next((other for other in failed if other.id == check.consequence_of), None):
        telling = [other for other in failed if other.part == charged.part and other.status in LOST]
        same = [other for other in telling if other.diagnosis == charged.diagnosis]
        check = next(iter(same or telling), charged) if charged.status == "blocked" else charged
    if check.kind == "timing" and check.message.startswith(NOT_RUN):
        alike = [other for other in failed if other.part == check.part and other.status == check.status]
        check = min(alike, key=lambda other: other.kind != "value")
    if check.status == "timeout":
        return check.part, "timeout"
    others_named = any(other.part == check.part and ARGUMENTS in other.message for other in failed)
    if others_named and (check.status == "error" or ARGUMENTS in check.message):  # such calls raise what they like
        return check.part, "arguments"
    if check.diagnosis:
        return check.part, check.diagnosis
    if check.status == "error" and (raised := RAISED.search(check.message)):
        return check.part, raised[1]
    return check.part, check.message.partition(" Called: ")[0]


def _mistake(group: Sequence[model.Outcome], plain: Collection[str]) -> Mistake:
    """Return the checks of one mistake. Students understand it best from a public check that does not only wait.

    In the parts ``plain``, usual calls come back, so a call that does not is about what its title says.
    """
    own = next((one.part for one in group if one.consequence_of is None), group[0].part)
    best = min(
        group,
        key=lambda one: (one.part != own, one.status == "blocked", one.visibility == "hidden", _strays(one, plain)),
    )
    return Mistake(best, tuple(one for one in group if one is not best))


def _strays(check: model.Outcome, plain: Collection[str]) -> int:
    """Return how far the title of a check is from what it reports, if that is a call that does not come back."""
    if check.status not in ("error", "timeout") or ARGUMENTS in check.message:
        return 0
    nearest = ("mask", "invariance", "value") if check.part in plain else ("value",)
    return nearest.index(check.kind) if check.kind in nearest else len(nearest)


def unwritten(grade: model.Grade) -> list[model.Outcome]:
    """Return the checks that need code which is missing."""
    return [check for check in grade.checks if check.diagnosis == UNWRITTEN]


def written(grade: model.Grade) -> list[Mistake]:
    """Return the mistakes in code that is there. What to mend first comes first."""
    return [one for one in mistakes(grade) if one.check.diagnosis != UNWRITTEN]


def next_to_write(grade: model.Grade, where: str) -> str:
    """Return what to write next; "" if all is written. ``where`` names the student's file."""
    check = next((one for one in unwritten(grade) if one.status in LOST), None)
    if check is None:
        return ""
    if stub := STUB.match(check.message):
        found = [STUB.match(one.message) for one in unwritten(grade) if one.part == check.part]
        same = [one["name"] for one in found if one and one["line"] == stub["line"]]
        name = min(same, key=lambda name: name.endswith(".forward"))  # which may only call what is not written
        return f"{name} in {where}: replace `raise NotImplementedError` with your code."
    name, undefined, more = check.message.partition(" Cause: ")[0].partition(" is not defined")
    if undefined:
        return f"{name} in {where}: it{undefined}{more}"
    return f"{check.part} in {where}: it is unfinished, or returns nothing."


def unwritten_first(grade: model.Grade) -> bool:
    """Whether unwritten code comes before all mistakes: a later part may use it, or the mistakes are only of speed."""
    order = [part.name for part in parts(grade.checks)]
    missing, wrong = unwritten(grade), written(grade)
    if not missing or not wrong:
        return bool(missing)
    first = wrong[0].check
    return first.kind == "timing" or order.index(missing[0].part) < order.index(first.part)


def beside(mistake: Mistake) -> str:
    """Return what there is to say about the other checks of a mistake, and the points given back; empty if nothing."""
    if not mistake.others:
        return ""
    if not mistake.given:
        return also(mistake.others)
    points = "1 point is" if mistake.given == 1 else f"{number(mistake.given)} points are"
    return f"{also(mistake.others)} One mistake costs once: {points} given back."


def also(others: Sequence[model.Outcome]) -> str:
    """Return a sentence about the other checks of a mistake: how many, and which."""
    names = ", ".join(other.id for other in others[:SHOWN_IDS]) + (" and more" if len(others) > SHOWN_IDS else "")
    waiting = sum(other.status == "blocked" for other in others)
    many = "fail" if not waiting else "are not counted" if waiting == len(others) else "fail or are not counted"
    one = "is not counted" if waiting else "fails"
    subject = f"1 other check {one}" if len(others) == 1 else f"{len(others)} other checks {many}"
    return f"{subject} only because of this: {names}."


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
