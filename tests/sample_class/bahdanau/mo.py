# Assignment 1: Bahdanau attention
#
# Fill in every place marked "Your code here". The README beside this file explains what is due,
# and bahdanau.ipynb is the same work as a notebook: hand in whichever you like, but only one.
# To see where you stand: attngrade check bahdanau.py

import torch
from torch import nn

# ---- 1. A softmax that does not overflow


def stable_softmax(scores, dim=-1):
    """Softmax along one axis, right for scores of any size up to +-1e4."""
    highest = torch.amax(scores, dim=dim, keepdim=True)
    exps = torch.exp(scores - highest)
    return exps / exps.sum(dim=dim, keepdim=True)


# ---- 2. The derivative of softmax, by hand


def softmax_vjp(weights, grad_weights):
    """The gradient of a loss with respect to the scores, given that for the weights."""
    # sum_i g_i a_i (delta_ij - a_j) = a_j g_j - a_j sum_i g_i a_i
    return weights * (grad_weights - (grad_weights * weights).sum(dim=-1, keepdim=True))


# ---- 3. The attention layer


class BahdanauAttention(nn.Module):
    """Additive attention (Bahdanau et al., 2015): e_j = v^T tanh(W_s s + W_h h_j)."""

    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_state, encoder_states):
        # ran out of time, sorry
        raise NotImplementedError

    def forward(self, decoder_state, encoder_states):
        # Your code here: weights, then the weighted sum of the encoder states.
        raise NotImplementedError
