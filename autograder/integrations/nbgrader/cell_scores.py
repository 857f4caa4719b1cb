"""Turns a grade into a score and a text for each test cell of a notebook."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from autograder import assignments, model
from autograder.feedback import shown
from autograder.integrations.nbgrader.cells import ReleasedCell, RequestedChecks, parse
from autograder.report.mistakes import FOLLOWS, leaders, shown_status
from autograder.report.summary import SIGNS

DIGITS = 6  # of a score, as in the result files
ORDER = {FOLLOWS: 1, "blocked": 2, "passed": 3, "skipped": 3}  # of the checks of a cell: failures first
NEVER_RAN = ("unreadable", "import-error")
FOREIGN = "This is not an attngrade test, so it was not run. A person must score it."
Points = dict[tuple[str, str], float]  # cell name, check id -> points
Shares = dict[str, float]  # of its points that a check gets, by its id
Led = Mapping[str, str]  # the title of the check to mend before another one, by the other one's id


class NotGraded(Exception):
    """No score can be written: nothing was handed in, or the grader failed."""


class CellScore(msgspec.Struct, frozen=True):
    """The score of a test cell; ``score`` is None if a person must give it. ``pictures`` are of its own checks."""

    name: str
    score: float | None
    points: float
    text: str
    pictures: tuple[model.WeightPicture, ...] = ()


def tests(sources: Iterable[ReleasedCell]) -> dict[str, RequestedChecks]:
    """Return the checks of each attngrade test cell, by cell name.

    Raises ValueError if a cell names no check, or if cells are for different assignments.
    """
    ours = {}
    for source in sources:
        if source.test:
            try:
                requested = parse(source.text)
            except ValueError as error:
                raise ValueError(f"the test cell {source.name}: {error}") from None
            if requested.assignment:
                ours[source.name] = requested
    if len(names := {requested.assignment for requested in ours.values()}) > 1:
        raise ValueError(f"the notebook has test cells for {' and '.join(sorted(names))}; keep one assignment")
    return ours


def requested_checks(sources: Iterable[ReleasedCell]) -> tuple[str, list[model.Check]]:
    """Return the assignment of a notebook's test cells ('' for none), and the checks that they name."""
    ours = tests(sources)
    if not ours:
        return "", []
    assignment = next(iter(ours.values())).assignment
    ids = {name for requested in ours.values() for name in requested.checks}
    return assignment, [check for check in assignments.load(assignment).checks if check.id in ids]


def score_cells(sources: Sequence[ReleasedCell], grade: model.Grade, hidden_titles: bool = False) -> list[CellScore]:
    """Return a score and a text for each test cell. ``hidden_titles``: the text gives the titles of hidden checks.

    A check gets the share of its points that it got in the grade, also where it failed. A skipped check gets the share
    that all other checks got together, which equals leaving its points out of the maximum. A check of speed in a run
    that measures none gets the share of its part. Raises NotGraded.
    """
    if grade.status == "missing" or grade.score is None:
        raise NotGraded(grade.message or "there is no grade")
    ours = tests(sources)
    checks = {check.id: check for check in requested_checks(sources)[1]}
    points = _points(sources, ours, checks)
    outcomes = _outcomes(grade, checks, hidden_titles)
    measured = {outcome.id for outcome in grade.checks}
    shares = _shares(points, outcomes, measured) if grade.status == "graded" else _own_shares(outcomes)
    titles = {name: outcome.title for name, outcome in outcomes.items()}
    led = {name: titles[leader.id] for name, leader in leaders(grade).items() if leader.id in titles}
    message, scores = grade.message, []
    for source in sources:
        if source.name in ours and grade.status in NEVER_RAN:
            text = f"0 of {source.points:.4g} points\n{message}\n"
            scores.append(CellScore(source.name, 0.0, source.points, text))
        elif source.name in ours:
            scored = _score(source, ours[source.name], points, outcomes, shares, led, message)
            drawn = tuple(one for one in grade.pictures if one.check in ours[source.name].checks)
            scores.append(msgspec.structs.replace(scored, pictures=drawn))
            message = ""  # it is about the whole submission, so only the first cell shows it
        elif source.test:
            scores.append(CellScore(source.name, None, source.points, FOREIGN))
    return scores


def _points(
    sources: Iterable[ReleasedCell], ours: Mapping[str, RequestedChecks], checks: Mapping[str, model.Check]
) -> Points:
    """Divide the points of each cell among its checks, in the proportions of the assignment."""
    points: Points = {}
    for source in sources:
        ids = ours[source.name].checks if source.name in ours else ()
        if unknown := [name for name in ids if name not in checks]:
            raise NotGraded(
                f"the test cell {source.name} names {', '.join(unknown)}, which this version of attngrade does not "
                "have; make the course's notebook again, or install the version that made it"
            )
        whole = sum(checks[name].points for name in ids)
        points |= {(source.name, name): source.points * checks[name].points / whole for name in ids}
    return points


def _outcomes(grade: model.Grade, checks: Mapping[str, model.Check], hidden_titles: bool) -> dict[str, model.Outcome]:
    """Return what the student sees of each check, by the check's own id."""
    graded = {outcome.id for outcome in grade.checks}
    absent = (_not_measured(check) for name, check in checks.items() if name not in graded)
    whole = msgspec.structs.replace(grade, checks=(*grade.checks, *absent))
    return shown.checks(whole, model.StudentView(hidden_titles=hidden_titles))


def _not_measured(check: model.Check) -> model.Outcome:
    """Return the outcome of a timing check if the run did not measure speed."""
    if check.kind != "timing":
        raise NotGraded(f"the grade has no result for the check {check.id}; grade again")
    return model.Outcome(
        check.id,
        check.title,
        check.kind,
        check.visibility,
        "skipped",
        0.0,
        check.points,
        "Not measured.",
        part=check.part,
    )


def _shares(points: Points, outcomes: Mapping[str, model.Outcome], measured: Collection[str]) -> Shares:
    """Return the share of its points that each check gets. ``measured`` holds the checks of the run."""
    own = _own_shares(outcomes)
    known = {name for name, outcome in outcomes.items() if outcome.status != "skipped"}
    if points and not known:
        raise NotGraded("all checks were skipped, so there is no score")
    parts = {name: {one for one in known if outcomes[one].part == outcomes[name].part} for name in outcomes}
    unmeasured = {name for name in outcomes if name not in measured and parts[name]}
    own |= {name: _together(points, own, parts[name]) for name in unmeasured}
    known |= unmeasured
    rest = _together(points, own, known)
    return {name: share if name in known else rest for name, share in own.items()}


def _own_shares(outcomes: Mapping[str, model.Outcome]) -> Shares:
    """Return the share that each check got in the grade; 0 for a skipped one."""
    return {
        name: outcome.points / outcome.max_points if outcome.max_points else float(outcome.status == "passed")
        for name, outcome in outcomes.items()
    }


def _together(points: Points, shares: Shares, names: Collection[str]) -> float:
    """Return the share of their points that several checks got together."""
    chosen = {key: value for key, value in points.items() if key[1] in names}
    earned = sum(value * shares[name] for (_, name), value in chosen.items())
    return earned / sum(chosen.values()) if chosen else 0.0


def _score(
    source: ReleasedCell,
    ours: RequestedChecks,
    points: Points,
    outcomes: Mapping[str, model.Outcome],
    shares: Shares,
    led: Led,
    message: str,
) -> CellScore:
    score = sum(points[source.name, name] * shares[name] for name in ours.checks)
    score = min(round(score, DIGITS), source.points)
    passed = sum(outcomes[name].status == "passed" for name in ours.checks)
    heading = f"{score:.4g} of {source.points:.4g} points; {passed} of {len(ours.checks)} checks passed"
    lines = [heading, *([message] if message else [])]
    status = {name: shown_status(outcomes[name], led) for name in ours.checks}
    for name in sorted(ours.checks, key=lambda name: ORDER.get(status[name], 0)):
        lines.append(f"{SIGNS[status[name]]} {outcomes[name].title}  [{outcomes[name].id}]")
        lines += [f"  Mend this first: {led[name]}"] if name in led else []
        lines += _report(outcomes[name], points[source.name, name], shares[name])
    return CellScore(source.name, score, source.points, "\n".join(lines) + "\n")


def _report(outcome: model.Outcome, points: float, share: float) -> list[str]:
    """Return the lines below the title of a check, which gets ``share`` of its points."""
    if outcome.status == "passed":
        return []
    lines = []
    if outcome.status == "skipped":
        lines.append(f"  Scored like the other checks: {points * share:.4g} of {points:.4g} points.")
    elif outcome.points:
        lines.append(f"  {points * share:.4g} of {points:.4g} points, since one mistake costs once.")
    cause = f"Cause: {outcome.diagnosis}" if outcome.diagnosis else ""
    return lines + [f"  {part}" for part in (outcome.message, cause, outcome.hint) if part]
