"""The grader's own figures: what it did with submissions whose verdict is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from autograder import model
from autograder.audit.corpus import Piece


class Judged(NamedTuple):
    """A piece of the corpus and the grade that it got."""

    piece: Piece
    grade: model.Grade

    @property
    def full(self) -> bool:
        """Whether it got all points."""
        return self.grade.status == "graded" and self.grade.score == self.grade.max_score

    @property
    def failed(self) -> list[model.Outcome]:
        """The checks that were not passed."""
        return [check for check in self.grade.checks if check.status not in ("passed", "skipped")]

    @property
    def told(self) -> set[str]:
        """The causes that were given."""
        return {check.diagnosis for check in self.failed if check.diagnosis}


class Verdict(msgspec.Struct, frozen=True):
    """A submission that was not judged as it must be, and why."""

    name: str
    why: str
    diff: str = ""


class Figures(msgspec.Struct, frozen=True):
    """What an audit found. Every list names what went wrong."""

    topic: str
    right: int
    wrong: int
    labelled: int  # wrong ones with a declared cause
    symptoms: int  # wrong ones for which no cause may be told
    mutants: int
    equivalent: int
    marked_down: list[Verdict]
    let_through: list[Verdict]
    survived: list[Verdict]
    other_status: list[Verdict]
    cause_missed: list[Verdict]
    cause_wrong: list[Verdict]
    killed_alone: dict[str, int]  # check -> how many wrong ones no other check catches
    caught: dict[str, int]

    @property
    def found(self) -> float:
        """The share of labelled mistakes whose cause was told."""
        return 1 - len(self.cause_missed) / self.labelled if self.labelled else 1.0

    @property
    def misled(self) -> float:
        """The share of wrong submissions that were told a wrong cause."""
        known = self.labelled + self.symptoms
        return len(self.cause_wrong) / known if known else 0.0

    @property
    def good(self) -> bool:
        """Whether the grader is as good as it must be."""
        spoilt = self.marked_down or self.let_through or self.survived or self.other_status
        return not spoilt and self.found >= CAUSES_FOUND and self.misled <= CAUSES_WRONG


CAUSES_FOUND, CAUSES_WRONG = 0.95, 0.01


def figures(topic: str, checks: Iterable[model.Check], judged: Iterable[Judged]) -> Figures:
    """Sums an audit up."""
    by_sort: dict[str, list[Judged]] = {"right": [], "wrong": [], "mutant": [], "equivalent": []}
    for one in judged:
        by_sort[one.piece.sort].append(one)
    wrong, mutants = by_sort["wrong"], by_sort["mutant"]
    labelled = [one for one in wrong if one.piece.causes]
    caught, alone = _catches([one for one in (*wrong, *mutants) if one.grade.status == "graded"])
    names = [check.id for check in checks if check.points]
    return Figures(
        topic=topic,
        right=len(by_sort["right"]),
        wrong=len(wrong),
        labelled=len(labelled),
        symptoms=len(wrong) - len(labelled),
        mutants=len(mutants),
        equivalent=len(by_sort["equivalent"]),
        marked_down=[_verdict(one, _first(one)) for one in (*by_sort["right"], *by_sort["equivalent"]) if not one.full],
        let_through=[_verdict(one, "got all points") for one in wrong if one.full],
        survived=[_verdict(one, "got all points") for one in mutants if one.full],
        other_status=[
            _verdict(one, f"{one.grade.status}, not {one.piece.status}: {one.grade.message}")
            for one in (*wrong, *mutants)
            if one.grade.status != one.piece.status or "causes could not be told" in one.grade.message
        ],
        cause_missed=[_verdict(one, _causes(one)) for one in labelled if not one.told & set(one.piece.causes or ())],
        cause_wrong=[_verdict(one, _causes(one)) for one in wrong if one.told - set(one.piece.causes or ())],
        killed_alone={name: alone[name] for name in names},
        caught={name: caught[name] for name in names},
    )  # fmt: skip


def _verdict(one: Judged, why: str) -> Verdict:
    return Verdict(one.piece.name, why, one.piece.diff)


def _causes(one: Judged) -> str:
    due = " or ".join(one.piece.causes or ()) or "no cause"
    return f"due: {due}; told: {', '.join(sorted(one.told)) or 'nothing'}"


def _first(one: Judged) -> str:
    if not one.failed:
        return f"{one.grade.status}: {one.grade.message}"
    check = one.failed[0]
    return f"{check.id}: {check.message}"


def _catches(wrong: Iterable[Judged]) -> tuple[Counter[str], Counter[str]]:
    caught: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for one in wrong:
        names = [check.id for check in one.failed if check.max_points]
        caught.update(names)
        if len(names) == 1:
            alone.update(names)
    return caught, alone
