"""Known mistakes of ``bahdanau``: here the layer; ``softmax`` and ``state`` hold the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.bahdanau.hidden.mistakes import softmax as softmax_mistakes
from autograder.assignments.bahdanau.hidden.mistakes import state as state_mistakes
from autograder.assignments.kit.hidden.activations import ACTIVATIONS
from autograder.assignments.kit.hidden.softmaxes import guessed
from autograder.assignments.kit.hidden.variant import Variant, from_table
from reference.bahdanau import modules as right

Part = Callable[..., Tensor]


def _softmax(scores: Tensor) -> Tensor:
    return torch.softmax(scores, -1)


def _both(context: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    return context, weights


def summed(weights: Tensor, values: Tensor) -> Tensor:
    """Return the weighted sum: (B, T_s), (B, T_s, d) -> (B, d)."""
    return (weights.unsqueeze(-1) * values).sum(1)


def scored(
    state: Part = lambda s: s,
    states: Part = lambda h: h,
    query: Part = lambda q: q.unsqueeze(1),
    both: Part = lambda q, k: q + k,
    activation: Part = torch.tanh,
    energy: Part = lambda x, v: x @ v,
    score: Part = lambda e, s, h, v: e,
) -> Part:
    """Return a score function with some parts replaced by wrong ones."""

    def wrong(s: Tensor, h: Tensor, W_s: Tensor, W_h: Tensor, v: Tensor) -> Tensor:
        q, k = query(state(s) @ W_s.T), states(h) @ W_h.T
        return score(energy(activation(both(q, k)), v[0]), s, h, v)  # (B, T_s)

    return wrong


_score = scored()


def _repeated(s: Tensor, h: Tensor) -> Tensor:
    return s.unsqueeze(1).expand(-1, h.shape[1], -1)


def _joint(inputs: Tensor, *weights: Tensor) -> Tensor:
    return torch.tanh(inputs @ torch.cat(weights, 1).T)


def attention(
    score: Part = _score,
    again: Part | None = None,
    softmax: Part = _softmax,
    used: Part | None = None,
    context: Part = lambda weights, states, keys: summed(weights, states),
    returned: Callable[..., tuple[Tensor, ...]] = _both,
) -> type[right.BahdanauAttention]:
    """Build a BahdanauAttention with some parts replaced by wrong ones. ``again``: the score in a forward that does not
    call ``score``. ``used``: makes the context's weights, where they are not the returned ones."""

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
    """Return a mistake in forward alone, not in ``score``."""
    return Variant(cause, how, _of(**parts), FORWARD)


USUAL = ("sigmoid", "relu", "gelu", "elu", "leaky_relu", "silu", "softplus", "hardtanh")
SCORES: dict[str, dict[str, Part]] = {  # in score, in forward's own score, or in both
    "missing-tanh": {"": scored(activation=lambda x: x)},
    "wrong-activation": {
        **{how: scored(activation=one) for how, one in ACTIVATIONS.items()},
        "outside": scored(activation=lambda x: x, score=lambda e, s, h, v: torch.tanh(e)),
        "and-outside": scored(score=lambda e, s, h, v: torch.tanh(e)),
    },
    "projections-not-added": {
        "product": scored(both=lambda q, k: q * k),
        "state-first": scored(both=lambda q, k: q - k),
        "states-first": scored(both=lambda q, k: k - q),
    },
    "missing-decoder-term": {"": scored(state=torch.zeros_like)},
    "mean-not-sum": {
        "": scored(energy=lambda x, v: (x * v).mean(-1)),
        "of-terms": scored(both=lambda q, k: (q + k) / 2),
    },
    "wrong-scale": {
        "dec": scored(score=lambda e, s, h, v: e / s.shape[1]),
        "enc": scored(score=lambda e, s, h, v: e / h.shape[2]),
        "inside": scored(both=lambda q, k: (q + k) / k.shape[-1] ** 0.5),
    },
    "query-key-swapped": {"": lambda s, h, W_s, W_h, v: torch.tanh((s @ W_h.T).unsqueeze(1) + h @ W_s.T) @ v[0]},
    "concat-order-swapped": {
        "inputs": lambda s, h, W_s, W_h, v: _joint(torch.cat([h, _repeated(s, h)], -1), W_s, W_h) @ v[0],
        "weights": lambda s, h, W_s, W_h, v: _joint(torch.cat([_repeated(s, h), h], -1), W_h, W_s) @ v[0],
    },
    "tanh-before-sum": {
        "": lambda s, h, W_s, W_h, v: (torch.tanh(s @ W_s.T).unsqueeze(1) + torch.tanh(h @ W_h.T)) @ v[0],
        "states": scored(both=lambda q, k: q + torch.tanh(k), activation=lambda x: x),
        "state": scored(both=lambda q, k: torch.tanh(q) + k, activation=lambda x: x),
    },
    "silent-broadcast": {"query-bare": scored(query=lambda q: q)},
    "missing-encoder-term": {"": scored(states=torch.zeros_like)},
    "hardcoded-answer": {"ones": lambda s, h, W_s, W_h, v: h.new_ones(h.shape[:2])},
    "": {  # known mistakes without an id
        "softmax-inside": scored(score=lambda e, s, h, v: torch.softmax(e, -1))
    },
}
# In forward alone these are the same as others: all weights are 1 / T_s, or the state makes no difference.
ALIKE = ("missing-encoder-term", "hardcoded-answer", "tanh-before-sum")


def _guessed(s: Tensor, h: Tensor, W_s: Tensor, W_h: Tensor, v: Tensor) -> Tensor:
    """Take states of zeros for padding."""
    return guessed(_score(s, h, W_s, W_h, v).unsqueeze(-2), h).squeeze(-2)


def _best(weights: Tensor, states: Tensor, keys: Tensor) -> Tensor:
    return states[torch.arange(len(states)), weights.argmax(-1)]


CONTEXTS: dict[str, dict[str, Part]] = {
    "context-from-projections": {
        "": lambda weights, states, keys: summed(weights, keys),
        "tanh": lambda weights, states, keys: summed(weights, torch.tanh(keys)),
        "beside": lambda weights, states, keys: torch.cat([summed(weights, states), summed(weights, keys)], -1),
    },
    "hard-attention": {"context": _best},
    "weights-not-used": {
        "": lambda weights, states, keys: states.sum(1) + 0 * summed(weights, states),
        "mean": lambda weights, states, keys: states.mean(1) + 0 * summed(weights, states),
    },
    "position-left-out": {"context": lambda weights, states, keys: summed(weights[:, :-1], states[:, :-1])},
    "detached-graph": {"context": lambda weights, states, keys: summed(weights, states).detach()},
}
RESULTS: dict[str, dict[str, Callable[..., tuple[Tensor, ...]]]] = {
    "returns-swapped": {"": lambda context, weights: (weights, context)},
    "detached-graph": {"weights-returned": lambda context, weights: (context, weights.detach())},
}


VARIANTS = (
    *softmax_mistakes.variants(lambda softmax: _of(softmax=softmax)),
    *from_table(SCORES, lambda score: _of(score=score)),
    *(
        _forward(cause, f"forward-{how}", again=score)
        for cause, scores in SCORES.items()
        for how, score in scores.items()
        if cause and cause not in ALIKE and (cause != "wrong-activation" or how in USUAL)
    ),
    _forward("hardcoded-answer", "weights", softmax=lambda scores: torch.softmax(0 * scores, -1)),
    _forward("mask-from-values", "", again=_guessed),
    _forward("missing-softmax", "in-context", used=lambda scores: scores),
    _forward("missing-softmax", "in-result", softmax=lambda scores: scores, used=_softmax),
    *from_table(CONTEXTS, lambda context: _of(context=context), where=FORWARD),
    *from_table(RESULTS, lambda returned: _of(returned=returned), where=FORWARD),
    *state_mistakes.VARIANTS,
)
