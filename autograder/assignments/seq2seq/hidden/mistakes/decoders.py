"""Known mistakes of the two decoders' steps."""

from __future__ import annotations

from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.assignments.seq2seq.hidden.mistakes.encoder import ACTIVATIONS
from autograder.assignments.seq2seq.hidden.mistakes.models import (
    Part,
    Parts,
    additive,
    bahdanau,
    cat,
    gru,
    linear,
    luong,
    product,
)
from autograder.assignments.seq2seq.hidden.mistakes.weights import BOTH, of_part
from autograder.assignments.seq2seq.hidden.mistakes.whole import variants
from reference.seq2seq.recurrent import Weights

# ---- Bahdanau's


def _acting(activation: Part) -> Part:
    return lambda w, state, states: additive(w, state, states, activation)


def _alone(at: int) -> Part:
    """Return energies of the state or the keys alone."""

    def score(w: Weights, state: Tensor, states: Tensor) -> Tensor:
        part = (linear(w, "W_s", state).unsqueeze(1), linear(w, "W_h", states))[at]
        return linear(w, "v", torch.tanh(part)).squeeze(-1).expand(states.shape[:2])

    return score


def _energies(change: Part) -> Part:
    return lambda w, state, states: change(additive(w, state, states), w, state)


def _order(empty: bool = False, again: str = "", keeps: str = "") -> Part:
    """Return a step that attends with the state after the cell. The cell reads the right context or an ``empty`` one.
    ``again``: the cell runs again with the new context, from the "old" or the "new" state. ``keeps``: the "context" or
    the "weights" of the old state stay."""

    def step(
        use: SimpleNamespace, w: Weights, word: Tensor, old: Tensor, states: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        def look(state: Tensor) -> tuple[Tensor, Tensor]:
            alpha = use.softmax(use.score(w, state, states), mask)
            return use.context(alpha, states, None), alpha

        before = look(old)
        early = gru(w, cat(word, 0 * before[0] if empty else before[0]), old)
        after = look(early)
        new = gru(w, cat(word, after[0]), old if again == "old" else early) if again else early
        return (new, before[0] if keeps == "context" else after[0], before[1] if keeps == "weights" else after[1])

    return step


ORDERS: dict[str, dict[str, Parts]] = {
    "query-after-step": {
        "looks-again": {"step": _order()},
        "weights-only": {"step": _order(keeps="context")},
        "context-only": {"step": _order(keeps="weights")},
        "empty-context": {"step": _order(empty=True)},
        "empty-then-again": {"step": _order(empty=True, again="old")},
        "empty-then-on": {"step": _order(empty=True, again="new")},
        "then-again": {"step": _order(again="old")},
        "then-on": {"step": _order(again="new")},
    }
}
SCORES: dict[str, dict[str, Part]] = {
    "missing-tanh": {"": _acting(lambda x: x)},
    "wrong-activation": {
        **{how: _acting(by) for how, by in ACTIVATIONS.items()},
        "outside": lambda w, s, h: torch.tanh(additive(w, s, h, lambda x: x)),
        "and-outside": _energies(lambda e, w, s: torch.tanh(e)),
    },
    "missing-decoder-term": {"": _alone(1)},
    "missing-encoder-term": {"": _alone(0), "no-term": lambda w, s, h: torch.zeros_like(h[:, :, 0])},
    "mean-not-sum": {"": _energies(lambda e, w, s: e / w["v.weight"].shape[1])},
    "wrong-scale": {
        "root-of-attention": _energies(lambda e, w, s: e / w["v.weight"].shape[1] ** 0.5),
        "root-of-state": _energies(lambda e, w, s: e / s.shape[1] ** 0.5),
        "root-of-states": _energies(lambda e, w, s: e / w["W_h.weight"].shape[1] ** 0.5),
    },
    "ignores-batch": {"query": lambda w, s, h: additive(w, s[:1].expand_as(s), h)},
    "silent-broadcast": {
        "query": lambda w, s, h: linear(
            w, "v", torch.tanh(linear(w, "W_s", s).unsqueeze(0) + linear(w, "W_h", h))
        ).squeeze(-1)
    },
    "detached-graph": {
        "query": lambda w, s, h: additive(w, s.detach(), h),
        "keys": lambda w, s, h: additive(w, s, h.detach()),
    },
}
SAYINGS: dict[str, dict[str, Parts]] = {
    "context-missing-from-output": {
        "": {"say": lambda new, context, old: cat(new, 0 * context)},
        "first": {"say": lambda new, context, old: cat(0 * context, new)},
    },
    "context-missing-from-input": {"": {"read": lambda word, context: cat(word, 0 * context)}},
    "output-from-old-state": {"": {"say": lambda new, context, old: cat(old, context)}},
    "concat-order-swapped": {
        "output": {"say": lambda new, context, old: cat(context, new)},
        "input": {"read": lambda word, context: cat(context, word)},
        "both": {"say": lambda new, context, old: cat(context, new), "read": lambda word, context: cat(context, word)},
    },
    "state-not-carried": {"": {"results": lambda logits, new, alpha, old: (logits, old, alpha)}},
    "returns-swapped": {
        "state-weights": {"results": lambda logits, new, alpha, old: (logits, alpha, new)},
        "state-logits": {"results": lambda logits, new, alpha, old: (new, logits, alpha)},
        "weights-logits": {"results": lambda logits, new, alpha, old: (alpha, new, logits)},
        "turned": {"results": lambda logits, new, alpha, old: (new, alpha, logits)},
        "turned-back": {"results": lambda logits, new, alpha, old: (alpha, logits, new)},
    },
    "detached-graph": {
        "state-told": {"results": lambda logits, new, alpha, old: (logits, new.detach(), alpha)},
        "weights-told": {"results": lambda logits, new, alpha, old: (logits, new, alpha.detach())},
        "said": {"say": lambda new, context, old: cat(new, context).detach()},
    },
}

# ---- Luong's


def _products(change: Part) -> Part:
    return lambda w, state, states: change(product(w, state, states), w, state)


def _turned_weight(w: Weights, state: Tensor, states: Tensor) -> Tensor:
    return ((state @ w["W_a.weight"].T).unsqueeze(1) @ states.mT).squeeze(1)


def _cosine(w: Weights, state: Tensor, states: Tensor) -> Tensor:
    return F.cosine_similarity(linear(w, "W_a", states), state.unsqueeze(1), dim=-1)


def _cosine_of_query(w: Weights, state: Tensor, states: Tensor) -> Tensor:
    return F.cosine_similarity((state @ w["W_a.weight"]).unsqueeze(1), states, dim=-1)


PRODUCTS: dict[str, dict[str, Part]] = {
    "general-transposed": {"": _turned_weight},
    "cosine-not-dot": {"": _cosine, "query": _cosine_of_query},
    "mean-not-sum": {
        "states": _products(lambda e, w, s: e / w["W_a.weight"].shape[1]),
        "state": _products(lambda e, w, s: e / s.shape[1]),
    },
    "wrong-scale": {
        "root-of-state": _products(lambda e, w, s: e / s.shape[1] ** 0.5),
        "root-of-states": _products(lambda e, w, s: e / w["W_a.weight"].shape[1] ** 0.5),
    },
    "wrong-activation": {
        "score": _products(lambda e, w, s: torch.tanh(e)),
        "keys": lambda w, s, h: (s.unsqueeze(1) @ torch.tanh(linear(w, "W_a", h)).mT).squeeze(1),
    },
    "ignores-batch": {"query": lambda w, s, h: product(w, s[:1].expand_as(s), h)},
    "hardcoded-answer": {"uniform": lambda w, s, h: 0 * product(w, s, h)},
    "detached-graph": {
        "query": lambda w, s, h: product(w, s.detach(), h),
        "keys": lambda w, s, h: product(w, s, h.detach()),
    },
}
LUONG: dict[str, dict[str, Parts]] = {
    "query-before-step": {
        "": {"query": lambda new, old: old},
        "joined-too": {"query": lambda new, old: old, "join": lambda context, new, old: cat(context, old)},
    },
    "missing-tanh": {"attentional": {"activation": lambda x: x}},
    "wrong-activation": {f"attentional-{how}": {"activation": by} for how, by in ACTIVATIONS.items()},
    "concat-order-swapped": {
        "join": {"join": lambda context, new, old: cat(new, context)},
        "input": {"read": lambda word, fed, old: cat(fed, word)},
        "both": {"join": lambda context, new, old: cat(new, context), "read": lambda word, fed, old: cat(fed, word)},
    },
    "no-input-feeding": {
        "": {"read": lambda word, fed, old: cat(word, 0 * fed)},
        "state": {"read": lambda word, fed, old: cat(word, old)},
        "told-state": {"results": lambda logits, new, a, alpha, old, fed: (logits, new, new, alpha)},
        "told-fed": {"results": lambda logits, new, a, alpha, old, fed: (logits, new, fed, alpha)},
        "told-zeros": {"results": lambda logits, new, a, alpha, old, fed: (logits, new, 0 * a, alpha)},
    },
    "context-missing-from-output": {
        "": {"join": lambda context, new, old: cat(0 * context, new)},
        "state": {"say": lambda attentional, new: new},
    },
    "state-not-carried": {
        "": {"results": lambda logits, new, a, alpha, old, fed: (logits, old, a, alpha)},
        "attentional": {"results": lambda logits, new, a, alpha, old, fed: (logits, a, a, alpha)},
    },
    "returns-swapped": {
        "state-attentional": {"results": lambda logits, new, a, alpha, old, fed: (logits, a, new, alpha)},
        "state-logits": {"results": lambda logits, new, a, alpha, old, fed: (new, logits, a, alpha)},
        "attentional-weights": {"results": lambda logits, new, a, alpha, old, fed: (logits, new, alpha, a)},
        "state-weights": {"results": lambda logits, new, a, alpha, old, fed: (logits, alpha, a, new)},
        "weights-second": {"results": lambda logits, new, a, alpha, old, fed: (logits, alpha, new, a)},
        "weights-first": {"results": lambda logits, new, a, alpha, old, fed: (alpha, new, a, logits)},
    },
    "detached-graph": {
        "attentional-told": {"results": lambda logits, new, a, alpha, old, fed: (logits, new, a.detach(), alpha)},
        "state-told": {"results": lambda logits, new, a, alpha, old, fed: (logits, new.detach(), a, alpha)},
        "weights-told": {"results": lambda logits, new, a, alpha, old, fed: (logits, new, a, alpha.detach())},
        "fed": {"read": lambda word, fed, old: cat(word, fed.detach())},
        "said": {"say": lambda attentional, new: attentional.detach()},
    },
}
VARIANTS = (
    *variants("BahdanauDecoder", bahdanau, *BOTH, ORDERS, of_part("score", SCORES), SAYINGS),
    *variants("LuongDecoder", luong, *BOTH, LUONG, of_part("score", PRODUCTS)),
)
