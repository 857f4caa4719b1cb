"""torch's own: vmap, logsumexp, lerp, polar and softmax; no ready-made attention."""

import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class ProjectedAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s, self.W_h, self.v = (nn.Linear(i, o, bias=False) for i, o in ((dec_dim, attn_dim), (enc_dim, attn_dim), (attn_dim, 1)))

    def project(self, encoder_states):
        return self.W_h(encoder_states)

    def step(self, decoder_state, encoder_states, projected):
        w = self.v((self.W_s(decoder_state)[:, None] + projected).tanh())[..., 0].softmax(-1)
        return (w[..., None] * encoder_states).sum(1), w

    def forward(self, decoder_states, encoder_states):
        w = self.v((self.W_s(decoder_states)[:, :, None] + self.project(encoder_states)[:, None]).tanh())[..., 0].softmax(-1)
        return w @ encoder_states, w


def streamed_attention(query, key, value, block_size):
    """One sentence at a time; logsumexp and logaddexp join the blocks."""
    if block_size < 1:
        raise ValueError(block_size)

    def one(q, k, v):
        total, mean = None, None
        for keys, values in zip(torch.split(k, block_size), torch.split(v, block_size), strict=True):
            scores = torch.inner(q, keys) * q.size(-1) ** -0.5
            here, found = torch.logsumexp(scores, dim=-1), torch.softmax(scores, dim=-1) @ values
            if total is None:
                total, mean = here, found
            else:
                share = torch.sigmoid(here - total).unsqueeze(-1)
                mean, total = torch.lerp(mean, found, share), torch.logaddexp(total, here)
        return mean

    return torch.func.vmap(one)(query, key, value)


def listed(query, key, value, places, there):
    """Attention of each position to the places in its row of a list."""

    def one(q, k, v):
        def row(query, places, there):
            scores = torch.mv(k[places], query) * query.size(-1) ** -0.5
            return torch.softmax(torch.where(there, scores, -torch.inf), dim=-1) @ v[places]

        return torch.func.vmap(row)(q, places, there)

    return torch.func.vmap(one)(query, key, value)


def window(length, radius, device):
    """The places of each window, and which of them exist."""
    radius = min(radius, length - 1)
    places = torch.arange(length, device=device).unsqueeze(1) + torch.arange(-radius, radius + 1, device=device)
    return places.clamp(0, length - 1), (places >= 0) & (places < length)


def window_attention(query, key, value, radius):
    if radius < 0:
        raise ValueError(radius)
    return listed(query, key, value, *window(query.size(1), radius, query.device))


def sparse_attention(query, key, value, radius, stride):
    if radius < 0 or stride < 1:
        raise ValueError((radius, stride))
    near, there = window(query.size(1), radius, query.device)
    far = torch.arange(0, query.size(1), stride, device=query.device).expand(query.size(1), -1)
    there = torch.cat([there & (near.remainder(stride) != 0), torch.ones_like(far, dtype=torch.bool)], dim=1)
    return listed(query, key, value, torch.cat([near, far], dim=1), there)


def apply_rotary(x, positions, base=10000.0):
    """Complex numbers by polar."""
    if x.size(-1) % 2:
        raise ValueError(x.size(-1))
    steps = torch.arange(x.size(-1) // 2, dtype=x.dtype, device=x.device) / (x.size(-1) // 2)
    angles = torch.outer(positions.to(x.dtype), torch.pow(base, -steps))
    turned = torch.complex(*torch.chunk(x, 2, dim=-1)) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([turned.real, turned.imag], dim=-1)


def grouped_attention(query, key, value):
    """vmap over sentences and groups."""
    (H, T_q), (G, T_k) = query.shape[1:3], key.shape[1:3]
    if H % G or T_q > T_k:
        raise ValueError((H, G, T_q, T_k))
    later = torch.ones(T_q, T_k, dtype=torch.bool, device=query.device).triu(T_k - T_q + 1)

    def one(q, k, v):
        scores = torch.einsum("rqd,kd->rqk", q, k) * q.size(-1) ** -0.5
        return torch.softmax(scores.masked_fill(later, -torch.inf), dim=-1) @ v

    return torch.func.vmap(torch.func.vmap(one))(query.unflatten(1, (G, -1)), key, value).flatten(1, 2)


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_groups):
        super().__init__()
        if d_model % num_heads or num_heads % num_groups or d_model // num_heads % 2:
            raise ValueError
        self.d, self.G = d_model // num_heads, num_groups
        self.W_Q, self.W_O = nn.Linear(d_model, d_model, bias=False), nn.Linear(d_model, d_model, bias=False)
        self.W_K, self.W_V = (nn.Linear(d_model, num_groups * self.d, bias=False) for _ in "KV")

    def forward(self, x):
        empty = x.new_empty(len(x), self.G, 0, self.d)
        return self.extend(x, empty, empty)[0]

    def extend(self, x, keys, values):
        q, k, v = (W(x).unflatten(-1, (-1, self.d)).transpose(1, 2) for W in (self.W_Q, self.W_K, self.W_V))
        at = keys.shape[2] + torch.arange(x.shape[1], device=x.device)
        keys, values = torch.cat([keys, apply_rotary(k, at)], 2), torch.cat([values, v], 2)
        return self.W_O(grouped_attention(apply_rotary(q, at), keys, values).transpose(1, 2).flatten(2)), keys, values


class TransformerBlock(nn.Module):
    def __init__(self, d_model, num_heads, num_groups, d_ff):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.attention = GroupedQueryAttention(d_model, num_heads, num_groups)
        self.W_1, self.W_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.W_2(F.gelu(self.W_1(self.norm2(x))))


def attention_costs(batch, heads, groups, queries, keys, head_dim, bytes_per_number=4):
    n = batch * heads * queries * keys
    return 4 * n * head_dim, n * bytes_per_number, 2 * batch * groups * keys * head_dim * bytes_per_number


def visible_pairs(length, radius, stride):
    n = 0
    for j in range(length):  # a column at a time
        n += length if j % stride == 0 else min(j, radius) + min(length - 1 - j, radius) + 1
    return n
