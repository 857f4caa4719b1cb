import torch
from torch import nn


def stable_softmax(scores, dim=-1):
    shifted = scores - scores.amax(dim=dim, keepdim=True)
    e = torch.exp(shifted)
    return e / e.sum(dim=dim, keepdim=True


def softmax_vjp(weights, grad_weights):
    s = (weights * grad_weights).sum(-1, keepdim=True)
    return weights * (grad_weights - s)


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
