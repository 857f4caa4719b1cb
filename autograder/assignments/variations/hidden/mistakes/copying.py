"""Known mistakes of coverage and of copying."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant, from_table
from autograder.assignments.variations.hidden.mistakes.shared import MEANS, OF_TWO_AXES, Part, mean_of_real
from reference.variations import modules as right

# ---- coverage


def coverage(
    inside: Part = lambda row, penalty, seen: row - penalty * seen,
    softmax: Part = torch.softmax,
    after: Part = lambda weights, penalty, seen: weights,
    grow: Part = lambda seen, weights, row: seen + weights,
    kept: Part = lambda before, now: before,
    results: Part = lambda weights, seen: (weights, seen),
) -> dict[str, Any]:
    """Build a coverage_attention with some parts replaced by wrong ones."""

    def coverage_attention(scores: Tensor, penalty: float) -> Any:
        seen = torch.zeros_like(scores[:, 0])
        weights, coverages = [], []
        for row in scores.unbind(1):
            weights.append(after(softmax(inside(row, penalty, seen), -1), penalty, seen))
            now = grow(seen, weights[-1], row)
            coverages.append(kept(seen, now))
            seen = now
        return results(torch.stack(weights, 1), torch.stack(coverages, 1))

    return {"coverage_attention": coverage_attention}


def _asked_twice(scores: Tensor, penalty: float) -> tuple[Tensor, Tensor]:
    """Let each row see its own first weights."""
    seen = torch.zeros_like(scores[:, 0])
    weights, coverages = [], []
    for row in scores.unbind(1):
        seen = seen + torch.softmax(row - penalty * seen, -1)
        weights.append(torch.softmax(row - penalty * seen, -1))
        coverages.append(seen)
    return torch.stack(weights, 1), torch.stack(coverages, 1)


def _at_once(scores: Tensor, penalty: float, shift: bool) -> tuple[Tensor, Tensor]:
    """Take the coverage of weights without a penalty, for all rows at once."""
    first = torch.softmax(scores, -1)
    seen = first.cumsum(1) - first * shift
    return torch.softmax(scores - penalty * seen, -1), seen


COVERAGES: dict[str, dict[str, dict[str, Any]]] = {
    "coverage-includes-now": {
        "returned": coverage(kept=lambda before, now: now),
        "asked-twice": {"coverage_attention": _asked_twice},
        "at-once": {"coverage_attention": lambda scores, penalty: _at_once(scores, penalty, False)},
    },
    "coverage-only-last": {
        "": coverage(grow=lambda seen, weights, row: weights),
        "returned": coverage(results=lambda w, seen: (w, torch.cat([seen[:, :1], w[:, :-1]], 1))),
    },
    "coverage-added": {"": coverage(inside=lambda row, penalty, seen: row + penalty * seen)},
    "coverage-of-scores": {"": coverage(grow=lambda seen, weights, row: seen + row)},
    "coverage-after-softmax": {
        "": coverage(lambda row, p, seen: row, after=lambda w, p, seen: w - p * seen),
        "cut": coverage(lambda row, p, seen: row, after=lambda w, p, seen: (w - p * seen).clamp(min=0)),
        "shares": coverage(
            lambda row, p, seen: row, after=lambda w, p, seen: (w - p * seen) / (w - p * seen).sum(-1, keepdim=True)
        ),
        "cut-shares": coverage(lambda row, p, seen: row, after=lambda w, p, seen: _shares((w - p * seen).clamp(min=0))),
        "guarded": coverage(lambda row, p, seen: row, after=lambda w, p, seen: _shares((w - p * seen).clamp(min=1e-9))),
        "own-sum": coverage(
            lambda row, p, seen: row,
            after=lambda w, p, seen: w - p * seen,
            grow=lambda seen, weights, row: seen + torch.softmax(row, -1),
        ),
    },
    "argument-ignored": {
        "penalty-one": coverage(inside=lambda row, penalty, seen: row - seen),
        "no-penalty": coverage(inside=lambda row, penalty, seen: row),
    },
    "mean-not-sum": {"coverage": {"coverage_attention": lambda scores, penalty: _mean_seen(scores, penalty)}},
    "detached-graph": {"seen": coverage(grow=lambda seen, weights, row: seen + weights.detach())},
    "returns-swapped": {"": coverage(results=lambda weights, seen: (seen, weights))},
    "ignores-batch": {"seen": coverage(grow=lambda seen, weights, row: seen + weights.sum(0, keepdim=True))},
    "": {
        "without-own-penalty": {"coverage_attention": lambda scores, penalty: _at_once(scores, penalty, True)},
        "multiplied": coverage(inside=lambda row, penalty, seen: row * (1 - penalty * seen)),
        "penalised-twice": coverage(inside=lambda row, penalty, seen: row - 2 * penalty * seen),
    },
}


def _shares(weights: Tensor) -> Tensor:
    return weights / weights.sum(-1, keepdim=True)


def _mean_seen(scores: Tensor, penalty: float) -> tuple[Tensor, Tensor]:
    weights: list[Tensor] = []
    seen: list[Tensor] = []
    for t, row in enumerate(scores.unbind(1)):
        seen.append(torch.stack(weights).mean(0) if t else torch.zeros_like(row))
        weights.append(torch.softmax(row - penalty * seen[-1], -1))
    return torch.stack(weights, 1), torch.stack(seen, 1)


def loss(
    overlap: Part = torch.minimum, summed: Part = lambda rows: rows.sum(-1), mean: Part = mean_of_real
) -> dict[str, Any]:
    """Build a coverage_loss with some parts replaced by wrong ones."""
    return {"coverage_loss": lambda weights, seen, tgt_lengths: mean(summed(overlap(weights, seen)), tgt_lengths)}


LOSSES: dict[str, dict[str, dict[str, Any]]] = {
    "maximum-not-minimum": {
        "": loss(torch.maximum),
        "and-padding": loss(torch.maximum, mean=MEANS["loss-counts-padding"][""]),
    },
    "mean-not-sum": {"loss": loss(summed=lambda rows: rows.mean(-1))},
    "detached-graph": {
        "seen": loss(lambda weights, seen: torch.minimum(weights, seen.detach())),
        "weights": loss(lambda weights, seen: torch.minimum(weights.detach(), seen)),
    },
    "": {
        "product": loss(lambda weights, seen: weights * seen),
        "difference": loss(lambda weights, seen: (weights - seen).abs()),
        "minimum-of-row": loss(summed=lambda rows: rows.amin(-1)),
    },
}

# ---- copying: p and the sum inside it are (B, 1)


def pointer(
    terms: tuple[float, float, float, float] = (1, 1, 1, 1),
    gate: Part = torch.sigmoid,
    copy: Part = lambda weights, ids, size, words: weights.new_zeros(len(weights), size).scatter_add(1, ids, weights),
    mix: Part = lambda p, generated, copied: p * generated + (1 - p) * copied,
    results: Part = lambda distribution, p: (distribution, p.squeeze(1)),
) -> dict[str, Any]:
    """Build a PointerGenerator with some parts replaced by wrong ones. ``terms``: factors of layers and bias."""

    class PointerGenerator(right.PointerGenerator):
        def forward(
            self,
            context: Tensor,
            state: Tensor,
            embedded: Tensor,
            vocab_probs: Tensor,
            weights: Tensor,
            src_ids: Tensor,
            extended_size: int,
        ) -> Any:
            given = zip(terms, (context, state, embedded), ("w_c", "w_s", "w_y"), strict=False)
            total = sum(factor * (x @ self.weights[f"{name}.weight"].T) for factor, x, name in given)
            p = gate(total + terms[3] * self.weights["w_y.bias"])
            generated = F.pad(vocab_probs, (0, extended_size - vocab_probs.shape[1]))
            copied = copy(weights, src_ids, extended_size, vocab_probs.shape[1])
            return results(mix(p, generated, copied), p)

    return {"PointerGenerator": PointerGenerator}


def _one_by_one(join: Part) -> Part:
    """Return a copying that goes through the source and joins what an id has with the next weight."""

    def copy(weights: Tensor, ids: Tensor, size: int, words: int) -> Tensor:
        holds = F.one_hot(ids, size).bool()  # (B, T_s, size)
        found = weights.new_zeros(len(weights), size)
        there = torch.zeros_like(found, dtype=torch.bool)
        for j in range(ids.shape[1]):
            found = torch.where(holds[:, j], join(found, weights[:, j : j + 1], there), found)
            there = there | holds[:, j]
        return found

    return copy


def _added(weights: Tensor, ids: Tensor, size: int) -> Tensor:
    return weights.new_zeros(len(weights), size).scatter_add(1, ids, weights)


def _at_positions(weights: Tensor, ids: Tensor, size: int, words: int) -> Tensor:
    return F.pad(weights, (0, max(size - weights.shape[1], 0)))[:, :size]


def _mean_of_word(weights: Tensor, ids: Tensor, size: int, words: int) -> Tensor:
    return _added(weights, ids, size) / _added(torch.ones_like(weights), ids, size).clamp(min=1)


def _of_vocabulary(weights: Tensor, ids: Tensor, size: int, words: int) -> Tensor:
    return _added(weights * (ids < words), ids, size)


def _to(place: Part) -> Part:
    return lambda weights, ids, size, words: _added(weights, torch.where(ids < words, ids, place(words)), size)


def _to_largest(weights: Tensor, ids: Tensor, size: int, words: int) -> Tensor:
    return _added(weights, ids, max(int(ids.max()) + 1, words))


def _as_wide(p: Tensor, generated: Tensor, copied: Tensor) -> Tensor:
    return p * generated[:, : copied.shape[1]] + (1 - p) * copied


def _written_over(p: Tensor, generated: Tensor, copied: Tensor) -> Tensor:
    return torch.where(copied > 0, (1 - p) * copied, p * generated)


COPIES: dict[str, dict[str, Part]] = {
    "copy-not-summed": {
        "last": _one_by_one(lambda before, weight, there: weight.expand_as(before)),
        "first": _one_by_one(lambda before, weight, there: torch.where(there, before, weight)),
        "largest": _one_by_one(lambda before, weight, there: torch.maximum(before, weight.expand_as(before))),
        "mean": _mean_of_word,
    },
    "outside-words-lost": {
        "": _of_vocabulary,
        "unknown": _to(lambda words: 0),
        "last-word": _to(lambda words: words - 1),
    },
    "copy-by-position": {"": _at_positions},
    "ignores-batch": {"ids": lambda weights, ids, size, words: _added(weights, ids[:1].expand_as(ids), size)},
    "detached-graph": {"weights": lambda weights, ids, size, words: _added(weights.detach(), ids, size)},
}
GATES: dict[str, dict[str, Part]] = {
    "gate-not-sigmoid": {
        "tanh": torch.tanh,
        "none": lambda x: x,
        "relu": torch.relu,
        "clamp": lambda x: x.clamp(0, 1),
        "softmax": lambda x: torch.softmax(x, -1),
        "exp": torch.exp,
        "softplus": F.softplus,
        "hard": F.hardsigmoid,
        "shifted-tanh": lambda x: (torch.tanh(x) + 1) / 2,
        "twice": lambda x: torch.sigmoid(torch.sigmoid(x)),
        "log": F.logsigmoid,
    },
    "detached-graph": {"gate": lambda x: torch.sigmoid(x).detach()},
    "": {"negated": lambda x: torch.sigmoid(-x), "softmax-of-batch": lambda x: torch.softmax(x, 0)},
}
MIXES: dict[str, dict[str, Part]] = {
    "gate-reversed": {"": lambda p, generated, copied: (1 - p) * generated + p * copied},
    "": {
        "copied-in-full": lambda p, generated, copied: p * generated + copied,
        "generated-in-full": lambda p, generated, copied: generated + (1 - p) * copied,
        "both-by-p": lambda p, generated, copied: p * (generated + copied),
        "not-weighed": lambda p, generated, copied: generated + copied,
        "half": lambda p, generated, copied: (generated + copied) / 2 + 0 * p,
        "normalised": lambda p, generated, copied: torch.softmax(p * generated + (1 - p) * copied, -1),
        "logarithm": lambda p, generated, copied: (p * generated + (1 - p) * copied).log(),
        "product": lambda p, generated, copied: generated**p * copied ** (1 - p),
        "only-copied": lambda p, generated, copied: (1 - p) * copied + 0 * generated,
        "only-generated": lambda p, generated, copied: p * generated + 0 * copied,
    },
    "detached-graph": {
        "distribution": lambda p, generated, copied: (p * generated + (1 - p) * copied).detach(),
        "generated": lambda p, generated, copied: p * generated.detach() + (1 - p) * copied,
    },
}
TERMS: dict[str, dict[str, tuple[float, float, float, float]]] = {
    "gate-missing-context": {"": (0, 1, 1, 1)},
    "gate-missing-state": {"": (1, 0, 1, 1)},
    "gate-missing-input": {"": (1, 1, 0, 1), "and-bias": (1, 1, 0, 0)},
    "": {"no-bias": (1, 1, 1, 0), "only-bias": (0, 0, 0, 1)},
}


def _variants() -> Iterator[Variant]:
    yield from from_table(COVERAGES, lambda one: one, "coverage-{}")
    yield from from_table(OF_TWO_AXES, lambda one: coverage(softmax=one), "coverage-softmax-{}")
    yield from from_table(LOSSES, lambda one: one, "loss-{}")
    yield from from_table(MEANS, lambda one: loss(mean=one), "coverage-loss-{}")
    yield from from_table(COPIES, lambda one: pointer(copy=one), "pointer-{}")
    yield from from_table(GATES, lambda one: pointer(gate=one), "pointer-{}")
    yield from from_table(MIXES, lambda one: pointer(mix=one), "pointer-{}")
    yield from from_table(TERMS, lambda one: pointer(terms=one), "pointer-{}")
    for how, copy in COPIES["copy-not-summed"].items():
        yield Variant("copy-not-summed", f"pointer-{how}-written-over", pointer(copy=copy, mix=_written_over))
        reversed_too = pointer(copy=copy, mix=lambda p, generated, copied: _written_over(1 - p, generated, copied))
        yield Variant("gate-reversed", f"pointer-{how}-written-over", reversed_too)
    yield Variant("", "pointer-written-over", pointer(mix=_written_over))
    yield Variant("argument-ignored", "pointer-size", pointer(copy=_to_largest, mix=_as_wide))
    yield Variant("gate-reversed", "both", pointer(gate=lambda x: 1 - torch.sigmoid(x)))
    yield Variant("returns-swapped", "pointer", pointer(results=lambda found, p: (p.squeeze(1), found)))


VARIANTS = tuple(_variants())
