"""Written after reading the code of a few language-model libraries."""
import math
from typing import Optional, Tuple

import torch
import torch.nn.functional as F
from torch import nn


class ProjectedAttention(nn.Module):
    def __init__(self, enc_dim: int, dec_dim: int, attn_dim: int):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def project(self, encoder_states: torch.Tensor) -> torch.Tensor:
        return self.W_h(encoder_states)

    def _weights(self, queries: torch.Tensor, projected: torch.Tensor) -> torch.Tensor:
        # (B, T_t, 1, A) + (B, 1, T_s, A)
        energy = self.v(torch.tanh(queries.unsqueeze(-2) + projected.unsqueeze(-3)))
        return F.softmax(energy.squeeze(-1), dim=-1)

    def step(self, decoder_state, encoder_states, projected):
        weights = self._weights(self.W_s(decoder_state).unsqueeze(1), projected)
        context = torch.bmm(weights, encoder_states)
        return context.squeeze(1), weights.squeeze(1)

    def forward(self, decoder_states, encoder_states):
        weights = self._weights(self.W_s(decoder_states), self.project(encoder_states))
        return torch.bmm(weights, encoder_states), weights


class OnlineSoftmax:
    """Keeps (maximum, normaliser, accumulator), as in the paper on online normalisers."""

    def __init__(self) -> None:
        self.m: Optional[torch.Tensor] = None
        self.l: Optional[torch.Tensor] = None
        self.acc: Optional[torch.Tensor] = None

    def update(self, scores: torch.Tensor, values: torch.Tensor) -> None:
        block_max = scores.max(dim=-1, keepdim=True).values
        if self.m is None:
            self.m = block_max
            p = torch.exp(scores - block_max)
            self.l, self.acc = p.sum(dim=-1, keepdim=True), torch.matmul(p, values)
            return
        m_new = torch.maximum(self.m, block_max)
        alpha = torch.exp(self.m - m_new)
        p = torch.exp(scores - m_new)
        self.l = alpha * self.l + p.sum(dim=-1, keepdim=True)
        self.acc = alpha * self.acc + torch.matmul(p, values)
        self.m = m_new

    def result(self) -> torch.Tensor:
        return self.acc / self.l


def streamed_attention(query, key, value, block_size):
    if block_size < 1:
        raise ValueError(f"`block_size` must be >= 1, got {block_size}")
    scale = 1.0 / math.sqrt(query.shape[-1])
    state = OnlineSoftmax()
    for start in range(0, key.shape[1], block_size):
        k_block = key[:, start : start + block_size]
        v_block = value[:, start : start + block_size]
        state.update(torch.matmul(query, k_block.transpose(-1, -2)) * scale, v_block)
    return state.result()


def _sliding_index(length: int, radius: int, device) -> Tuple[torch.Tensor, torch.Tensor]:
    radius = min(radius, length - 1)
    centre = torch.arange(length, device=device)[:, None]
    index = centre + torch.arange(-radius, radius + 1, device=device)[None, :]
    valid = index.ge(0) & index.lt(length)
    return index.clamp(min=0, max=length - 1), valid


def window_attention(query, key, value, radius):
    if radius < 0:
        raise ValueError(f"`radius` must be >= 0, got {radius}")
    index, valid = _sliding_index(query.shape[1], radius, query.device)
    scores = torch.einsum("btd,btwd->btw", query, key[:, index]) / math.sqrt(query.shape[-1])
    probs = F.softmax(scores.masked_fill(~valid, torch.finfo(scores.dtype).min), dim=-1)
    return torch.einsum("btw,btwv->btv", probs, value[:, index])


def sparse_attention(query, key, value, radius, stride):
    if radius < 0:
        raise ValueError(f"`radius` must be >= 0, got {radius}")
    if stride < 1:
        raise ValueError(f"`stride` must be >= 1, got {stride}")
    length = query.shape[1]
    index, valid = _sliding_index(length, radius, query.device)
    valid = valid & (index % stride != 0)  # global positions are handled below
    q = query / math.sqrt(query.shape[-1])
    local = torch.einsum("btd,btwd->btw", q, key[:, index]).masked_fill(~valid, -math.inf)
    everywhere = torch.arange(0, length, stride, device=query.device)
    globl = torch.matmul(q, key[:, everywhere].transpose(1, 2))
    probs = F.softmax(torch.cat([globl, local], dim=-1), dim=-1)
    p_global, p_local = probs.split([globl.shape[-1], local.shape[-1]], dim=-1)
    return torch.matmul(p_global, value[:, everywhere]) + torch.einsum("btw,btwv->btv", p_local, value[:, index])


def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary(x, positions, base=10000.0):
    dim = x.shape[-1]
    if dim % 2:
        raise ValueError(f"the width must be even, got {dim}")
    inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2, device=x.device).to(torch.float64) / dim))
    freqs = torch.outer(positions.to(torch.float64), inv_freq)
    emb = torch.cat((freqs, freqs), dim=-1)
    return x * emb.cos().to(x.dtype) + rotate_half(x) * emb.sin().to(x.dtype)


def repeat_kv(states, n_rep):
    batch, groups, length, width = states.shape
    return states[:, :, None].expand(batch, groups, n_rep, length, width).reshape(batch, groups * n_rep, length, width)


def grouped_attention(query, key, value):
    heads, groups = query.shape[1], key.shape[1]
    q_len, k_len = query.shape[2], key.shape[2]
    if heads % groups:
        raise ValueError("the number of heads must be a multiple of the number of groups")
    if q_len > k_len:
        raise ValueError("more queries than keys")
    key, value = repeat_kv(key, heads // groups), repeat_kv(value, heads // groups)
    attn = torch.matmul(query, key.transpose(2, 3)) / math.sqrt(query.shape[-1])
    q_pos = torch.arange(k_len - q_len, k_len, device=query.device)
    k_pos = torch.arange(k_len, device=query.device)
    bias = torch.zeros(q_len, k_len, dtype=attn.dtype, device=attn.device)
    bias = bias.masked_fill(k_pos[None, :] > q_pos[:, None], -math.inf)
    return torch.matmul(F.softmax(attn + bias, dim=-1), value)


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, num_groups: int):
        super().__init__()
        if d_model % num_heads or num_heads % num_groups or (d_model // num_heads) % 2:
            raise ValueError("unusable sizes")
        self.num_heads = num_heads
        self.num_key_value_heads = num_groups
        self.head_dim = d_model // num_heads
        self.W_Q = nn.Linear(d_model, num_heads * self.head_dim, bias=False)
        self.W_K = nn.Linear(d_model, num_groups * self.head_dim, bias=False)
        self.W_V = nn.Linear(d_model, num_groups * self.head_dim, bias=False)
        self.W_O = nn.Linear(num_heads * self.head_dim, d_model, bias=False)

    def _attend(self, x, past: Optional[Tuple[torch.Tensor, torch.Tensor]] = None):
        bsz, q_len, _ = x.shape
        q = self.W_Q(x).view(bsz, q_len, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.W_K(x).view(bsz, q_len, self.num_key_value_heads, self.head_dim).transpose(1, 2)
        v = self.W_V(x).view(bsz, q_len, self.num_key_value_heads, self.head_dim).transpose(1, 2)
        offset = past[0].shape[2] if past is not None else 0
        position_ids = torch.arange(offset, offset + q_len, device=x.device)
        q, k = apply_rotary(q, position_ids), apply_rotary(k, position_ids)
        if past is not None:
            k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
        out = grouped_attention(q, k, v).transpose(1, 2).contiguous().view(bsz, q_len, -1)
        return self.W_O(out), k, v

    def forward(self, x):
        return self._attend(x)[0]

    def extend(self, x, keys, values):
        return self._attend(x, (keys, values))


class TransformerBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int, num_groups: int, d_ff: int):
        super().__init__()
        self.norm1 = nn.LayerNorm(d_model)
        self.attention = GroupedQueryAttention(d_model, num_heads, num_groups)
        self.norm2 = nn.LayerNorm(d_model)
        self.W_1 = nn.Linear(d_model, d_ff)
        self.W_2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        residual = x
        hidden = residual + self.attention(self.norm1(x))
        residual = hidden
        hidden = self.W_2(F.gelu(self.W_1(self.norm2(hidden)), approximate="none"))
        return residual + hidden


def attention_costs(batch, heads, groups, queries, keys, head_dim, bytes_per_number=4):
    flops_qk = 2 * batch * heads * queries * keys * head_dim
    flops_av = 2 * batch * heads * queries * keys * head_dim
    kv_cache = 2 * batch * groups * keys * head_dim
    return flops_qk + flops_av, batch * heads * queries * keys * bytes_per_number, kv_cache * bytes_per_number


def visible_pairs(length, radius, stride):
    total = 0
    n_global = (length + stride - 1) // stride
    for i in range(length):
        lo, hi = max(0, i - radius), min(length - 1, i + radius)
        in_window = hi - lo + 1
        global_in_window = hi // stride - (lo - 1) // stride
        total += in_window + n_global - global_in_window
    return total
