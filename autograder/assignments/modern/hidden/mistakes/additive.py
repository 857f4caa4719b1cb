"""Known mistakes of ProjectedAttention."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.activations import ACTIVATIONS
from autograder.assignments.kit.hidden.softmaxes import OF_LAST_AXIS
from autograder.assignments.kit.hidden.variant import Variant, from_table
from reference.modern import modules as right

Part = Callable[..., Any]


def additive(
    step_terms: Part = lambda state, states, projected, W_s, W_h: (state @ W_s.T, projected),
    forward_terms: Part = lambda state, states, projected, W_s, W_h: (state @ W_s.T, projected),
    hidden: Part = lambda decoder, encoder: torch.tanh(decoder.unsqueeze(2) + encoder.unsqueeze(1)),
    score: Part = lambda hidden, v: (hidden @ v.T).squeeze(3),
    softmax: Part = lambda scores: torch.softmax(scores, -1),
    summed: Part = lambda weights, states, projected: weights @ states,
    projection: Part = lambda states, W_h: states @ W_h.T,
    results: Part = lambda context, weights: (context, weights),
) -> dict[str, Any]:
    """Build a ProjectedAttention with some parts replaced by wrong ones. The terms get states (B, T_t, dec_dim)."""

    class ProjectedAttention(right.ProjectedAttention):
        def project(self, encoder_states: Tensor) -> Tensor:
            found: Tensor = projection(encoder_states, self.weights["W_h.weight"])
            return found

        def step(self, decoder_state: Tensor, encoder_states: Tensor, projected: Tensor) -> tuple[Tensor, Tensor]:
            made = self._found(step_terms, decoder_state.unsqueeze(1), encoder_states, projected)
            context, weights = results(*(one.squeeze(1) for one in made))
            return context, weights

        def forward(self, decoder_states: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
            projected = right.ProjectedAttention.project(self, encoder_states)
            context, weights = results(*self._found(forward_terms, decoder_states, encoder_states, projected))
            return context, weights

        def _found(self, terms: Part, state: Tensor, states: Tensor, projected: Tensor) -> tuple[Tensor, Tensor]:
            W_s, W_h, v = (self.weights[f"{name}.weight"] for name in ("W_s", "W_h", "v"))
            weights = softmax(score(hidden(*terms(state, states, projected, W_s, W_h)), v))
            return summed(weights, states, projected), weights

    return {"ProjectedAttention": ProjectedAttention}


def _again(state: Tensor, states: Tensor, projected: Tensor, W_s: Tensor, W_h: Tensor) -> tuple[Tensor, Tensor]:
    return state @ W_s.T, states @ W_h.T


TERMS: dict[str, dict[str, Part]] = {
    "missing-decoder-term": {"": lambda s, h, p, W_s, W_h: (0 * (s @ W_s.T), p)},
    "missing-encoder-term": {"": lambda s, h, p, W_s, W_h: (s @ W_s.T, 0 * p)},
    "detached-graph": {
        "state": lambda s, h, p, W_s, W_h: ((s @ W_s.T).detach(), p),
        "projected": lambda s, h, p, W_s, W_h: (s @ W_s.T, p.detach()),
    },
    "ignores-batch": {
        "states": lambda s, h, p, W_s, W_h: ((s @ W_s.T)[:1].expand(len(s), -1, -1), p),
        "projected": lambda s, h, p, W_s, W_h: (s @ W_s.T, p[:1].expand(len(s), -1, -1)),
    },
}
OF_FORWARD: dict[str, dict[str, Part]] = {
    "": {
        "one-step": lambda s, h, p, W_s, W_h: ((s @ W_s.T)[:, :1].expand(-1, s.shape[1], -1), p),
        "last-step": lambda s, h, p, W_s, W_h: ((s @ W_s.T)[:, -1:].expand(-1, s.shape[1], -1), p),
    }
}
HIDDEN: dict[str, dict[str, Part]] = {
    "missing-tanh": {"": lambda d, e: d.unsqueeze(2) + e.unsqueeze(1)},
    "wrong-activation": {
        how: lambda d, e, one=one: one(d.unsqueeze(2) + e.unsqueeze(1)) for how, one in ACTIVATIONS.items()
    },
    "tanh-before-sum": {"": lambda d, e: d.tanh().unsqueeze(2) + e.tanh().unsqueeze(1)},
    "": {"product": lambda d, e: torch.tanh(d.unsqueeze(2) * e.unsqueeze(1))},
}
SUMS: dict[str, dict[str, Part]] = {
    "context-from-projections": {"": lambda w, h, p: w @ p},
    "mean-not-sum": {"context": lambda w, h, p: w @ h / h.shape[1]},
    "detached-graph": {
        "weights": lambda w, h, p: w.detach() @ h,
        "context": lambda w, h, p: (w @ h).detach(),
        "states": lambda w, h, p: w @ h.detach(),
    },
    "hardcoded-answer": {"mean": lambda w, h, p: h.mean(1, keepdim=True).expand(-1, w.shape[1], -1) + 0 * (w @ h)},
}
SCORES: dict[str, dict[str, Part]] = {
    "wrong-scale": {"": lambda x, v: (x @ v.T).squeeze(3) / v.shape[1] ** 0.5},
    "": {"without-v": lambda x, v: x.sum(3) + 0 * (x @ v.T).squeeze(3)},
}


def _variants() -> Iterator[Variant]:
    yield Variant("projects-again", "", additive(step_terms=_again))
    yield from from_table(TERMS, lambda one: additive(one, one))
    yield from from_table(OF_FORWARD, lambda one: additive(forward_terms=one), "forward-{}")
    yield from from_table(HIDDEN, lambda one: additive(hidden=one), "hidden-{}")
    yield from from_table(SCORES, lambda one: additive(score=one), "score-{}")
    yield from from_table(SUMS, lambda one: additive(summed=one), "summed-{}")
    yield from from_table(OF_LAST_AXIS, lambda one: additive(softmax=one), "softmax-{}")
    yield Variant("returns-swapped", "", additive(results=lambda context, weights: (weights, context)))
    yield Variant("tanh-before-sum", "project", additive(projection=lambda h, W: torch.tanh(h @ W.T)))


VARIANTS = tuple(_variants())
