"""torch's own scaled_dot_product_attention with a scale of 1, with scores as its mask, and with a window."""

import torch
from torch import nn
from torch.nn import functional as F


def unit_like(states):
    """(B, T, T): a unit matrix; as the values of an attention it gives the weights."""
    batch, length = states.shape[:2]
    return torch.eye(length, dtype=states.dtype, device=states.device).expand(batch, -1, -1)


class LuongAttention(nn.Module):
    """dot, general and concat."""

    def __init__(self, enc_dim, dec_dim, method="dot", attn_dim=None):
        super().__init__()
        if method not in ("dot", "general", "concat"):
            raise ValueError(f"unknown method {method!r}")
        if (method == "dot" and enc_dim != dec_dim) or (method == "concat" and attn_dim is None):
            raise ValueError("these sizes do not fit the method")
        self.method = method
        if method == "general":
            self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        if method == "concat":
            self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
            self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_states, encoder_states):
        """(B, T_t, dec_dim), (B, T_s, enc_dim) -> (B, T_t, T_s)."""
        if self.method == "concat":
            target, source = decoder_states.size(1), encoder_states.size(1)
            left = decoder_states.unsqueeze(2).expand(-1, -1, source, -1)
            right = encoder_states.unsqueeze(1).expand(-1, target, -1, -1)
            return self.v(torch.tanh(self.W_a(torch.cat([left, right], dim=-1)))).squeeze(-1)
        keys = self.W_a(encoder_states) if self.method == "general" else encoder_states
        return torch.bmm(decoder_states, keys.mT)

    def forward(self, decoder_states, encoder_states):
        """dot and general are what the function computes; concat's scores are added to a product of zeros."""
        query, keys, bias = decoder_states, encoder_states, None
        if self.method == "general":
            keys = self.W_a(encoder_states)
        if self.method == "concat":
            bias = self.score(decoder_states, encoder_states)
            query, keys = query.new_zeros(*query.shape[:2], 1), keys.new_zeros(*keys.shape[:2], 1)
        values = torch.cat([encoder_states, unit_like(encoder_states)], dim=-1)
        both = F.scaled_dot_product_attention(query, keys, values, attn_mask=bias, scale=1.0)
        return both.split([encoder_states.size(2), encoder_states.size(1)], dim=-1)


class AttentionalHidden(nn.Module):
    """tanh(W_c [context; decoder_state])."""

    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context, decoder_states):
        """-> (B, T_t, dec_dim)."""
        return F.tanh(F.linear(torch.cat([context, decoder_states], dim=-1), self.W_c.weight))


def local_weights(scores, center, half_width):
    """Keys that are the scores, under a mask; a row without any permitted key comes out as 0."""
    positions = torch.arange(scores.size(1), dtype=scores.dtype, device=scores.device)
    distance = positions - center.unsqueeze(1)
    inside = (distance.abs() <= half_width).unsqueeze(1)
    keys = scores.unsqueeze(2)
    weights = F.scaled_dot_product_attention(
        keys.new_ones(keys.size(0), 1, 1), keys, unit_like(scores), attn_mask=inside, scale=1.0
    )
    return weights.squeeze(1) * torch.exp(-2 * (distance / half_width).square())
