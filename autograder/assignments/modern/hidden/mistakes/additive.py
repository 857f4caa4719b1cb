"""Known mistakes of ProjectedAttention."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.activations import ACTIVATIONS
from autograder.assignments.kit.hidden.softmaxes import OF_LAST_AXIS
from autograder.assignments.kit.hidden.variant import Variant, from_table
from reference.modern import modules as right

Part = Callable[..., Any]


def additive(of_step: Mapping[str, Part] | None = None, of_forward: Mapping[str, Part] | None = None) -> dict[str, Any]:
    """Build a ProjectedAttention with some parts of step and of forward replaced by wrong ones (see ``RIGHT``)."""

    class ProjectedAttention(right.ProjectedAttention):
        def step(self, decoder_state: Tensor, encoder_states: Tensor, projected: Tensor) -> tuple[Tensor, Tensor]:
            parts = RIGHT | dict(of_step or {})
            made = self._found(parts, decoder_state.unsqueeze(1), encoder_states, projected)
            context, weights = parts["results"](*(one.squeeze(1) for one in made))
            return context, weights

        def forward(self, decoder_states: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
            parts = RIGHT | dict(of_forward or {})
            found = self._found(parts, decoder_states, encoder_states, self.project(encoder_states))
            context, weights = parts["results"](*found)
            return context, weights

        def _found(
            self, parts: Mapping[str, Part], state: Tensor, states: Tensor, projected: Tensor
        ) -> tuple[Tensor, Tensor]:
            W_s, W_h, v = (self.weights[f"{name}.weight"] for name in ("W_s", "W_h", "v"))
            hidden = parts["hidden"](*parts["terms"](state, states, projected, W_s, W_h))
            weights = parts["softmax"](parts["score"](hidden, v))
            return parts["summed"](weights, states, projected), weights

    return {"ProjectedAttention": ProjectedAttention}


# The right parts. The terms get decoder states (B, T_t, dec_dim); a step has one of them.
RIGHT: dict[str, Part] = {
    "terms": lambda state, states, projected, W_s, W_h: (state @ W_s.T, projected),
    "hidden": lambda decoder, encoder: torch.tanh(decoder.unsqueeze(2) + encoder.unsqueeze(1)),
    "score": lambda hidden, v: (hidden @ v.T).squeeze(3),
    "softmax": lambda scores: torch.softmax(scores, -1),
    "summed": lambda weights, states, projected: weights @ states,
    "results": lambda context, weights: (context, weights),
}


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


# of them all, by the part that they replace
TABLES: dict[str, Mapping[str, Mapping[str, Part]]] = {
    "terms": TERMS,
    "hidden": HIDDEN,
    "score": SCORES,
    "summed": SUMS,
    "softmax": OF_LAST_AXIS,
}
FREQUENT = ("missing-decoder-term", "missing-encoder-term", "missing-tanh", "context-from-projections", "mean-not-sum")
FREQUENT_TOO = ("softmax-wrong-axis", "missing-softmax", "softmax-unstable", "tanh-before-sum")


def _variants() -> Iterator[Variant]:
    yield Variant("projects-again", "", additive({"terms": _again}))
    for part, table in TABLES.items():
        for cause, all_ in table.items():
            for how, one in all_.items():
                yield Variant(cause, f"{part}-{how}", additive({part: one}, {part: one}))
                if cause in FREQUENT or cause in FREQUENT_TOO:
                    yield Variant(cause, f"{part}-{how}-step", additive({part: one}))
                    yield Variant(cause, f"{part}-{how}-forward", additive(None, {part: one}))
    yield from from_table(OF_FORWARD, lambda one: additive(None, {"terms": one}), "forward-{}")
    swapped = {"results": lambda context, weights: (weights, context)}
    yield Variant("returns-swapped", "", additive(swapped, swapped))


VARIANTS = tuple(_variants())
