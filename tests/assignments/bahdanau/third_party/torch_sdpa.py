"""torch's own: scaled_dot_product_attention whose keys are the scores; normalize, vecdot and bilinear."""

import torch
from torch import nn
from torch.nn import functional as F


def stable_softmax(scores, dim=-1):
    """Exponentials of what is at most 0, brought to a sum of 1 by F.normalize."""
    return F.normalize(torch.exp(scores - scores.amax(dim=dim, keepdim=True)), p=1.0, dim=dim)


def softmax_vjp(weights, grad_weights):
    """The gradient of the scores by hand."""
    return weights * (grad_weights - torch.linalg.vecdot(weights, grad_weights).unsqueeze(-1))


class BahdanauAttention(nn.Module):
    """e_j = v^T tanh(W_s s + W_h h_j)."""

    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_state, encoder_states):
        """(B, dec_dim), (B, T_s, enc_dim) -> (B, T_s)."""
        energy = torch.tanh(self.W_s(decoder_state).unsqueeze(1) + self.W_h(encoder_states))
        ones = energy.new_ones(*energy.shape[:2], 1)
        return F.bilinear(energy, ones, self.v.weight.unsqueeze(-1)).squeeze(-1)

    def forward(self, decoder_state, encoder_states):
        """A query of 1 meets keys that are the scores; a unit matrix among the values gives the weights."""
        batch, source, width = encoder_states.shape
        keys = self.score(decoder_state, encoder_states).unsqueeze(-1)
        unit = torch.eye(source, dtype=keys.dtype, device=keys.device).expand(batch, -1, -1)
        values = torch.cat([encoder_states, unit], dim=-1)
        both = F.scaled_dot_product_attention(keys.new_ones(batch, 1, 1), keys, values, scale=1.0)
        return both.squeeze(1).split([width, source], dim=-1)
