# self attention, bo
# TODO clean up before submitting
import math
import torch
from torch import nn
# from torchviz import make_dot


def self_attention(x, temperature=1.0):
    outs = []
    ws = []
    for i in range(x.size(1)):
        xi = x[:, i]                                   # B,d
        s = (xi.unsqueeze(1) * x).sum(-1)              # B,T
        w = torch.softmax(s / temperature, dim=1)
        ws.append(w)
        outs.append((w.unsqueeze(2) * x).sum(1))
    return torch.stack(outs, 1), torch.stack(ws, 1)


def scaled_dot_product_attention(query, key, value, mask=None):
    s = torch.matmul(query, key.transpose(-1, -2))
    s = s / math.sqrt(query.size(-1))
    # print(s.shape)
    if mask is not None:
        s = s.masked_fill(mask == False, torch.finfo(s.dtype).min)
    w = torch.softmax(s, dim=-1)
    if mask is not None:
        w = w * mask.to(w.dtype)
    return torch.matmul(w, value), w


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)

    def forward(self, x, mask=None):
        q = self.W_Q(x)
        k = self.W_K(x)
        v = self.W_V(x)
        out, w = scaled_dot_product_attention(q, k, v, mask)
        return out, w


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError
        self.h = num_heads
        self.dh = d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.W_Q(query), self.W_K(key), self.W_V(value)
        outs, ws = [], []
        for i in range(self.h):          # one head after the other
            a, b = i * self.dh, (i + 1) * self.dh
            o, w = scaled_dot_product_attention(q[:, :, a:b], k[:, :, a:b], v[:, :, a:b], mask)
            outs.append(o)
            ws.append(w)
        return self.W_O(torch.cat(outs, -1)), torch.stack(ws, 1)


def sinusoidal_positions(length, dim):
    P = torch.zeros(length, dim)
    for p in range(length):
        for i in range(dim // 2):
            P[p, 2 * i] = math.sin(p / 10000 ** (2 * i / dim))
            P[p, 2 * i + 1] = math.cos(p / 10000 ** (2 * i / dim))
    return P


def attention_entropy(weights):
    return torch.special.entr(weights + (weights == 0) * 1.0).sum(-1)
