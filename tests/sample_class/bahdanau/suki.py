import torch
from torch import nn


def stable_softmax(scores, dim=-1):
    e = torch.exp(scores - scores.amax(dim=dim, keepdim=True))
    return e / e.sum(dim=dim, keepdim=True)


def softmax_vjp(weights, grad_weights):
    # first bring everything to (rows, T), the formula is easier to see for single rows
    shape = weights.shape
    w, g = weights, grad_weights
    while w.dim() > 2:
        w = w.flatten(1, -2)
        g = g.flatten(1, -2)
        # print(w.shape)
    s = (w * g).sum(-1, keepdim=True)
    return (w * (g - s)).reshape(shape)


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
