"""Findings, outcomes and grades."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from autograder.model.people import Decision
from autograder.model.pictures import GradientPicture, SpeedPicture
from autograder.model.words import CheckStatus, GradeStatus, Kind, Visibility


class Finding(msgspec.Struct, frozen=True):
    """Why an assertion failed, as facts. ``feedback.messages`` puts them into words."""

    symptom: str
    step: str
    facts: dict[str, Any] = {}
    status: Literal["failed", "error", "timeout"] = "failed"
    diagnosis: str | None = None


class Outcome(msgspec.Struct, frozen=True):
    """A check's line in the results (contract, section 4).

    ``part`` is the function or class whose points these are. ``consequence_of`` is the id of the check that was charged
    for the one mistake that made this check fail too, or None.
    """

    id: str
    title: str
    kind: Kind
    visibility: Visibility
    status: CheckStatus
    points: float
    max_points: float
    message: str = ""
    diagnosis: str | None = None
    hint: str = ""
    part: str = ""
    consequence_of: str | None = None


SIDE = 16  # rows and columns of a picture, at most
LONGEST_WORD = 12  # characters at a row or column
_AtMostSide = msgspec.Meta(max_length=SIDE)
Numbers = Annotated[tuple[float | None, ...], _AtMostSide]
Matrix = Annotated[tuple[Numbers, ...], _AtMostSide]
Mask = Annotated[tuple[Annotated[tuple[bool, ...], _AtMostSide], ...], _AtMostSide]
Words = Annotated[tuple[Annotated[str, msgspec.Meta(max_length=LONGEST_WORD)], ...], _AtMostSide]


class WeightPicture(msgspec.Struct, frozen=True):
    """Attention weights that the submission returned for a public case, beside the expected ones, for reports.

    ``axes`` name the rows and the columns. A number that is not finite is None. ``mask`` is () if the call has none.
    True means "may be attended to". ``words`` stand at the rows and the columns; without them, positions do.
    ``entropies`` are those of whole rows in nats: of the returned and of the expected weights.
    """

    part: str
    check: str
    axes: tuple[str, str]
    actual: Matrix
    expected: Matrix
    mask: Mask = ()
    words: tuple[Words, Words] = ((), ())
    entropies: tuple[Numbers, Numbers] = ((), ())


class Grade(msgspec.Struct, frozen=True):
    """One student's result (contract, section 4).

    ``score`` is the grader's mark, and None if the grader failed. All that follows ``schema_version`` is filled in when
    a run writes its results (see ``course.marks``), except what is drawn: the last three. ``final_score`` is
    ``score + adjustment - late_penalty``, from 0 to ``max_score``. It is None for an excused student, and where there
    is no mark. ``late_penalty`` is the number of points taken away, so it is never negative. ``needs_look``: the work
    changed after a person decided about it. ``token`` is the state of the file's token (``model.tokens``), for staff.
    """

    student: str
    assignment: str
    score: float | None
    max_score: float
    status: GradeStatus
    checks: tuple[Outcome, ...]
    environment: dict[str, str]
    seconds: float = 0.0
    message: str = ""
    schema_version: int = 1
    adjustment: float = 0.0
    late_penalty: float = 0.0
    final_score: float | None = None
    excused: bool = False
    days_late: int = 0
    needs_look: bool = False
    name: str = ""
    email: str = ""
    section: str = ""
    sis_id: str = ""
    file: str = ""
    file_sha256: str = ""
    handed_in: str = ""
    lms_id: str = ""
    lms_upload: str = ""
    token: str = ""
    decisions: tuple[Decision, ...] = ()
    pictures: tuple[WeightPicture, ...] = ()
    gradients: tuple[GradientPicture, ...] = ()
    speeds: tuple[SpeedPicture, ...] = ()

    @property
    def final(self) -> float | None:
        """``final_score``, or ``score`` in results that have none: of an earlier version, or not yet written."""
        return self.score if self.final_score is None and not self.excused else self.final_score
