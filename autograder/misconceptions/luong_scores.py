"""Known mistakes of LuongAttention's scores: in the method score, in what forward computes, or in both."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.misconceptions.luong_attention import (
    SCORES,
    Score,
    Where,
    attention,
    concat,
    halves,
    repeated,
)
from autograder.misconceptions.variant import Variant

Change = Callable[[Score], Score]  # from a right score to a wrong one


# ---- scores of one method


def _activated(activation: Score) -> Score:
    return functools.partial(concat, activation=activation)


def _swapped(s: Tensor, h: Tensor, W: Tensor, v: Tensor) -> Tensor:
    width = h.shape[-1]
    return torch.tanh((s @ W[:, width:].T).unsqueeze(2) + (h @ W[:, :width].T).unsqueeze(1)) @ v[0]


def _on_target_axis(s: Tensor, h: Tensor, W: Tensor, v: Tensor) -> Tensor:
    q, k = halves(s, h, W)
    return torch.tanh(q.unsqueeze(2) + k.unsqueeze(2)) @ v[0]


def _joined(join: Callable[[Tensor, Tensor], Tensor]) -> Score:
    """concat, whose two terms are joined in another way."""

    def score(s: Tensor, h: Tensor, W: Tensor, v: Tensor) -> Tensor:
        q, k = halves(s, h, W)
        return join(q.unsqueeze(2), k.unsqueeze(1)) @ v[0]

    return score


def _unit(x: Tensor) -> Tensor:
    return F.normalize(x, dim=-1)


ACTIVATIONS: dict[str, Score] = {
    "sigmoid": torch.sigmoid,
    "relu": torch.relu,
    "leaky-relu": F.leaky_relu,
    "leaky-relu-of-a-fifth": lambda x: F.leaky_relu(x, 0.2),
    "elu": F.elu,
    "gelu": F.gelu,
    "silu": F.silu,
    "softplus": F.softplus,
    "softsign": F.softsign,
    "hardtanh": F.hardtanh,
    "softmax": lambda x: torch.softmax(x, -1),
    "sin": torch.sin,
    "tan": torch.tan,
    "atan": torch.atan,
    "erf": torch.erf,
}
ONE_METHOD: dict[str, dict[str, dict[str, Score]]] = {
    "dot": {
        "cosine-not-dot": {
            "": lambda s, h: _unit(s) @ _unit(h).mT,
            "keys-only": lambda s, h: s @ _unit(h).mT,
            "queries-only": lambda s, h: _unit(s) @ h.mT,
        },
    },
    "general": {
        "general-transposed": {
            "": lambda s, h, W: s @ W.T @ h.mT,
            "where-it-fits": lambda s, h, W: s @ (W.T if W.shape[0] == W.shape[1] else W) @ h.mT,
        },
        "cosine-not-dot": {
            "": lambda s, h, W: _unit(s) @ _unit(h @ W.T).mT,
            "query-projected": lambda s, h, W: _unit(s @ W) @ _unit(h).mT,
            "before": lambda s, h, W: _unit(s) @ W @ _unit(h).mT,
            "norms-of-the-states": lambda s, h, W: (
                (s @ W @ h.mT) / (s.norm(dim=-1)[..., None] * h.norm(dim=-1)[:, None])
            ),
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
        "missing-decoder-term": {"": _joined(lambda q, k: torch.tanh(0 * q + k))},
        "missing-encoder-term": {"": _joined(lambda q, k: torch.tanh(q + 0 * k))},
        "silent-broadcast": {"": _on_target_axis},
        "": {  # known, and without an id
            "product": _joined(lambda q, k: torch.tanh(q * k)),
            "difference": _joined(lambda q, k: torch.tanh(q - k)),
            "each-tanh": _joined(lambda q, k: torch.tanh(q) + torch.tanh(k)),
            "twice": lambda s, h, W, v: torch.tanh(concat(s, h, W, v)),
        },
    },
}


# ---- the same mistake in scores of any method


def _divided(by: Callable[..., float]) -> Change:
    return lambda score: lambda s, h, *w: score(s, h, *w) / by(s, h, *w)


def _summed(s: Tensor, h: Tensor, *w: Tensor) -> int:
    """How many products a score is the sum of."""
    return w[1].shape[1] if len(w) > 1 else s.shape[-1]


def _given(change: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]) -> Change:
    return lambda score: lambda s, h, *w: score(*change(s, h), *w)


CHANGES: dict[str, dict[str, Change]] = {
    "mean-not-sum": {
        "": _divided(_summed),
        "source-width": _divided(lambda s, h, *w: h.shape[-1]),
    },
    "wrong-scale": {
        "": _divided(lambda s, h, *w: _summed(s, h, *w) ** 0.5),
    },
    "ignores-batch": {
        "first-source": _given(lambda s, h: (s, repeated(h))),
        "first-target": _given(lambda s, h: (repeated(s), h)),
        "all-sources": _given(lambda s, h: (s, h.sum(0, keepdim=True).expand_as(h))),
    },
    "detached-graph": {
        "source": _given(lambda s, h: (s, h.detach())),
        "scores": lambda score: lambda s, h, *w: score(s, h, *w).detach(),
    },
}
GROUPS = (("dot",), ("general",), ("concat",), ("dot", "general"))  # a case calls one, or the last two
ANYWHERE: tuple[Where, ...] = ("everywhere", "score", "forward")


def _scored(cause: str, how: str, scores: Mapping[str, Score], where: Where) -> Variant:
    played = frozenset({"LuongAttention.score"} if where == "score" else ())
    return Variant(cause, f"{how}-{where}", attention(scores, where), played)


def _of_scores() -> Iterator[Variant]:
    for method, causes in ONE_METHOD.items():
        for cause, all_ in causes.items():
            for how, score in all_.items():
                for where in ANYWHERE[: 1 if how else None]:
                    yield _scored(cause, f"{method}-{how}", {method: score}, where)
    both = {"dot": ONE_METHOD["dot"]["cosine-not-dot"], "general": ONE_METHOD["general"]["cosine-not-dot"]}
    for how in ("", "query-projected"):
        scores = {"dot": both["dot"][""], "general": both["general"][how]}
        yield Variant("cosine-not-dot", f"dot-general-{how}", attention(scores))
    for cause, changes in CHANGES.items():
        for how, change in changes.items():
            for methods in GROUPS:
                scores = {method: change(SCORES[method]) for method in methods}
                for where in ANYWHERE[: 1 if how else None]:
                    yield _scored(cause, f"{'-'.join(methods)}-{how}", scores, where)


VARIANTS = tuple(_of_scores())
