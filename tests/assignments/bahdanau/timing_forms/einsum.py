"""Everything as an einsum."""

import torch
from torch import nn


def stable_softmax(scores, dim=-1):
    shifted = torch.exp(scores - scores.amax(dim, keepdim=True))
    return shifted / shifted.sum(dim, keepdim=True)


def softmax_vjp(weights, grad_weights):
    return weights * (grad_weights - (weights * grad_weights).sum(-1, keepdim=True))


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_state, encoder_states):
        query = torch.einsum("bd,ad->ba", decoder_state, self.W_s.weight)
        keys = torch.einsum("bth,ah->bta", encoder_states, self.W_h.weight)
        return torch.einsum("bta,a->bt", torch.tanh(query[:, None] + keys), self.v.weight[0])

    def forward(self, decoder_state, encoder_states):
        weights = stable_softmax(self.score(decoder_state, encoder_states))
        return torch.einsum("bt,bth->bh", weights, encoder_states), weights
