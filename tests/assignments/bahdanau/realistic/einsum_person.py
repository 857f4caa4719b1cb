# HW1 - additive attention
# (everything with einsum, I find the shapes easier to read that way)

import torch
from torch import nn, einsum


def stable_softmax(scores, dim=-1):
    z = (scores - scores.amax(dim=dim, keepdim=True)).exp()
    return z / z.sum(dim=dim, keepdim=True)


def softmax_vjp(weights, grad_weights):
    # dL/de_j = a_j g_j - a_j sum_i a_i g_i
    mean_g = einsum("...i,...i->...", weights, grad_weights)
    return weights * grad_weights - einsum("...,...j->...j", mean_g, weights)


class BahdanauAttention(nn.Module):
    """e_j = v^T tanh(W_s s + W_h h_j)"""

    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_state, encoder_states):
        # a = attn_dim, s = source position
        q = einsum("bd,ad->ba", decoder_state, self.W_s.weight)
        k = einsum("bse,ae->bsa", encoder_states, self.W_h.weight)
        return einsum("bsa,oa->bs", torch.tanh(q[:, None, :] + k), self.v.weight)

    def forward(self, decoder_state, encoder_states):
        alpha = stable_softmax(self.score(decoder_state, encoder_states), dim=1)
        return einsum("bs,bse->be", alpha, encoder_states), alpha


if __name__ == "__main__":
    torch.manual_seed(0)
    att = BahdanauAttention(16, 16, 16)
    for n in (6, 12, 24, 48):
        c, a = att(torch.randn(1, 16), torch.randn(1, n, 16))
        print(n, c.shape, a.sum(-1))
    # vjp against autograd
    e = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    g = torch.randn(3, 5, dtype=torch.float64)
    a = stable_softmax(e)
    (want,) = torch.autograd.grad(a, e, g)
    print((softmax_vjp(a, g) - want).abs().max())
