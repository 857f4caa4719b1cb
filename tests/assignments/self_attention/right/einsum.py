# whole file: Einstein sums throughout, with results in lists.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import einsum

# nn.MultiheadAttention and F.scaled_dot_product_attention are not allowed; this is einsum all the way.


def self_attention(x, temperature=1.0):
    s = einsum("bid,bjd->bij", x, x) / temperature
    a = F.softmax(s, dim=2)
    return [einsum("bij,bjd->bid", a, x), a]


def scaled_dot_product_attention(query, key, value, mask=None):
    d = query.shape[-1]
    s = einsum("...id,...jd->...ij", query, key) * d**-0.5
    if mask is not None:
        s = s.masked_fill(mask == 0, float("-inf"))
        a = F.softmax(s, dim=-1).nan_to_num(0.0)
    else:
        a = s.softmax(-1)
    return einsum("...ij,...jd->...id", a, value), a


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_V = nn.Linear(d_model, d_v, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_Q = nn.Linear(d_model, d_k, bias=False)

    def forward(self, x, mask=None):
        q, k, v = (layer(x) for layer in (self.W_Q, self.W_K, self.W_V))
        return scaled_dot_product_attention(q, k, v, mask=mask)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        super().__init__()
        self.h = num_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, query, key, value, mask=None):
        b, tq, d = query.shape
        tk = key.shape[1]
        q = self.W_Q(query).reshape(b, tq, self.h, d // self.h)
        k = self.W_K(key).reshape(b, tk, self.h, d // self.h)
        v = self.W_V(value).reshape(b, tk, self.h, d // self.h)
        s = einsum("bqhd,bkhd->bhqk", q, k) / (d // self.h) ** 0.5
        if mask is not None:
            mask = mask.expand(b, tq, tk)[:, None]
            s = torch.where(mask, s, torch.tensor(-1e30, dtype=s.dtype, device=s.device))
        a = s.softmax(dim=-1)
        if mask is not None:
            a = torch.where(mask, a, torch.zeros_like(a))
        o = einsum("bhqk,bkhd->bqhd", a, v).reshape(b, tq, d)
        return self.W_O(o), a


def sinusoidal_positions(length, dim):
    pe = torch.zeros(length, dim)
    pos = torch.arange(length).float()[:, None]
    div = torch.exp(torch.arange(0, dim, 2).float() * (-torch.log(torch.tensor(10000.0)) / dim))
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe


def attention_entropy(weights):
    return -(weights * torch.log(weights.clamp(min=1e-12))).sum(-1)
