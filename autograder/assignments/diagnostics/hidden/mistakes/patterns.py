"""Known mistakes of classify_pattern."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.diagnostics.hidden.mistakes.measures import MEANS
from autograder.assignments.diagnostics.hidden.mistakes.rules import (
    MAXIMUMS,
    SPREADS,
    Holds,
    Measure,
    above,
    classified,
    maximum_of,
    spread,
)
from autograder.assignments.kit.hidden.variant import Variant, from_table
from reference.diagnostics import functions as right
from reference.diagnostics.functions import peaks, real


def _kinds(weights: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
    return right.alignment_links(weights, sources, targets).any(1).sum(1)


def _few(kinds: Measure = _kinds) -> Holds:
    return lambda w, s, t: 2 * kinds(w, s, t) <= torch.minimum(s, t)


def _steps(
    counts: Callable[[Tensor], Tensor], padding: bool = False, columns: bool = False, share: bool = False
) -> Holds:
    """Return whether more than a tenth of the steps count. ``padding``: the steps of padding count too, ``columns``:
    also with peaks in columns of padding, ``share``: a tenth of them too."""

    def holds(weights: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
        steps = (weights.argmax(2) if columns else peaks(weights, sources)).diff(dim=1)
        counted = counts(steps) & (real(targets - 1, steps.shape[1]) | padding)
        if share:
            return (10 * counted.sum(1) > steps.shape[1]) & (targets > 1)
        return 10 * counted.sum(1) > targets - 1

    return holds


BACKWARDS = _steps(lambda steps: steps < 0)
PATTERNS = {
    "diffuse": lambda w, s, t: spread()(w, s, t) > 0.9,
    "one-to-many": lambda w, s, t: maximum_of(w, s, t) < 0.5,
    "many-to-one": _few(),
    "reordered": BACKWARDS,
}
NUMBERS = {"diagonal": 0, "reordered": 1, "many-to-one": 2, "one-to-many": 3, "diffuse": 4}


def pattern(
    changed: Mapping[str, Holds] | None = None, order: Sequence[str] = (), numbers: Mapping[str, int] = NUMBERS
) -> dict[str, Any]:
    """Build a classify_pattern with some rules, their order or their numbers changed."""
    return classified("classify_pattern", PATTERNS, numbers, order, changed or {})


def _below(measure: Measure) -> Holds:
    return lambda w, s, t: measure(w, s, t) < 0.5


def _peaks_of_all(weights: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
    links = peaks(weights, sources).unsqueeze(2) == torch.arange(weights.shape[2])
    return links.any(1).sum(1)


def _peaks_anywhere(weights: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
    return (weights.argmax(2).unsqueeze(2) == torch.arange(weights.shape[2])).any(1).sum(1)


STEPS: dict[str, dict[str, Holds]] = {
    "backward-steps-missed": {
        "forwards": _steps(lambda steps: steps > 0),
        "jumps": _steps(lambda steps: steps.abs() > 1),
        "jumps-forwards": _steps(lambda steps: steps > 1),
        "changes": _steps(lambda steps: steps != 0),
        "stays": _steps(lambda steps: steps <= 0),
        "far": _steps(lambda steps: steps < -1),
        "none": _steps(lambda steps: steps != steps),
    },
    "padding-counted": {
        "steps": _steps(lambda steps: steps < 0, padding=True),
        "steps-columns": _steps(lambda steps: steps < 0, padding=True, columns=True),
        "steps-share": _steps(lambda steps: steps < 0, padding=True, share=True),
        "steps-columns-share": _steps(lambda steps: steps < 0, padding=True, columns=True, share=True),
    },
    "": {
        "any": lambda w, s, t: (
            BACKWARDS(w, s, t) | ((peaks(w, s).diff(dim=1) < 0) & real(t - 1, w.shape[1] - 1)).any(1)
        ),
        "ends": lambda w, s, t: peaks(w, s)[:, 0] > peaks(w, s).gather(1, (t - 1).unsqueeze(1)).squeeze(1),
    },
}
FEW: dict[str, dict[str, Holds]] = {
    "padding-counted": {"peaks": _few(_peaks_of_all), "peaks-columns": _few(_peaks_anywhere)},
    "": {
        "less": lambda w, s, t: 2 * _kinds(w, s, t) < torch.minimum(s, t),
        "larger": lambda w, s, t: 2 * _kinds(w, s, t) <= torch.maximum(s, t),
        "targets": lambda w, s, t: 2 * _kinds(w, s, t) <= t,
        "sources": lambda w, s, t: 2 * _kinds(w, s, t) <= s,
        "rounded": lambda w, s, t: _kinds(w, s, t) <= (torch.minimum(s, t) + 1) // 2,
    },
}


def _patterns() -> Iterator[Variant]:
    for order in itertools.permutations(PATTERNS):
        if order != tuple(PATTERNS):
            yield Variant("rules-out-of-order", f"pattern-{'-'.join(one[0:4] for one in order)}", pattern(order=order))
    for number in NUMBERS.values():
        always = pattern(numbers=dict.fromkeys((*NUMBERS, "otherwise"), number))
        yield Variant("hardcoded-answer", f"pattern-{number}", always)
    swapped = NUMBERS | {"many-to-one": 3, "one-to-many": 2}
    yield Variant("stripes-swapped", "pattern", pattern(numbers=swapped))
    yield from from_table(SPREADS, lambda one: pattern({"diffuse": above(one)}), "pattern-{}")
    yield from from_table(MAXIMUMS, lambda one: pattern({"one-to-many": _below(one)}), "pattern-{}")
    for cause, ones in STEPS.items():
        for how, one in ones.items():
            if not how.endswith("share"):  # such code counts different peaks of all rows too: see below
                yield Variant(cause, f"pattern-{how}", pattern({"reordered": one}))
    yield from from_table(FEW, lambda one: pattern({"many-to-one": one}), "pattern-{}")
    of_padding = itertools.product(STEPS["padding-counted"].items(), FEW["padding-counted"].items())
    for (which, steps), (kinds, few) in of_padding:
        yield Variant("padding-counted", f"pattern-{which}-{kinds}", pattern({"reordered": steps, "many-to-one": few}))
    counted = {"reordered": STEPS["padding-counted"]["steps"], "many-to-one": FEW["padding-counted"]["peaks"]}
    for how, mean in MEANS["padding-counted"].items():
        wide, sharp = above(spread(mean)), _below(MAXIMUMS["padding-counted"][f"maximum-{how}"])
        yield Variant("padding-counted", f"pattern-measures-{how}", pattern({"diffuse": wide, "one-to-many": sharp}))
        every = pattern({"diffuse": wide, "one-to-many": sharp, **counted})
        yield Variant("padding-counted", f"pattern-all-{how}", every)


VARIANTS = tuple(_patterns())
