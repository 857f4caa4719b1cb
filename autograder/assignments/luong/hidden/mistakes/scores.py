"""Known mistakes of LuongAttention's scores: in ``score``, in forward, or in both."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.assignments.kit.hidden.activations import ACTIVATIONS
from autograder.assignments.kit.hidden.variant import Variant
from autograder.assignments.luong.hidden.mistakes.attention import SCORES, Score, attention, concat, halves

Change = Callable[[Score], Score]  # from a right score to a wrong one


# ---- scores of one method


def _activated(activation: Score) -> Score:
    return functools.partial(concat, activation=activation)


def _swapped(s: Tensor, h: Tensor, W: Tensor, v: Tensor) -> Tensor:
    width = h.shape[-1]
    return torch.tanh((s @ W[:, width:].T).unsqueeze(2) + (h @ W[:, :width].T).unsqueeze(1)) @ v[0]


def _joined(join: Callable[[Tensor, Tensor], Tensor]) -> Score:
    """Return the concat score with its two terms joined in another way."""

    def score(s: Tensor, h: Tensor, W: Tensor, v: Tensor) -> Tensor:
        q, k = halves(s, h, W)
        return join(q.unsqueeze(2), k.unsqueeze(1)) @ v[0]

    return score


def _unit(x: Tensor) -> Tensor:
    return F.normalize(x, dim=-1)


ONE_METHOD: dict[str, dict[str, dict[str, Score]]] = {
    "dot": {
        "cosine-not-dot": {
            "": lambda s, h: _unit(s) @ _unit(h).mT,
            "keys-only": lambda s, h: s @ _unit(h).mT,
            "queries-only": lambda s, h: _unit(s) @ h.mT,
        }
    },
    "general": {
        "general-transposed": {
            "": lambda s, h, W: s @ W.T @ h.mT,
            "where-it-fits": lambda s, h, W: s @ (W.T if W.shape[0] == W.shape[1] else W) @ h.mT,
        },
        "wrong-activation": {"tanh-keys": lambda s, h, W: s @ torch.tanh(h @ W.T).mT},
        "cosine-not-dot": {
            "": lambda s, h, W: _unit(s) @ _unit(h @ W.T).mT,
            "query-projected": lambda s, h, W: _unit(s @ W) @ _unit(h).mT,
            "before": lambda s, h, W: _unit(s) @ W @ _unit(h).mT,
        },
    },
    "concat": {
        "concat-order-swapped": {"": _swapped},
        "missing-tanh": {
            "": _activated(lambda x: x),
            "around": lambda s, h, W, v: torch.tanh(concat(s, h, W, v, lambda x: x)),
            "before": lambda s, h, W, v: concat(torch.tanh(s), torch.tanh(h), W, v, lambda x: x),
        },
        "wrong-activation": {how: _activated(one) for how, one in ACTIVATIONS.items()},
        "tanh-before-sum": {"": _joined(lambda q, k: torch.tanh(q) + torch.tanh(k))},
        "projections-not-added": {
            "product": _joined(lambda q, k: torch.tanh(q * k)),
            "difference": _joined(lambda q, k: torch.tanh(q - k)),
        },
        "missing-decoder-term": {"": _joined(lambda q, k: torch.tanh(0 * q + k))},
        "missing-encoder-term": {"": _joined(lambda q, k: torch.tanh(q + 0 * k))},
        "": {  # known mistakes without an id
            "twice": lambda s, h, W, v: torch.tanh(concat(s, h, W, v))
        },
    },
}


# ---- the same mistake in scores of any method


CHANGES: dict[str, dict[str, Change]] = {
    "mean-not-sum": {
        "": lambda score: lambda s, h, *w: score(s, h, *w) / (w[1].shape[1] if len(w) > 1 else s.shape[-1]),
        "source-width": lambda score: lambda s, h, *w: score(s, h, *w) / h.shape[-1],
    },
    "ignores-batch": {"all-sources": lambda score: lambda s, h, *w: score(s, h.sum(0, keepdim=True).expand_as(h), *w)},
}
GROUPS = (("dot",), ("general",), ("concat",), ("dot", "general"))  # a case calls one method, or the last two


def _scored(cause: str, methods: str, how: str, scores: Mapping[str, Score]) -> Iterator[Variant]:
    """Yield the mistake in ``score`` and forward; if it is the usual one, also in ``score`` alone."""
    yield Variant(cause, f"{methods}-{how}", attention(scores))
    if not how:
        alone = frozenset({"LuongAttention.score"})
        yield Variant(cause, f"{methods}-score", attention(scores, in_forward=False), alone)


def _of_scores() -> Iterator[Variant]:
    for method, causes in ONE_METHOD.items():
        for cause, all_ in causes.items():
            for how, score in all_.items():
                yield from _scored(cause, method, how, {method: score})
    both = {"dot": ONE_METHOD["dot"]["cosine-not-dot"], "general": ONE_METHOD["general"]["cosine-not-dot"]}
    for how in ("", "query-projected"):
        scores = {"dot": both["dot"][""], "general": both["general"][how]}
        yield Variant("cosine-not-dot", f"dot-general-{how}", attention(scores))
    for cause, changes in CHANGES.items():
        for how, change in changes.items():
            for methods in GROUPS:
                scores = {method: change(SCORES[method]) for method in methods}
                yield from _scored(cause, "-".join(methods), how, scores)


VARIANTS = tuple(_of_scores())
