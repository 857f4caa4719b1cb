"""Findings, outcomes and grades."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

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


class Grade(msgspec.Struct, frozen=True):
    """One student's result (contract, section 4). ``score`` is None if the grader failed."""

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
