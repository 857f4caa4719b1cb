"""Known mistakes of attention_geometry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.diagnostics.hidden.mistakes.entropies import FREQUENT
from autograder.assignments.kit.hidden.variant import Variant, from_table
from reference.diagnostics.effects import cosines, safe_norm

Scores = Callable[[Tensor, float], Tensor]
Cosines = Callable[[Tensor], Tensor]
Gain = Callable[[Tensor, Tensor, Tensor], Tensor]  # W, before, after -> (B,)
Softmax = Callable[..., Tensor]


def _scores(x: Tensor, temperature: float) -> Tensor:
    return x @ x.mT / temperature


def _others(weights: Tensor) -> Tensor:
    return weights.masked_fill(torch.eye(weights.shape[1], dtype=torch.bool), 0)


def _mean(values: Tensor, weights: Tensor) -> Tensor:
    total = weights.sum((1, 2))
    return (weights * values).sum((1, 2)) / total.masked_fill(total == 0, 1)


def _gain(weights: Tensor, before: Tensor, after: Tensor) -> Tensor:
    return _mean(after - before, _others(weights))


def geometry(
    scores: Scores = _scores,
    softmax: Softmax = torch.softmax,
    before: Cosines = cosines,
    after: Cosines = cosines,
    gain: Gain = _gain,
    result: Callable[[Tensor, Tensor], Tensor] = torch.bmm,
) -> dict[str, Any]:
    """Build an attention_geometry with some parts replaced by wrong ones."""

    def attention_geometry(x: Tensor, temperature: float = 1.0) -> tuple[Tensor, Tensor, Tensor]:
        weights = softmax(scores(x, temperature), dim=-1)
        first, second = before(x), after(result(weights, x))
        return first, second, gain(weights, first, second)

    return {"attention_geometry": attention_geometry}


def _by_norms(norm: Callable[[Tensor], Tensor]) -> Cosines:
    def similarities(x: Tensor) -> Tensor:
        unit = x / norm(x).unsqueeze(-1)
        return unit @ unit.mT

    return similarities


def _one_norm(axis: int, guard: float = 1e-30) -> Cosines:
    def similarities(x: Tensor) -> Tensor:
        norm = safe_norm(x)
        norm = norm.masked_fill(norm == 0, 1)
        return x @ x.mT / norm.unsqueeze(axis)

    return similarities


COSINES: dict[str, dict[str, Cosines]] = {
    "cosine-without-norm": {"": lambda x: x @ x.mT, "root": lambda x: x @ x.mT / x.shape[-1] ** 0.5},
    "cosine-one-norm": {"": _one_norm(-1), "other": _one_norm(-2)},
    "nan-at-zero-row": {
        "": _by_norms(lambda x: x.norm(dim=-1)),
        "root": _by_norms(lambda x: x.square().sum(-1).sqrt()),
        "products": lambda x: x @ x.mT / (x.norm(dim=-1).unsqueeze(1) * x.norm(dim=-1).unsqueeze(2)),
        "patched": lambda x: _by_norms(lambda x: x.norm(dim=-1))(x).nan_to_num(0.0),
        "gradient": _by_norms(lambda x: x.square().sum(-1).sqrt() + 1e-12),
        "gradient-clamped": _by_norms(lambda x: x.square().sum(-1).sqrt().clamp(min=1e-12)),
    },
    "detached-graph": {"": lambda x: cosines(x).detach()},
    "": {
        "distance": lambda x: 1 - cosines(x),
        "absolute": lambda x: cosines(x).abs(),
        "one-on-diagonal": lambda x: cosines(x).masked_fill(torch.eye(x.shape[1], dtype=torch.bool), 1),
        "squared-norm": _by_norms(lambda x: safe_norm(x).square().masked_fill(safe_norm(x) == 0, 1)),
        "correlation": lambda x: cosines(x - x.mean(-1, keepdim=True)),
        "distances": lambda x: -(x.unsqueeze(2) - x.unsqueeze(1)).square().sum(-1),
    },
}
GAINS: dict[str, dict[str, Gain]] = {
    "gain-with-diagonal": {
        "": lambda w, b, a: _mean(a - b, w),
        "divided": lambda w, b, a: (_others(w) * (a - b)).sum((1, 2)) / w.sum((1, 2)),
        "rows": lambda w, b, a: (w * (a - b)).sum((1, 2)) / w.shape[1],
        "unweighted": lambda w, b, a: (a - b).mean((1, 2)),
    },
    "gain-unweighted": {
        "": lambda w, b, a: _mean(a - b, _others(torch.ones_like(w))),
        "sum": lambda w, b, a: (a - b).sum((1, 2)) / max(w.shape[1] * (w.shape[1] - 1), 1),
        "nan": lambda w, b, a: (a - b).sum((1, 2)) / (w.shape[1] * (w.shape[1] - 1)),
        "pairs": lambda w, b, a: (a - b).triu(1).sum((1, 2)) / max(w.shape[1] * (w.shape[1] - 1) // 2, 1),
    },
    "gain-reversed": {
        "": lambda w, b, a: -_gain(w, b, a),
        "nan": lambda w, b, a: (_others(w) * (b - a)).sum((1, 2)) / _others(w).sum((1, 2)),
    },
    "divides-by-zero": {"gain": lambda w, b, a: (_others(w) * (a - b)).sum((1, 2)) / _others(w).sum((1, 2))},
    "detached-graph": {
        "gain": lambda w, b, a: _gain(w, b, a).detach(),
        "weights": lambda w, b, a: _gain(w.detach(), b, a),
    },
    "ignores-batch": {"gain": lambda w, b, a: _gain(w, b, a).mean().expand(len(w))},
    "mean-not-sum": {"gain": lambda w, b, a: (_others(w) * (a - b)).mean((1, 2))},
    "": {
        "sum": lambda w, b, a: (_others(w) * (a - b)).sum((1, 2)),
        "upper": lambda w, b, a: _mean(a - b, w.triu(1)),
        "of-means": lambda w, b, a: (
            (_others(w) * (a - b)).sum(2) / _others(w).sum(2).masked_fill(_others(w).sum(2) == 0, 1)
        ).mean(1),
        "ratio": lambda w, b, a: _mean(a, _others(w)) / _mean(b, _others(w)),
        "after": lambda w, b, a: _mean(a, _others(w)),
    },
}
SCORES: dict[str, dict[str, Scores]] = {
    "temperature-multiplies": {"": lambda x, k: x @ x.mT * k},
    "argument-ignored": {"": lambda x, k: x @ x.mT},
    "wrong-scale": {
        "root": lambda x, k: x @ x.mT / k / x.shape[-1] ** 0.5,
        "width": lambda x, k: x @ x.mT / k / x.shape[-1],
        "twice": lambda x, k: x @ x.mT / k**2,
        "root-of-temperature": lambda x, k: x @ x.mT / k**0.5,
    },
    "cosine-not-dot": {"": lambda x, k: cosines(x) / k},
    "detached-graph": {"scores": lambda x, k: (x @ x.mT / k).detach()},
}


def _of_weights(weights: Tensor, x: Tensor) -> Tensor:
    return weights


def _swapped(x: Tensor, temperature: float = 1.0) -> tuple[Tensor, Tensor, Tensor]:
    before, after, gain = geometry()["attention_geometry"](x, temperature)
    return after, before, gain


def _variants() -> Iterator[Variant]:
    yield from from_table(COSINES, lambda one: geometry(before=one, after=one), "geometry-{}")
    yield from from_table(COSINES, lambda one: geometry(before=one), "geometry-before-{}")
    yield from from_table(COSINES, lambda one: geometry(after=one), "geometry-after-{}")
    yield from from_table(GAINS, lambda one: geometry(gain=one), "geometry-{}")
    yield from from_table(SCORES, lambda one: geometry(scores=one), "geometry-{}")
    yield Variant("geometry-of-weights", "geometry", geometry(result=_of_weights))
    both = geometry(before=lambda x: cosines(torch.softmax(_scores(x, 1.0), -1)), result=_of_weights)
    yield Variant("geometry-of-weights", "geometry-both", both)
    yield Variant("", "geometry-residual", geometry(result=lambda w, x: w @ x + x))
    yield Variant("", "geometry-nothing", geometry(result=lambda w, x: x))
    nan = COSINES["nan-at-zero-row"][""]
    twice = geometry(before=nan, after=nan, gain=GAINS["divides-by-zero"]["gain"])
    yield Variant("nan-at-zero-row", "geometry-nan-twice", twice)
    yield Variant("returns-swapped", "geometry", {"attention_geometry": _swapped})
    yield from from_table(FREQUENT, lambda one: geometry(softmax=one), "geometry-softmax-{}")


VARIANTS = tuple(_variants())
