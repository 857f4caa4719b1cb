"""Known mistakes of gradient_paths and gradient_norms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.diagnostics.hidden.mistakes.entropies import FREQUENT
from autograder.assignments.kit.hidden.softmaxes import SOFTMAXES
from autograder.assignments.kit.hidden.variant import Variant, from_table
from reference.diagnostics.effects import gradient_paths as right_paths
from reference.diagnostics.effects import safe_norm

Path = Callable[..., Tensor]  # weights, queries, states, grad_contexts -> (B, T_s, d)


def _along(a: Tensor, h: Tensor, g: Tensor) -> Tensor:
    of_weights = g @ h.mT
    return of_weights - (a * of_weights).sum(-1, keepdim=True)


def _direct(a: Tensor, q: Tensor, h: Tensor, g: Tensor) -> Tensor:
    return a.mT @ g


def _indirect(a: Tensor, q: Tensor, h: Tensor, g: Tensor) -> Tensor:
    return (a * _along(a, h, g)).mT @ q


def _scores(queries: Tensor, states: Tensor) -> Tensor:
    return queries @ states.mT


def paths(
    direct: Path = _direct,
    indirect: Path = _indirect,
    softmax: Callable[..., Tensor] = torch.softmax,
    scores: Path = _scores,
) -> dict[str, Any]:
    """Build a gradient_paths with some parts replaced by wrong ones."""

    def gradient_paths(queries: Tensor, states: Tensor, grad_contexts: Tensor) -> tuple[Tensor, Tensor]:
        given = (softmax(scores(queries, states), dim=-1), queries, states, grad_contexts)
        return direct(*given), indirect(*given)

    return {"gradient_paths": gradient_paths}


def _mean(path: Path) -> Path:
    return lambda a, q, h, g: path(a, q, h, g) / q.shape[1]


def _summed(grad: Tensor, like: Tensor) -> Tensor:
    return grad.sum(1, keepdim=True).expand_as(like)


DIRECT: dict[str, dict[str, Path]] = {
    "path-mean-not-sum": {"direct": _mean(_direct)},
    "mean-not-sum": {"direct-sources": lambda a, q, h, g: _direct(a, q, h, g) / h.shape[1]},
    "direct-unweighted": {
        "": lambda a, q, h, g: _summed(g, h),
        "even": lambda a, q, h, g: _summed(g, h) / h.shape[1],
        "mean": lambda a, q, h, g: _summed(g, h) / q.shape[1],
    },
    "detached-graph": {"direct": lambda a, q, h, g: a.detach().mT @ g},
    "hardcoded-answer": {"direct": lambda a, q, h, g: 0 * h},
    "": {"squared": lambda a, q, h, g: a.square().mT @ g, "total": lambda a, q, h, g: a.mT @ g + _indirect(a, q, h, g)},
}
INDIRECT: dict[str, dict[str, Path]] = {
    "path-mean-not-sum": {"indirect": _mean(_indirect)},
    "path-not-centered": {
        "": lambda a, q, h, g: (a * (g @ h.mT)).mT @ q,
        "even": lambda a, q, h, g: (a * ((g @ h.mT) - (g @ h.mT).mean(-1, keepdim=True))).mT @ q,
        "sum": lambda a, q, h, g: (a * ((g @ h.mT) - (g @ h.mT).sum(-1, keepdim=True))).mT @ q,
        "diagonal": lambda a, q, h, g: (a * (1 - a) * (g @ h.mT)).mT @ q,
        "plus": lambda a, q, h, g: (a * (2 * (g @ h.mT) - _along(a, h, g))).mT @ q,
    },
    "indirect-along-states": {
        "": lambda a, q, h, g: (a * _along(a, h, g)).sum(1).unsqueeze(2) * h,
        "gradients": lambda a, q, h, g: (a * _along(a, h, g)).mT @ g,
        "contexts": lambda a, q, h, g: (a * _along(a, h, g)).mT @ (a @ h),
    },
    "indirect-unweighted": {
        "": lambda a, q, h, g: _along(a, h, g).mT @ q,
        "even": lambda a, q, h, g: _along(a, h, g).mT @ q / h.shape[1],
    },
    "detached-graph": {"indirect": lambda a, q, h, g: _indirect(a.detach(), q, h, g)},
    "hardcoded-answer": {"indirect": lambda a, q, h, g: 0 * h},
    "": {
        "negative": lambda a, q, h, g: -_indirect(a, q, h, g),
        "sum": lambda a, q, h, g: _direct(a, q, h, g) + _indirect(a, q, h, g),
        "twice-weighted": lambda a, q, h, g: (a.square() * _along(a, h, g)).mT @ q,
    },
}
SCORES: dict[str, dict[str, Path]] = {
    "wrong-scale": {"root": lambda q, h: q @ h.mT / q.shape[-1] ** 0.5, "width": lambda q, h: q @ h.mT / q.shape[-1]},
    "softmax-unstable": {"clamped": lambda q, h: (q @ h.mT).clamp(-50, 50)},
    "cosine-not-dot": {
        "": lambda q, h: torch.nn.functional.normalize(q, dim=-1) @ torch.nn.functional.normalize(h, dim=-1).mT
    },
}


OVERFLOWING = {"softmax-unstable": {how: SOFTMAXES["softmax-unstable"][how] for how in ("plain", "one-maximum")}}


def _paths() -> Iterator[Variant]:
    yield from from_table(DIRECT, lambda one: paths(direct=one), "paths-{}")
    yield from from_table(INDIRECT, lambda one: paths(indirect=one), "paths-{}")
    both = {"": (_mean(_direct), _mean(_indirect))}
    yield from from_table({"path-mean-not-sum": both}, lambda one: paths(*one), "paths-both{}")
    yield from from_table(SCORES, lambda one: paths(scores=one), "paths-{}")
    unweighted = paths(lambda a, q, h, g: _summed(g, h), lambda a, q, h, g: _along(a, h, g).mT @ q)
    yield Variant("direct-unweighted", "paths-both", unweighted)
    yield Variant("indirect-unweighted", "paths-both", unweighted)
    yield Variant("paths-swapped", "", {"gradient_paths": lambda *given: right_paths(*given)[::-1]})
    yield from from_table(FREQUENT, lambda one: paths(softmax=one), "paths-softmax-{}")
    yield from from_table(OVERFLOWING, lambda one: paths(softmax=one), "paths-softmax-{}")


# ---- gradient_norms

Back = Callable[[Tensor, Tensor], Tensor]  # gradient (B, d), W -> (B, d)
Slope = Callable[[Tensor, int], Tensor]  # states, t -> (B, d), the derivative for the step to t + 1
Norm = Callable[[Tensor], Tensor]


def norms(
    back: Back = torch.matmul,
    slope: Slope = lambda states, t: 1 - states[:, t + 1].square(),
    outside: Callable[[Tensor, int], Tensor] = lambda grads, t: grads[:, t],
    norm: Norm = safe_norm,
    after: bool = False,
) -> dict[str, Any]:
    """Build a gradient_norms with some parts replaced by wrong ones. ``after``: the slope comes after W."""

    def gradient_norms(states: Tensor, recurrent_weight: Tensor, grad_states: Tensor) -> Tensor:
        totals = [grad_states[:, -1]]
        for t in range(states.shape[1] - 2, -1, -1):
            here = slope(states, t)
            found = back(totals[0], recurrent_weight) * here if after else back(here * totals[0], recurrent_weight)
            totals.insert(0, outside(grad_states, t) + found)
        return norm(torch.stack(totals, 1))

    return {"gradient_norms": gradient_norms}


BACKS: dict[str, dict[str, Back]] = {
    "recurrence-transposed": {"": lambda total, W: total @ W.T},
    "detached-graph": {"weight": lambda total, W: total @ W.detach()},
    "": {"without-weight": lambda total, W: total, "twice": lambda total, W: total @ W @ W},
}
SLOPES: dict[str, dict[str, Slope]] = {
    "tanh-of-earlier-state": {"": lambda h, t: 1 - h[:, t].square()},
    "tanh-derivative-missing": {"": lambda h, t: torch.ones_like(h[:, t])},
    "detached-graph": {"states": lambda h, t: 1 - h[:, t + 1].detach().square()},
    "": {
        "tanh-again": lambda h, t: 1 - h[:, t + 1].tanh().square(),
        "state": lambda h, t: h[:, t + 1],
        "not-squared": lambda h, t: 1 - h[:, t + 1],
        "sigmoid": lambda h, t: h[:, t + 1] * (1 - h[:, t + 1]),
        "plus": lambda h, t: 1 + h[:, t + 1].square(),
    },
}
NORMS: dict[str, dict[str, Norm]] = {
    "norm-squared": {"": lambda x: x.square().sum(-1)},
    "nan-at-zero-norm": {
        "": lambda x: x.square().sum(-1).sqrt(),
        "power": lambda x: (x**2).sum(-1) ** 0.5,
        "clamped": lambda x: x.square().sum(-1).sqrt().clamp(min=1e-12),
    },
    "detached-graph": {"norm": lambda x: safe_norm(x).detach()},
    "mean-not-sum": {"norm": lambda x: safe_norm(x) / x.shape[-1] ** 0.5},
    "": {
        "absolute": lambda x: x.abs().sum(-1),
        "largest": lambda x: x.abs().amax(-1),
        "of-time": lambda x: safe_norm(x.mT),
        "reversed": lambda x: safe_norm(x).flip(1),
    },
}


def _norms() -> Iterator[Variant]:
    yield from from_table(BACKS, lambda one: norms(back=one), "norms-{}")
    yield from from_table(SLOPES, lambda one: norms(slope=one), "norms-{}")
    yield from from_table(NORMS, lambda one: norms(norm=one), "norms-{}")
    yield Variant("outside-gradient-lost", "", norms(outside=lambda grads, t: 0 * grads[:, t]))
    own = {"gradient_norms": lambda h, W, g: safe_norm(g) + 0 * (h.sum() + W.sum())}
    yield Variant("", "norms-own-gradient", own)
    yield Variant("tanh-of-earlier-state", "after", norms(slope=SLOPES["tanh-of-earlier-state"][""], after=True))
    yield Variant("", "norms-after", norms(after=True))
    yield Variant("", "norms-late", norms(outside=lambda grads, t: grads[:, t + 1]))


VARIANTS = (*_paths(), *_norms())
