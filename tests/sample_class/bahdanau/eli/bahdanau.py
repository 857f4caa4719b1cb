# Eli -- HW1. Checked softmax against torch.softmax on random numbers, max diff 1e-7, good.
# vjp: softmax is elementwise-ish so derivative is a*(1-a) like sigmoid (?)

import torch
from torch import nn


def stable_softmax(scores, dim=-1):
    z = scores - torch.max(scores, dim=dim, keepdim=True)[0]
    return torch.exp(z) / torch.exp(z).sum(dim, keepdim=True)


def softmax_vjp(weights, grad_weights):
    # derivative of a_i wrt e_i is a_i (1 - a_i)
    return grad_weights * weights * (1 - weights)


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.enc_dim, self.dec_dim, self.attn_dim = enc_dim, dec_dim, attn_dim
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_state, encoder_states):
        B, T, _ = encoder_states.shape
        s = decoder_state.unsqueeze(1).expand(B, T, self.dec_dim)   # copy the state T times
        e = self.v(torch.tanh(self.W_s(s) + self.W_h(encoder_states)))
        return e.reshape(B, T)

    def forward(self, decoder_state, encoder_states):
        e = self.score(decoder_state, encoder_states)
        a = stable_softmax(e)
        c = torch.einsum('bt,btd->bd', a, encoder_states)
        return c, a
