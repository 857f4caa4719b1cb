# bahdanau hw
# i did it with loops first to understand what is going on and then it worked so i left it :)
import torch
from torch import nn
# import numpy as np
# import matplotlib.pyplot as plt


def stable_softmax(scores, dim=-1):
    m = torch.amax(scores, dim, keepdim=True)
    # print("max", m)
    top = torch.exp(scores - m)
    bottom = torch.sum(top, dim, keepdim=True)
    return top / bottom


def softmax_vjp(weights, grad_weights):
    # from my notes: row i of the jacobian is a_i*(delta_ij - a_j)
    # multiply by g_i and sum over i ->  a_j g_j - a_j * sum_i(a_i g_i)
    s = (weights * grad_weights).sum(-1).unsqueeze(-1)
    return weights * grad_weights - weights * s


class BahdanauAttention(nn.Module):

    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_state, encoder_states):
        T = encoder_states.shape[1]
        scores = []
        for j in range(T):
            h_j = encoder_states[:, j, :]
            e_j = self.v(torch.tanh(self.W_s(decoder_state) + self.W_h(h_j)))   # (B, 1)
            scores.append(e_j)
        return torch.cat(scores, dim=1)

    def forward(self, decoder_state, encoder_states):
        weights = stable_softmax(self.score(decoder_state, encoder_states))
        context = 0
        for j in range(encoder_states.shape[1]):
            context = context + weights[:, j:j + 1] * encoder_states[:, j, :]
        # assert torch.allclose(weights.sum(1), torch.ones(weights.shape[0]))
        return context, weights


if __name__ == "__main__":
    a = BahdanauAttention(4, 3, 5)
    c, w = a(torch.randn(2, 3), torch.randn(2, 6, 4))
    print(c.shape, w.shape)   # should be (2,4) (2,6)
    print(w.sum(1))
