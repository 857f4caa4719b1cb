"""How two grades differ, of two students or of one student's two attempts; and where earlier attempts are kept."""

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path

import msgspec

from autograder import model
from autograder.model.run_files import PREVIOUS
from autograder.runs import history, results
from autograder.runs.journal import Journal
from autograder.runs.results import ResultError


class Side(msgspec.Struct, frozen=True):
    """One of the two grades. ``name`` says whose, or which attempt. ``final`` is after decisions and lateness."""

    name: str
    score: float | None
    final: float | None
    max_score: float
    status: str
    causes: tuple[str, ...]
    message: str


class PartDifference(msgspec.Struct, frozen=True):
    """A part in which the two earn other points."""

    part: str
    first: float
    second: float


class CheckDifference(msgspec.Struct, frozen=True):
    """A check with another outcome, other points, another cause or another message. None: no such check."""

    id: str
    part: str
    first: model.Outcome | None
    second: model.Outcome | None


class Difference(msgspec.Struct, frozen=True):
    """How the second grade differs from the first."""

    first: Side
    second: Side
    parts: tuple[PartDifference, ...]
    checks: tuple[CheckDifference, ...]

    @property
    def by(self) -> float | None:
        """The difference in points; None if either grade has no score."""
        if self.first.score is None or self.second.score is None:
            return None
        return round(self.second.score - self.first.score, 6)


class Attempt(msgspec.Struct, frozen=True):
    """A grade that a student had earlier. ``until`` says when it was replaced, or in which folder it lies."""

    until: str
    grade: model.Grade


def difference(first: model.Grade, second: model.Grade, names: tuple[str, str]) -> Difference:
    """Return how the second grade differs from the first. ``names`` say whose they are."""
    one, two = ({check.id: check for check in grade.checks} for grade in (first, second))
    checks = []
    for id in dict.fromkeys((*one, *two)):
        pair = one.get(id), two.get(id)
        if _telling(pair[0]) != _telling(pair[1]):
            part = next(check.part for check in pair if check)
            checks.append(CheckDifference(id, part, *pair))
    parts = dict.fromkeys(check.part for grade in (first, second) for check in grade.checks)
    points = [PartDifference(part, _points(first, part), _points(second, part)) for part in parts]
    differing = tuple(part for part in points if part.first != part.second)
    return Difference(_side(names[0], first), _side(names[1], second), differing, tuple(checks))


def _telling(check: model.Outcome | None) -> object:
    return check and (check.status, check.points, check.max_points, check.diagnosis, check.message)


def _points(grade: model.Grade, part: str) -> float:
    return round(sum(check.points for check in grade.checks if check.part == part), 6)


def _side(name: str, grade: model.Grade) -> Side:
    causes = tuple(dict.fromkeys(check.diagnosis for check in grade.checks if check.diagnosis))
    return Side(name, grade.score, grade.final, grade.max_score, grade.status, causes, grade.message)


def last_attempt(out: Path, journal: Journal, grade: model.Grade) -> Attempt | None:
    """Return the latest grade that ``grade`` has replaced: in this run's journal, else in an earlier run's results.

    Raises JournalError.
    """
    replaced = history.history(journal, grade.student)
    if replaced:
        return Attempt(replaced[-1].at, replaced[-1].grade)
    return next(_set_aside(out, grade), None)


def _set_aside(out: Path, grade: model.Grade) -> Iterator[Attempt]:
    """Yield the student's results in ``previous``, the latest first. Links are not followed."""
    name = f"{results.file_name(grade.student)}.json"
    if (out / PREVIOUS).is_symlink() or not (out / PREVIOUS).is_dir():
        return
    places = [place for place in (out / PREVIOUS).iterdir() if place.is_dir() and not place.is_symlink()]
    for place, folder in itertools.product(sorted(places, key=_order, reverse=True), ("results", ".")):
        if (place / folder).is_symlink():
            continue
        with contextlib.suppress(ResultError):
            found = results.read_result(place / folder / name)
            if (found.student, found.assignment) == (grade.student, grade.assignment):
                yield Attempt(f"{PREVIOUS}/{place.name}", found)


def _order(place: Path) -> tuple[str, int]:
    """Return what orders the folders of ``previous`` by time: their stamp, and a number if two have the same."""
    stamp, number = place.name[:19], place.name[20:]
    return stamp, int(number) if number.isdecimal() else 1
