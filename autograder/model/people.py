"""What is known of a student beside the grade, and what people decide about it."""

from __future__ import annotations

from typing import Literal

import msgspec

from autograder.model.submissions import HandedIn

EVERYBODY = ""  # takes the place of a student in decisions about all
DecisionKind = Literal["adjust", "set", "excuse", "extend", "exempt", "accept", "undo"]


class Identity(msgspec.Struct, frozen=True):
    """Who a student is, as the roster has it. A field that the roster lacks is empty."""

    name: str = ""
    email: str = ""
    section: str = ""
    sis_id: str = ""


class GradedFile(msgspec.Struct, frozen=True):
    """The file that a grade is about: where it lay, its hash, when it was handed in, and the state of its token."""

    file: str = ""
    sha256: str = ""
    handed_in: HandedIn = HandedIn()
    token: str = ""


class Facts(msgspec.Struct, frozen=True):
    """What is known of a student and of the graded file. ``work`` is None if an earlier version graded it."""

    identity: Identity = Identity()
    work: GradedFile | None = None


class StudentView(msgspec.Struct, frozen=True):
    """What students may see of their results, and from when on.

    ``after`` is a time with its zone, or empty: at once. Of hidden checks they see the cause and the hint, or with
    ``hidden="points"`` only what they cost; and numbers in place of titles, unless ``hidden_titles``. ``hints`` is
    about all checks. ``reasons`` are those of decisions, which colleagues write for each other.
    """

    after: str = ""
    hidden: Literal["causes", "points"] = "causes"
    hidden_titles: bool = False
    hints: bool = True
    reasons: bool = False


class Decision(msgspec.Struct, frozen=True):
    """What a person decided about a student's mark, or with ``accept`` about everybody's.

    ``target`` is the id of a check, the name of a part, or with ``accept`` also a cause; empty means the whole mark.
    ``points`` are added by ``adjust`` and are the new points of ``set``. ``deadline`` is what ``extend`` gives: a time
    with its zone, or a duration such as "2d". ``at`` is a time in UTC. ``sha256`` is of the file as it was then, and
    None if that is not known.
    """

    student: str
    kind: DecisionKind
    target: str = ""
    points: float = 0.0
    deadline: str = ""
    reason: str = ""
    by: str = ""
    at: str = ""
    sha256: str | None = None
