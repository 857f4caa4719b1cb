"""Known mistakes of the masked softmax and the masked attention of ``masking``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.assignments.kit.hidden import masks
from autograder.assignments.kit.hidden.variant import Variant, from_table
from reference.masking.modules import masked_softmax

Part = Callable[..., Tensor]
Attention = Callable[..., tuple[Tensor, Tensor]]


def _scores(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return query @ key.mT / math.sqrt(query.shape[-1])


def _output(weights: Tensor, value: Tensor) -> Tensor:
    return weights @ value


def _as_given(mask: Tensor) -> Tensor:
    return mask


def attention(
    scores: Part = _scores, mask: Part = _as_given, softmax: Part = masked_softmax, output: Part = _output
) -> Attention:
    """Build a masked_attention with some parts replaced by wrong ones."""

    def masked_attention(query: Tensor, key: Tensor, value: Tensor, given: Tensor) -> tuple[Tensor, Tensor]:
        weights = softmax(scores(query, key, value), mask(given))
        return output(weights, value), weights

    return masked_attention


def _of(softmax: Part) -> dict[str, Any]:
    return {"masked_softmax": softmax, "masked_attention": attention(softmax=softmax)}


# ---- normalisation of the visible scores


def _visible(numerator: Part, share: bool = True) -> Part:
    """Return a softmax with another function in place of exp, and 0 where masked. ``share``: divide by the sum."""

    def softmax(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
        found = torch.where(mask, numerator(scores, mask, dim), 0.0)
        total = found.sum(dim, keepdim=True)
        return found / torch.where(total == 0, 1.0, total) if share else found

    return softmax


def _less_top(scores: Tensor, mask: Tensor, dim: int) -> Tensor:
    return (scores - scores.masked_fill(~mask, -1e30).amax(dim, keepdim=True)).masked_fill(~mask, 0.0)


def _exp_less_top_of_all(scores: Tensor, mask: Tensor, dim: int) -> Tensor:
    return (scores - scores.amax(dim, keepdim=True)).exp()


def _exp(scores: Tensor, mask: Tensor, dim: int) -> Tensor:
    return torch.where(mask, _less_top(scores, mask, dim).exp(), 0.0)


def _gradient(backward: Callable[[Tensor, Tensor, int], Tensor]) -> Part:
    """Return the right weights with a wrong backward pass."""

    class Softmax(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, scores: Tensor, mask: Tensor, dim: int) -> Tensor:
            ctx.weights, ctx.dim = masked_softmax(scores, mask, dim), dim
            return ctx.weights  # type: ignore[no-any-return]

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
            return backward(ctx.weights, grad, ctx.dim), None, None

    return lambda scores, mask, dim=-1: Softmax.apply(scores, mask, dim)  # type: ignore[no-untyped-call]


def _renormalised(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    left = torch.softmax(scores, dim) * mask
    return left / left.sum(dim, keepdim=True)


AXES = {"first": 0, "second": 1, "last": -1, "before-last": -2, "implicit": None}  # nn.Softmax() without dim guesses


def _below(least: Callable[[Tensor, int], Tensor], by: float) -> Part:
    """Fill masked entries with a score only somewhat below the others, and zero them after the softmax."""

    def softmax(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
        return torch.softmax(torch.where(mask, scores, least(scores, dim) - by), dim) * mask

    return softmax


def _axes() -> Iterator[tuple[str, Part]]:
    """Yield softmaxes of correctly masked scores along a fixed axis. NaN stays, or becomes 0 in fully masked rows, or
    everywhere."""
    for name, axis in AXES.items():

        def softmax(s: Tensor, m: Tensor, dim: int = -1, axis: int | None = axis) -> Tensor:
            along = (0 if s.dim() in (0, 1, 3) else 1) if axis is None else axis
            filled = torch.softmax(s.masked_fill(~m, -math.inf), along)
            return masked_softmax(s, m, dim) if along % s.dim() == dim % s.dim() else filled

        yield from ((f"{name}{rows}", one) for rows, one in masks.blank_rows(softmax) if not _known(name, rows))


def _known(name: str, rows: str) -> bool:
    """Whether the shared wrong softmaxes already hold this axis."""
    return rows == "-masked-zeroed" and name != "implicit"


def _turned(mask: Tensor) -> Tensor:
    """Transpose a square mask."""
    return mask.mT if mask.dim() > 1 and mask.shape[-1] == mask.shape[-2] else mask


SOFTMAXES: dict[str, dict[str, Part]] = {
    "missing-softmax": {
        "filled": lambda s, m, dim=-1: s.masked_fill(~m, -math.inf),
        "filled-1e9": lambda s, m, dim=-1: s.masked_fill(~m, -1e9),
    },
    "not-softmax": {
        "base-2": _visible(lambda s, m, dim: torch.exp2(_less_top(s, m, dim))),
        "sigmoid": _visible(lambda s, m, dim: s.sigmoid(), share=False),
        "tanh": _visible(lambda s, m, dim: s.tanh(), share=False),
        "exponential": _visible(lambda s, m, dim: s.exp(), share=False),
        "shifted-exponential": _visible(lambda s, m, dim: _less_top(s, m, dim).exp(), share=False),
        "shifted-exponential-by-all": _visible(_exp_less_top_of_all, share=False),
        "log": lambda s, m, dim=-1: torch.where(m, s.masked_fill(~m, -1e30).log_softmax(dim), 0.0),
        "length": lambda s, m, dim=-1: F.normalize(_exp(s, m, dim), dim=dim),
        "negated": _visible(lambda s, m, dim: _less_top(-s, m, dim).exp()),
        "times-length": lambda s, m, dim=-1: masked_softmax(s, m, dim) * s.shape[dim],
        "twice": lambda s, m, dim=-1: masked_softmax(masked_softmax(s, m, dim), m, dim),
    },
    "softmax-unstable": {
        "maximum-of-all": _visible(_exp_less_top_of_all),
        "maximum-of-all-clamped": lambda s, m, dim=-1: (
            (e := _visible(_exp_less_top_of_all, share=False)(s, m, dim)) / e.sum(dim, keepdim=True).clamp(min=1e-9)
        ),
    },
    "hard-attention": {"best-of-all": lambda s, m, dim=-1: (s == s.amax(dim, keepdim=True)) * m + 0 * s},
    "hardcoded-answer": {
        "same-for-seen": _visible(lambda s, m, dim: torch.ones_like(s) + 0 * s),
        "same-for-all": lambda s, m, dim=-1: torch.ones_like(s) / s.shape[dim] + 0 * s,
        "nothing": lambda s, m, dim=-1: 0 * s,
    },
    "silent-broadcast": {
        "total": lambda s, m, dim=-1: (e := _exp(s, m, dim)) / (t := e.sum(dim)).masked_fill(t == 0, 1),
        "total-or-nan": lambda s, m, dim=-1: (e := _exp(s, m, dim)) / e.sum(dim),
    },
    "mask-leaks": {
        **{f"below-row{by:g}": _below(lambda s, dim: s.amin(dim, keepdim=True), by) for by in (0.0, 1.0)},
        **{f"below-all{by:g}": _below(lambda s, dim: s.min(), by) for by in (0.0, 1.0)},
    },
    "mask-after-softmax": {"renormalised": _renormalised},
    "nan-on-masked-row": {"renormalised": _renormalised},
    "ignores-batch": {"mask-of-first": lambda s, m, dim=-1: masked_softmax(s, m[:1] if m.dim() > 2 else m, dim)},
    "mask-wrong-axis": {
        "where-square": lambda s, m, dim=-1: masked_softmax(s, _turned(m), dim),
        "two-axes": lambda s, m, dim=-1: masked_softmax(s, m.unsqueeze(1) if (m.dim(), s.dim()) == (2, 3) else m, dim),
    },
    "vjp-diagonal-only": {"": _gradient(lambda w, grad, dim: w * (1 - w) * grad)},
    "vjp-missing-mean": {
        "": _gradient(lambda w, grad, dim: w * grad),
        "sum": _gradient(lambda w, grad, dim: w * (grad - grad.sum(dim, keepdim=True))),
    },
    "": {
        f"epsilon-{eps:g}": lambda s, m, dim=-1, eps=eps: (e := _exp(s, m, dim)) / (e.sum(dim, keepdim=True) + eps)
        for eps in (1e-4, 1e-5)
    },
}


# ---- masked_attention alone


def _scaled(by: Callable[[Tensor, Tensor, Tensor], float]) -> dict[str, Part]:
    return {"scores": lambda query, key, value: query @ key.mT / by(query, key, value)}


def _cosine(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).mT


ATTENTIONS: dict[str, dict[str, dict[str, Part]]] = {
    "missing-scale": {"": _scaled(lambda q, k, v: 1.0)},
    "wrong-scale": {
        "width": _scaled(lambda q, k, v: q.shape[-1]),
        "values": _scaled(lambda q, k, v: v.shape[-1] ** 0.5),
        "keys": _scaled(lambda q, k, v: k.shape[-2] ** 0.5),
        "queries": _scaled(lambda q, k, v: q.shape[-2] ** 0.5),
        "batch": _scaled(lambda q, k, v: q.shape[0] ** 0.5),
        "number-of-keys": _scaled(lambda q, k, v: k.shape[-2]),
        "whole": _scaled(lambda q, k, v: max(1, int(q.shape[-1] ** 0.5))),
        "fourth-root": _scaled(lambda q, k, v: q.shape[-1] ** 0.25),
        "times-root": _scaled(lambda q, k, v: q.shape[-1] ** -0.5),
        "times-width": _scaled(lambda q, k, v: 1 / q.shape[-1]),
        "64": _scaled(lambda q, k, v: 8.0),
        "512": _scaled(lambda q, k, v: 512**0.5),
    },
    "query-key-swapped": {"": {"scores": lambda query, key, value: _scores(key, query, value)}},
    "cosine-not-dot": {
        "": {"scores": _cosine},
        "scaled": {"scores": lambda q, k, v: _cosine(q, k, v) / q.shape[-1] ** 0.5},
    },
    "mean-not-sum": {"output": {"output": lambda weights, value: weights @ value / value.shape[-2]}},
    "mask-wrong-axis": {"turned": {"mask": lambda mask: mask.mT}},
    "mask-inverted": {"before": {"mask": lambda mask: ~mask}},
    "ignores-batch": {
        "mask": {"mask": lambda mask: mask[0] if mask.dim() > 2 else mask},
        "value": {"output": lambda weights, value: weights @ (value[:1] if value.dim() > 2 else value)},
    },
}


def _returning(results: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]) -> dict[str, Any]:
    """Return a masked_attention with other results, made of the right weights, the key and the value."""

    def masked_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        return results(masked_softmax(_scores(query, key, value), mask), key, value)

    return {"masked_attention": masked_attention}


VARIANTS = (
    *masks.variants(_of),
    *from_table(SOFTMAXES, _of, "seen-{}"),
    *(Variant("softmax-wrong-axis", f"masked-{how}", _of(one)) for how, one in _axes()),
    *from_table(ATTENTIONS, lambda parts: {"masked_attention": attention(**parts)}, "attention-{}"),
    Variant("returns-swapped", "attention", _returning(lambda w, k, v: (w, w @ v))),
    Variant("keys-averaged", "", _returning(lambda w, k, v: (w @ k, w))),
    Variant("keys-averaged", "where-equal", _returning(lambda w, k, v: (w @ (k if k.shape == v.shape else v), w))),
    Variant("detached-graph", "attention-weights", _returning(lambda w, k, v: (w @ v, w.detach()))),
)
