"""Known mistakes of LuongAttention."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden import softmaxes
from autograder.assignments.kit.hidden.variant import from_table
from reference.luong import modules as right

Score = Callable[..., Tensor]
Attend = Callable[..., tuple[Tensor, Tensor]]


def dot(s: Tensor, h: Tensor) -> Tensor:
    return s @ h.mT


def general(s: Tensor, h: Tensor, W: Tensor) -> Tensor:
    return s @ W @ h.mT


def halves(s: Tensor, h: Tensor, W: Tensor) -> tuple[Tensor, Tensor]:
    """Return the two terms of concat: (B, T_t, attn_dim), (B, T_s, attn_dim)."""
    width = s.shape[-1]
    return s @ W[:, :width].T, h @ W[:, width:].T


def concat(s: Tensor, h: Tensor, W: Tensor, v: Tensor, activation: Score = torch.tanh) -> Tensor:
    q, k = halves(s, h, W)
    return activation(q.unsqueeze(2) + k.unsqueeze(1)) @ v[0]


SCORES: dict[str, Score] = {"dot": dot, "general": general, "concat": concat}


def _softmax(scores: Tensor) -> Tensor:
    return torch.softmax(scores, -1)


def _attend(scores: Tensor, s: Tensor, h: Tensor, layer: Any) -> tuple[Tensor, Tensor]:
    weights = _softmax(scores)
    return weights @ h, weights


def attention(
    scores: Mapping[str, Score] | None = None, in_forward: bool = True, attend: Attend = _attend
) -> dict[str, Any]:
    """Build a LuongAttention with some parts replaced by wrong ones. These are the scores of some methods, and what
    forward does with scores. Scores are wrong in ``score``, and also ``in_forward``."""
    wrong = SCORES | dict(scores or {})

    class LuongAttention(right.LuongAttention):
        def score(self, decoder_states: Tensor, encoder_states: Tensor) -> Tensor:
            return wrong[self.method](decoder_states, encoder_states, *self.weights.values())

        def forward(self, decoder_states: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
            score = (wrong if in_forward else SCORES)[self.method]
            made = score(decoder_states, encoder_states, *self.weights.values())
            return attend(made, decoder_states, encoder_states, self)

    return {"LuongAttention": LuongAttention}


# ---- from scores to results


def _read(of_context: Score, of_result: Score) -> Attend:
    """Use one softmax for the context, and another for the returned weights."""
    return lambda scores, s, h, layer: (of_context(scores) @ h, of_result(scores))


def _all(softmax: Score) -> Attend:
    return _read(softmax, softmax)


def _projected(methods: Sequence[str]) -> Attend:
    """Return the context of the projected states behind the scores."""

    def attend(scores: Tensor, s: Tensor, h: Tensor, layer: Any) -> tuple[Tensor, Tensor]:
        weights, W = _softmax(scores), layer.weights.get("W_a.weight")
        if layer.method in methods:
            h = h @ (W.T if layer.method == "general" else W[:, s.shape[-1] :].T)
        return weights @ h, weights

    return attend


def _table(scores: Tensor) -> Tensor:
    """Take the softmax over source and target together."""
    return torch.softmax(scores.flatten(1), 1).view(scores.shape)


def _guessed(scores: Tensor, s: Tensor, h: Tensor, layer: Any) -> tuple[Tensor, Tensor]:
    return _attend(softmaxes.guessed(scores, h), s, h, layer)


def _along_targets(scores: Tensor, s: Tensor, h: Tensor, layer: Any) -> tuple[Tensor, Tensor]:
    """Weigh the state of the target position, not those of the source positions."""
    weights = _softmax(scores)
    return (weights.unsqueeze(-1) * h.unsqueeze(2)).sum(2), weights


def _without_last(scores: Tensor, s: Tensor, h: Tensor, layer: Any) -> tuple[Tensor, Tensor]:
    weights = _softmax(scores)
    return weights[..., :-1] @ h[:, :-1], weights


def _detached(scores: Tensor) -> Tensor:
    return _softmax(scores).detach()


ATTENDS: dict[str, dict[str, Attend]] = {
    "context-from-projections": {
        "general": _projected(["general"]),
        "concat": _projected(["concat"]),
        "both": _projected(["general", "concat"]),
    },
    "detached-graph": {"for-context": _read(_detached, _softmax), "returned": _read(_softmax, _detached)},
    "softmax-wrong-axis": {"table": _all(_table)},
    "mask-from-values": {"": _guessed},
    "silent-broadcast": {"targets": _along_targets},
    "position-left-out": {"context": _without_last},
    "returns-swapped": {"": lambda scores, s, h, layer: _attend(scores, s, h, layer)[::-1]},
}
AXES = ("second", "last", "before", "maximum-of-last")  # the right one of three axes, or a duplicate of "next-to-last"
VARIANTS = (
    *(
        one
        for one in softmaxes.variants(lambda softmax: attention(attend=_all(softmax)))
        if one.how.removeprefix("softmax-") not in AXES
    ),
    *from_table(ATTENDS, lambda attend: attention(attend=attend)),
)
