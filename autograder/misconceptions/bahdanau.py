"""Known mistakes of ``bahdanau``: the layer here; its softmax and derivative, and what it keeps, beside this."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.misconceptions import bahdanau_softmax, bahdanau_state
from autograder.misconceptions.variant import Variant
from autograder.oracle import bahdanau as right

Part = Callable[..., Tensor]


def _softmax(scores: Tensor) -> Tensor:
    return torch.softmax(scores, -1)


def _both(context: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    return context, weights


def summed(weights: Tensor, values: Tensor) -> Tensor:
    """(B, T_s), (B, T_s, d) -> (B, d)."""
    return (weights.unsqueeze(-1) * values).sum(1)


def scored(
    state: Part = lambda s: s, states: Part = lambda h: h, query: Part = lambda q: q.unsqueeze(1),
    keys: Part = lambda k: k, both: Part = lambda q, k: q + k, activation: Part = torch.tanh,
    energy: Part = lambda x, v: x @ v, score: Part = lambda e, s, h, v: e,
) -> Part:  # fmt: skip
    """The score, in which parts are other than they must be."""

    def wrong(s: Tensor, h: Tensor, W_s: Tensor, W_h: Tensor, v: Tensor) -> Tensor:
        q, k = query(state(s) @ W_s.T), keys(states(h) @ W_h.T)
        return score(energy(activation(both(q, k)), v[0]), s, h, v)  # (B, T_s)

    return wrong


_score = scored()


def _repeated(s: Tensor, h: Tensor) -> Tensor:
    return s.unsqueeze(1).expand(-1, h.shape[1], -1)


def _joint(inputs: Tensor, *weights: Tensor) -> Tensor:
    return torch.tanh(inputs @ torch.cat(weights, 1).T)


def attention(
    score: Part = _score, again: Part | None = None, softmax: Part = _softmax, used: Part | None = None,
    context: Part = lambda weights, states, keys: summed(weights, states),
    returned: Callable[..., tuple[Tensor, ...]] = _both,
) -> type[right.BahdanauAttention]:  # fmt: skip
    """A BahdanauAttention in which parts are other than they must be. ``again`` is the score where forward
    computes it itself, ``used`` makes the weights of the context where they are not those that are returned."""

    class BahdanauAttention(right.BahdanauAttention):
        def score(self, decoder_state: Tensor, encoder_states: Tensor) -> Tensor:
            return score(decoder_state, encoder_states, *self._weights())

        def forward(self, decoder_state: Tensor, encoder_states: Tensor) -> tuple[Tensor, ...]:  # type: ignore[override]
            scores = (again or score)(decoder_state, encoder_states, *self._weights())
            weights = softmax(scores)
            keys = encoder_states @ self.weights["W_h.weight"].T  # (B, T_s, attn_dim)
            return returned(context(used(scores) if used else weights, encoder_states, keys), weights)

    return BahdanauAttention


def _of(**parts: Any) -> dict[str, Any]:
    return {"BahdanauAttention": attention(**parts)}


FORWARD = frozenset({"BahdanauAttention.forward"})


def _forward(cause: str, how: str, **parts: Any) -> Variant:
    """A mistake that ``score`` does not have."""
    return Variant(cause, how, _of(**parts), FORWARD)


def _hard(scores: Tensor) -> Tensor:
    return F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)


def _by(factor: Callable[..., float]) -> Part:
    """The score times a factor made of its arguments' sizes."""
    return scored(score=lambda e, s, h, v: e * factor(s.shape[1], h.shape[2], v.shape[1], h.shape[1]))


def _flat(number: float) -> Part:
    return lambda s, h, W_s, W_h, v: h.new_full(h.shape[:2], number)


ACTIVATIONS: dict[str, Part] = {
    "sigmoid": torch.sigmoid, "relu": torch.relu, "gelu": F.gelu, "gelu-tanh": lambda x: F.gelu(x, approximate="tanh"),
    "elu": F.elu, "selu": F.selu, "leaky-relu": F.leaky_relu,
    "leaky-relu-0.1": lambda x: F.leaky_relu(x, 0.1), "leaky-relu-0.2": lambda x: F.leaky_relu(x, 0.2),
    "relu6": F.relu6, "silu": F.silu, "mish": F.mish,
    "softplus": F.softplus, "softsign": F.softsign, "hardtanh": F.hardtanh, "hardsigmoid": F.hardsigmoid,
    "hardswish": F.hardswish, "log-sigmoid": F.logsigmoid,
    "tanhshrink": F.tanhshrink, "sin": torch.sin,
    "cos": torch.cos, "tan": torch.tan, "atan": torch.atan, "sinh": torch.sinh, "cosh": torch.cosh, "erf": torch.erf,
    "exp": torch.exp, "square": torch.square, "abs": torch.abs, "sign": torch.sign, "asinh": torch.asinh,
    "softmax": lambda x: torch.softmax(x, -1),
}  # fmt: skip
USUAL = ("sigmoid", "relu", "gelu", "elu", "leaky-relu", "silu", "softplus", "hardtanh")
SCORES: dict[str, dict[str, Part]] = {  # in score, in forward's own score, or in both
    "missing-tanh": {"": scored(activation=lambda x: x)},
    "wrong-activation": {how: scored(activation=one) for how, one in ACTIVATIONS.items()},
    "missing-decoder-term": {"": scored(state=torch.zeros_like)},
    "mean-not-sum": {
        "": scored(energy=lambda x, v: (x * v).mean(-1)),
        "of-terms": scored(both=lambda q, k: (q + k) / 2),
    },
    "ignores-batch": {
        "first-state": scored(state=lambda s: s[:1].expand_as(s)),
        "first-states": scored(states=lambda h: h[:1].expand_as(h)),
        "mean-state": scored(state=lambda s: s.mean(0, keepdim=True).expand_as(s)),
        "sum-state": scored(state=lambda s: s.sum(0, keepdim=True).expand_as(s)),
        "mean-states": scored(states=lambda h: h.mean(0, keepdim=True).expand_as(h)),
        "sum-states": scored(states=lambda h: h.sum(0, keepdim=True).expand_as(h)),
        "first-score": scored(score=lambda e, s, h, v: e[:1].expand_as(e)),
    },
    "wrong-scale": {
        "root-of-attn": _by(lambda dec, enc, attn, source: attn**-0.5),
        "root-of-dec": _by(lambda dec, enc, attn, source: dec**-0.5),
        "root-of-enc": _by(lambda dec, enc, attn, source: enc**-0.5),
        "dec": _by(lambda dec, enc, attn, source: 1 / dec),
        "enc": _by(lambda dec, enc, attn, source: 1 / enc),
        "source": _by(lambda dec, enc, attn, source: 1 / source),
        "half": _by(lambda *_: 0.5),
        "twice": _by(lambda *_: 2.0),
        "times-root": _by(lambda dec, enc, attn, source: attn**0.5),
        "inside": scored(both=lambda q, k: (q + k) / k.shape[-1] ** 0.5),
    },
    "query-key-swapped": {
        "": lambda s, h, W_s, W_h, v: torch.tanh((s @ W_h.T).unsqueeze(1) + h @ W_s.T) @ v[0],
    },
    "concat-order-swapped": {
        "inputs": lambda s, h, W_s, W_h, v: _joint(torch.cat([h, _repeated(s, h)], -1), W_s, W_h) @ v[0],
        "weights": lambda s, h, W_s, W_h, v: _joint(torch.cat([_repeated(s, h), h], -1), W_h, W_s) @ v[0],
    },
    "silent-broadcast": {
        "query-bare": scored(query=lambda q: q),
    },
    "missing-encoder-term": {"": scored(states=torch.zeros_like)},
    "hardcoded-answer": {"zeros": _flat(0.0), "ones": _flat(1.0)},
    "detached-graph": {
        "query": scored(query=lambda q: q.detach().unsqueeze(1)),
        "keys": scored(keys=lambda k: k.detach()),
        "hidden": scored(energy=lambda x, v: x.detach() @ v),
        "half-of-v": scored(energy=lambda x, v: (x * v.detach()).sum(-1)),
    },
    "": {  # known, and without an id
        "tanh-of-each": scored(both=lambda q, k: torch.tanh(q) + torch.tanh(k), activation=lambda x: x),
        "tanh-of-keys": scored(both=lambda q, k: q + torch.tanh(k), activation=lambda x: x),
        "tanh-of-query": scored(both=lambda q, k: torch.tanh(q) + k, activation=lambda x: x),
        "tanh-of-score": scored(activation=lambda x: x, score=lambda e, s, h, v: torch.tanh(e)),
        "tanh-twice": scored(activation=lambda x: torch.tanh(torch.tanh(x))),
        "tanh-of-each-too": scored(both=lambda q, k: torch.tanh(q) + torch.tanh(k)),
        "tanh-of-score-too": scored(score=lambda e, s, h, v: torch.tanh(e)),
        "product": scored(both=torch.mul),
        "difference": scored(both=torch.sub),
        "other-difference": scored(both=lambda q, k: k - q),
        "product-without-tanh": scored(both=torch.mul, activation=lambda x: x),
        "negated": scored(score=lambda e, s, h, v: -e),
        "without-v": scored(energy=lambda x, v: x.sum(-1)),
        "softmax-inside": scored(score=lambda e, s, h, v: torch.softmax(e, -1)),
    },
}  # fmt: skip
ALIKE = (
    "missing-encoder-term",
    "hardcoded-answer",
)  # all weights are 1 / T_s, where only forward has the mistake


def _best(weights: Tensor, states: Tensor, keys: Tensor) -> Tensor:
    return states[torch.arange(len(states)), weights.argmax(-1)]


CONTEXTS: dict[str, dict[str, Part]] = {
    "context-from-projections": {
        "": lambda weights, states, keys: summed(weights, keys),
        "tanh": lambda weights, states, keys: summed(weights, torch.tanh(keys)),
        "beside": lambda weights, states, keys: torch.cat([summed(weights, states), summed(weights, keys)], -1),
    },
    "mean-not-sum": {
        "context": lambda weights, states, keys: (weights.unsqueeze(-1) * states).mean(1),
    },
    "hard-attention": {"context": _best},
    "ignores-batch": {
        "first-of-states": lambda weights, states, keys: weights @ states[0],
        "sum-of-states": lambda weights, states, keys: weights @ states.sum(0),
        "mean-of-states": lambda weights, states, keys: weights @ states.mean(0),
        "first-of-weights": lambda weights, states, keys: torch.einsum("t,bth->bh", weights[0], states),
        "sum-of-weights": lambda weights, states, keys: torch.einsum("t,bth->bh", weights.sum(0), states),
        "first-of-contexts": lambda weights, states, keys: summed(weights, states)[:1].expand(len(states), -1),
        "flattened": lambda weights, states, keys: (
            weights.flatten() @ states.flatten(0, 1)
        ).expand(len(states), -1),
    },
    "silent-broadcast": {
        "weights-turned": lambda weights, states, keys: (weights.T.unsqueeze(-1) * states).sum(1),
        "weights-in-front": lambda weights, states, keys: (weights.unsqueeze(1) * states).sum(1),
    },
    "hardcoded-answer": {
        "no-context": lambda weights, states, keys: 0 * summed(weights, states),
    },
    "": {
        "sums-apart": lambda weights, states, keys: weights.sum(1, keepdim=True) * states.sum(1),
        "without-last": lambda weights, states, keys: summed(weights[:, :-1], states[:, :-1]),
        "without-first": lambda weights, states, keys: summed(weights[:, 1:], states[:, 1:]),
        "reversed": lambda weights, states, keys: summed(weights, states.flip(1)),
        "rolled": lambda weights, states, keys: summed(weights, states.roll(1, 1)),
        "squares": lambda weights, states, keys: summed(weights**2, states),
        "tanh": lambda weights, states, keys: torch.tanh(summed(weights, states)),
    },
    "detached-graph": {
        "weights": lambda weights, states, keys: summed(weights.detach(), states),
        "states": lambda weights, states, keys: summed(weights, states.detach()),
        "context": lambda weights, states, keys: summed(weights, states).detach(),
    },
}  # fmt: skip
RESULTS: dict[str, dict[str, Callable[..., tuple[Tensor, ...]]]] = {
    "returns-swapped": {"": lambda context, weights: (weights, context)},
    "detached-graph": {"weights-returned": lambda context, weights: (context, weights.detach())},
}


VARIANTS = (
    *bahdanau_softmax.variants(lambda softmax: _of(softmax=softmax)),
    *(Variant(cause, how, _of(score=score)) for cause, all_ in SCORES.items() for how, score in all_.items()),
    *(
        _forward(cause, f"forward-{how}", again=score)
        for cause, all_ in SCORES.items() for how, score in all_.items()
        if cause and cause not in ALIKE and (cause != "wrong-activation" or how in USUAL)
    ),
    _forward("hardcoded-answer", "weights", softmax=lambda scores: torch.softmax(0 * scores, -1)),
    _forward("hardcoded-answer", "context-of-mean", used=lambda scores: torch.softmax(0 * scores, -1)),
    _forward("missing-softmax", "in-context", used=lambda scores: scores),
    _forward("missing-softmax", "in-result", softmax=lambda scores: scores, used=_softmax),
    _forward("hard-attention", "in-result", softmax=_hard, used=_softmax),
    *(_forward(cause, how, context=one) for cause, all_ in CONTEXTS.items() for how, one in all_.items()),
    *(_forward(cause, how, returned=one) for cause, all_ in RESULTS.items() for how, one in all_.items()),
    *bahdanau_state.VARIANTS,
)  # fmt: skip
