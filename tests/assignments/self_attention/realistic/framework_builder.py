"""Self-attention, assignment 3.

Design
------
* ``MaskedSoftmax``      the one place where a softmax is computed (own forward and backward)
* ``AttentionConfig``    sizes of a multi-head layer, validated once
* ``HeadLayout``         splitting and joining of heads
* everything the assignment asks for is built out of these three
"""

import logging
import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import nn

__all__ = [
    "self_attention",
    "scaled_dot_product_attention",
    "SelfAttention",
    "MultiHeadAttention",
    "sinusoidal_positions",
    "attention_entropy",
]

log = logging.getLogger(__name__)


class MaskedSoftmax(torch.autograd.Function):
    """Row softmax with a mask. Rows without any allowed entry are zero, and so are their gradients."""

    @staticmethod
    def forward(ctx, scores, mask):
        if mask is None:
            peak = scores.amax(dim=-1, keepdim=True)
            e = torch.exp(scores - peak)
        else:
            hidden = scores.masked_fill(~mask, -math.inf)
            peak = hidden.amax(dim=-1, keepdim=True)
            peak = torch.where(torch.isinf(peak), torch.zeros_like(peak), peak)
            e = torch.exp(hidden - peak)
        total = e.sum(dim=-1, keepdim=True)
        total = torch.where(total == 0, torch.ones_like(total), total)
        weights = e / total
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, grad):
        (weights,) = ctx.saved_tensors
        inner = (grad * weights).sum(dim=-1, keepdim=True)
        return weights * (grad - inner), None


def masked_softmax(scores, mask=None):
    return MaskedSoftmax.apply(scores, mask)


@dataclass(frozen=True)
class AttentionConfig:
    d_model: int
    num_heads: int

    def __post_init__(self):
        if self.num_heads < 1:
            raise ValueError("need at least one head")
        if self.d_model % self.num_heads != 0:
            raise ValueError(f"cannot split a width of {self.d_model} into {self.num_heads} heads")

    @property
    def d_head(self):
        return self.d_model // self.num_heads


class HeadLayout:
    """Moves between (B, T, d_model) and (B, H, T, d_head)."""

    def __init__(self, config):
        self.config = config

    def split(self, t):
        batch, length, _ = t.shape
        t = t.reshape(batch, length, self.config.num_heads, self.config.d_head)
        return t.permute(0, 2, 1, 3)

    def join(self, t):
        batch, _, length, _ = t.shape
        return t.permute(0, 2, 1, 3).reshape(batch, length, self.config.d_model)

    @staticmethod
    def lift_mask(mask):
        """Mask of (T_k,), (T_q, T_k) or (B, T_q, T_k) -> something that fits (B, H, T_q, T_k)."""
        if mask is None or mask.dim() < 3:
            return mask
        return mask.unsqueeze(1)


def _linear(n_in, n_out):
    return nn.Linear(n_in, n_out, bias=False)


def self_attention(x, temperature=1.0):
    weights = masked_softmax(torch.bmm(x, x.transpose(1, 2)) / temperature)
    return torch.bmm(weights, x), weights


def scaled_dot_product_attention(query, key, value, mask=None):
    # scale the query first, that is cheaper than scaling the (T_q, T_k) scores
    scores = (query / math.sqrt(key.size(-1))) @ key.transpose(-1, -2)
    weights = masked_softmax(scores, mask)
    return weights @ value, weights


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        for name, width in (("W_Q", d_k), ("W_K", d_k), ("W_V", d_v)):
            self.add_module(name, _linear(d_model, width))

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self._layout = HeadLayout(AttentionConfig(d_model, num_heads))
        self.W_Q = _linear(d_model, d_model)
        self.W_K = _linear(d_model, d_model)
        self.W_V = _linear(d_model, d_model)
        self.W_O = _linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        split = self._layout.split
        heads, weights = scaled_dot_product_attention(
            split(self.W_Q(query)),
            split(self.W_K(key)),
            split(self.W_V(value)),
            self._layout.lift_mask(mask),
        )
        log.debug("heads: %s", tuple(heads.shape))
        return self.W_O(self._layout.join(heads)), weights


@lru_cache(maxsize=32)
def _position_table(length, dim):
    p = np.arange(length)[:, None]
    two_i = np.arange(0, dim, 2)[None, :]
    angle = p / np.power(10000.0, two_i / dim)
    table = np.empty((length, dim))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)
    return table


def sinusoidal_positions(length, dim):
    # torch.tensor copies, so nobody can write into the cached array
    return torch.tensor(_position_table(length, dim), dtype=torch.float32)


def attention_entropy(weights):
    positive = weights > 0
    safe = torch.where(positive, weights, torch.ones_like(weights))
    return -(torch.where(positive, weights, torch.zeros_like(weights)) * safe.log()).sum(-1)


if __name__ == "__main__":
    import torch.nn.functional as F

    # compare with the built-in one (only here, it is not allowed above)
    q, k, v = torch.randn(2, 4, 5, 8), torch.randn(2, 4, 6, 8), torch.randn(2, 4, 6, 3)
    ours = scaled_dot_product_attention(q, k, v)[0]
    theirs = F.scaled_dot_product_attention(q, k, v)
    print("difference to torch:", (ours - theirs).abs().max().item())
    scores = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    mask = torch.rand(3, 4) > 0.3
    print("gradcheck:", torch.autograd.gradcheck(lambda s: masked_softmax(s, mask), (scores,)))
