"""Known mistakes of ``luong``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.activations import ACTIVATIONS
from autograder.assignments.kit.hidden.variant import from_table
from autograder.assignments.luong.hidden.mistakes import attention, local, scores
from reference.luong import modules as right

Form = Callable[[Tensor, Tensor, Tensor], Tensor]  # context, state, W_c


def hidden(form: Form) -> dict[str, Any]:
    """Build an AttentionalHidden that computes ``form``."""

    class AttentionalHidden(right.AttentionalHidden):
        def forward(self, context: Tensor, decoder_states: Tensor) -> Tensor:
            return form(context, decoder_states, self.weights["W_c.weight"])

    return {"AttentionalHidden": AttentionalHidden}


def _linear(c: Tensor, s: Tensor, W: Tensor) -> Tensor:
    return torch.cat([c, s], -1) @ W.T


def _activated(activation: Callable[..., Tensor]) -> Form:
    return lambda c, s, W: activation(_linear(c, s, W))


HIDDEN: dict[str, dict[str, Form]] = {
    "concat-order-swapped": {"": lambda c, s, W: torch.tanh(_linear(s, c, W))},
    "missing-tanh": {"": _linear, "before": lambda c, s, W: _linear(torch.tanh(c), torch.tanh(s), W)},
    "wrong-activation": {
        **{how: _activated(one) for how, one in ACTIVATIONS.items()},
        "tanh-of-inputs-too": lambda c, s, W: torch.tanh(_linear(torch.tanh(c), torch.tanh(s), W)),
    },
    "mean-not-sum": {"": lambda c, s, W: torch.tanh(_linear(c, s, W) / W.shape[1])},
}
VARIANTS = (*scores.VARIANTS, *attention.VARIANTS, *from_table(HIDDEN, hidden, "hidden-{}"), *local.VARIANTS)
