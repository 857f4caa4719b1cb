"""How grades change from one run to another."""

import msgspec

from autograder import model
from autograder.grading.fingerprints import Fingerprints


class CheckChange(msgspec.Struct, frozen=True):
    """One check of one student, before and after; None if there is no such check. ``why``: how the check changed."""

    id: str
    before: str | None
    after: str | None
    points_before: float
    points_after: float
    why: str


class GradeChange(msgspec.Struct, frozen=True):
    """How one student's grade changes."""

    student: str
    score_before: float | None
    score_after: float | None
    max_before: float
    max_after: float
    status_before: str
    status_after: str
    checks: tuple[CheckChange, ...]

    @property
    def by(self) -> float | None:
        """The difference in points; None if either grade has no score."""
        if self.score_before is None or self.score_after is None:
            return None
        return round(self.score_after - self.score_before, 6)


class Proposal(msgspec.Struct):
    """What a regrade would change. Students are listed if somebody has to look at them, and otherwise counted."""

    assignment: str
    changed: list[GradeChange] = []  # another score, maximum or status
    reworded: int = 0  # the same score, but another message, cause or check's outcome
    unchanged: int = 0
    graded: int = 0  # run again
    reckoned: int = 0  # computed from the earlier outcomes
    reasons: dict[str, int] = {}  # why submissions were run again
    failed: list[str] = []  # infrastructure errors; these students keep their grade
    work_changed: list[str] = []  # whose submission has changed since it was graded; they keep their grade
    gone: list[str] = []  # no longer among the submissions
    ungraded: list[str] = []  # not among the submissions of the earlier run


def grade_change(before: model.Grade, after: model.Grade, old: Fingerprints | None, new: Fingerprints) -> GradeChange:
    """Return the difference between two grades, with the checks whose outcome or points differ."""
    was, now = ({check.id: check for check in grade.checks} for grade in (before, after))
    checks = []
    for id in dict.fromkeys((*was, *now)):
        status_before, points_before = (was[id].status, was[id].points) if id in was else (None, 0.0)
        status_after, points_after = (now[id].status, now[id].points) if id in now else (None, 0.0)
        if (status_before, points_before) != (status_after, points_after):
            why = _check_change(id, old, new)
            checks.append(CheckChange(id, status_before, status_after, points_before, points_after, why))
    return GradeChange(
        after.student,
        before.score,
        after.score,
        before.max_score,
        after.max_score,
        before.status,
        after.status,
        tuple(checks),
    )


def _check_change(id: str, old: Fingerprints | None, new: Fingerprints) -> str:
    if old is None:
        return "not known"
    was, now = old.checks.get(id), new.checks.get(id)
    if was is None or now is None:
        return "new" if was is None else "removed"
    if was.content != now.content:
        return "changed"
    return "other points" if was.worth != now.worth else "as it was"
