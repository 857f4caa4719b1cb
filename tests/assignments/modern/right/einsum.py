# Everything by einsum; windows by unfold.
import torch
from torch import nn
from torch.nn import functional as F


class ProjectedAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def project(self, encoder_states):
        return torch.einsum("bsh,ah->bsa", encoder_states, self.W_h.weight)

    def step(self, decoder_state, encoder_states, projected):
        s = torch.einsum("bd,ad->ba", decoder_state, self.W_s.weight)
        e = torch.einsum("bsa,a->bs", (s[:, None] + projected).tanh(), self.v.weight[0])
        a = e.softmax(1)
        return torch.einsum("bs,bsh->bh", a, encoder_states), a

    def forward(self, decoder_states, encoder_states):
        s = torch.einsum("btd,ad->bta", decoder_states, self.W_s.weight)
        both = s[:, :, None] + self.project(encoder_states)[:, None]
        a = torch.einsum("btsa,a->bts", both.tanh(), self.v.weight[0]).softmax(2)
        return torch.einsum("bts,bsh->bth", a, encoder_states), a


def streamed_attention(query, key, value, block_size):
    if block_size <= 0:
        raise ValueError(block_size)
    B, T_q, d_k = query.shape
    m = query.new_full((B, T_q), -torch.inf)
    l = query.new_zeros(B, T_q)
    o = query.new_zeros(B, T_q, value.shape[-1])
    for k, v in zip(key.split(block_size, dim=1), value.split(block_size, dim=1)):
        s = torch.einsum("bqd,bkd->bqk", query, k) * d_k**-0.5
        new = torch.maximum(m, s.max(-1).values)
        c, p = torch.exp(m - new), torch.exp(s - new[..., None])
        l = l * c + p.sum(-1)
        o = o * c[..., None] + torch.einsum("bqk,bkd->bqd", p, v)
        m = new
    return o / l[..., None]


def window_attention(query, key, value, radius):
    if radius < 0:
        raise ValueError(radius)
    T, d_k = query.shape[1:]
    radius = min(radius, T - 1)
    k = F.pad(key, (0, 0, radius, radius)).unfold(1, 2 * radius + 1, 1)
    v = F.pad(value, (0, 0, radius, radius)).unfold(1, 2 * radius + 1, 1)
    there = F.pad(torch.ones(T, dtype=torch.bool, device=query.device), (radius, radius)).unfold(0, 2 * radius + 1, 1)
    s = torch.einsum("btd,btdw->btw", query, k) / d_k**0.5
    return torch.einsum("btw,btdw->btd", s.masked_fill(~there, float("-inf")).softmax(-1), v)


def grouped_attention(query, key, value):
    (B, H, T_q, d_k), (G, T_k) = query.shape, key.shape[1:3]
    if H % G != 0:
        raise ValueError("groups")
    if T_q > T_k:
        raise ValueError("queries")
    q = query.reshape(B, G, H // G, T_q, d_k)
    s = torch.einsum("bgrqd,bgkd->bgrqk", q, key) / d_k**0.5
    i, j = torch.arange(T_q, device=s.device), torch.arange(T_k, device=s.device)
    s = s.masked_fill(j > i[:, None] + T_k - T_q, float("-inf"))
    return torch.einsum("bgrqk,bgkd->bgrqd", s.softmax(-1), value).reshape(B, H, T_q, -1)
