import math

import torch
from torch import einsum, nn

# einsum everywhere, no transposes to get wrong :)


def self_attention(x, temperature=1.0):
    s = einsum('bid,bjd->bij', x, x) / temperature
    a = s.softmax(-1)
    y = einsum('bij,bid->bjd', a, x)
    return y, a


def scaled_dot_product_attention(query, key, value, mask=None):
    s = einsum('...id,...jd->...ij', query, key) / math.sqrt(key.shape[-1])
    if mask is not None:
        s = torch.where(mask, s, torch.finfo(s.dtype).min)
    a = s.softmax(-1)
    if mask is not None:
        a = torch.where(mask, a, 0.0)
    return einsum('...ij,...jd->...id', a, value), a


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError('num_heads must divide d_model')
        self.h, self.d_h = num_heads, d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.W_Q(query), self.W_K(key), self.W_V(value)
        q, k, v = (t.reshape(*t.shape[:2], self.h, self.d_h) for t in (q, k, v))
        s = einsum('bihd,bjhd->bhij', q, k) / self.d_h ** 0.5
        if mask is not None:
            m = mask.unsqueeze(1) if mask.ndim == 3 else mask
            s = torch.where(m, s, torch.finfo(s.dtype).min)
        a = s.softmax(-1)
        if mask is not None:
            a = torch.where(m, a, 0.0)
        o = einsum('bhij,bjhd->bihd', a, v)
        return self.W_O(o.reshape(*o.shape[:2], self.h * self.d_h)), a


def sinusoidal_positions(length, dim):
    p = torch.arange(length, dtype=torch.float64)
    w = 10000 ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    ang = einsum('p,w->pw', p, w)
    return torch.stack([ang.sin(), ang.cos()], -1).reshape(length, dim).float()


def attention_entropy(weights):
    return -einsum('...j,...j->...', weights, (weights + 1e-9).log())


if __name__ == '__main__':
    x = torch.randn(2, 5, 4)
    y, a = self_attention(x)
    print(y.shape, a.sum(-1))
    print(attention_entropy(a))
    print(MultiHeadAttention(8, 4)(*[torch.randn(2, 3, 8)] * 3)[0].shape)
