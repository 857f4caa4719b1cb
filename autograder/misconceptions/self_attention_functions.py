"""Wrong attention of ``self_attention``: its two functions, and the classes that use them."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from autograder.misconceptions.self_attention_parts import (
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
from autograder.misconceptions.softmaxes import SOFTMAXES


def _filled(scores: Tensor, mask: Tensor, fill: float = -math.inf) -> Tensor:
    return scores.masked_fill(~mask, fill)


def _unstable(scores: Tensor, mask: Tensor, top: Tensor | float, least: float = 1e-300) -> Tensor:
    powers = torch.exp(scores - top) * mask
    return powers / powers.sum(-1, keepdim=True).clamp(min=least)


def _cleaned(weights: Tensor, mask: Tensor) -> Tensor:
    return weights.nan_to_num(0.0, 0.0, 0.0).masked_fill(~mask, 0.0)


def _backward(weights: Tensor, scores: Tensor, slope: Tensor) -> Tensor:
    """The values of ``weights`` with a gradient of ``slope`` in the scores, place by place."""
    return weights.detach() + slope.detach() * (scores - scores.detach()).nan_to_num(0.0)


def _without_sum(scores: Tensor) -> Tensor:
    weights = softmax(scores)
    return _backward(weights, scores, weights)


def _diagonal(scores: Tensor) -> Tensor:
    weights = softmax(scores)
    return _backward(weights, scores, weights * (1 - weights))


def _unit(x: Tensor) -> Tensor:
    return torch.nn.functional.normalize(x, dim=-1)


def _first(x: Tensor) -> Tensor:
    return x[:1].expand_as(x)


def _largest_kept(scores: Tensor) -> Tensor:
    return softmax(scores) * (scores == scores.amax(-1, keepdim=True))


BARE: dict[str, dict[str, Part]] = {  # what becomes of x and the temperature
    "temperature-multiplies": {
        "": lambda x, t: x @ x.mT * t,
        "both": lambda x, t: (x * t) @ (x * t).mT,
        "root": lambda x, t: x @ x.mT * t**0.5,
    },
    "hardcoded-answer": {"": lambda x, t: x @ x.mT},
    "wrong-scale": {
        "root-of-temperature": lambda x, t: x @ x.mT / t**0.5,
        "square-of-temperature": lambda x, t: x @ x.mT / t**2,
        "root-of-width": lambda x, t: x @ x.mT / (t * x.shape[-1] ** 0.5),
        "root-of-width-instead": lambda x, t: x @ x.mT / x.shape[-1] ** 0.5,
        "root-of-both": lambda x, t: x @ x.mT / (t * x.shape[-1]) ** 0.5,
    },
    "mean-not-sum": {"": lambda x, t: x @ x.mT / (t * x.shape[-1])},
    "cosine-not-dot": {"": lambda x, t: _unit(x) @ _unit(x).mT / t},
    "detached-graph": {
        "queries": lambda x, t: x.detach() @ x.mT / t,
        "keys": lambda x, t: x @ x.detach().mT / t,
        "scores": lambda x, t: (x @ x.mT / t).detach(),
    },
    "ignores-batch": {"keys": lambda x, t: x @ _first(x).mT / t, "scores": lambda x, t: _first(x @ x.mT / t)},
    "wrong-activation": {
        "tanh": lambda x, t: torch.tanh(x @ x.mT / t),
        "tanh-before": lambda x, t: torch.tanh(x @ x.mT) / t,
        "relu": lambda x, t: torch.relu(x @ x.mT / t),
    },
}  # fmt: skip
BARE_RESULTS: dict[str, dict[str, Part]] = {
    "": {
        "residual": lambda w, x: (w @ x + x, w),
        "twice": lambda w, x: (w @ (w @ x), w),
    },
    "silent-broadcast": {
        "": lambda w, x: ((w.unsqueeze(-1) * x.unsqueeze(2)).sum(2), w),
        "sum-over-queries": lambda w, x: ((w.unsqueeze(-1) * x.unsqueeze(1)).sum(1), w),
    },
    "returns-swapped": {"": lambda w, x: (w, w @ x)},
    "mean-not-sum": {"output": lambda w, x: (w @ x / x.shape[1], w)},
    "softmax-wrong-axis": {"output": lambda w, x: (w.mT @ x, w)},
    "squeeze-drops-dim": {
        "": lambda w, x: ((w @ x).squeeze(), w.squeeze()),
        "output": lambda w, x: ((w @ x).squeeze(), w),
        "batch": lambda w, x: ((w @ x).squeeze(0), w.squeeze(0)),
    },
    "detached-graph": {
        "output": lambda w, x: (w.detach() @ x, w),
        "values": lambda w, x: (w @ x.detach(), w),
        "weights": lambda w, x: (w @ x, w.detach()),
        "all-weights": lambda w, x: (w.detach() @ x, w.detach()),
    },
    "ignores-batch": {
        "values": lambda w, x: (w @ _first(x), w),
        "results": lambda w, x: (_first(w @ x), _first(w)),
    },
    "hardcoded-answer": {"uniform": lambda w, x: (x.mean(1, keepdim=True).expand_as(x), w * 0 + 1 / x.shape[1])},
    "hard-attention": {"output": lambda w, x: (SOFTMAXES["hard-attention"][""](w) @ x, w)},
}  # fmt: skip

SCORES: dict[str, dict[str, Part]] = {  # of query, key and value
    "softmax-unstable": {"clamped": lambda q, k, v: scaled(q, k).clamp(-50, 50)},
    "missing-scale": {"": lambda q, k, v: products(q, k)},
    "wrong-scale": {
        "width": lambda q, k, v: products(q, k) / q.shape[-1],
        "multiplied": lambda q, k, v: products(q, k) * q.shape[-1] ** 0.5,
        "value-width": lambda q, k, v: products(q, k) / v.shape[-1] ** 0.5,
        "keys": lambda q, k, v: products(q, k) / k.shape[-2] ** 0.5,
        "once-more": lambda q, k, v: products(q, k) / q.shape[-1] ** 1.5,
    },
    "query-key-swapped": {
        "scores": lambda q, k, v: scaled(k, q),
        "scores-without-last": lambda q, k, v: k @ q.mT / k.shape[-1] ** 0.5,
    },
    "cosine-not-dot": {
        "": lambda q, k, v: products(_unit(q), _unit(k)),
        "scaled": lambda q, k, v: scaled(_unit(q), _unit(k)),
    },
    "wrong-activation": {
        "tanh": lambda q, k, v: torch.tanh(scaled(q, k)),
        "relu": lambda q, k, v: torch.relu(scaled(q, k)),
        "sigmoid": lambda q, k, v: torch.sigmoid(scaled(q, k)),
    },
    "ignores-batch": {
        "keys": lambda q, k, v: scaled(q, _first(k)),
        "scores": lambda q, k, v: _first(scaled(q, k)),
    },
    "detached-graph": {
        "queries": lambda q, k, v: scaled(q.detach(), k),
        "keys": lambda q, k, v: scaled(q, k.detach()),
        "scores": lambda q, k, v: scaled(q, k).detach(),
    },
}  # fmt: skip
FILLS = (-10.0, -100.0, -1e4)  # of those that are not zeroed, a sign tells
MASKED: dict[str, dict[str, Part]] = {  # of scores and mask
    "mask-inverted": {
        "": lambda s, m: softmax(_filled(s, ~m)),
        "patched": lambda s, m: masked_softmax(s, ~m),
        "uniform": lambda s, m: softmax(_filled(s, ~m, -1e30)),
        "zeros": lambda s, m: softmax(_filled(s, ~m, -1e30)) * m,
        "zeroed": lambda s, m: softmax(s) * ~m,
    },
    "mask-not-used": {
        "": lambda s, m: softmax(s),
        "blank": lambda s, m: softmax(s) * m.any(-1, keepdim=True),
    },
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
        "added": lambda s, m: softmax(s + torch.zeros_like(s).masked_fill(~m, -math.inf)).nan_to_num(0.0),
        "filled": lambda s, m: torch.where(m, softmax(_filled(s, m)), 0.0),
    },
    "mask-wrong-axis": {
        "transposed": lambda s, m: masked_softmax(s, m.mT if m.dim() > 1 else m),
        "columns": lambda s, m: softmax(_filled(s, m | ~m.any(-2, keepdim=True))) * m,
        "queries": lambda s, m: masked_softmax(s, m if m.dim() > 1 else m.unsqueeze(-1)),
    },
    "ignores-batch": {
        "mask": lambda s, m: masked_softmax(s, m[0] if m.dim() == s.dim() > 2 else m),
        "mask-kept": lambda s, m: masked_softmax(s, m[:1] if m.dim() == s.dim() > 2 else m),
    },
    "mask-leaks": {
        "fill": lambda s, m: softmax(_filled(s, m, -1e4)),
        "add": lambda s, m: softmax(s + ~m * -1e4),
        **{f"fill{fill:g}-zeroed": lambda s, m, fill=fill: softmax(_filled(s, m, fill)) * m for fill in FILLS},
        **{f"add{fill:g}-zeroed": lambda s, m, fill=fill: softmax(s + ~m * fill) * m for fill in FILLS},
    },
}  # fmt: skip


def of_masked(wrong: Part) -> Part:
    """A wrong softmax of rightly masked scores. Rows with nothing to see were seen to."""
    return lambda s, m: _cleaned(wrong(_filled(s, m)), m)


def of_hidden(wrong: Part) -> Part:
    """The same where masked scores are finite."""
    return lambda s, m: wrong(_filled(s, m, torch.finfo(s.dtype).min)).masked_fill(~m, 0.0)


OWN_SOFTMAXES: dict[str, dict[str, Part]] = {
    "hard-attention": {"kept": _largest_kept},
    "vjp-missing-mean": {"": _without_sum},
    "vjp-diagonal-only": {"": _diagonal},
}
RESULTS: dict[str, dict[str, Part]] = {  # of weights, query, key and value
    "": {
        "value-scaled": lambda w, q, k, v: (w @ v / v.shape[-1] ** 0.5, w),
        "value-scaled-as-keys": lambda w, q, k, v: (w @ v / k.shape[-1] ** 0.5, w),
    },
    "returns-swapped": {"": lambda w, q, k, v: (w, w @ v)},
    "mean-not-sum": {"": lambda w, q, k, v: (w @ v / v.shape[-2], w)},
    "context-from-projections": {"": lambda w, q, k, v: (w @ k, w)},
    "silent-broadcast": {
        "": lambda w, q, k, v: ((w.unsqueeze(-1) * v.unsqueeze(-2)).sum(-2), w),
        "sum-over-queries": lambda w, q, k, v: ((w.unsqueeze(-1) * v.unsqueeze(-3)).sum(-3), w),
    },
    "softmax-wrong-axis": {"output": lambda w, q, k, v: (w.mT @ v, w)},
    "squeeze-drops-dim": {
        "": lambda w, q, k, v: ((w @ v).squeeze(), w.squeeze()),
        "output": lambda w, q, k, v: ((w @ v).squeeze(), w),
        "batch": lambda w, q, k, v: ((w @ v).squeeze(0), w.squeeze(0)),
    },
    "ignores-batch": {
        "values": lambda w, q, k, v: (w @ _first(v), w),
        "results": lambda w, q, k, v: (_first(w @ v), _first(w)),
    },
    "detached-graph": {
        "output": lambda w, q, k, v: (w.detach() @ v, w),
        "values": lambda w, q, k, v: (w @ v.detach(), w),
        "weights": lambda w, q, k, v: (w @ v, w.detach()),
        "all-weights": lambda w, q, k, v: (w.detach() @ v, w.detach()),
    },
    "hardcoded-answer": {
        "uniform": lambda w, q, k, v: (
            v.mean(-2, keepdim=True).expand(*w.shape[:-1], -1), torch.full_like(w, 1 / w.shape[-1])
        )
    },
    "hard-attention": {"output": lambda w, q, k, v: (SOFTMAXES["hard-attention"][""](w) @ v, w)},
}  # fmt: skip


def _helper(softmax: Part, masked: Part) -> dict[str, Any]:
    """A wrong softmax that everything uses."""
    return {"self_attention": bare(softmax=softmax), **everywhere(softmax=softmax, masked=masked)}


# The classes are played with what is often seen, for each play costs about a millisecond a case.
COMMON = {
    cause: {
        how: one for how, one in all_.items() if how not in ("last", "before")
    }  # the right axis, and one twice
    for cause, all_ in SOFTMAXES.items()
    if cause != "not-softmax"
}
COMMON["not-softmax"] = {how: SOFTMAXES["not-softmax"][how] for how in ("share", "sigmoid")}
RARE = {
    "not-softmax": {
        how: one for how, one in SOFTMAXES["not-softmax"].items() if how not in COMMON["not-softmax"]
    }
}
VARIANTS = (
    *spelled("bare", BARE, lambda one: {"self_attention": bare(scores=one)}),
    *spelled("bare-softmax", SOFTMAXES, lambda one: {"self_attention": bare(softmax=one)}),
    *spelled("bare-softmax", OWN_SOFTMAXES, lambda one: {"self_attention": bare(softmax=one)}),
    *spelled("bare-results", BARE_RESULTS, lambda one: {"self_attention": bare(results=one)}),
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
    *spelled(
        "masked-softmax", RARE, lambda one: {"scaled_dot_product_attention": attention(masked=of_masked(one))}
    ),
    *spelled("softmax-own", OWN_SOFTMAXES, lambda one: _helper(one, of_hidden(one))),
)
