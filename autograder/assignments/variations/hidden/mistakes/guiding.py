"""Known mistakes of supervision, borders and priors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant, from_table
from autograder.assignments.variations.hidden.mistakes.shared import (
    MASKS,
    MEANS,
    OF_ROWS,
    OF_TWO_AXES_HIDDEN,
    Part,
    masked_softmax,
    mean_of_real,
)

# ---- supervision


def supervised(
    distance: Part = lambda weights, gold: (weights - gold) ** 2,
    summed: Part = lambda rows: rows.sum(-1),
    mean: Part = mean_of_real,
    total: Part = lambda task, factor, distance: task + factor * distance,
) -> dict[str, Any]:
    """Build a supervised_loss with some parts replaced by wrong ones."""

    def supervised_loss(task_loss: Tensor, weights: Tensor, gold: Tensor, tgt_lengths: Tensor, factor: float) -> Any:
        return total(task_loss, factor, mean(summed(distance(weights, gold)), tgt_lengths))

    return {"supervised_loss": supervised_loss}


SUPERVISED: dict[str, dict[str, dict[str, Any]]] = {
    "factor-missing": {"": supervised(total=lambda task, factor, found: task + found)},
    "factor-on-task": {
        "": supervised(total=lambda task, factor, found: factor * task + found),
        "both": supervised(total=lambda task, factor, found: factor * (task + found)),
        "shares": supervised(total=lambda task, factor, found: factor * task + (1 - factor) * found),
    },
    "absolute-not-square": {
        "": supervised(lambda weights, gold: (weights - gold).abs()),
        "summed": supervised(lambda weights, gold: (weights - gold).abs(), mean=MEANS["loss-summed"][""]),
    },
    "mean-not-sum": {"supervised": supervised(summed=lambda rows: rows.mean(-1))},
    "detached-graph": {
        "supervised-weights": supervised(lambda weights, gold: (weights.detach() - gold) ** 2),
        "supervised-gold": supervised(lambda weights, gold: (weights - gold.detach()) ** 2),
        "supervised-task": supervised(total=lambda task, factor, found: task.detach() + factor * found),
    },
    "": {
        "task-missing": supervised(total=lambda task, factor, found: factor * found + 0 * task),
        "shares-of-task": supervised(total=lambda task, factor, found: (1 - factor) * task + factor * found),
        "subtracted": supervised(total=lambda task, factor, found: task - factor * found),
        "divided": supervised(total=lambda task, factor, found: task + found / factor),
        "root": supervised(summed=lambda rows: rows.sum(-1).sqrt()),
        "half": supervised(lambda weights, gold: (weights - gold) ** 2 / 2),
        "cross-entropy": supervised(lambda weights, gold: -gold * weights.log()),
        "reversed-cross-entropy": supervised(lambda weights, gold: -weights * gold.log()),
        "product": supervised(lambda weights, gold: weights * gold),
    },
}

# ---- borders


def monotonic(
    border: Part = lambda weights, scores, before, t: weights.argmax(-1, keepdim=True),
    seen: Part = lambda place, border, t: place >= border,
    softmax: Part = masked_softmax,
    first: int = 0,
) -> dict[str, Any]:
    """Build a monotonic_attention with some parts replaced by wrong ones. ``first``: the border of row 0."""

    def monotonic_attention(scores: Tensor) -> Tensor:
        place = torch.arange(scores.shape[2], device=scores.device)
        at = torch.full((len(scores), 1), first, device=scores.device)
        rows: list[Tensor] = []
        for t, row in enumerate(scores.unbind(1)):
            visible = seen(place, at, t) if t else torch.ones_like(row, dtype=torch.bool)
            rows.append(softmax(row, visible.expand_as(row)))
            at = border(rows[-1], row, at, t)
        return torch.stack(rows, 1)

    return {"monotonic_attention": monotonic_attention}


def _last_largest(weights: Tensor, scores: Tensor, before: Tensor, t: int) -> Tensor:
    return weights.shape[-1] - 1 - weights.flip(-1).argmax(-1, keepdim=True)


def _with_last(place: Tensor, border: Tensor, t: int) -> Tensor:
    """Hide the peak, but never the last position."""
    return place > border.clamp(max=len(place) - 2)


def _cleaned(scores: Tensor, seen: Tensor) -> Tensor:
    return masked_softmax(scores, seen).nan_to_num(0.0)


def _cut(scores: Tensor, seen: Tensor) -> Tensor:
    return torch.softmax(scores, -1) * seen


def _raw(weights: Tensor, scores: Tensor, before: Tensor, t: int) -> Tensor:
    return scores.argmax(-1, keepdim=True)


def _farthest(weights: Tensor, scores: Tensor, before: Tensor, t: int) -> Tensor:
    return torch.maximum(before, scores.argmax(-1, keepdim=True))


MONOTONIC: dict[str, dict[str, dict[str, Any]]] = {
    "monotonic-excludes-peak": {
        "": monotonic(seen=lambda place, border, t: place > border),
        "last-kept": monotonic(seen=_with_last),
        "cleaned": monotonic(seen=lambda place, border, t: place > border, softmax=_cleaned),
        "finite": monotonic(
            seen=lambda place, border, t: place > border,
            softmax=lambda scores, seen: torch.softmax(scores.masked_fill(~seen, -1e30), -1),
        ),
    },
    "monotonic-reversed": {
        "": monotonic(seen=lambda place, border, t: place <= border),
        "without-peak": monotonic(seen=lambda place, border, t: place < border),
        "without-peak-cleaned": monotonic(seen=lambda place, border, t: place < border, softmax=_cleaned),
    },
    "monotonic-by-row": {
        "": monotonic(seen=lambda place, border, t: place >= min(t, len(place) - 1)),
        "before": monotonic(seen=lambda place, border, t: place >= min(t - 1, len(place) - 1)),
        "nan": monotonic(seen=lambda place, border, t: place >= t),
        "causal": monotonic(seen=lambda place, border, t: place <= t),
    },
    "monotonic-not-renormalised": {
        "": monotonic(softmax=_cut),
        "raw-border": monotonic(softmax=_cut, border=_raw),
        "farthest": monotonic(softmax=_cut, border=_farthest),
    },
    "monotonic-largest-ever": {"": monotonic(border=_raw), "farthest": monotonic(border=_farthest)},
    "ignores-batch": {
        "border": monotonic(border=lambda w, scores, before, t: w.argmax(-1, keepdim=True)[:1].expand(len(w), 1)),
        "farthest-border": monotonic(border=lambda w, scores, before, t: w.argmax(-1, keepdim=True).amax(0, True)),
    },
    "detached-graph": {"monotonic": monotonic(softmax=lambda scores, seen: masked_softmax(scores, seen).detach())},
    "": {
        "no-border": monotonic(seen=lambda place, border, t: place >= 0),
        "last-of-equal": monotonic(border=_last_largest),
        "first-row-only": monotonic(border=lambda w, s, before, t: before if t else w.argmax(-1, keepdim=True)),
        "mean-position": monotonic(
            border=lambda w, s, before, t: (w * torch.arange(w.shape[-1])).sum(-1, keepdim=True).floor()
        ),
        "smallest": monotonic(border=lambda w, scores, before, t: w.argmin(-1, keepdim=True)),
        "one-before": monotonic(seen=lambda place, border, t: place >= border - 1),
    },
}

# ---- priors


def diagonal(
    center: Part = lambda t, S, T, wide, high: t * S / T,
    exponent: Part = lambda distance, sigma: -(distance**2) / (2 * sigma**2),
    join: Part = lambda scores, exponent: scores + exponent.exp(),
    columns: Part = lambda j, S: j < S,
    rows: Part = lambda t, T: t < T,
    softmax: Part = masked_softmax,
    after: Part = lambda weights, exponent: weights,
) -> dict[str, Any]:
    """Build a diagonal_prior_attention with some parts replaced by wrong ones."""

    def diagonal_prior_attention(scores: Tensor, src_lengths: Tensor, tgt_lengths: Tensor, sigma: float) -> Tensor:
        S, T = src_lengths.view(-1, 1, 1), tgt_lengths.view(-1, 1, 1)
        _, high, wide = scores.shape
        j = torch.arange(wide, dtype=scores.dtype, device=scores.device)
        t = torch.arange(high, dtype=scores.dtype, device=scores.device).unsqueeze(1)
        found = exponent(j - center(t, S, T, wide, high), sigma)
        weights = softmax(join(scores, found), columns(j, S).expand(scores.shape))
        kept: Tensor = after(weights, found)
        return kept.masked_fill(~rows(t, T), 0.0)

    return {"diagonal_prior_attention": diagonal_prior_attention}


def _shared_out(weights: Tensor, exponent: Tensor) -> Tensor:
    found = weights * exponent.exp()
    return found / found.sum(-1, keepdim=True)


def _over_rows(scores: Tensor, src_lengths: Tensor, tgt_lengths: Tensor, sigma: float) -> Tensor:
    """Return weights that sum to 1 over the real rows of each column."""

    def softmax(scores: Tensor, seen: Tensor) -> Tensor:
        rows = torch.arange(scores.shape[1]).view(1, -1, 1) < tgt_lengths.view(-1, 1, 1)
        return masked_softmax(scores.mT, (seen & rows).mT).mT.nan_to_num(0.0)

    made = diagonal(softmax=softmax)["diagonal_prior_attention"](scores, src_lengths, tgt_lengths, sigma)
    found: Tensor = made
    return found


DIAGONALS: dict[str, dict[str, dict[str, Any]]] = {
    "prior-not-stretched": {"": diagonal(lambda t, S, T, wide, high: t)},
    "prior-by-width": {
        "": diagonal(lambda t, S, T, wide, high: t * wide / high),
        "source": diagonal(lambda t, S, T, wide, high: t * wide / T),
        "target": diagonal(lambda t, S, T, wide, high: t * S / high),
    },
    "prior-multiplied": {"": diagonal(join=lambda scores, exponent: scores * exponent.exp())},
    "prior-as-logarithm": {
        "": diagonal(join=lambda scores, exponent: scores + exponent),
        "weights": diagonal(join=lambda scores, exponent: scores, after=_shared_out),
    },
    "wrong-sigma": {
        "not-squared": diagonal(exponent=lambda x, sigma: -(x**2) / (2 * sigma)),
        "no-two": diagonal(exponent=lambda x, sigma: -(x**2) / sigma**2),
        "only-sigma": diagonal(exponent=lambda x, sigma: -(x**2) / sigma),
        "two-squared": diagonal(exponent=lambda x, sigma: -(x**2) / (2 * sigma) ** 2),
        "half": diagonal(exponent=lambda x, sigma: -(x**2) / (2 * (sigma / 2) ** 2)),
        "precedence": diagonal(exponent=lambda x, sigma: -(x**2) / 2 * sigma**2),
        "ignored": diagonal(exponent=lambda x, sigma: -(x**2) / 2 + 0 * sigma),
        "four": diagonal(exponent=lambda x, sigma: -(x**2) / (4 * sigma**2)),
    },
    "distance-not-squared": {
        "": diagonal(exponent=lambda x, sigma: -x.abs() / (2 * sigma**2)),
        "signed": diagonal(exponent=lambda x, sigma: -x / (2 * sigma**2)),
    },
    "diagonal-off-by-one": {
        "row": diagonal(lambda t, S, T, wide, high: (t + 1) * S / T),
        "ends": diagonal(lambda t, S, T, wide, high: t * (S - 1) / (T - 1).clamp(min=1)),
        "both": diagonal(lambda t, S, T, wide, high: (t + 1) * S / T - 1),
        "half": diagonal(lambda t, S, T, wide, high: (t + 0.5) * S / T - 0.5),
        "column": diagonal(lambda t, S, T, wide, high: t * S / T - 1),
    },
    "padding-off-by-one": {
        "columns": diagonal(columns=lambda j, S: j <= S),
        "columns-shorter": diagonal(columns=lambda j, S: j < (S - 1).clamp(min=1)),
        "rows": diagonal(rows=lambda t, T: t <= T),
        "rows-shorter": diagonal(rows=lambda t, T: t < T - 1),
    },
    "padding-not-zero": {"diagonal": diagonal(rows=lambda t, T: T > 0)},
    "padding-counted": {"diagonal": diagonal(columns=lambda j, S: S > 0, rows=lambda t, T: T > 0)},
    "mask-not-used": {"diagonal": diagonal(columns=lambda j, S: S > 0)},
    "": {
        "upside-down": diagonal(lambda t, S, T, wide, high: t * T / S),
        "rounded": diagonal(lambda t, S, T, wide, high: (t * S / T).floor()),
        "nearest": diagonal(lambda t, S, T, wide, high: (t * S / T).round()),
        "lengths-swapped": diagonal(
            columns=lambda j, S: S > 0, rows=lambda t, T: T > 0, center=lambda t, S, T, w, h: t * T / S
        ),
        "subtracted": diagonal(join=lambda scores, exponent: scores - exponent.exp()),
        "prior-times-weights": diagonal(
            join=lambda scores, exponent: scores, after=lambda weights, exponent: weights * exponent.exp()
        ),
        "no-prior": diagonal(join=lambda scores, exponent: scores),
        "growing": diagonal(exponent=lambda x, sigma: x**2 / (2 * sigma**2)),
    },
    "ignores-batch": {
        "center": diagonal(lambda t, S, T, wide, high: t * S[:1] / T[:1]),
        "columns": diagonal(columns=lambda j, S: j < S.amax()),
    },
    "softmax-wrong-axis": {"diagonal-rows": {"diagonal_prior_attention": _over_rows}},
    "detached-graph": {"diagonal": diagonal(softmax=lambda scores, seen: masked_softmax(scores, seen).detach())},
}


def _variants() -> Iterator[Variant]:
    yield from from_table(SUPERVISED, lambda one: one, "supervised-{}")
    yield from from_table(MEANS, lambda one: supervised(mean=one), "supervised-{}")
    yield from from_table(MONOTONIC, lambda one: one, "monotonic-{}")
    yield from from_table(DIAGONALS, lambda one: one, "diagonal-{}")
    for cause in MASKS:
        if cause in ("mask-multiplies-scores", "mask-leaks"):  # the others have names of their own, or none
            yield from from_table({cause: MASKS[cause]}, lambda one: monotonic(softmax=one), "monotonic-{}")
        yield from from_table({cause: MASKS[cause]}, lambda one: diagonal(softmax=one), "diagonal-softmax-{}")
    yield from from_table(OF_TWO_AXES_HIDDEN, lambda one: monotonic(softmax=one), "monotonic-softmax-{}")
    yield from from_table(OF_ROWS, lambda one: diagonal(softmax=one), "diagonal-softmax-{}")


VARIANTS = tuple(_variants())
