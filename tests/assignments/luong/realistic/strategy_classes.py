"""Luong attention (assignment 2), written with interchangeable score strategies.

The three scores are small objects without parameters of their own. The layer owns the parameters
(so that the state dict has exactly the names of the handout) and passes itself to the strategy.
"""

from abc import ABC, abstractmethod
from enum import Enum
from typing import Dict, Optional, Tuple, Type

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Method(str, Enum):
    DOT = "dot"
    GENERAL = "general"
    CONCAT = "concat"


class ScoreStrategy(ABC):
    """How one decoder state is compared with one encoder state."""

    @staticmethod
    @abstractmethod
    def build(layer: "LuongAttention", enc_dim: int, dec_dim: int, attn_dim: Optional[int]) -> None:
        """Check the widths and give ``layer`` its parameters."""

    @staticmethod
    @abstractmethod
    def compare(layer: "LuongAttention", s: Tensor, h: Tensor) -> Tensor:
        """(B, T_t, dec_dim), (B, T_s, enc_dim) -> (B, T_t, T_s)."""


class DotScore(ScoreStrategy):
    @staticmethod
    def build(layer, enc_dim, dec_dim, attn_dim):
        if enc_dim != dec_dim:
            raise ValueError(f"the dot score needs equal widths, got enc_dim={enc_dim} and dec_dim={dec_dim}")

    @staticmethod
    def compare(layer, s, h):
        return torch.einsum("btd,bsd->bts", s, h)


class GeneralScore(ScoreStrategy):
    @staticmethod
    def build(layer, enc_dim, dec_dim, attn_dim):
        layer.W_a = nn.Linear(enc_dim, dec_dim, bias=False)

    @staticmethod
    def compare(layer, s, h):
        return DotScore.compare(layer, s, layer.W_a(h))


class ConcatScore(ScoreStrategy):
    @staticmethod
    def build(layer, enc_dim, dec_dim, attn_dim):
        if attn_dim is None:
            raise ValueError("the concat score needs attn_dim")
        layer.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
        layer.v = nn.Linear(attn_dim, 1, bias=False)

    @staticmethod
    def compare(layer, s, h):
        n_targets, n_sources = s.shape[1], h.shape[1]
        s = s.unsqueeze(2).expand(-1, -1, n_sources, -1)
        h = h.unsqueeze(1).expand(-1, n_targets, -1, -1)
        energy = torch.tanh(layer.W_a(torch.cat([s, h], dim=-1)))
        return layer.v(energy).squeeze(-1)


_REGISTRY: Dict[Method, Type[ScoreStrategy]] = {
    Method.DOT: DotScore,
    Method.GENERAL: GeneralScore,
    Method.CONCAT: ConcatScore,
}


class LuongAttention(nn.Module):
    """Multiplicative attention for all target positions at once."""

    def __init__(self, enc_dim: int, dec_dim: int, method: str = "dot", attn_dim: Optional[int] = None) -> None:
        super().__init__()
        # Enum lookup raises ValueError by itself for an unknown name
        self.method = Method(method)
        self._strategy = _REGISTRY[self.method]
        self._strategy.build(self, enc_dim, dec_dim, attn_dim)

    def score(self, decoder_states: Tensor, encoder_states: Tensor) -> Tensor:
        return self._strategy.compare(self, decoder_states, encoder_states)

    def forward(self, decoder_states: Tensor, encoder_states: Tensor) -> Tuple[Tensor, Tensor]:
        weights = F.softmax(self.score(decoder_states, encoder_states), dim=-1)
        context = torch.einsum("bts,bse->bte", weights, encoder_states)
        return context, weights


class AttentionalHidden(nn.Module):
    """tanh(W_c [context; decoder_state])"""

    def __init__(self, enc_dim: int, dec_dim: int) -> None:
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context: Tensor, decoder_states: Tensor) -> Tensor:
        return torch.tanh(self.W_c(torch.cat([context, decoder_states], dim=-1)))


class GaussianWindow:
    """The window of local-p attention around a fractional centre."""

    def __init__(self, center: Tensor, length: int, half_width: int) -> None:
        positions = torch.arange(length, dtype=center.dtype, device=center.device)
        distance = positions.unsqueeze(0) - center.unsqueeze(1)
        self.inside = distance.abs() <= half_width
        # outside, the distance is replaced by 0: nothing can overflow in the square
        self.distance = torch.where(self.inside, distance, torch.zeros_like(distance))
        self.sigma = half_width / 2

    def softmax(self, scores: Tensor) -> Tensor:
        low = torch.finfo(scores.dtype).min
        logits = scores.masked_fill(~self.inside, low)
        shifted = logits - logits.max(dim=-1, keepdim=True).values
        numerator = torch.exp(shifted) * self.inside
        return numerator / numerator.sum(dim=-1, keepdim=True).clamp(min=1e-9)

    def gaussian(self) -> Tensor:
        return torch.exp(-self.distance.square() / (2 * self.sigma**2))


def local_weights(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    """softmax inside the window, times the Gaussian; 0 outside."""
    window = GaussianWindow(center, scores.shape[-1], half_width)
    return window.softmax(scores) * window.gaussian()


if __name__ == "__main__":
    for m in Method:
        layer = LuongAttention(4, 4, m.value, attn_dim=3)
        c, w = layer(torch.randn(2, 3, 4), torch.randn(2, 5, 4))
        print(m.name, {k: tuple(p.shape) for k, p in layer.named_parameters()}, c.shape, w.shape)
    print(local_weights(torch.zeros(1, 7), torch.tensor([2.5]), half_width=2))
