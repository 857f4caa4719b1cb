"""Known mistakes of ``luong``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.misconceptions import luong_attention, luong_local, luong_scores
from autograder.misconceptions.luong_scores import ACTIVATIONS
from autograder.misconceptions.variant import Variant
from autograder.oracle import luong as right

Form = Callable[[Tensor, Tensor, Tensor], Tensor]  # context, state, W_c


def hidden(form: Form) -> dict[str, Any]:
    """An AttentionalHidden that computes something else."""

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
    "wrong-activation": {how: _activated(one) for how, one in ACTIVATIONS.items()},
    "": {  # known, and without an id
        "twice": lambda c, s, W: torch.tanh(_linear(torch.tanh(c), torch.tanh(s), W)),
        "residual": lambda c, s, W: torch.tanh(_linear(c, s, W)) + s,
        "residual-inside": lambda c, s, W: torch.tanh(_linear(c, s, W) + s),
        "no-context": lambda c, s, W: torch.tanh(_linear(0 * c, s, W)),
        "no-state": lambda c, s, W: torch.tanh(_linear(c, 0 * s, W)),
    },
    "mean-not-sum": {"": lambda c, s, W: torch.tanh(_linear(c, s, W) / W.shape[1])},
    "ignores-batch": {
        "context": lambda c, s, W: torch.tanh(_linear(c[:1].expand_as(c), s, W)),
        "state": lambda c, s, W: torch.tanh(_linear(c, s[:1].expand_as(s), W)),
    },
}
VARIANTS = (
    *luong_scores.VARIANTS,
    *luong_attention.VARIANTS,
    *(Variant(cause, f"hidden-{how}", hidden(one)) for cause, all_ in HIDDEN.items() for how, one in all_.items()),
    *luong_local.VARIANTS,
)  # fmt: skip
