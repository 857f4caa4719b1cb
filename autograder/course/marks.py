"""From the grader's grade to the final one: what people decided, then lateness (contract, section 4).

Decisions are kept apart from grades, so they hold for whatever the grader finds later.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from autograder.course import lateness
from autograder.course.decisions import ABOUT_WORK
from autograder.course.lateness import LateRule
from autograder.model import Decision, Facts, Grade, GradedFile, Outcome
from autograder.model.numbers import half_up, short, signed

LOST = ("failed", "error", "timeout", "blocked")
RAN = ("graded", "partial")
UNWRITTEN = "not-implemented"  # where nothing is written, nothing is given
DIGITS = 6


class Rules(msgspec.Struct, frozen=True):
    """How a run reckons marks. ``extra_credit``: whether people may give more than the maximum."""

    late: LateRule = LateRule()
    extra_credit: bool = False


NOTHING_KNOWN = Facts()
PLAIN = Rules()


def composed(
    grade: Grade,
    facts: Facts = NOTHING_KNOWN,
    decisions: Sequence[Decision] = (),
    rules: Rules = PLAIN,
    extensions: Sequence[str] = (),
) -> Grade:
    """Return a grade with its final score and all that led to it.

    ``decisions`` are the student's and everybody's that count, the oldest first. ``extensions`` are the deadlines that
    hold for the student apart from decisions (see ``lateness.due``).
    """
    work = facts.work or GradedFile()
    kept = [one for one in decisions if one.kind != "accept" or accepted(grade, one.target)]
    given = [one.deadline for one in kept if one.kind == "extend"]
    days = lateness.days_late(rules.late, work.handed_in, (*extensions, *given[-1:]))
    known = replace(
        grade,
        **msgspec.structs.asdict(facts.identity),
        file=work.file,
        file_sha256=work.sha256,
        handed_in=work.handed_in.at,
        lms_id=work.handed_in.lms_id,
        lms_upload=work.handed_in.lms_upload,
        token=work.token,
        days_late=days,
        decisions=tuple(kept),
        needs_look=_needs_look(kept, facts.work),
    )
    whole = [at for at, one in enumerate(kept) if one.kind == "set" and not one.target]
    if any(one.kind == "excuse" for one in kept):
        return replace(known, excused=True)
    if grade.score is None and not whole:
        return known
    score = grade.score or 0.0
    limit = math.inf if rules.extra_credit else grade.max_score
    mark = _decided(grade, kept, whole[-1] if whole else None)
    free = bool(whole) or any(one.kind == "exempt" and not one.target for one in kept)
    late = 0.0 if free else lateness.of_days(rules.late, min(max(mark, 0.0), limit), days)
    final = min(max(half_up(mark - late), 0.0), limit)
    return replace(known, adjustment=round(mark - score, DIGITS), late_penalty=late, final_score=final)


def accepted(grade: Grade, target: str) -> list[Outcome]:
    """Return the checks whose lost points a student gets if a check or a cause is accepted as right.

    Nobody gets points for what they have not written, or for a file that did not run.
    """
    if grade.status not in RAN:
        return []
    caused = {check.id for check in grade.checks if check.diagnosis == target and check.status in LOST}
    return [
        check
        for check in grade.checks
        if (check.id == target or check.id in caused or check.consequence_of in caused)
        and check.status in LOST
        and check.points < check.max_points
        and check.diagnosis != UNWRITTEN
    ]


def targets(grade: Grade) -> dict[str, float]:
    """Return what a decision about one student can be about, each check and part, and how many points it is worth."""
    found: dict[str, float] = {}
    for check in grade.checks:
        if check.status != "skipped":
            found[check.id] = check.max_points
            if check.part:
                found[check.part] = round(found.get(check.part, 0.0) + check.max_points, DIGITS)
    return found


def reckoning(grade: Grade) -> str:
    """Return how the final score comes about, as ``score 80, adjustment +5``; empty if there is nothing to say."""
    parts = ["excused"] if grade.excused else []
    if grade.adjustment or grade.late_penalty:
        parts.append("no score" if grade.score is None else f"score {short(grade.score)}")
        parts += [f"adjustment {signed(grade.adjustment)}"] if grade.adjustment else []
        parts += [f"late penalty {signed(-grade.late_penalty)}"] if grade.late_penalty else []
    if grade.days_late:
        parts.append(f"{grade.days_late} {'day' if grade.days_late == 1 else 'days'} late")
    return ", ".join(parts)


def _needs_look(decisions: Iterable[Decision], work: GradedFile | None) -> bool:
    """Return whether the work has changed since a person last decided about it."""
    looked = [one for one in decisions if one.kind in ABOUT_WORK and (one.target or one.kind != "exempt")]
    if not looked or looked[-1].sha256 is None or work is None:
        return False
    return looked[-1].sha256 != work.sha256


def _decided(grade: Grade, decisions: Sequence[Decision], set_at: int | None) -> float:
    """Return the mark before lateness. The decision at ``set_at`` sets the whole mark; those after it still count."""
    points = {check.id: check.points for check in grade.checks if check.status != "skipped"}
    exempt: set[str] = set()
    extra, base = 0.0, 0.0
    for at, decision in enumerate(decisions):
        concerned = _concerned(grade, decision)
        if decision.kind == "exempt":
            exempt |= {check.id for check in concerned}
        elif decision.kind == "adjust" and not decision.target:
            extra += decision.points
        elif concerned:
            points |= _moved(points, concerned, decision)
        if at == set_at:
            extra, base = 0.0, decision.points - _sum(grade, points, exempt)
    if set_at is None and grade.score is not None:
        base = grade.score - _sum(grade, {check.id: check.points for check in grade.checks}, set())
    return round(base + _sum(grade, points, exempt) + extra, DIGITS)


def _concerned(grade: Grade, decision: Decision) -> list[Outcome]:
    """Return the checks that a decision is about."""
    if decision.kind == "accept":
        return accepted(grade, decision.target)
    counted = [check for check in grade.checks if check.status != "skipped"]
    return [check for check in counted if decision.target and decision.target in (check.id, check.part)]


def _moved(points: dict[str, float], checks: Sequence[Outcome], decision: Decision) -> dict[str, float]:
    """Return the points of some checks after a decision, given and taken in their order, from 0 to their maximum."""
    if decision.kind == "accept":
        return {check.id: check.max_points for check in checks}
    had = sum(points[check.id] for check in checks)
    left = decision.points - had if decision.kind == "set" else decision.points
    moved = {}
    for check in checks:
        now = min(max(points[check.id] + left, 0.0), check.max_points)
        left -= now - points[check.id]
        moved[check.id] = now
    return moved


def _sum(grade: Grade, points: dict[str, float], exempt: set[str]) -> float:
    """Return the sum of points. Those of exempt checks are replaced by the share that the others got."""
    counted = [check for check in grade.checks if check.status != "skipped"]
    others = [check for check in counted if check.id not in exempt]
    most, rest = (sum(check.max_points for check in checks) for checks in (counted, others))
    if not rest:  # who is exempt from everything must be excused; until then, all counts
        return sum(points[check.id] for check in counted)
    return sum(points[check.id] for check in others) * most / rest
