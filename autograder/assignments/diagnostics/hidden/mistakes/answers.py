"""Known mistakes of permutation_test, ablation_effects and rank_agreement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant, from_table
from reference.diagnostics.effects import total_variation

Answer = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]  # weights, states, out_weight, out_bias
Distance = Callable[[Tensor, Tensor], Tensor]
Middle = Callable[[Tensor], Tensor]
Permuted = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]  # weights, states, orders -> both, (N, B, ...)
Ablated = Callable[[Tensor], Tensor]  # weights (B, T) -> (T, B, T)


def _logits(weights: Tensor, states: Tensor, out_weight: Tensor, out_bias: Tensor) -> Tensor:
    return F.linear((weights.unsqueeze(-1) * states).sum(-2), out_weight, out_bias)


def _answer(*given: Tensor) -> Tensor:
    return torch.softmax(_logits(*given), -1)


# Pairs of an answer and a distance.
MEASURES: dict[str, dict[str, tuple[Answer, Distance]]] = {
    "distance-not-halved": {"": (_answer, lambda p, q: (p - q).abs().sum(-1))},
    "distance-of-logits": {"": (_logits, total_variation), "not-halved": (_logits, lambda p, q: (p - q).abs().sum(-1))},
    "mean-not-sum": {
        "": (_answer, lambda p, q: (p - q).abs().mean(-1)),
        "halved": (_answer, lambda p, q: (p - q).abs().mean(-1) / 2),
    },
    "softmax-wrong-axis": {
        "batch": (lambda *given: torch.softmax(_logits(*given), -2), total_variation),
        "first": (lambda *given: torch.softmax(_logits(*given), 0), total_variation),
    },
    "detached-graph": {"": (_answer, lambda p, q: total_variation(p, q).detach())},
    "ignores-batch": {"": (_answer, lambda p, q: total_variation(p[..., :1, :], q[..., :1, :]).expand(q.shape[:-1]))},
    "not-softmax": {"sigmoid": (lambda *given: torch.sigmoid(_logits(*given)), total_variation)},
    "": {
        "euclidean": (_answer, lambda p, q: (p - q).square().sum(-1).sqrt()),
        "largest": (_answer, lambda p, q: (p - q).abs().amax(-1)),
        "divergence": (_answer, lambda p, q: (p * (p / q).log()).sum(-1)),
        "no-bias": (lambda w, h, W, b: torch.softmax(_logits(w, h, W, 0 * b), -1), total_variation),
    },
}


# ---- permutation_test


def _weights_only(weights: Tensor, states: Tensor, orders: Tensor) -> tuple[Tensor, Tensor]:
    return weights[:, orders].transpose(0, 1), states


def _both(weights: Tensor, states: Tensor, orders: Tensor) -> tuple[Tensor, Tensor]:
    return weights[:, orders].transpose(0, 1), states[:, orders].transpose(0, 1)


def _inverted(weights: Tensor, states: Tensor, orders: Tensor) -> tuple[Tensor, Tensor]:
    return weights[:, orders.argsort(-1)].transpose(0, 1), states


def _states_only(weights: Tensor, states: Tensor, orders: Tensor) -> tuple[Tensor, Tensor]:
    return weights, states[:, orders].transpose(0, 1)


def permutation(
    measure: tuple[Answer, Distance] = (_answer, total_variation),
    permuted: Permuted = _weights_only,
    middle: Middle = lambda distances: distances.median(0).values,
) -> dict[str, Any]:
    """Build a permutation_test with some parts replaced by wrong ones."""
    answer, distance = measure

    def permutation_test(w: Tensor, h: Tensor, W: Tensor, b: Tensor, permutations: Tensor) -> tuple[Tensor, Tensor]:
        other, states = permuted(w, h, permutations)
        changed = answer(other, states, W, b)
        distances = distance(answer(w, h, W, b), changed.expand(len(permutations), *changed.shape[-2:]))
        return distances, middle(distances)

    return {"permutation_test": permutation_test}


MIDDLES: dict[str, dict[str, Middle]] = {
    "mean-not-median": {"": lambda found: found.mean(0)},
    "detached-graph": {"median": lambda found: found.median(0).values.detach()},
    "ignores-batch": {"median": lambda found: found.median().expand(found.shape[1])},
    "": {
        "over-sentences": lambda found: found.median(1).values,
        "largest-distance": lambda found: found.amax(0),
        "unsorted": lambda found: found[len(found) // 2],
        "first": lambda found: found[0],
    },
}
PERMUTED: dict[str, dict[str, Permuted]] = {
    "states-permuted": {"": _both},
    "permutation-inverted": {"": _inverted, "states": _states_only},
}


def _swapped(w: Tensor, h: Tensor, W: Tensor, b: Tensor, orders: Tensor) -> Any:
    return permutation()["permutation_test"](w, h, W, b, orders)[::-1]


def _turned(w: Tensor, h: Tensor, W: Tensor, b: Tensor, orders: Tensor) -> Any:
    distances, median = permutation()["permutation_test"](w, h, W, b, orders)
    return distances.T, median


def _permutations() -> Iterator[Variant]:
    yield from from_table(MEASURES, lambda one: permutation(one), "permuted-{}")
    yield from from_table(MIDDLES, lambda one: permutation(middle=one), "permuted-{}")
    yield from from_table(PERMUTED, lambda one: permutation(permuted=one), "permuted-{}")
    yield Variant("returns-swapped", "permuted", {"permutation_test": _swapped})
    yield Variant("", "permuted-turned", {"permutation_test": _turned})


# ---- ablation_effects


def _without(weights: Tensor) -> Tensor:
    return weights * ~torch.eye(weights.shape[1], dtype=torch.bool).unsqueeze(1)


def _shares(kept: Tensor) -> Tensor:
    total = kept.sum(-1, keepdim=True)
    return kept / total.masked_fill(total == 0, 1)


def _renormalised(weights: Tensor) -> Tensor:
    return _shares(_without(weights))


def ablation(
    measure: tuple[Answer, Distance] = (_answer, total_variation), ablated: Ablated = _renormalised
) -> dict[str, Any]:
    """Build an ablation_effects with some parts replaced by wrong ones."""
    answer, distance = measure

    def ablation_effects(weights: Tensor, states: Tensor, out_weight: Tensor, out_bias: Tensor) -> Tensor:
        changed = answer(ablated(weights), states, out_weight, out_bias)
        return distance(answer(weights, states, out_weight, out_bias), changed).T

    return {"ablation_effects": ablation_effects}


def _alone(weights: Tensor) -> Tensor:
    return weights * torch.eye(weights.shape[1], dtype=torch.bool).unsqueeze(1)


ABLATED: dict[str, dict[str, Ablated]] = {
    "ablation-not-renormalised": {"": _without},
    "ablation-keeps-only": {
        "": _alone,
        "renormalised": lambda w: _shares(_alone(w)),
        "one": lambda w: torch.eye(w.shape[1], dtype=w.dtype).unsqueeze(1) + 0 * w,
    },
    "nan-at-full-weight": {
        "": lambda w: _without(w) / _without(w).sum(-1, keepdim=True),
        "less": lambda w: _without(w) / (1 - w).T.unsqueeze(-1),
    },
    "detached-graph": {"weights": lambda w: _renormalised(w.detach())},
    "": {
        "softmax": lambda w: torch.softmax(_without(w), -1),
        "even": lambda w: _without(torch.ones_like(w)) / max(w.shape[1] - 1, 1) + 0 * w,
        "shared": lambda w: _without(w) + _without(torch.ones_like(w)) * w.T.unsqueeze(-1) / max(w.shape[1] - 1, 1),
    },
}


# ---- rank_agreement

Ranks = Callable[[Tensor, Tensor], Tensor]


def _signs(x: Tensor) -> Tensor:
    return (x.unsqueeze(2) - x.unsqueeze(1)).sign()


def _sum(first: Tensor, second: Tensor) -> Tensor:
    return (_signs(first) * _signs(second)).sum((1, 2))


def _pairs(x: Tensor) -> int:
    return max(x.shape[1] * (x.shape[1] - 1), 1)


def _correlation(first: Tensor, second: Tensor) -> Tensor:
    one, other = first - first.mean(1, keepdim=True), second - second.mean(1, keepdim=True)
    lengths = one.square().sum(1).sqrt() * other.square().sum(1).sqrt()
    return (one * other).sum(1) / lengths


def _ranked(x: Tensor) -> Tensor:
    return x.argsort(1).argsort(1).to(x.dtype)


def _tau_b(first: Tensor, second: Tensor) -> Tensor:
    one, other = (_signs(x).square().sum((1, 2)) for x in (first, second))
    return _sum(first, second) / (one * other).sqrt()


def _patched(agreement: Ranks) -> Ranks:
    return lambda first, second: agreement(first, second).nan_to_num(0.0)


def _concordant(first: Tensor, second: Tensor) -> Tensor:
    """Return a tau in which every pair that is not concordant is discordant."""
    same = ((_signs(first) * _signs(second)) > 0).sum((1, 2))
    return (2 * same / _pairs(first) - 1).to(first.dtype)


def _gamma(first: Tensor, second: Tensor) -> Tensor:
    signs = _signs(first) * _signs(second)
    return signs.sum((1, 2)) / signs.abs().sum((1, 2))


RANKS: dict[str, dict[str, Ranks]] = {
    "pearson-not-kendall": {"": _correlation, "patched": _patched(_correlation)},
    "spearman-not-kendall": {
        "": lambda first, second: _correlation(_ranked(first), _ranked(second)),
        "patched": _patched(lambda first, second: _correlation(_ranked(first), _ranked(second))),
    },
    "pairs-counted-twice": {"": lambda first, second: 2 * _sum(first, second) / _pairs(first)},
    "ties-divided-out": {"": _tau_b, "patched": _patched(_tau_b), "gamma": _gamma, "gamma-patched": _patched(_gamma)},
    "divides-by-zero": {"ranks": lambda first, second: _sum(first, second) / (first.shape[1] * (first.shape[1] - 1))},
    "ignores-batch": {"ranks": lambda first, second: (_sum(first, second) / _pairs(first)).mean().expand(len(first))},
    "": {
        "halved": lambda first, second: _sum(first, second) / _pairs(first) / 2,
        "squared-length": lambda first, second: _sum(first, second) / first.shape[1] ** 2,
        "negative": lambda first, second: -_sum(first, second) / _pairs(first),
        "concordant": _concordant,
        "share": lambda first, second: (_concordant(first, second) + 1) / 2,
        "neighbours": lambda first, second: (first.diff(dim=1).sign() * second.diff(dim=1).sign()).mean(1),
        "sum": lambda first, second: _sum(first, second) / 2,
    },
}
VARIANTS = (
    *_permutations(),
    *from_table(MEASURES, lambda one: ablation(one), "ablated-{}"),
    *from_table(ABLATED, lambda one: ablation(ablated=one), "ablated-{}"),
    *from_table(RANKS, lambda one: {"rank_agreement": one}, "ranks-{}"),
)
