"""Assignment 1 -- Bahdanau (additive) attention.

Structure of this module
------------------------
* ``_StableSoftmax``      autograd function with an analytic backward pass
* ``AttentionConfig``     immutable description of the layer's widths
* ``AdditiveScorer``      mixin that knows how to combine query and keys
* ``BahdanauAttention``   public layer
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import NamedTuple, Tuple

import torch
from torch import Tensor, nn

__all__ = ["stable_softmax", "softmax_vjp", "BahdanauAttention"]

logger = logging.getLogger(__name__)


class AttentionOutput(NamedTuple):
    """What one read from the source returns."""

    context: Tensor
    weights: Tensor


@dataclass(frozen=True)
class AttentionConfig:
    enc_dim: int
    dec_dim: int
    attn_dim: int

    def __post_init__(self) -> None:
        for name in ("enc_dim", "dec_dim", "attn_dim"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be positive")


def _vjp_along(weights: Tensor, grad: Tensor, dim: int) -> Tensor:
    """alpha * (g - <alpha, g>), with the inner product along ``dim``."""
    inner = torch.sum(weights * grad, dim=dim, keepdim=True)
    return weights * (grad - inner)


class _StableSoftmax(torch.autograd.Function):
    """Softmax that stores only its output."""

    @staticmethod
    def forward(ctx, scores: Tensor, dim: int) -> Tensor:
        shifted = scores - torch.amax(scores, dim=dim, keepdim=True)
        numerator = torch.exp(shifted)
        weights = numerator / numerator.sum(dim=dim, keepdim=True)
        ctx.dim = dim
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, grad_output: Tensor) -> Tuple[Tensor, None]:
        (weights,) = ctx.saved_tensors
        return _vjp_along(weights, grad_output, ctx.dim), None


def stable_softmax(scores: Tensor, dim: int = -1) -> Tensor:
    """Numerically stable softmax along ``dim``."""
    return _StableSoftmax.apply(scores, dim)


def softmax_vjp(weights: Tensor, grad_weights: Tensor) -> Tensor:
    """Vector-Jacobian product of softmax along the last axis."""
    return _vjp_along(weights, grad_weights, dim=-1)


class AdditiveScorer:
    """Mixin: ``combine`` adds one query to all keys and squashes the sum."""

    @staticmethod
    def combine(query: Tensor, keys: Tensor) -> Tensor:
        if query.dim() != 2 or keys.dim() != 3:
            raise ValueError(f"expected (B, A) and (B, T, A), got {tuple(query.shape)} and {tuple(keys.shape)}")
        return torch.tanh(query.unsqueeze(1) + keys)


class BahdanauAttention(AdditiveScorer, nn.Module):
    """Additive attention: ``e_j = v^T tanh(W_s s + W_h h_j)``."""

    def __init__(self, enc_dim: int, dec_dim: int, attn_dim: int) -> None:
        super().__init__()
        self.config = AttentionConfig(enc_dim, dec_dim, attn_dim)
        self.W_s = self._projection(dec_dim, attn_dim)
        self.W_h = self._projection(enc_dim, attn_dim)
        self.v = self._projection(attn_dim, 1)
        logger.debug("built %s", self.config)

    @staticmethod
    def _projection(n_in: int, n_out: int) -> nn.Linear:
        return nn.Linear(n_in, n_out, bias=False)

    def extra_repr(self) -> str:
        return f"config={self.config}"

    def score(self, decoder_state: Tensor, encoder_states: Tensor) -> Tensor:
        hidden = self.combine(self.W_s(decoder_state), self.W_h(encoder_states))
        return self.v(hidden).squeeze(-1)

    def forward(self, decoder_state: Tensor, encoder_states: Tensor) -> AttentionOutput:
        weights = stable_softmax(self.score(decoder_state, encoder_states))
        context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)
        return AttentionOutput(context, weights)


def _main() -> None:
    logging.basicConfig(level=logging.DEBUG)
    torch.manual_seed(0)
    layer = BahdanauAttention(8, 6, 5).double()
    out = layer(torch.randn(2, 6).double(), torch.randn(2, 7, 8).double())
    print(layer)
    print(out.context.shape, out.weights.sum(-1))
    scores = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    print(torch.autograd.gradcheck(lambda t: stable_softmax(t, 0), (scores,)))


if __name__ == "__main__":
    _main()
