"""What people decide, from the words of a command or of a CSV file, and which decisions still count."""

from __future__ import annotations

import getpass
import re
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from autograder.course import lateness
from autograder.intake.roster.csv_file import SheetError, read_sheet
from autograder.model import Decision
from autograder.model.numbers import short, signed
from autograder.model.text import printable

CHANGE = re.compile(r"(?P<sign>[+=-])(?P<number>\d{1,6}(?:\.\d{1,6})?)")
EXPECTED = "expected +POINTS, -POINTS, =POINTS, excuse, exempt, or extend followed by a duration or a time"
COLUMNS = ("student", "target", "change", "reason")
ABOUT_WORK = ("adjust", "set", "exempt")  # who decides these has looked at the work
LONGEST_REASON = 500  # characters


class DecisionError(ValueError):
    """A decision can't be made. The text is for the person at the keyboard."""


class Row(NamedTuple):
    """A line of a CSV file of decisions; ``student`` is as the file has it."""

    line: int
    student: str
    decision: Decision


def change(text: str) -> Decision:
    """Return a decision without student, reason and time from a change in words. Raises DecisionError."""
    word, _, rest = text.strip().partition(" ")
    if match := CHANGE.fullmatch(text.strip()):
        number = float(match["number"])
        if match["sign"] == "=":
            return Decision("", "set", points=number)
        return Decision("", "adjust", points=number if match["sign"] == "+" else -number)
    if word == "extend":
        try:
            return Decision("", "extend", deadline=lateness.checked(rest))
        except lateness.LateError as error:
            raise DecisionError(str(error)) from error
    if word in ("excuse", "exempt") and not rest:
        return Decision("", "excuse" if word == "excuse" else "exempt")
    raise DecisionError(f"{text[:40]!r} is no change; {EXPECTED}")


def signed_off(decision: Decision, reason: str, by: str) -> Decision:
    """Return the decision with its reason, who made it and the time. Raises DecisionError without a reason."""
    if not reason.strip() and decision.kind != "undo":
        raise DecisionError("a decision needs a reason: --reason TEXT")
    texts = {"reason": printable(reason.strip(), LONGEST_REASON), "by": printable(by.strip() or user(), 100)}
    return msgspec.structs.replace(decision, **texts, at=now())


def now() -> str:
    """Return the time in UTC, as decisions and the history keep it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def user() -> str:
    """Return the name of the account that runs the command."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container's user may have no name
        return "somebody"


def read_rows(path: Path) -> list[Row]:
    """Return the decisions in a CSV file, without who and when. Raises SheetError, which names every wrong line."""
    sheet = read_sheet(path)
    columns = {heading.strip().casefold(): at for at, heading in enumerate(sheet.header)}
    if missing := [name for name in COLUMNS if name not in columns and name != "target"]:
        found = ", ".join(map(repr, sheet.header[:20]))
        raise SheetError(f"{path} has no column {missing[0]!r}; expected {', '.join(COLUMNS)}; found {found}")
    rows, wrong = [], []
    for record in sheet.rows:
        cells = {name: record[at].value.strip() for name, at in columns.items() if at < len(record)}
        student, target, text, reason = (cells.get(name, "") for name in COLUMNS)
        try:
            decision = msgspec.structs.replace(change(text.removeprefix("'")), target=target, reason=reason)
            if not student or not reason:
                raise DecisionError(f"the {'reason' if student else 'student'} is empty")
        except DecisionError as error:
            wrong.append(f"line {sheet.line(record)}: {error}")
        else:
            rows.append(Row(sheet.line(record), student, decision))
    if wrong:
        raise SheetError(f"{path}, {'; '.join(wrong)}; nothing is written")
    return rows


def active(log: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return the decisions that count, the oldest first.

    An ``undo`` cancels the last decision of its student; of everybody, the last one about its target.
    """
    kept: list[Decision] = []
    for decision in log:
        if decision.kind != "undo":
            kept.append(decision)
        elif (at := last(kept, decision.student, decision.target)) is not None:
            del kept[at]
    return tuple(kept)


def last(kept: Sequence[Decision], student: str, target: str = "") -> int | None:
    """Return the position of a student's last decision (about ``target``, if it is given); None if there is none."""
    those = (at for at, one in enumerate(kept) if one.student == student and target in ("", one.target))
    return max(those, default=None)


def words(decision: Decision) -> str:
    """Return a decision in words, without the reason: ``+5 points for attention-values``."""
    about = f" for {decision.target}" if decision.target else ""
    match decision.kind:
        case "adjust":
            return f"{signed(decision.points)} points{about}"
        case "set":
            return f"set to {short(decision.points)} points{about}"
        case "extend":
            return f"deadline extended: {decision.deadline}"
        case "exempt":
            return f"exempt from {decision.target or 'late penalties'}"
        case "accept":
            return f"{decision.target} accepted as right for everybody"
        case "undo":
            return f"undid the decision before{about}"
    return "excused"
