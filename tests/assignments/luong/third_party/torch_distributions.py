"""torch's own: bilinear, Categorical for the softmax, masked.softmax for the window, Normal for the Gaussian."""

import math

import torch
from torch import nn
from torch.distributions import Categorical, Normal
from torch.nn import functional as F


class LuongAttention(nn.Module):
    """dot, general and concat."""

    def __init__(self, enc_dim, dec_dim, method="dot", attn_dim=None):
        super().__init__()
        if method == "general":
            self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        elif method == "concat" and attn_dim is not None:
            self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
            self.v = nn.Linear(attn_dim, 1, bias=False)
        elif method != "dot" or enc_dim != dec_dim:
            raise ValueError(f"{method!r} does not go with {enc_dim}, {dec_dim} and {attn_dim}")
        self.method = method

    def score(self, decoder_states, encoder_states):
        """(B, T_t, dec_dim), (B, T_s, enc_dim) -> (B, T_t, T_s)."""
        shape = decoder_states.size(0), decoder_states.size(1), encoder_states.size(1), -1
        queries, keys = decoder_states.unsqueeze(2).expand(shape), encoder_states.unsqueeze(1).expand(shape)
        if self.method == "dot":
            return torch.linalg.vecdot(queries, keys)
        if self.method == "general":
            return F.bilinear(queries, keys, self.W_a.weight.unsqueeze(0)).squeeze(-1)
        return self.v(self.W_a(torch.cat([queries, keys], dim=-1)).tanh()).squeeze(-1)

    def forward(self, decoder_states, encoder_states):
        """-> context (B, T_t, enc_dim), weights (B, T_t, T_s)."""
        scores = self.score(decoder_states, encoder_states)
        weights = Categorical(logits=scores, validate_args=False).probs
        return torch.einsum("bts,bse->bte", weights, encoder_states), weights


class AttentionalHidden(nn.Module):
    """tanh(W_c [context; decoder_state])."""

    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context, decoder_states):
        """-> (B, T_t, dec_dim)."""
        return nn.Sequential(self.W_c, nn.Tanh())(torch.cat([context, decoder_states], dim=-1))


def local_weights(scores, center, half_width):
    """torch.masked.softmax gives NaN for a row without a window: such rows are opened first, and emptied after."""
    positions = torch.arange(scores.size(1), dtype=scores.dtype, device=scores.device)
    middle = center.unsqueeze(1)
    inside = (positions - middle).abs() <= half_width
    opened = inside | ~inside.any(dim=1, keepdim=True)
    weights = torch.masked.softmax(scores, 1, mask=opened).masked_fill(~inside, 0.0)
    sigma = half_width / 2
    density = Normal(middle, sigma, validate_args=False).log_prob(positions)
    return weights * torch.exp(density + math.log(sigma * math.sqrt(2 * math.pi)))
