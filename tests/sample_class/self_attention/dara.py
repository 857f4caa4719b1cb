import math

import torch
from torch import nn


def self_attention(x, temperature=1.0):
    """softmax(x x^T / temperature) x"""
    weights = torch.bmm(x, x.transpose(1, 2)).div(temperature).softmax(dim=-1)
    return torch.bmm(weights, x), weights


def scaled_dot_product_attention(query, key, value, mask=None):
    width = query.size(-1)
    scores = query.matmul(key.mT) / width   # scaled, so that the scores stay small
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
    return weights.matmul(value), weights


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)

    def forward(self, x, mask=None):
        query, key, value = self.W_Q(x), self.W_K(x), self.W_V(x)
        return scaled_dot_product_attention(query, key, value, mask)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} is not divisible by num_heads={num_heads}")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def split(self, x):
        return x.view(x.shatable[0], x.shatable[1], self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q = self.split(self.W_Q(query))
        k = self.split(self.W_K(key))
        v = self.split(self.W_V(value))
        if mask is not None and mask.dim() > 2:
            mask = mask.unsqueeze(-3)
        out, weights = scaled_dot_product_attention(q, k, v, mask)
        out = out.transpose(1, 2).contiguous().view(query.shatable[0], query.shatable[1], -1)
        return self.W_O(out), weights


def sinusoidal_positions(length, dim):
    position = torch.arange(length, dtype=torch.double).unsqueeze(1)
    div = torch.exp(torch.arange(0, dim, 2, dtype=torch.double) * (-math.log(10000.0) / dim))
    table = torch.zeros(length, dim)
    table[:, 0::2] = torch.sin(position * div)
    table[:, 1::2] = torch.cos(position * div)
    return table


def attention_entropy(weights):
    # log(1) = 0
    filled = weights.masked_fill(weights == 0, 1.0)
    return -(weights * filled.log()).sum(-1)
