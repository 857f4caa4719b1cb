# some of it from my notes of the lecture, some from the paper
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
    if block_size < 1:
        raise ValueError
    m, l, o = -math.inf, 0, 0
    for i in range(0, key.shape[1], block_size):
        s = query @ key[:, i : i + block_size].mT / query.shape[-1] ** 0.5
        new = s.amax(-1, True) if i == 0 else torch.maximum(m, s.amax(-1, True))
        p, c = (s - new).exp(), (m - new).exp()
        m, l, o = new, l + p.sum(-1, True), c * o + p @ value[:, i : i + block_size]
    return o / l


def _band(x, r):
    return F.pad(x, (0, 0, r, r)).unfold(1, 2 * r + 1, 1)  # (B, T, d, W)


def _near(query, key, r):
    T = query.shape[1]
    s = (query[:, :, None] @ _band(key, r))[:, :, 0] / query.shape[-1] ** 0.5
    j = torch.arange(T, device=s.device)[:, None] + torch.arange(-r, r + 1, device=s.device)
    return s.masked_fill((j < 0) | (j >= T), -math.inf), j


def window_attention(query, key, value, radius):
    if radius < 0:
        raise ValueError
    r = min(radius, query.shape[1] - 1)
    return (_band(value, r) @ _near(query, key, r)[0].softmax(-1)[..., None])[..., 0]


def sparse_attention(query, key, value, radius, stride):
    if radius < 0 or stride < 1:
        raise ValueError
    r = min(radius, query.shape[1] - 1)
    s, j = _near(query, key, r)
    s = s.masked_fill(j % stride == 0, -math.inf)
    f = query @ key[:, ::stride].mT / query.shape[-1] ** 0.5
    w = torch.cat([s, f], -1).softmax(-1)
    return (_band(value, r) @ w[..., : 2 * r + 1, None])[..., 0] + w[..., 2 * r + 1 :] @ value[:, ::stride]


def apply_rotary(x, positions, base=10000.0):
    if x.shape[-1] % 2:
        raise ValueError
    t = positions[:, None] * base ** -(torch.arange(x.shape[-1] // 2, dtype=x.dtype, device=x.device) / x.shape[-1])
    a, b = x.tensor_split(2, -1)
    return torch.cat([a * t.cos() - b * t.sin(), b * t.cos() + a * t.sin()], -1)


def grouped_attention(query, key, value):
    (H, q), (G, k) = query.shape[1:3], key.shape[1:3]
    if H % G or q > k:
        raise ValueError
    s = query.unflatten(1, (G, -1)) @ key[:, :, None].mT / query.shape[-1] ** 0.5
    s = s + torch.full((q, k), -math.inf, dtype=s.dtype, device=s.device).triu(k - q + 1)
    return (s.softmax(-1) @ value[:, :, None]).flatten(1, 2)


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
        return self.W_2(F.gelu(self.W_1(self.norm2(x))))


def attention_costs(batch, heads, groups, queries, keys, head_dim, bytes_per_number=4):
    n = batch * heads * queries * keys
    return 4 * n * head_dim, n * bytes_per_number, 2 * batch * groups * keys * head_dim * bytes_per_number


def visible_pairs(length, radius, stride):
    n = 0
    for j in range(length):  # a column at a time
        n += length if j % stride == 0 else min(j, radius) + min(length - 1 - j, radius) + 1
    return n
