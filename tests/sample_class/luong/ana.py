"""Homework 2 - multiplicative attention, einsum edition."""

from __future__ import annotations

import torch
from torch import Tensor, nn

METHODS = {"dot", "general", "concat"}


class LuongAttention(nn.Module):
    def __init__(self, enc_dim: int, dec_dim: int, method: str = "dot", attn_dim: int | None = None) -> None:
        super().__init__()
        if method not in METHODS:
            raise ValueError(f"unknown method {method!r}, pick one of {sorted(METHODS)}")
        self.method = method
        if method == "dot":
            if enc_dim != dec_dim:
                raise ValueError("dot needs equal widths")
        elif method == "general":
            self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        else:
            if attn_dim is None:
                raise ValueError("concat needs attn_dim")
            self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
            self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_states: Tensor, encoder_states: Tensor) -> Tensor:
        s, h = decoder_states, encoder_states
        if self.method == "dot":
            return torch.einsum("bid,bjd->bij", s, h)
        if self.method == "general":
            return torch.einsum("bid,de,bje->bij", s, self.W_a.weight, h)
        n_t, n_s = s.shape[1], h.shape[1]
        pairs = torch.cat(
            (s[:, :, None, :].expand(-1, -1, n_s, -1), h[:, None, :, :].expand(-1, n_t, -1, -1)), dim=-1
        )
        return self.v(torch.tanh(self.W_a(pairs))).squeeze(-1)

    def forward(self, decoder_states: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
        weights = self.score(decoder_states, encoder_states).softmax(dim=-1)
        return torch.einsum("bij,bje->bie", weights, encoder_states), weights


class AttentionalHidden(nn.Module):
    def __init__(self, enc_dim: int, dec_dim: int) -> None:
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context: Tensor, decoder_states: Tensor) -> Tensor:
        return self.W_c(torch.cat((context, decoder_states), dim=-1)).tanh()


def local_weights(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    j = torch.arange(scores.shape[1], device=scores.device, dtype=scores.dtype)
    offset = j[None, :] - center[:, None]
    inside = offset.abs() <= half_width
    # -inf rows would give NaN, so an empty row is left unmasked and zeroed at the end
    usable = inside | ~inside.any(dim=1, keepdim=True)
    weights = scores.masked_fill(~usable, float("-inf")).softmax(dim=1)
    gauss = torch.exp(-2 * (offset / half_width) ** 2)
    return torch.where(inside, weights * gauss, torch.zeros_like(weights))
