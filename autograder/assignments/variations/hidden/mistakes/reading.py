"""Known mistakes of several hops and of feature maps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant, from_table
from autograder.assignments.variations.hidden.mistakes.shared import OF_TWO_AXES, Part
from reference.variations import modules as right

# ---- several hops


def hops(
    score: Part = lambda query, memory: (memory @ query.unsqueeze(2)).squeeze(2),
    softmax: Part = torch.softmax,
    summed: Part = lambda weights, memory: (weights.unsqueeze(1) @ memory).squeeze(1),
    ask: Part = lambda found, query, k: found,
    update: Part = lambda memory, weights, found: memory,
    add: Part = lambda found, asked, query: found,
    count: Part = lambda hops: hops,
    last: Part = lambda found, before, memory: found,
    kept: Part = lambda weights, hops: weights,
    results: Part = lambda result, weights: (result, weights),
) -> dict[str, Any]:
    """Build a multi_hop with some parts replaced by wrong ones."""

    def multi_hop(query: Tensor, memory: Tensor, hops: int) -> Any:
        if hops < 1:
            raise ValueError(hops)
        found, before, rows, whole = query, query, [], memory
        for k in range(count(hops)):
            before = ask(found, query, k)
            rows.append(softmax(score(before, memory), -1))
            found = add(summed(rows[-1], memory), before, query)
            memory = update(memory, rows[-1], found)
        weights = torch.stack(rows, 1) if rows else query.new_zeros(len(query), 0, memory.shape[1])
        return results(last(found, before, whole), kept(weights, hops))

    return {"multi_hop": multi_hop}


def _once_more(found: Tensor, before: Tensor, memory: Tensor) -> Tensor:
    return right.multi_hop(found, memory, 1)[0]


HOPS: dict[str, dict[str, dict[str, Any]]] = {
    "query-not-updated": {
        "": hops(ask=lambda found, query, k: query),
        "added": hops(ask=lambda found, query, k: query, last=lambda found, before, memory: found + before),
    },
    "memory-updated": {
        "weighed": hops(update=lambda memory, weights, found: memory * weights.unsqueeze(2)),
        "result-added": hops(update=lambda memory, weights, found: memory + found.unsqueeze(1)),
        "weighed-added": hops(update=lambda memory, weights, found: memory + memory * weights.unsqueeze(2)),
        "mean": hops(update=lambda memory, weights, found: (memory + found.unsqueeze(1)) / 2),
        "read-erased": hops(update=lambda memory, weights, found: memory * (1 - weights.unsqueeze(2))),
        "result-subtracted": hops(update=lambda memory, weights, found: memory - found.unsqueeze(1)),
        "only-memory": hops(ask=lambda found, query, k: query, update=lambda memory, w, found: memory * w.unsqueeze(2)),
        "written": hops(update=lambda memory, weights, found: memory + weights.unsqueeze(2) * found.unsqueeze(1)),
    },
    "hop-adds-query": {
        "": hops(add=lambda found, asked, query: found + asked),
        "first": hops(ask=lambda found, query, k: found + query if k else query),
        "query-each-time": hops(add=lambda found, asked, query: found + query),
        "at-the-end": hops(last=lambda found, before, memory: found + before),
    },
    "one-hop-more": {
        "": hops(count=lambda hops: hops + 1),
        "last-rows": hops(count=lambda hops: hops + 1, kept=lambda weights, hops: weights[:, -hops:]),
        "first-rows": hops(count=lambda hops: hops + 1, kept=lambda weights, hops: weights[:, :hops]),
        "result": hops(last=_once_more),
    },
    "one-hop-less": {
        "": hops(count=lambda hops: hops - 1),
        "but-one": hops(count=lambda hops: max(hops - 1, 1)),
        "result": hops(last=lambda found, before, memory: before),
    },
    "argument-ignored": {
        "one": hops(count=lambda hops: 1),
        "two": hops(count=lambda hops: 2),
        "three": hops(count=lambda hops: 3),
    },
    "wrong-scale": {
        "": hops(lambda query, memory: (memory @ query.unsqueeze(2)).squeeze(2) / memory.shape[2] ** 0.5),
        "width": hops(lambda query, memory: (memory @ query.unsqueeze(2)).squeeze(2) / memory.shape[2]),
    },
    "cosine-not-dot": {"": hops(lambda query, memory: torch.cosine_similarity(query.unsqueeze(1), memory, -1))},
    "mean-not-sum": {"": hops(summed=lambda weights, memory: (weights.unsqueeze(2) * memory).mean(1))},
    "ignores-batch": {
        "memory": hops(lambda query, memory: query @ memory[0].T),
        "sum": hops(summed=lambda weights, memory: weights @ memory[0]),
    },
    "detached-graph": {
        "hops": hops(ask=lambda found, query, k: found.detach() if k else found),
        "weights": hops(summed=lambda weights, memory: (weights.detach().unsqueeze(1) @ memory).squeeze(1)),
    },
    "returns-swapped": {"": hops(results=lambda result, weights: (weights, result))},
    "": {
        "weights-of-last": hops(kept=lambda weights, hops: weights[:, -1:].expand(-1, hops, -1)),
        "weights-reversed": hops(kept=lambda weights, hops: weights.flip(1)),
        "mean-of-hops": hops(results=lambda result, weights: (result, weights.mean(1, keepdim=True))),
    },
}

# ---- a feature map: places are (B, H * W, c)


def spatial(
    places: Part = lambda features: features.flatten(2).mT,
    score: Part = lambda places, state, W: ((places @ W.T) @ state.unsqueeze(2)).squeeze(2),
    softmax: Part = lambda scores, height, width: torch.softmax(scores, 1),
    summed: Part = lambda weights, places, W: (weights.unsqueeze(1) @ places).squeeze(1),
    shaped: Part = lambda weights, height, width: weights.reshape(-1, height, width),
    results: Part = lambda context, weights: (context, weights),
) -> dict[str, Any]:
    """Build a SpatialAttention with some parts replaced by wrong ones."""

    class SpatialAttention(right.SpatialAttention):
        def forward(self, features: Tensor, state: Tensor) -> Any:
            W, (height, width) = self.weights["W_a.weight"], features.shape[2:]
            found = places(features)
            weights = softmax(score(found, state, W), height, width)
            return results(summed(weights, found, W), shaped(weights, height, width))

    return {"SpatialAttention": SpatialAttention}


def _by_columns(features: Tensor) -> Tensor:
    return features.transpose(2, 3).flatten(2).mT


def _along(axis: int) -> Part:
    return lambda scores, height, width: torch.softmax(scores.reshape(-1, height, width), axis).flatten(1)


def _both_axes(scores: Tensor, height: int, width: int) -> Tensor:
    found = torch.softmax(scores.reshape(-1, height, width), 2)
    return torch.softmax(found, 1).flatten(1)


SPATIAL: dict[str, dict[str, dict[str, Any]]] = {
    "places-scrambled": {
        "": spatial(lambda features: features.reshape(len(features), -1, features.shape[1])),
        "context": spatial(
            summed=lambda weights, places, W: (weights.unsqueeze(1) @ places.mT.reshape(places.shape)).squeeze(1)
        ),
        "scores": spatial(
            score=lambda places, state, W: ((places.mT.reshape(places.shape) @ W.T) @ state.unsqueeze(2)).squeeze(2)
        ),
    },
    "softmax-over-rows": {
        "": spatial(softmax=_along(2)),
        "columns": spatial(softmax=_along(1)),
        "both": spatial(softmax=_both_axes),
    },
    "height-width-swapped": {
        "": spatial(shaped=lambda weights, height, width: weights.reshape(-1, height, width).mT),
        "view": spatial(shaped=lambda weights, height, width: weights.reshape(-1, width, height)),
        "columns-first": spatial(_by_columns),
        "columns-first-view": spatial(_by_columns, shaped=lambda w, height, width: w.reshape(-1, width, height)),
    },
    "context-from-projections": {
        "spatial": spatial(summed=lambda w, places, W: (w.unsqueeze(1) @ (places @ W.T)).squeeze(1))
    },
    "mean-not-sum": {"spatial": spatial(summed=lambda weights, places, W: (weights.unsqueeze(2) * places).mean(1))},
    "wrong-scale": {
        "spatial-state": spatial(score=lambda p, s, W: ((p @ W.T) @ s.unsqueeze(2)).squeeze(2) / s.shape[1] ** 0.5),
        "spatial-features": spatial(score=lambda p, s, W: ((p @ W.T) @ s.unsqueeze(2)).squeeze(2) / p.shape[2] ** 0.5),
        "spatial-places": spatial(score=lambda p, s, W: ((p @ W.T) @ s.unsqueeze(2)).squeeze(2) / p.shape[1] ** 0.5),
    },
    "general-transposed": {
        "spatial": spatial(score=lambda p, s, W: ((p @ W) @ s.unsqueeze(2)).squeeze(2)),
        "spatial-where-it-fits": spatial(
            score=lambda p, s, W: ((p @ (W if W.shape[0] == W.shape[1] else W.T)) @ s.unsqueeze(2)).squeeze(2)
        ),
    },
    "ignores-batch": {
        "state": spatial(score=lambda places, state, W: (places @ W.T) @ state[0]),
        "spatial-sum": spatial(summed=lambda weights, places, W: weights @ places[0]),
    },
    "detached-graph": {
        "spatial-weights": spatial(summed=lambda w, places, W: (w.detach().unsqueeze(1) @ places).squeeze(1)),
        "spatial-places": spatial(summed=lambda w, places, W: (w.unsqueeze(1) @ places.detach()).squeeze(1)),
    },
    "returns-swapped": {"spatial": spatial(results=lambda context, weights: (weights, context))},
    "": {
        "places-not-moved": spatial(lambda features: features.permute(0, 3, 2, 1).flatten(1, 2)),
        "tanh": spatial(score=lambda p, s, W: (torch.tanh(p @ W.T) @ s.unsqueeze(2)).squeeze(2)),
    },
}


def _variants() -> Iterator[Variant]:
    yield from from_table(HOPS, lambda one: one, "hops-{}")
    yield from from_table(OF_TWO_AXES, lambda one: hops(softmax=one), "hops-softmax-{}")
    yield from from_table(SPATIAL, lambda one: one, "spatial-{}")
    for cause, parts in OF_TWO_AXES.items():
        for how, one in parts.items():
            softmax = spatial(softmax=lambda scores, height, width, one=one: one(scores, 1))
            yield Variant(cause, f"spatial-softmax-{how}", softmax)


VARIANTS = tuple(_variants())
