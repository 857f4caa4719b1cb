"""What the mistakes of both classifiers share: measures of sentences, and rules that are tried in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.diagnostics.hidden.mistakes.entropies import OWN
from autograder.assignments.diagnostics.hidden.mistakes.measures import MAXIMA, MEANS, Maximum, Mean
from reference.diagnostics import functions as right
from reference.diagnostics.functions import log_length, row_entropy, row_mean

Measure = Callable[[Tensor, Tensor, Tensor], Tensor]  # weights, S, T -> (B,)
Holds = Callable[[Tensor, Tensor, Tensor], Tensor]


def maximum_of(weights: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
    return right.sharpness(weights, targets)[1]


def relative(entropy: Tensor, sources: Tensor) -> Tensor:
    return torch.where(sources > 1, entropy / log_length(sources, entropy.dtype), 0.0)


def spread(mean: Mean = row_mean, entropy: Callable[[Tensor], Tensor] = row_entropy) -> Measure:
    return lambda w, s, t: relative(mean(entropy(w), t), s)


def mean_entropy(weights: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
    return right.sharpness(weights, targets)[0]


SPREADS: dict[str, dict[str, Measure]] = {
    "spread-not-relative": {"": mean_entropy},
    "uniformity-by-width": {"": lambda w, s, t: mean_entropy(w, s, t) / torch.tensor(float(w.shape[2])).log()},
    "padding-counted": {f"spread-{how}": spread(mean) for how, mean in MEANS["padding-counted"].items()},
    "divides-by-width": {f"spread-{how}": spread(mean) for how, mean in MEANS["divides-by-width"].items()},
    "": {"rows": lambda w, s, t: relative(mean_entropy(w, s, t), t)},
    **{cause: {f"own-{how}": spread(entropy=one) for how, one in ones.items()} for cause, ones in OWN.items()},
}


def of_mean(mean: Mean) -> Measure:
    """Return the largest weight of each row, averaged by ``mean``."""
    return lambda w, s, t: mean(w.amax(2), t)


def _of_weights(maximum: Maximum) -> Measure:
    return lambda w, s, t: maximum(w, t)


MAXIMUMS: dict[str, dict[str, Measure]] = {
    **{
        cause: {f"maximum-{how}": of_mean(mean) for how, mean in MEANS[cause].items()}
        for cause in ("padding-counted", "divides-by-width")
    },
    **{
        cause: {how: _of_weights(one) for how, one in MAXIMA[cause].items()}
        for cause in ("maximum-of-columns", "maximum-of-sentence")
    },
}


def classified(
    name: str,
    rules: Mapping[str, Holds],
    numbers: Mapping[str, int],
    order: Sequence[str],
    changed: Mapping[str, Holds],
) -> dict[str, Any]:
    """Build a classifier with some rules or their order changed."""
    by_name = {**rules, **changed}
    names = list(order or by_name)

    def found(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> Tensor:
        holding = [(by_name[one](weights, src_lengths, tgt_lengths), numbers[one]) for one in names]
        return right.first_that_holds(holding, numbers.get("otherwise", 0))

    return {name: found}


def above(measure: Measure) -> Holds:
    return lambda w, s, t: measure(w, s, t) > 0.9
