"""From a grade to the test cells of a notebook: how many of its points each gets, and what it says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from autograder import model, specs
from autograder.integrations.nbgrader.cells import Asked, Source, asked

DIGITS = 6  # of a score, as in results
MARKS = {"passed": "✓", "skipped": "–"}
NEVER_RAN = ("unreadable", "import-error")
FOREIGN = "This test is none of attngrade's and was not run. A person must say what it is worth."


class NotGraded(Exception):
    """There is no grade to be written, and that is not the student's doing, or nothing was handed in."""


class Verdict(msgspec.Struct, frozen=True):
    """What a test cell is worth; ``score`` is None where a person must say it."""

    name: str
    score: float | None
    points: float
    text: str


def tests(sources: Iterable[Source]) -> dict[str, Asked]:
    """What each test cell asks; ours alone. Raises ValueError where one asks for nothing, or cells are for different
    topics."""
    found = {}
    for source in sources:
        if source.test:
            try:
                found[source.name] = asked(source.text)
            except ValueError as error:
                raise ValueError(f"the test cell {source.name}: {error}") from None
    ours = {name: one for name, one in found.items() if one.topic}
    if len(topics := {one.topic for one in ours.values()}) > 1:
        raise ValueError(
            f"the notebook's test cells are for {' and '.join(sorted(topics))}: one of them, please"
        )
    return ours


def asked_checks(sources: Iterable[Source]) -> tuple[str, list[model.Check]]:
    """The topic that a notebook's test cells are for ('' for none), and the checks that they ask for."""
    ours = tests(sources)
    if not ours:
        return "", []
    topic = next(iter(ours.values())).topic
    ids = {name for one in ours.values() for name in one.checks}
    return topic, [check for check in specs.load(topic).checks if check.id in ids]


def verdicts(sources: Sequence[Source], grade: model.Grade) -> list[Verdict]:
    """One for each test cell. A check that was skipped, or left out, is no evidence either way: it gets the share of
    its points that all others got together, as where its points leave the maximum. Raises NotGraded."""
    if grade.status == "missing" or grade.score is None:
        raise NotGraded(grade.message or "there is no grade")
    ours = tests(sources)
    checks = {check.id: check for check in asked_checks(sources)[1]}
    worth = _worth(sources, ours, checks)
    outcomes = {outcome.id: outcome for outcome in grade.checks}
    outcomes |= {name: _left_out(check) for name, check in checks.items() if name not in outcomes}
    share = _share(worth, outcomes) if grade.status == "graded" else 0.0
    message, found = grade.message, []
    for source in sources:
        if source.name in ours:
            if grade.status in NEVER_RAN:
                text = f"0 of {source.points:.4g} points\n{message}\n"
                found.append(Verdict(source.name, 0.0, source.points, text))
            else:
                found.append(_verdict(source, ours[source.name], worth, outcomes, share, message))
                message = ""  # of the whole work: said once
        elif source.test:
            found.append(Verdict(source.name, None, source.points, FOREIGN))
    return found


def _worth(
    sources: Iterable[Source], ours: Mapping[str, Asked], checks: Mapping[str, model.Check]
) -> dict[tuple[str, str], float]:
    """Points of each check in each cell, which the cell's own are shared out to as in the assignment."""
    worth: dict[tuple[str, str], float] = {}
    for source in sources:
        ids = ours[source.name].checks if source.name in ours else ()
        if strange := [name for name in ids if name not in checks]:
            raise NotGraded(
                f"the test cell {source.name} asks for {', '.join(strange)}, of which this version of attngrade "
                "knows nothing: make the course's notebook anew, or install the version that it was made with"
            )
        whole = sum(checks[name].points for name in ids)
        worth |= {(source.name, name): source.points * checks[name].points / whole for name in ids}
    return worth


def _left_out(check: model.Check) -> model.Outcome:
    """A check that the grade says nothing of, because it was asked for without it."""
    if check.kind != "timing":
        raise NotGraded(f"the check {check.id} was not made")
    return model.Outcome(
        check.id, check.title, check.kind, check.visibility, "skipped", 0.0, check.points, "Not measured."
    )


def _share(worth: Mapping[tuple[str, str], float], outcomes: Mapping[str, model.Outcome]) -> float:
    """What part of the points was earned where there is evidence."""
    known = {key: points for key, points in worth.items() if outcomes[key[1]].status != "skipped"}
    if worth and not sum(known.values()):
        raise NotGraded("none of the checks could be made, so there is nothing to go by")
    earned = sum(points for key, points in known.items() if outcomes[key[1]].status == "passed")
    return earned / sum(known.values()) if known else 0.0


def _verdict(
    source: Source,
    ours: Asked,
    worth: Mapping[tuple[str, str], float],
    outcomes: Mapping[str, model.Outcome],
    share: float,
    message: str,
) -> Verdict:
    parts = {"passed": 1.0, "skipped": share}
    score = sum(worth[source.name, name] * parts.get(outcomes[name].status, 0.0) for name in ours.checks)
    score = min(round(score, DIGITS), source.points)
    passed = sum(outcomes[name].status == "passed" for name in ours.checks)
    heading = f"{score:.4g} of {source.points:.4g} points; {passed} of {len(ours.checks)} checks passed"
    lines = [heading, *([message] if message else [])]
    for name in sorted(
        ours.checks, key=lambda name: outcomes[name].status in MARKS
    ):  # what failed comes first
        lines += _told(outcomes[name], worth[source.name, name], share)
    return Verdict(source.name, score, source.points, "\n".join(lines) + "\n")


def _told(outcome: model.Outcome, points: float, share: float) -> list[str]:
    """What is said of one check."""
    lines = [f"{MARKS.get(outcome.status, '✗')} {outcome.title}  [{outcome.id}]"]
    if outcome.status == "passed":
        return lines
    if outcome.status == "skipped":
        lines.append(f"  Counted as all the rest was: {points * share:.4g} of {points:.4g} points.")
    cause = f"Cause: {outcome.diagnosis}" if outcome.diagnosis else ""
    return lines + [f"  {part}" for part in (outcome.message, cause, outcome.hint) if part]
