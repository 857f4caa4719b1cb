"""What checks and parts are worth in a course: an assignment's points as a course's settings change them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from msgspec.structs import replace

from autograder import model


def weighted(spec: model.Spec, weights: model.Weights) -> model.Spec:
    """Return the spec with other points, without dropped checks, and with other shares of causes.

    A part with 0 points is left out: its checks are dropped, except for those that have points of their own. The other
    checks of a part make up for dropped ones. Then parts and checks get their weights, and all points are scaled to the
    total. Names that the spec does not have are ignored.
    """
    if weights == model.Weights():
        return spec
    own, left_out = dict(weights.checks), {part for part, points in weights.parts if points == 0}
    kept = [
        check
        for check in spec.checks
        if check.id not in weights.dropped and (check.part not in left_out or own.get(check.id))
    ]
    before, after = _by_part(spec.checks), _by_part(kept)
    parts = before | {part: points for part, points in weights.parts if part in after}
    points = {check.id: own.get(check.id, _of_part(check, after[check.part], parts[check.part])) for check in kept}
    whole = sum(points.values())
    scale = 1.0 if math.isclose(whole, weights.total) else weights.total / (whole or 1.0)
    checks = tuple(replace(check, points=points[check.id] * scale) for check in kept)
    return replace(spec, checks=checks, shares=spec.shares | dict(weights.shares))


def _by_part(checks: Iterable[model.Check]) -> dict[str, float]:
    points: defaultdict[str, float] = defaultdict(float)
    for check in checks:
        points[check.part] += check.points
    return dict(points)


def _of_part(check: model.Check, whole: float, wanted: float) -> float:
    """Return a check's points where its part, which has ``whole``, is to have ``wanted``."""
    return check.points if whole == wanted else check.points * wanted / (whole or 1.0)
