"""Everything is computed in double precision and given back in the precision that came."""
import torch
from torch import nn


class LuongAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, method="dot", attn_dim=None):
        super().__init__()
        if method == "dot":
            if enc_dim != dec_dim:
                raise ValueError("dims differ")
        elif method == "general":
            self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        elif method == "concat":
            if attn_dim is None:
                raise ValueError("attn_dim?")
            self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
            self.v = nn.Linear(attn_dim, 1, bias=False)
        else:
            raise ValueError("unknown method " + str(method))
        self.method = method

    def _score(self, s, h):
        if self.method == "dot":
            return s @ h.transpose(1, 2)
        W = self.W_a.weight.double()
        if self.method == "general":
            return s @ W @ h.transpose(1, 2)
        d = s.shape[-1]
        return torch.tanh((s @ W[:, :d].T)[:, :, None] + (h @ W[:, d:].T)[:, None]) @ self.v.weight.double()[0]

    def score(self, decoder_states, encoder_states):
        return self._score(decoder_states.double(), encoder_states.double()).to(decoder_states.dtype)

    def forward(self, decoder_states, encoder_states):
        h = encoder_states.double()
        w = self._score(decoder_states.double(), h).softmax(-1)
        return (w @ h).to(encoder_states.dtype), w.to(encoder_states.dtype)


class AttentionalHidden(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context, decoder_states):
        return torch.tanh(self.W_c(torch.cat((context, decoder_states), dim=2)))


def local_weights(scores, center, half_width):
    e, p = scores.double(), center.double()
    d = torch.arange(e.shape[1], dtype=torch.float64, device=e.device) - p[:, None]
    inside = d.abs() <= half_width
    e = e.masked_fill(~inside, -1e300).softmax(-1).masked_fill(~inside, 0)
    return (e * torch.exp(-(d**2) / 2 / (half_width / 2) ** 2)).to(scores.dtype)
