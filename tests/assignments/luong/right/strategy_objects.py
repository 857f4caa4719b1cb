# whole file: A table of score functions, a base class, and a named tuple for the results.
from typing import NamedTuple, Optional, Tuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Attended(NamedTuple):
    context: Tensor
    weights: Tensor


def dot(layer, s: Tensor, h: Tensor) -> Tensor:
    return s @ h.mT


def general(layer, s: Tensor, h: Tensor) -> Tensor:
    return dot(layer, s, layer.W_a(h))


def concat(layer, s: Tensor, h: Tensor) -> Tensor:
    size = (s.shape[0], s.shape[1], h.shape[1])
    pairs = torch.cat([s[:, :, None].expand(*size, -1), h[:, None].expand(*size, -1)], dim=-1)
    return layer.v(torch.tanh(layer.W_a(pairs)))[..., 0]


SCORES = {"dot": dot, "general": general, "concat": concat}


class Base(nn.Module):
    def forward(self, decoder_states, encoder_states):
        weights = F.softmax(self.score(decoder_states, encoder_states), dim=-1)
        return Attended(weights @ encoder_states, weights)


class LuongAttention(Base):
    def __init__(self, enc_dim: int, dec_dim: int, method: str = "dot", attn_dim: Optional[int] = None) -> None:
        super().__init__()
        try:
            self.function = SCORES[method]
        except KeyError:
            raise ValueError(f"{method!r} is not one of {sorted(SCORES)}") from None
        if method == "dot" and enc_dim - dec_dim:
            raise ValueError
        if method == "general":
            self.add_module("W_a", nn.Linear(enc_dim, dec_dim, bias=False))
        if method == "concat":
            if attn_dim is None:
                raise ValueError
            self.W_a, self.v = nn.Linear(enc_dim + dec_dim, attn_dim, bias=False), nn.Linear(attn_dim, 1, bias=False)
        for p in self.parameters():
            nn.init.xavier_uniform_(p)

    def score(self, decoder_states: Tensor, encoder_states: Tensor) -> Tensor:
        return self.function(self, decoder_states, encoder_states)


class AttentionalHidden(nn.Module):
    def __init__(self, enc_dim: int, dec_dim: int) -> None:
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)
        self.net = [nn.Tanh()]

    def forward(self, context: Tensor, decoder_states: Tensor) -> Tensor:
        return self.net[0](self.W_c(torch.cat([context, decoder_states], -1)))


def local_weights(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    offsets = torch.arange(scores.shape[1]).to(center) - center.unsqueeze(-1)
    inside = offsets.abs().le(half_width)
    log_w = scores.masked_fill(~inside, torch.finfo(scores.dtype).min)
    log_w = F.log_softmax(log_w, dim=-1)
    log_gauss = -2.0 * offsets.square() / half_width**2
    log_w = torch.where(inside, log_w, torch.zeros_like(log_w))
    log_gauss = torch.where(inside, log_gauss, torch.zeros_like(log_gauss))
    return torch.exp(log_w + log_gauss) * inside
