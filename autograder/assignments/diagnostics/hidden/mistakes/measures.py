"""Known mistakes of sharpness and coverage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.diagnostics.hidden.mistakes.entropies import OWN, Entropy
from autograder.assignments.kit.hidden.variant import Variant, from_table
from reference.diagnostics.functions import log_length, real, row_entropy, row_mean

Mean = Callable[[Tensor, Tensor], Tensor]  # values (B, T_t), lengths (B,) -> (B,)
Maximum = Callable[[Tensor, Tensor], Tensor]  # weights, lengths -> (B,)


def masked_rows(weights: Tensor, lengths: Tensor) -> Tensor:
    """Return the weights, and 0 in rows of padding."""
    return weights.masked_fill(~real(lengths, weights.shape[1]).unsqueeze(2), 0)


def _off_by_one(values: Tensor, lengths: Tensor, by: int) -> Tensor:
    return values.masked_fill(~real(lengths + by, values.shape[1]), 0).sum(1) / lengths


MEANS: dict[str, dict[str, Mean]] = {
    "padding-counted": {
        "mean": lambda v, n: v.mean(1),
        "sum": lambda v, n: v.sum(1) / n,
        "longest": lambda v, n: v[:, : int(n.max())].mean(1),
        "one-more": lambda v, n: _off_by_one(v, n, 1),
    },
    "divides-by-width": {
        "": lambda v, n: row_mean(v, n) * n / v.shape[1],
        "longest": lambda v, n: row_mean(v, n) * n / n.max(),
    },
    "ignores-batch": {"": lambda v, n: row_mean(v, n).mean().expand(len(v)), "first": lambda v, n: row_mean(v, n[:1])},
    "": {
        "sum": lambda v, n: row_mean(v, n) * n,
        "one-less": lambda v, n: _off_by_one(v, n, -1),
        "pooled": lambda v, n: ((row_mean(v, n) * n).sum() / n.sum()).expand(len(v)),
    },
}
MAXIMA: dict[str, dict[str, Maximum]] = {
    "maximum-of-columns": {
        "": lambda w, n: masked_rows(w, n).amax(1).mean(1),
        "padding": lambda w, n: w.amax(1).mean(1),
        "real": lambda w, n: (c := masked_rows(w, n).amax(1)).sum(1) / (c > 0).sum(1),
        "by-rows": lambda w, n: masked_rows(w, n).amax(1).sum(1) / n,
    },
    "maximum-of-sentence": {"": lambda w, n: masked_rows(w, n).amax((1, 2)), "padding": lambda w, n: w.amax((1, 2))},
    "detached-graph": {"maximum": lambda w, n: row_mean(w.detach().amax(2), n)},
}


def sharpness(
    entropy: Entropy = row_entropy, mean: Mean = row_mean, mean_of_maximum: Mean = row_mean, maximum: Any = None
) -> dict[str, Any]:
    """Build a sharpness with some parts replaced by wrong ones."""

    def found(weights: Tensor, tgt_lengths: Tensor) -> tuple[Tensor, Tensor]:
        largest = maximum(weights, tgt_lengths) if maximum else mean_of_maximum(weights.amax(2), tgt_lengths)
        return mean(entropy(weights), tgt_lengths), largest

    return {"sharpness": found}


def _swapped(weights: Tensor, tgt_lengths: Tensor) -> tuple[Tensor, Tensor]:
    return sharpness()["sharpness"](weights, tgt_lengths)[::-1]  # type: ignore[no-any-return]


def _multiplied(values: Tensor, lengths: Tensor) -> Tensor:
    """Return a mean in which padding is multiplied by 0, and NaN stays."""
    return (values * real(lengths, values.shape[1])).sum(1) / lengths


def _sharpness() -> Iterator[Variant]:
    yield from from_table(MEANS, lambda one: sharpness(mean=one, mean_of_maximum=one), "sharpness-{}")
    yield from from_table(MEANS, lambda one: sharpness(mean=one), "sharpness-entropy-{}")
    yield from from_table(MEANS, lambda one: sharpness(mean_of_maximum=one), "sharpness-maximum-{}")
    yield from from_table(MAXIMA, lambda one: sharpness(maximum=one), "sharpness-{}")
    yield from from_table(OWN, lambda one: sharpness(one), "sharpness-own-{}")
    nan = sharpness(OWN["nan-at-zero-weight"][""], _multiplied)
    yield Variant("nan-at-zero-weight", "sharpness-own-multiplied", nan)
    yield Variant("returns-swapped", "sharpness", {"sharpness": _swapped})
    mean_row = {"sharpness": lambda w, n: (row_entropy(masked_rows(w, n).sum(1) / n[:, None]), row_mean(w.amax(2), n))}
    yield Variant("entropy-of-mean-row", "sharpness", mean_row)


# ---- coverage

Received = Callable[[Tensor, Tensor, Tensor], Tensor]  # weights, S, T -> (B, T_s)
Uniformity = Callable[[Tensor, Tensor, Tensor], Tensor]  # received, S, T -> (B,)


def _received(weights: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
    return masked_rows(weights, targets).sum(1)


def _relative(entropy: Tensor, sources: Tensor) -> Tensor:
    return torch.where(sources > 1, entropy / log_length(sources, entropy.dtype), 1.0)


def _uniformity(received: Tensor, sources: Tensor, targets: Tensor, entropy: Entropy = row_entropy) -> Tensor:
    return _relative(entropy(received / targets.unsqueeze(1)), sources)


def coverage(received: Received = _received, uniformity: Uniformity = _uniformity, same: bool = True) -> dict[str, Any]:
    """Build a coverage with wrong parts. ``same``: the uniformity is that of the wrong sums."""

    def found(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> tuple[Tensor, Tensor]:
        sums = received(weights, src_lengths, tgt_lengths)
        used = sums if same else _received(weights, src_lengths, tgt_lengths)
        return sums, uniformity(used, src_lengths, tgt_lengths)

    return {"coverage": found}


def _shares(received: Tensor) -> Tensor:
    return received / received.sum(1, keepdim=True)


RECEIVED: dict[str, dict[str, Received]] = {
    "padding-counted": {
        "": lambda w, s, t: w.sum(1),
        "cut": lambda w, s, t: w.sum(1).masked_fill(~real(s, w.shape[2]), 0),
        "one-more": lambda w, s, t: masked_rows(w, t + 1).sum(1),
        "one-more-cut": lambda w, s, t: masked_rows(w, t + 1).sum(1).masked_fill(~real(s, w.shape[2]), 0),
    },
    "coverage-of-rows": {"": lambda w, s, t: masked_rows(w, t).sum(2), "padding": lambda w, s, t: w.sum(2)},
    "mean-not-sum": {
        "": lambda w, s, t: _received(w, s, t) / t.unsqueeze(1),
        "width": lambda w, s, t: _received(w, s, t) / w.shape[1],
        "all": lambda w, s, t: w.mean(1),
    },
    "detached-graph": {"": lambda w, s, t: _received(w, s, t).detach()},
    "ignores-batch": {"": lambda w, s, t: _received(w, s, t).mean(0, keepdim=True).expand(len(w), -1)},
    "": {"largest": lambda w, s, t: masked_rows(w, t).amax(1)},
}
UNIFORMITIES: dict[str, dict[str, Uniformity]] = {
    "coverage-not-normalised": {
        "": lambda r, s, t: _relative(row_entropy(r), s),
        "ln-rows": lambda r, s, t: _relative(row_entropy(r), s) / t,
    },
    "uniformity-not-relative": {
        "": lambda r, s, t: row_entropy(r / t.unsqueeze(1)),
        "one": lambda r, s, t: torch.where(s > 1, row_entropy(r / t.unsqueeze(1)), 1.0),
    },
    "uniformity-by-width": {
        "": lambda r, s, t: row_entropy(r / t.unsqueeze(1)) / torch.tensor(float(r.shape[1])).log(),
        "one": lambda r, s, t: torch.where(
            s > 1, row_entropy(r / t.unsqueeze(1)) / torch.tensor(float(r.shape[1])).log(), 1.0
        ),
        "rows": lambda r, s, t: row_entropy(r / t.unsqueeze(1)) / t.to(r.dtype).log(),
    },
    "divides-by-zero": {
        "": lambda r, s, t: row_entropy(r / t.unsqueeze(1)) / s.to(r.dtype).log(),
        "patched": lambda r, s, t: torch.where(s > 1, row_entropy(r / t.unsqueeze(1)) / s.to(r.dtype).log(), 1.0),
        "zero": lambda r, s, t: row_entropy(r / t.unsqueeze(1)) / log_length(s, r.dtype),
    },
    "detached-graph": {"uniformity": lambda r, s, t: _uniformity(r.detach(), s, t)},
}


def _of_shares(entropy: Entropy) -> Uniformity:
    return lambda received, sources, targets: _uniformity(received, sources, targets, entropy)


def _coverage() -> Iterator[Variant]:
    for same in (True, False):
        yield from from_table(RECEIVED, lambda one: coverage(one, same=same), f"coverage-{{}}{'-same' * same}")  # noqa: B023
    shared = lambda one: coverage(one, lambda r, s, t: _relative(row_entropy(_shares(r)), s))  # noqa: E731
    yield from from_table(RECEIVED, shared, "coverage-{}-shares")
    yield from from_table(UNIFORMITIES, lambda one: coverage(uniformity=one), "coverage-{}")
    yield from from_table(OWN, lambda one: coverage(uniformity=_of_shares(one)), "coverage-own-{}")
    yield Variant("returns-swapped", "coverage", {"coverage": lambda *given: coverage()["coverage"](*given)[::-1]})


VARIANTS = (*_sharpness(), *_coverage())
