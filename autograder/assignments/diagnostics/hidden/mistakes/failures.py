"""Known mistakes of diagnose_failure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.diagnostics.hidden.mistakes.measures import MEANS
from autograder.assignments.diagnostics.hidden.mistakes.offsets import DIAGONALS, OFFSETS, SLOPES
from autograder.assignments.diagnostics.hidden.mistakes.offsets import offset as offset_of
from autograder.assignments.diagnostics.hidden.mistakes.rules import (
    MAXIMUMS,
    SPREADS,
    Holds,
    Measure,
    above,
    classified,
    maximum_of,
    of_mean,
    spread,
)
from autograder.assignments.kit.hidden.variant import Variant, from_table
from reference.diagnostics import functions as right
from reference.diagnostics.functions import peaks

NUMBERS = {"uniform": 1, "over-concentrated": 2, "drift": 3}


def _alike(weights: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
    most = right.alignment_links(weights, sources, targets).sum(1).amax(1)
    return (2 * most > targets) & (sources > 1) & (targets > 1)


def _concentrated(maximum: Measure = maximum_of, alike: Holds = _alike) -> Holds:
    return lambda w, s, t: alike(w, s, t) & (maximum(w, s, t) > 0.9)


def _drift(weights: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
    return right.diagonal_offset(weights, sources, targets)[1] > 0.2


def _offsetabove(limit: float, relative: bool = False) -> Holds:
    def holds(weights: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
        offset = right.diagonal_offset(weights, sources, targets)[0]
        return (offset / sources if relative else offset) > limit

    return holds


def _same_anywhere(weights: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
    """Return whether most rows share a peak, rows of padding among them."""
    links = peaks(weights, sources).unsqueeze(2) == torch.arange(weights.shape[2])
    return (2 * links.sum(1).amax(1) > targets) & (sources > 1) & (targets > 1)


def _same_in_any_column(weights: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
    links = weights.argmax(2).unsqueeze(2) == torch.arange(weights.shape[2])
    return (2 * links.sum(1).amax(1) > targets) & (sources > 1) & (targets > 1)


FAILURES: dict[str, Holds] = {"uniform": above(spread()), "over-concentrated": _concentrated(), "drift": _drift}
CONCENTRATED: dict[str, dict[str, Holds]] = {
    "sharp-is-a-failure": {
        "": lambda w, s, t: maximum_of(w, s, t) > 0.9,
        "several": lambda w, s, t: (maximum_of(w, s, t) > 0.9) & (s > 1) & (t > 1),
    },
    "padding-counted": {
        "alike": _concentrated(alike=_same_anywhere),
        "alike-columns": _concentrated(alike=_same_in_any_column),
    },
    "": {
        "alike-alone": _alike,
        "one-word": lambda w, s, t: (
            (2 * right.alignment_links(w, s, t).sum(1).amax(1) > t) & (maximum_of(w, s, t) > 0.9)
        ),
        "half": lambda w, s, t: (
            (2 * right.alignment_links(w, s, t).sum(1).amax(1) >= t) & (s > 1) & (t > 1) & (maximum_of(w, s, t) > 0.9)
        ),
        "all": lambda w, s, t: (
            (right.alignment_links(w, s, t).sum(1).amax(1) == t) & (s > 1) & (t > 1) & (maximum_of(w, s, t) > 0.9)
        ),
    },
}
DRIFTS: dict[str, dict[str, Holds]] = {
    "drift-is-an-offset": {
        **{f"above-{limit:g}": _offsetabove(limit) for limit in (0.2, 0.5, 1.0, 1.5, 2.0, 3.0)},
        **{f"relative-{limit:g}": _offsetabove(limit, relative=True) for limit in (0.2,)},
    },
    "": {
        "either-way": lambda w, s, t: right.diagonal_offset(w, s, t)[1].abs() > 0.2,
        "positive": lambda w, s, t: right.diagonal_offset(w, s, t)[1] > 0.0,
    },
}


def failure(changed: Mapping[str, Holds] | None = None, order: Sequence[str] = ()) -> dict[str, Any]:
    """Build a diagnose_failure with some rules or their order changed."""
    return classified("diagnose_failure", FAILURES, NUMBERS, order, changed or {})


def _of_drift(**parts: Any) -> Holds:
    wrong = offset_of(**parts)["diagonal_offset"]
    return lambda w, s, t: wrong(w, s, t)[1] > 0.2


# Mistakes of a measure that change no class by themselves in what tests draw.
UNSEEN = (
    "rounded",
    "floor",
    "middles",
    "slope",
    "diagonal",
    "offset-of-mean-position",
    "detached-graph",
    "divides-by-zero",
    "peak",
    "from-one-less",
    "maximum-of-sentence",
)


def chosen(table: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return a table without the mistakes that would not show."""
    return {
        cause: {how: one for how, one in ones.items() if how not in UNSEEN}
        for cause, ones in table.items()
        if cause not in UNSEEN
    }


def _failures() -> Iterator[Variant]:
    for number in range(4):
        always = classified("diagnose_failure", FAILURES, dict.fromkeys((*NUMBERS, "otherwise"), number), (), {})
        yield Variant("hardcoded-answer", f"failure-{number}", always)
    for order in itertools.permutations(FAILURES):
        if order.index("drift") < order.index("over-concentrated"):  # nothing uniform is anything else
            yield Variant("rules-out-of-order", f"failure-{'-'.join(one[0:4] for one in order)}", failure(order=order))
    yield from from_table(chosen(SPREADS), lambda one: failure({"uniform": above(one)}), "failure-{}")
    for cause, ones in chosen(MAXIMUMS).items():
        for how, one in ones.items():
            yield Variant(cause, f"failure-{how}", failure({"over-concentrated": _concentrated(maximum=one)}))
    yield from from_table(CONCENTRATED, lambda one: failure({"over-concentrated": one}), "failure-{}")
    yield from from_table(DRIFTS, lambda one: failure({"drift": one}), "failure-{}")
    yield from from_table(chosen(DIAGONALS), lambda one: failure({"drift": _of_drift(diagonal=one)}), "failure-{}")
    yield from from_table(chosen(OFFSETS), lambda one: failure({"drift": _of_drift(offsets=one)}), "failure-{}")
    yield from from_table(chosen(SLOPES), lambda one: failure({"drift": _of_drift(slope=one)}), "failure-{}")
    for how, mean in MEANS["padding-counted"].items():
        wide = above(spread(mean))
        maximum = of_mean(mean)
        changed: dict[str, Holds] = {"uniform": wide, "over-concentrated": _concentrated(maximum)}
        yield Variant("padding-counted", f"failure-measures-{how}", failure(changed))
        changed["over-concentrated"] = _concentrated(maximum, _same_anywhere)
        yield Variant("padding-counted", f"failure-all-{how}", failure(changed))
        for which, slope in SLOPES["padding-counted"].items():
            changed["drift"] = _of_drift(slope=slope)
            yield Variant("padding-counted", f"failure-all-{how}-{which}", failure(changed))


VARIANTS = tuple(_failures())
