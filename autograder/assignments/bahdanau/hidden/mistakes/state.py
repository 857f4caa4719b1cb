"""Known mistakes of ``BahdanauAttention``: state that a module keeps between calls."""

from __future__ import annotations

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant
from reference.bahdanau import modules as right


def _summed(weights: Tensor, states: Tensor) -> Tensor:
    return (weights.unsqueeze(-1) * states).sum(1)


def _kept(what: str, sized: bool = False) -> type[right.BahdanauAttention]:
    """Build a BahdanauAttention that keeps a value of its first call. ``sized``: of the first call of each size."""

    class BahdanauAttention(right.BahdanauAttention):
        first: Tensor | None = None

        def _first(self, name: str, value: Tensor) -> Tensor:
            if name != what:
                return value
            if self.first is None or (sized and self.first.shape != value.shape):
                self.first = value
            return self.first

        def score(self, decoder_state: Tensor, encoder_states: Tensor) -> Tensor:
            state, states = self._first("state", decoder_state), self._first("states", encoder_states)
            return super().score(state, states)

        def forward(self, decoder_state: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
            weights = self._first("weights", torch.softmax(self.score(decoder_state, encoder_states), -1))
            return self._first("context", _summed(weights, encoder_states)), weights

    return BahdanauAttention


def _averaged() -> type[right.BahdanauAttention]:
    """Build a BahdanauAttention whose weights are the mean of this call's and the last call's."""

    class BahdanauAttention(right.BahdanauAttention):
        last: Tensor | None = None

        def forward(self, decoder_state: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
            weights = torch.softmax(self.score(decoder_state, encoder_states), -1)
            if self.last is not None and self.last.shape == weights.shape:
                weights = (weights + self.last) / 2
            self.last = weights.detach()
            return _summed(weights, encoder_states), weights

    return BahdanauAttention


KEPT = ("state", "states", "weights", "context")
VARIANTS = (
    *(Variant("stateful", what, {"BahdanauAttention": _kept(what)}) for what in KEPT),
    *(Variant("stateful", f"{what}-by-size", {"BahdanauAttention": _kept(what, sized=True)}) for what in KEPT),
    Variant("stateful", "average", {"BahdanauAttention": _averaged()}),
)
