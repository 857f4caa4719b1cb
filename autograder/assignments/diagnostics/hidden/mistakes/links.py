"""Known mistakes of alignment_links and alignment_error_rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.variant import from_table
from reference.diagnostics.functions import peaks, real

Links = Callable[[Tensor, Tensor, Tensor], Tensor]  # weights, S, T


def _rows(links: Tensor, targets: Tensor) -> Tensor:
    return links & real(targets, links.shape[1]).unsqueeze(2)


def _columns(links: Tensor, sources: Tensor) -> Tensor:
    return links & real(sources, links.shape[2]).unsqueeze(1)


def _one_hot(at: Tensor, width: int, dim: int) -> Tensor:
    shape = [1, 1, 1]
    shape[dim] = width
    return at.unsqueeze(dim) == torch.arange(width).view(shape)


def _of_columns(weights: Tensor, targets: Tensor) -> Tensor:
    visible = weights.masked_fill(~real(targets, weights.shape[1]).unsqueeze(2), -1)
    return _one_hot(visible.argmax(1), weights.shape[1], 1)


def _largest(weights: Tensor, sources: Tensor) -> Tensor:
    hidden = weights.masked_fill(~real(sources, weights.shape[2]).unsqueeze(1), -1)
    return hidden == hidden.amax(2, keepdim=True)


LINKS: dict[str, dict[str, Links]] = {
    "links-by-threshold": {
        "": lambda w, s, t: _rows(w > 0.5, t),
        "padding": lambda w, s, t: w > 0.5,
        "at-least": lambda w, s, t: _rows(w >= 0.5, t),
        "even": lambda w, s, t: _rows(w > 1 / s.view(-1, 1, 1), t),
        "width": lambda w, s, t: _rows(w > 1 / w.shape[2], t),
        "mean": lambda w, s, t: _rows(w > w.mean(2, keepdim=True), t),
    },
    "links-of-columns": {
        "": lambda w, s, t: _rows(_columns(_of_columns(w, t), s), t),
        "all-columns": lambda w, s, t: _rows(_of_columns(w, t), t),
        "padding": lambda w, s, t: _one_hot(w.argmax(1), w.shape[1], 1),
        "cut": lambda w, s, t: _rows(_one_hot(w.argmax(1), w.shape[1], 1), t),
        "both-cut": lambda w, s, t: _rows(_columns(_one_hot(w.argmax(1), w.shape[1], 1), s), t),
    },
    "links-at-padding": {
        "": lambda w, s, t: _one_hot(w.argmax(2), w.shape[2], 2),
        "columns": lambda w, s, t: _one_hot(peaks(w, s), w.shape[2], 2),
        "columns-cut": lambda w, s, t: _columns(_one_hot(w.argmax(2), w.shape[2], 2), s),
        "one-more": lambda w, s, t: _rows(_one_hot(peaks(w, s), w.shape[2], 2), t + 1),
        "one-more-column": lambda w, s, t: _rows(_one_hot(w.argmax(2), w.shape[2], 2), t + 1),
    },
    "all-ties-linked": {
        "": lambda w, s, t: _rows(_largest(w, s), t),
        "padding": lambda w, s, t: w == w.amax(2, keepdim=True),
    },
    "ignores-batch": {
        "first-length": lambda w, s, t: _rows(_one_hot(peaks(w, s), w.shape[2], 2), t[:1].expand_as(t)),
        "largest": lambda w, s, t: _rows(w == w.amax(), t),
    },
    "hardcoded-answer": {
        "diagonal": lambda w, s, t: _rows(torch.eye(*w.shape[1:], dtype=torch.bool).expand(w.shape), t),
        "none": lambda w, s, t: torch.zeros_like(w, dtype=torch.bool),
    },
    "": {
        "last-of-ties": lambda w, s, t: _rows(_one_hot(w.shape[2] - 1 - w.flip(2).argmax(2), w.shape[2], 2), t),
        "smallest": lambda w, s, t: _rows(_one_hot(w.argmin(2), w.shape[2], 2), t),
        "one-less": lambda w, s, t: _rows(_one_hot(peaks(w, s), w.shape[2], 2), t - 1),
    },
}

Rate = Callable[[Tensor, Tensor, Tensor], Any]  # links, sure, possible


def _share(found: Any, size: Any) -> float:
    return 1 - float(found) / float(size) if float(size) else 0.0


def _right(a: Tensor, s: Tensor, p: Tensor) -> float:
    return _share((a & s).sum() + (a & (s | p)).sum(), a.sum() + s.sum())


def _unguarded(a: Tensor, s: Tensor, p: Tensor) -> float:
    return float(1 - ((a & s).sum() + (a & (s | p)).sum()) / (a.sum() + s.sum()))


def _raising(a: Tensor, s: Tensor, p: Tensor) -> float:
    return 1 - (int((a & s).sum()) + int((a & (s | p)).sum())) / (int(a.sum()) + int(s.sum()))


def _each(rate: Rate) -> Rate:
    return lambda a, s, p: sum(rate(*one) for one in zip(a, s, p, strict=True)) / len(a)


RATES: dict[str, dict[str, Rate]] = {
    "aer-mean-of-sentences": {"": _each(_right), "nan": _each(_unguarded), "raising": _each(_raising)},
    "aer-sure-only": {
        "": lambda a, s, p: _share(2 * (a & s).sum(), a.sum() + s.sum()),
        "once": lambda a, s, p: _share((a & s).sum(), a.sum() + s.sum()),
    },
    "aer-possible-in-denominator": {
        "": lambda a, s, p: _share((a & s).sum() + (a & (s | p)).sum(), a.sum() + (s | p).sum()),
        "without-sure": lambda a, s, p: _share((a & s).sum() + (a & (s | p)).sum(), a.sum() + p.sum()),
        "only": lambda a, s, p: _share((a & s).sum() + (a & p).sum(), a.sum() + p.sum()),
        "all": lambda a, s, p: _share((a & s).sum() + (a & (s | p)).sum(), a.sum() + s.sum() + (s | p).sum()),
    },
    "aer-possible-without-sure": {
        "": lambda a, s, p: _share((a & s).sum() + (a & p).sum(), a.sum() + s.sum()),
        "disjoint": lambda a, s, p: _share((a & s).sum() + (a & p & ~s).sum(), a.sum() + s.sum()),
    },
    "aer-accuracy": {"": lambda a, s, p: 1 - _right(a, s, p), "empty": lambda a, s, p: 1 - _unguarded(a, s, p)},
    "divides-by-zero": {"rate": _unguarded, "rate-raising": _raising},
    "ignores-batch": {"rate": lambda a, s, p: _right(a[:1], s[:1], p[:1])},
    "": {
        "one-if-empty": lambda a, s, p: _right(a, s, p) if (a | s).any() else 1.0,
        "one-without-links": lambda a, s, p: _right(a, s, p) if a.any() else 1.0,
        "zero-without-links": lambda a, s, p: _right(a, s, p) if a.any() else 0.0,
        "zero-without-sure": lambda a, s, p: _right(a, s, p) if s.any() else 0.0,
        "percent": lambda a, s, p: 100 * _right(a, s, p),
        "possible-only": lambda a, s, p: _share(2 * (a & (s | p)).sum(), a.sum() + s.sum()),
        "union": lambda a, s, p: _share((a & s).sum() + (a & (s | p)).sum(), (a | s).sum()),
        "precision": lambda a, s, p: _share((a & (s | p)).sum(), a.sum()),
        "recall": lambda a, s, p: _share((a & s).sum(), s.sum()),
    },
}
VARIANTS = (
    *from_table(LINKS, lambda one: {"alignment_links": one}, "links-{}"),
    *from_table(RATES, lambda one: {"alignment_error_rate": one}, "rate-{}"),
)
