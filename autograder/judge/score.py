"""Turn outcomes into points. Without evidence there are no points, and one mistake costs once (contract, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from autograder import model

TINY = 1e-9  # points: what is left of a charge by rounding
SHARE = 0.5  # of a part's points: the most that one mistake with a confirmed cause costs there
# These cost all that they touch in their part: nothing is left to compare.
IN_FULL = {
    "not-implemented",
    "hardcoded-answer",
    "forbidden-call",
    "stateful",
    "random-in-eval",
    "modifies-input",
    "wrong-parameters",
    "too-slow",
    "too-much-memory",
}

Shares = Mapping[str, float]  # by cause
NONE: Shares = MappingProxyType({})


def share(cause: str | None, shares: Shares = NONE) -> float:
    """Return the most that one mistake costs, as a share of its part's points. ``shares``: an assignment's own."""
    if cause is None:
        return 1.0
    return shares.get(cause, 1.0 if cause in IN_FULL else SHARE)


def scored(outcomes: Sequence[model.Outcome], strict: bool = False, shares: Shares = NONE) -> tuple[model.Outcome, ...]:
    """Return the outcomes with their points. ``strict``: only passed checks have some. ``shares``: see ``share``.

    A passed check has its points, and so has one that fails as a consequence of another part's mistake. The failed
    checks of a part that have one mistake in common are charged together. The charge is taken from these checks in
    their order, and the rest is given back.
    """
    if strict:
        return tuple(replace(one, points=one.max_points if one.status == "passed" else 0.0) for one in outcomes)
    by_id = {outcome.id: outcome for outcome in outcomes}
    failed = [one for one in outcomes if one.status not in ("passed", "skipped")]
    left = {one.id: _charge(one, failed, outcomes, shares) for one in failed if one.consequence_of is None}
    return tuple(replace(outcome, points=_points(outcome, by_id, left)) for outcome in outcomes)


def _charge(
    first: model.Outcome, failed: Sequence[model.Outcome], outcomes: Sequence[model.Outcome], shares: Shares
) -> float:
    """Return what a mistake costs in its part. ``first`` is the first check that it makes fail."""
    touched = [one for one in failed if one.part == first.part and first.id in (one.id, one.consequence_of)]
    whole = sum(one.max_points for one in outcomes if one.part == first.part and one.status != "skipped")
    return min(sum(one.max_points for one in touched), share(first.diagnosis, shares) * whole)


def _points(outcome: model.Outcome, by_id: dict[str, model.Outcome], left: dict[str, float]) -> float:
    """Return a check's points. ``left`` is what is still to be charged, by the first check of a mistake."""
    if outcome.status in ("passed", "skipped"):
        return outcome.max_points if outcome.status == "passed" else 0.0
    first = by_id[outcome.consequence_of or outcome.id]
    if first.part != outcome.part:
        return outcome.max_points
    charged = min(outcome.max_points, left[first.id])
    left[first.id] -= charged
    return round(outcome.max_points - charged, 6) if charged > TINY else outcome.max_points


def total(outcomes: Iterable[model.Outcome]) -> tuple[float, float]:
    """Return score and maximum. A skipped check counts in neither."""
    counted = [outcome for outcome in outcomes if outcome.status != "skipped"]
    score = sum((outcome.points for outcome in counted), 0.0)
    return round(score, 6), round(sum((outcome.max_points for outcome in counted), 0.0), 6)


def of_grade(status: model.GradeStatus, outcomes: Iterable[model.Outcome], whole: float) -> tuple[float | None, float]:
    """Return score and maximum of a grade. An infrastructure error has no score.

    If nothing was counted, the maximum is ``whole``, except in a ``graded`` submission whose checks were all skipped.
    """
    points, maximum = total(outcomes)
    return (None if status == "infrastructure-error" else points, maximum if status == "graded" else maximum or whole)
