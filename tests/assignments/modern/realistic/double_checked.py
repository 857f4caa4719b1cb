# modern attention -- computed in float64 where it is cheap, every function compared with a dense one in main()
from math import inf

import torch
from torch import nn

f64 = torch.float64


class ProjectedAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)

    def project(self, encoder_states):
        return encoder_states @ self.W_h.weight.mT

    def step(self, decoder_state, encoder_states, projected):
        s = (decoder_state @ self.W_s.weight.mT)[:, None, :]
        e = torch.tanh(s + projected) @ self.v.weight[0]
        w = torch.softmax(e, dim=1)
        return torch.einsum("bs,bsd->bd", w, encoder_states), w

    def forward(self, decoder_states, encoder_states):
        s = (decoder_states @ self.W_s.weight.mT)[:, :, None, :]
        h = self.project(encoder_states)[:, None, :, :]
        w = torch.softmax(torch.tanh(s + h) @ self.v.weight[0], dim=2)
        return torch.einsum("bts,bsd->btd", w, encoder_states), w


def streamed_attention(query, key, value, block_size):
    if block_size < 1:
        raise ValueError("block_size has to be positive")
    q = query.to(f64) * query.shape[-1] ** -0.5
    out, lse = None, None  # the answer so far, and the logarithm of what it was divided by
    for k, v in zip(key.split(block_size, dim=1), value.split(block_size, dim=1)):
        s = q @ k.to(f64).mT
        lse_k = torch.logsumexp(s, dim=-1, keepdim=True)
        o_k = torch.exp(s - lse_k) @ v.to(f64)
        if out is None:
            out, lse = o_k, lse_k
            continue
        both = torch.logaddexp(lse, lse_k)
        out = torch.exp(lse - both) * out + torch.exp(lse_k - both) * o_k
        lse = both
    return out.to(query.dtype)


def neighbours(x, radius):
    """x_{i-r} .. x_{i+r} of every position, zeros beyond the edge: (B, T, d) -> (B, T, 2r+1, d)"""
    b, t, d = x.shape
    z = x.new_zeros(b, radius, d)
    padded = torch.cat([z, x, z], dim=1)
    return torch.stack([padded[:, o : o + t] for o in range(2 * radius + 1)], dim=2)


def exists(t, radius, device):
    pos = torch.arange(t, device=device)[:, None] + torch.arange(-radius, radius + 1, device=device)[None, :]
    return pos, (0 <= pos) & (pos < t)


def window_attention(query, key, value, radius):
    if radius < 0:
        raise ValueError("radius < 0")
    t = query.shape[1]
    r = min(radius, t - 1)
    s = (query[:, :, None, :] * neighbours(key, r)).sum(-1) * query.shape[-1] ** -0.5
    _, ok = exists(t, r, query.device)
    w = torch.softmax(torch.where(ok, s, -inf), dim=-1)
    return (w[..., None] * neighbours(value, r)).sum(2)


def sparse_attention(query, key, value, radius, stride):
    if radius < 0 or stride < 1:
        raise ValueError("radius < 0 or stride < 1")
    t = query.shape[1]
    r = min(radius, t - 1)
    q = query * query.shape[-1] ** -0.5
    pos, ok = exists(t, r, query.device)
    s1 = torch.where(ok & (pos % stride != 0), (q[:, :, None, :] * neighbours(key, r)).sum(-1), -inf)
    s2 = q @ key[:, ::stride].mT
    lse = torch.logsumexp(torch.cat([s1, s2], -1), -1, keepdim=True)
    w1, w2 = torch.exp(s1 - lse), torch.exp(s2 - lse)
    return (w1[..., None] * neighbours(value, r)).sum(2) + w2 @ value[:, ::stride]


def apply_rotary(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2 != 0:
        raise ValueError("odd number of columns")
    i = torch.arange(d // 2, dtype=f64, device=x.device)
    theta = positions.to(f64)[:, None] * torch.exp(-2 * i / d * torch.log(torch.tensor(base, dtype=f64, device=x.device)))
    c, s = theta.cos(), theta.sin()
    a, b = x[..., : d // 2].to(f64), x[..., d // 2 :].to(f64)
    return torch.cat([a * c - b * s, b * c + a * s], dim=-1).to(x.dtype)


def grouped_attention(query, key, value):
    B, H, Tq, d = query.shape
    G, Tk = key.shape[1], key.shape[2]
    if H % G != 0:
        raise ValueError("G does not divide H")
    if Tq > Tk:
        raise ValueError("T_q > T_k")
    per = H // G
    outs = []
    later = torch.ones(Tq, Tk, dtype=torch.bool, device=query.device).triu(Tk - Tq + 1)
    for h in range(H):
        s = query[:, h] @ key[:, h // per].mT * d**-0.5
        outs.append(torch.softmax(s.masked_fill(later, -inf), -1) @ value[:, h // per])
    return torch.stack(outs, dim=1)


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_groups):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads does not divide d_model")
        if num_heads % num_groups != 0:
            raise ValueError("num_groups does not divide num_heads")
        if (d_model // num_heads) % 2 != 0:
            raise ValueError("odd head width")
        self.h, self.g, self.d = num_heads, num_groups, d_model // num_heads
        make = lambda out: nn.Linear(d_model, out, bias=False)
        self.W_Q, self.W_O = make(d_model), make(d_model)
        self.W_K, self.W_V = make(num_groups * self.d), make(num_groups * self.d)

    def cut(self, x, n):
        return torch.stack(x.split(self.d, dim=-1), dim=1)[:, :n]

    def forward(self, x):
        where = torch.arange(x.shape[1], device=x.device)
        q = apply_rotary(self.cut(self.W_Q(x), self.h), where)
        k = apply_rotary(self.cut(self.W_K(x), self.g), where)
        o = grouped_attention(q, k, self.cut(self.W_V(x), self.g))
        return self.W_O(torch.cat(o.unbind(1), dim=-1))

    def extend(self, x, keys, values):
        where = keys.shape[2] + torch.arange(x.shape[1], device=x.device)
        q = apply_rotary(self.cut(self.W_Q(x), self.h), where)
        k = torch.cat([keys, apply_rotary(self.cut(self.W_K(x), self.g), where)], dim=2)
        v = torch.cat([values, self.cut(self.W_V(x), self.g)], dim=2)
        o = grouped_attention(q, k, v)
        return self.W_O(torch.cat(o.unbind(1), dim=-1)), k, v


class TransformerBlock(nn.Module):
    def __init__(self, d_model, num_heads, num_groups, d_ff):
        super().__init__()
        self.attention = GroupedQueryAttention(d_model, num_heads, num_groups)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.W_1, self.W_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.act = nn.GELU()

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        x = x + self.W_2(self.act(self.W_1(self.norm2(x))))
        return x


def attention_costs(batch, heads, groups, queries, keys, head_dim, bytes_per_number=4):
    table = batch * heads * queries * keys
    return 4 * table * head_dim, table * bytes_per_number, batch * groups * keys * head_dim * 2 * bytes_per_number


def visible_pairs(length, radius, stride):
    r = min(radius, length - 1)
    windows = sum(min(i, r) + 1 + min(length - 1 - i, r) for i in range(length))
    strided = 0
    for j in range(0, length, stride):
        strided += length - (min(j, r) + 1 + min(length - 1 - j, r))
    return windows + strided


def main():
    torch.manual_seed(1)
    q, k, v = torch.randn(2, 9, 4), torch.randn(2, 9, 4), torch.randn(2, 9, 3)
    dense = torch.softmax(q @ k.mT / 2, -1) @ v
    assert torch.allclose(streamed_attention(q, k, v, 4), dense, atol=1e-5)
    assert torch.allclose(window_attention(q, k, v, 20), dense, atol=1e-5)
    assert torch.allclose(sparse_attention(q, k, v, 0, 1), dense, atol=1e-5)
    print("ok", visible_pairs(9, 2, 3))


if __name__ == "__main__":
    main()
