import torch
from torch import nn


def stable_softmax(scores, dim=-1):
    e = torch.exp(scores - scores.amax(dim=dim, keepdim=True))
    return e / e.sum(dim=dim, keepdim=True)


def softmax_vjp(weights, grad_weights):
    # do it position by position, sum_i g_i * a_i * (delta_ij - a_j)
    T = weights.shape[-1]
    out = torch.zeros_like(weights)
    j = 0
    while j < T:
        i = 0
        while i < T:
            delta = 1.0 if i == j else 0.0
            out[..., j] = out[..., j] + grad_weights[..., i] * weights[..., i] * (delta - weights[..., j])
            i += 1
        # TODO does this need anything else here? it takes forever on my machine
    return out


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_state, encoder_states):
        q = self.W_s(decoder_state)
        return self.v(torch.tanh(q.unsqueeze(1) + self.W_h(encoder_states))).squeeze(-1)

    def forward(self, decoder_state, encoder_states):
        w = stable_softmax(self.score(decoder_state, encoder_states))
        return (w.unsqueeze(2) * encoder_states).sum(1), w
