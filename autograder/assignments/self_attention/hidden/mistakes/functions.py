"""Wrong attention of ``self_attention``, with and without a mask, and the classes that use it."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.softmaxes import SOFTMAXES, guessed
from autograder.assignments.kit.hidden.variant import Variant
from autograder.assignments.self_attention.hidden.mistakes.bare import OWN_SOFTMAXES, first, unit
from autograder.assignments.self_attention.hidden.mistakes.parts import (
    Part,
    attention,
    bare,
    everywhere,
    masked_softmax,
    products,
    scaled,
    softmax,
    spelled,
)


def _filled(scores: Tensor, mask: Tensor, fill: float = -math.inf) -> Tensor:
    return scores.masked_fill(~mask, fill)


def _unstable(scores: Tensor, mask: Tensor, top: Tensor | float, least: float = 0.0) -> Tensor:
    powers = torch.exp(scores - top) * mask
    return powers / powers.sum(-1, keepdim=True).clamp(min=max(least, torch.finfo(powers.dtype).tiny))


def _cleaned(weights: Tensor, mask: Tensor) -> Tensor:
    return weights.nan_to_num(0.0, 0.0, 0.0).masked_fill(~mask, 0.0)


def _may_be_of_sentences(scores: Tensor, mask: Tensor) -> bool:
    return mask.dim() == 2 and scores.dim() == 3 and mask.shape[0] == scores.shape[0]


SCORES: dict[str, dict[str, Part]] = {  # functions of query, key and value
    "softmax-unstable": {"clamped": lambda q, k, v: scaled(q, k).clamp(-50, 50)},
    "missing-scale": {"": lambda q, k, v: products(q, k)},
    "wrong-scale": {
        "width": lambda q, k, v: products(q, k) / q.shape[-1],
        "multiplied": lambda q, k, v: products(q, k) * q.shape[-1] ** 0.5,
        "value-width": lambda q, k, v: products(q, k) / v.shape[-1] ** 0.5,
        "keys": lambda q, k, v: products(q, k) / k.shape[-2] ** 0.5,
        "once-more": lambda q, k, v: products(q, k) / q.shape[-1] ** 1.5,
    },
    "query-key-swapped": {"scores": lambda q, k, v: scaled(k, q)},
    "cosine-not-dot": {
        "": lambda q, k, v: products(unit(q), unit(k)),
        "scaled": lambda q, k, v: scaled(unit(q), unit(k)),
    },
    "wrong-activation": {
        "tanh": lambda q, k, v: torch.tanh(scaled(q, k)),
        "relu": lambda q, k, v: torch.relu(scaled(q, k)),
        "sigmoid": lambda q, k, v: torch.sigmoid(scaled(q, k)),
    },
    "ignores-batch": {"keys": lambda q, k, v: scaled(q, first(k)), "scores": lambda q, k, v: first(scaled(q, k))},
    "mask-from-values": {"": lambda q, k, v: guessed(scaled(q, k), k)},
    "detached-graph": {
        "queries": lambda q, k, v: scaled(q.detach(), k),
        "keys": lambda q, k, v: scaled(q, k.detach()),
        "scores": lambda q, k, v: scaled(q, k).detach(),
    },
}
FILLS = (-10.0, -100.0, -1e4)  # a sign finds those that are not zeroed
MASKED: dict[str, dict[str, Part]] = {  # functions of scores and mask
    "mask-inverted": {
        "": lambda s, m: softmax(_filled(s, ~m)),
        "patched": lambda s, m: masked_softmax(s, ~m),
        "uniform": lambda s, m: softmax(_filled(s, ~m, -1e30)),
        "zeros": lambda s, m: softmax(_filled(s, ~m, -1e30)) * m,
        "zeroed": lambda s, m: softmax(s) * ~m,
    },
    "mask-not-used": {"": lambda s, m: softmax(s), "blank": lambda s, m: softmax(s) * m.any(-1, keepdim=True)},
    "mask-after-softmax": {"": lambda s, m: softmax(s) * m},
    "softmax-unstable": {
        "mask-maximum-of-all": lambda s, m: _unstable(s, m, s.amax(-1, keepdim=True)),
        "mask-maximum-of-all-clamped": lambda s, m: _unstable(s, m, s.amax(-1, keepdim=True), 1e-9),
        "mask-maximum-of-all-clamped-low": lambda s, m: _unstable(s, m, s.amax(-1, keepdim=True), 1e-30),
        "mask-one-maximum": lambda s, m: _unstable(s, m, s.amax()),
        "mask-no-maximum": lambda s, m: _unstable(s, m, 0.0),
    },
    "mask-multiplies-scores": {
        "": lambda s, m: softmax(s * m),
        "zeroed": lambda s, m: softmax(s * m) * m,
        "blank": lambda s, m: softmax(s * m) * m.any(-1, keepdim=True),
        "added": lambda s, m: softmax(s + m) * m,
    },
    "nan-on-masked-row": {"": lambda s, m: softmax(_filled(s, m))},
    "uniform-on-masked-row": {
        "": lambda s, m: softmax(_filled(s, m, -1e30)),
        "added": lambda s, m: softmax(s + ~m * -1e9),
    },
    "nan-in-gradient": {
        "added": lambda s, m: softmax(s + torch.zeros_like(s).masked_fill(~m, -math.inf)).nan_to_num(0.0)
    },
    "mask-wrong-axis": {
        "transposed": lambda s, m: masked_softmax(s, m.mT if m.dim() > 1 else m),
        "columns": lambda s, m: softmax(_filled(s, m | ~m.any(-2, keepdim=True))) * m,
        "queries": lambda s, m: masked_softmax(s, m if m.dim() > 1 else m.unsqueeze(-1)),
        "sentences-guessed": lambda s, m: masked_softmax(s, m.unsqueeze(1) if _may_be_of_sentences(s, m) else m),
    },
    "ignores-batch": {
        "mask": lambda s, m: masked_softmax(s, m[0] if m.dim() == s.dim() > 2 else m),
        "mask-of-three-axes": lambda s, m: masked_softmax(s, m[0] if m.dim() == 3 else m),
    },
    "mask-leaks": {
        "fill": lambda s, m: softmax(_filled(s, m, -1e4)),
        "add": lambda s, m: softmax(s + ~m * -1e4),
        **{f"fill{fill:g}-zeroed": lambda s, m, fill=fill: softmax(_filled(s, m, fill)) * m for fill in FILLS},
        **{f"add{fill:g}-zeroed": lambda s, m, fill=fill: softmax(s + ~m * fill) * m for fill in FILLS},
    },
}


def of_masked(wrong: Part) -> Part:
    """Return a wrong softmax of correctly masked scores. Fully masked rows are right."""
    return lambda s, m: _cleaned(wrong(_filled(s, m)), m)


def of_hidden(wrong: Part) -> Part:
    """Return the same with finite masked scores."""
    return lambda s, m: wrong(_filled(s, m, torch.finfo(s.dtype).min)).masked_fill(~m, 0.0)


RESULTS: dict[str, dict[str, Part]] = {  # functions of weights, query, key and value
    "returns-swapped": {"": lambda w, q, k, v: (w, w @ v)},
    "mean-not-sum": {"": lambda w, q, k, v: (w @ v / v.shape[-2], w)},
    "context-from-projections": {"": lambda w, q, k, v: (w @ k, w)},
    "silent-broadcast": {
        "": lambda w, q, k, v: ((w.unsqueeze(-1) * v.unsqueeze(-2)).sum(-2), w),
        "sum-over-queries": lambda w, q, k, v: ((w.unsqueeze(-1) * v.unsqueeze(-3)).sum(-3), w),
    },
    "sum-wrong-axis": {"": lambda w, q, k, v: (w.mT @ v, w)},
    "squeeze-drops-dim": {
        "": lambda w, q, k, v: ((w @ v).squeeze(), w.squeeze()),
        "output": lambda w, q, k, v: ((w @ v).squeeze(), w),
        "batch": lambda w, q, k, v: ((w @ v).squeeze(0), w.squeeze(0)),
    },
    "ignores-batch": {
        "values": lambda w, q, k, v: (w @ first(v), w),
        "results": lambda w, q, k, v: (first(w @ v), first(w)),
    },
    "detached-graph": {
        "output": lambda w, q, k, v: (w.detach() @ v, w),
        "values": lambda w, q, k, v: (w @ v.detach(), w),
        "weights": lambda w, q, k, v: (w @ v, w.detach()),
        "all-weights": lambda w, q, k, v: (w.detach() @ v, w.detach()),
    },
    "hardcoded-answer": {
        "uniform": lambda w, q, k, v: (
            v.mean(-2, keepdim=True).expand(*w.shape[:-1], -1),
            torch.full_like(w, 1 / w.shape[-1]),
        )
    },
    "hard-attention": {"output": lambda w, q, k, v: (SOFTMAXES["hard-attention"][""](w) @ v, w)},
}


def _helper(softmax: Part, masked: Part) -> dict[str, Any]:
    """Return a wrong softmax that all functions and classes use."""
    return {"self_attention": bare(softmax=softmax), **everywhere(softmax=softmax, masked=masked)}


SAME = ("last", "before", "maximum-of-last")  # right along the last axis, or a duplicate
# Classes run only with common mistakes, since each run takes about a millisecond for each case.
COMMON = {
    cause: {how: one for how, one in all_.items() if how not in SAME}
    for cause, all_ in SOFTMAXES.items()
    if cause != "not-softmax"
}
COMMON["not-softmax"] = {how: SOFTMAXES["not-softmax"][how] for how in ("share", "sigmoid")}
RARE = {"not-softmax": {how: one for how, one in SOFTMAXES["not-softmax"].items() if how not in COMMON["not-softmax"]}}


def _scaled_after(weights: Tensor, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    weights = weights / math.sqrt(query.shape[-1])
    return weights @ value, weights


VARIANTS = (
    Variant("wrong-scale", "after", everywhere(scores=lambda q, k, v: products(q, k), results=_scaled_after)),
    *spelled("scores", SCORES, lambda one: everywhere(scores=one)),
    *spelled("masked", MASKED, lambda one: everywhere(masked=one)),
    *spelled("results", RESULTS, lambda one: {"scaled_dot_product_attention": attention(results=one)}),
    *spelled("softmax", COMMON, lambda one: everywhere(softmax=one)),
    *spelled("softmax", RARE, lambda one: {"scaled_dot_product_attention": attention(softmax=one)}),
    *spelled("every-softmax", COMMON, lambda one: _helper(one, of_masked(one))),
    *spelled(
        "every-softmax",
        RARE,
        lambda one: {
            "self_attention": bare(softmax=one),
            "scaled_dot_product_attention": attention(softmax=one, masked=of_masked(one)),
        },
    ),
    *spelled("masked-softmax", COMMON, lambda one: everywhere(masked=of_masked(one))),
    *spelled("masked-softmax", RARE, lambda one: {"scaled_dot_product_attention": attention(masked=of_masked(one))}),
    *spelled("softmax-own", OWN_SOFTMAXES, lambda one: _helper(one, of_hidden(one))),
)
