import math

import torch
from torch import nn


class LuongAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, method="dot", attn_dim=None):
        super().__init__()
        if method not in ("dot", "general", "concat"):
            raise ValueError(f"unknown method {method!r}")
        if method == "dot" and enc_dim != dec_dim:
            raise ValueError("dot needs enc_dim == dec_dim")
        if method == "concat" and attn_dim is None:
            raise ValueError("concat needs attn_dim")
        self.method = method
        self.dec_dim = dec_dim
        if method == "general":
            self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        if method == "concat":
            self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
            self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_states, encoder_states):
        s, h = decoder_states, encoder_states
        if self.method == "dot":
            return s @ h.mT
        if self.method == "general":
            return (s @ self.W_a.weight) @ h.mT  # s^T (W h) = (W^T s)^T h
        # W [s; h] = W_left s + W_right h, so no need to build all pairs twice
        left, right = self.W_a.weight.split([self.dec_dim, h.size(-1)], dim=1)
        pairs = (s @ left.T).unsqueeze(2) + (h @ right.T).unsqueeze(1)
        return self.v(pairs.tanh()).squeeze(-1)

    def forward(self, decoder_states, encoder_states):
        weights = self.score(decoder_states, encoder_states).softmax(-1)
        return weights @ encoder_states, weights


class AttentionalHidden(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context, decoder_states):
        return self.W_c(torch.cat((context, decoder_states), -1)).tanh()


def local_weights(scores, center, half_width):
    j = torch.arange(scores.size(-1), device=scores.device, dtype=scores.dtype)
    d = j - center.unsqueeze(-1)
    inside = d.abs() <= half_width
    some = inside.any(-1, keepdim=True)
    # rows without a window get harmless zeros before the softmax, so nothing is ever 0/0
    e = scores.masked_fill(~inside, -math.inf).masked_fill(~some, 0.0)
    a = e.softmax(-1) * torch.exp(-2 * (d / half_width) ** 2)  # 2 sigma^2 = D^2 / 2
    return a.masked_fill(~inside, 0.0)
