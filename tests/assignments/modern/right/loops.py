# Plain loops over positions and heads, which lose the points for speed.
import math

import torch
from torch import nn


class ProjectedAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def project(self, encoder_states):
        return torch.stack([self.W_h(encoder_states[:, j]) for j in range(encoder_states.shape[1])], dim=1)

    def step(self, decoder_state, encoder_states, projected):
        state = self.W_s(decoder_state)
        scores = [self.v(torch.tanh(state + projected[:, j])) for j in range(projected.shape[1])]
        weights = torch.softmax(torch.cat(scores, dim=1), dim=1)
        context = sum(weights[:, j : j + 1] * encoder_states[:, j] for j in range(encoder_states.shape[1]))
        return context, weights

    def forward(self, decoder_states, encoder_states):
        projected = self.project(encoder_states)
        contexts, rows = [], []
        for t in range(decoder_states.shape[1]):
            context, weights = self.step(decoder_states[:, t], encoder_states, projected)
            contexts.append(context)
            rows.append(weights)
        return torch.stack(contexts, dim=1), torch.stack(rows, dim=1)


def window_attention(query, key, value, radius):
    if radius < 0:
        raise ValueError("radius")
    rows = []
    for i in range(query.shape[1]):
        first, last = max(0, i - radius), i + radius + 1
        scores = (key[:, first:last] @ query[:, i].unsqueeze(-1)).squeeze(-1) / math.sqrt(query.shape[2])
        rows.append((torch.softmax(scores, dim=-1).unsqueeze(-1) * value[:, first:last]).sum(dim=1))
    return torch.stack(rows, dim=1)


def sparse_attention(query, key, value, radius, stride):
    if radius < 0 or stride < 1:
        raise ValueError("radius or stride")
    rows = []
    for i in range(query.shape[1]):
        seen = [j for j in range(query.shape[1]) if abs(i - j) <= radius or j % stride == 0]
        scores = (query[:, i : i + 1] * key[:, seen]).sum(dim=-1) / math.sqrt(query.shape[2])
        rows.append(torch.softmax(scores, dim=-1).unsqueeze(1) @ value[:, seen])
    return torch.cat(rows, dim=1)


def apply_rotary(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("odd")
    first, second = [], []
    for i in range(d // 2):
        angle = positions.to(x.dtype) * base ** (-2 * i / d)
        a, b = x[..., i], x[..., i + d // 2]
        first.append(a * torch.cos(angle) - b * torch.sin(angle))
        second.append(b * torch.cos(angle) + a * torch.sin(angle))
    return torch.stack(first + second, dim=-1)


def grouped_attention(query, key, value):
    H, G = query.shape[1], key.shape[1]
    if H % G:
        raise ValueError("H, G")
    if query.shape[2] > key.shape[2]:
        raise ValueError("T_q, T_k")
    before = key.shape[2] - query.shape[2]
    heads = []
    for h in range(H):
        k, v = key[:, h // (H // G)], value[:, h // (H // G)]
        rows = []
        for i in range(query.shape[2]):
            seen = before + i + 1
            scores = (query[:, h, i].unsqueeze(1) * k[:, :seen]).sum(dim=-1) / query.shape[3] ** 0.5
            rows.append((torch.softmax(scores, dim=-1).unsqueeze(-1) * v[:, :seen]).sum(dim=1))
        heads.append(torch.stack(rows, dim=1))
    return torch.stack(heads, dim=1)


def attention_costs(batch, heads, groups, queries, keys, head_dim, bytes_per_number=4):
    one_product = 2 * queries * keys * head_dim
    operations = sum(2 * one_product for _ in range(batch * heads))
    weights = batch * heads * queries * keys
    cached = sum(2 * keys * head_dim for _ in range(batch * groups))
    return operations, weights * bytes_per_number, cached * bytes_per_number


def visible_pairs(length, radius, stride):
    total = 0
    every = len(range(0, length, stride))
    for i in range(length):
        lo, hi = max(0, i - radius), min(length - 1, i + radius)
        inside = hi // stride - (lo - 1) // stride
        total += hi - lo + 1 + every - inside
    return total
