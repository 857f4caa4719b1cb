"""Computes figures about the grader from its grades of submissions with known results."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from autograder import model
from autograder.instructor.audit import marks
from autograder.instructor.audit.corpus import Sample


class GradedPiece(NamedTuple):
    """A submission of the corpus and its grade."""

    sample: Sample
    grade: model.Grade

    @property
    def full(self) -> bool:
        """Whether it has all points."""
        return self.grade.status == "graded" and self.grade.score == self.grade.max_score

    @property
    def failed(self) -> list[model.Outcome]:
        """The failed checks."""
        return [check for check in self.grade.checks if check.status not in ("passed", "skipped")]

    @property
    def causes(self) -> set[str]:
        """The causes that the grader reported."""
        return {check.diagnosis for check in self.failed if check.diagnosis}


class Misjudged(msgspec.Struct, frozen=True):
    """A submission with a wrong grade, and the reason."""

    name: str
    why: str
    diff: str = ""


class Figures(msgspec.Struct, frozen=True):
    """The results of an audit. Each list holds errors of the grader."""

    assignment: str
    right: int
    wrong: int
    labelled: int  # wrong ones with a declared cause
    symptoms: int  # wrong ones for which no cause may be reported
    mutants: int
    equivalent: int
    marked_down: list[Misjudged]
    let_through: list[Misjudged]
    survived: list[Misjudged]
    other_status: list[Misjudged]
    cause_missed: list[Misjudged]
    cause_wrong: list[Misjudged]
    killed_alone: dict[str, int]  # check -> how many wrong ones no other check catches
    caught: dict[str, int]
    costs: list[marks.Cost]  # of each mistake that stands alone, and in what part
    unfair: list[Misjudged]  # a mistake that costs too much, or points of another part

    @property
    def found(self) -> float:
        """The share of labelled mistakes with a correct cause."""
        return 1 - len(self.cause_missed) / self.labelled if self.labelled else 1.0

    @property
    def misled(self) -> float:
        """The share of wrong submissions with a wrong cause."""
        known = self.labelled + self.symptoms
        return len(self.cause_wrong) / known if known else 0.0

    @property
    def good(self) -> bool:
        """Whether the grader meets its targets."""
        errors = self.marked_down or self.let_through or self.survived or self.other_status
        return not errors and self.found >= CAUSES_FOUND and self.misled <= CAUSES_WRONG


CAUSES_FOUND, CAUSES_WRONG = 0.96, 0.01  # of one assignment; all together are better: docs/figures.md


def figures(spec: model.Spec, judged: Iterable[GradedPiece]) -> Figures:
    """Compute the figures of an audit."""
    by_sort: dict[str, list[GradedPiece]] = {"right": [], "wrong": [], "mutant": [], "equivalent": []}
    for one in judged:
        by_sort[one.sample.sort].append(one)
    wrong, mutants = by_sort["wrong"], by_sort["mutant"]
    labelled = [one for one in wrong if one.sample.causes]
    caught, alone = _catches([one for one in (*wrong, *mutants) if one.grade.status == "graded"])
    names = [check.id for check in spec.checks if check.points]
    costs = [cost for one in wrong if (cost := _cost(one, spec))]
    return Figures(
        assignment=spec.assignment,
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
            _verdict(one, f"{one.grade.status}, not {one.sample.status}: {one.grade.message}")
            for one in (*wrong, *mutants)
            if one.grade.status != one.sample.status or "causes could not be diagnosed" in one.grade.message
        ],
        cause_missed=[
            _verdict(one, _causes(one)) for one in labelled if any(map(one.causes.isdisjoint, one.sample.causes or ()))
        ],
        cause_wrong=[_verdict(one, _causes(one)) for one in wrong if one.causes - one.sample.right_causes],
        killed_alone={name: alone[name] for name in names},
        caught={name: caught[name] for name in names},
        costs=costs,
        unfair=[Misjudged(cost.name, str(cost)) for cost in costs if not cost.fair],
    )


def _cost(one: GradedPiece, spec: model.Spec) -> marks.Cost | None:
    """Return what a mistake costs; None where it does not stand alone in a part, or where nothing was graded."""
    if not one.sample.base or one.grade.status != "graded":
        return None
    parts = marks.changed_parts(one.sample.base, one.sample.source, spec.parts)
    return marks.cost(one.sample.name, one.grade, parts, spec.shares) if parts else None


def _verdict(one: GradedPiece, why: str) -> Misjudged:
    return Misjudged(one.sample.name, why, one.sample.diff)


def _causes(one: GradedPiece) -> str:
    expected = ", and ".join(" or ".join(causes) for causes in one.sample.causes or ()) or "no cause"
    return f"expected: {expected}; reported: {', '.join(sorted(one.causes)) or 'nothing'}"


def _first(one: GradedPiece) -> str:
    if not one.failed:
        return f"{one.grade.status}: {one.grade.message}"
    check = one.failed[0]
    return f"{check.id}: {check.message}"


def _catches(wrong: Iterable[GradedPiece]) -> tuple[Counter[str], Counter[str]]:
    caught: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for one in wrong:
        names = [check.id for check in one.failed if check.max_points]
        caught.update(names)
        if len(names) == 1:
            alone.update(names)
    return caught, alone
