# whole file: Everything one position at a time.
import math
import torch
from torch import nn


def softmax(v):
    e = torch.exp(v - v.max())
    return e / e.sum()


def self_attention(x, temperature=1.0):
    print("self_attention called with", x.shape)
    outs, alls = [], []
    for sentence in x:
        rows = []
        for i in range(sentence.size(0)):
            rows.append(softmax(torch.stack([sentence[i].dot(other) for other in sentence]) / temperature))
        w = torch.stack(rows)
        alls.append(w)
        outs.append(w.mm(sentence))
    return torch.stack(outs), torch.stack(alls)


def scaled_dot_product_attention(query, key, value, mask=None):
    lead = query.shape[:-2]
    tq, tk = query.size(-2), key.size(-2)
    if mask is None:
        mask = torch.ones(tq, tk, dtype=torch.bool, device=query.device)
    mask = mask.expand(*lead, tq, tk).reshape(-1, tq, tk)
    q, k, v = (t.reshape(-1, *t.shape[-2:]) for t in (query, key, value))
    outputs, weights = [], []
    for b in range(q.size(0)):
        for i in range(tq):
            seen = mask[b, i].nonzero().flatten()
            w = q.new_zeros(tk)
            if len(seen):
                s = (k[b, seen] @ q[b, i]) / math.sqrt(q.size(-1))
                w = w.index_put((seen,), softmax(s))
            weights.append(w)
            outputs.append(w @ v[b])
    return (
        torch.stack(outputs).reshape(*lead, tq, value.size(-1)),
        torch.stack(weights).reshape(*lead, tq, tk),
    )


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError
        self.num_heads, self.d_h = num_heads, d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.W_Q(query), self.W_K(key), self.W_V(value)
        outs, ws = [], []
        for i in range(self.num_heads):
            part = slice(i * self.d_h, (i + 1) * self.d_h)
            o, w = scaled_dot_product_attention(q[..., part], k[..., part], v[..., part], mask)
            outs.append(o)
            ws.append(w)
        return self.W_O(torch.cat(outs, -1)), torch.stack(ws, 1)


def sinusoidal_positions(length, dim):
    table = [
        [
            math.sin(p / 10000 ** (c / dim)) if c % 2 == 0 else math.cos(p / 10000 ** ((c - 1) / dim))
            for c in range(dim)
        ]
        for p in range(length)
    ]
    return torch.tensor(table)


def attention_entropy(weights):
    flat = weights.reshape(-1, weights.size(-1))
    result = []
    for row in flat:
        some = row[row > 0]
        result.append(-(some * some.log()).sum())
    return torch.stack(result).reshape(weights.shape[:-1])
