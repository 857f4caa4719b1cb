# Further optional arguments, named results, private attributes and buffers, type hints, prints.
from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn


class Attended(NamedTuple):
    context: Tensor
    weights: Tensor


def coverage_attention(scores: Tensor, penalty: float, seen: Tensor | None = None, verbose: bool = False) -> Attended:
    seen = torch.zeros_like(scores[:, :1]) if seen is None else seen
    rows: list[Tensor] = []
    coverage: list[Tensor] = [seen]
    for t, e in enumerate(scores.split(1, dim=1)):
        rows.append(nn.functional.softmax(e - penalty * coverage[t], dim=2))
        coverage.append(coverage[t] + rows[t])
    if verbose:
        print("rows:", len(rows))
    return Attended(torch.cat(rows, dim=1), torch.cat(coverage[:-1], dim=1))


class PointerGenerator(nn.Module):
    def __init__(self, enc_dim: int, dec_dim: int, emb_dim: int) -> None:
        super().__init__()
        self.w_c = nn.Linear(enc_dim, 1, bias=False)
        self.w_s = nn.Linear(dec_dim, 1, bias=False)
        self.w_y = nn.Linear(emb_dim, 1)
        self.register_buffer("_one", torch.ones(()), persistent=False)
        print("made a pointer-generator")

    def gate(self, context: Tensor, state: Tensor, embedded: Tensor) -> Tensor:
        return (self.w_y(embedded) + self.w_s(state) + self.w_c(context)).sigmoid()

    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size, temperature=1.0):
        p = self.gate(context, state, embedded)
        P = torch.cat([vocab_probs, torch.zeros_like(p).expand(-1, extended_size - vocab_probs.shape[1])], dim=1)
        copied = torch.zeros_like(P).scatter_add(1, src_ids, weights)
        return torch.lerp(copied, P, p), p.reshape(-1)


class SpatialAttention(nn.Module):
    def __init__(self, feature_dim: int, state_dim: int) -> None:
        super().__init__()
        self.W_a = nn.Linear(feature_dim, state_dim, bias=False)
        self._size = feature_dim

    def score(self, v: Tensor, state: Tensor) -> Tensor:
        return torch.baddbmm(v.new_zeros(1, 1, 1), self.W_a(v), state.unsqueeze(-1), beta=0).squeeze(-1)

    def forward(self, features: Tensor, state: Tensor) -> Attended:
        height, width = features.shape[-2:]
        v = features.movedim(1, -1).reshape(features.shape[0], height * width, self._size)
        a = self.score(v, state).softmax(dim=1)
        return Attended((a.unsqueeze(-1) * v).sum(dim=1), a.reshape(-1, height, width))


class MultiHeadLuong(nn.Module):
    def __init__(self, enc_dim: int, dec_dim: int, num_heads: int, scale: float = 1.0) -> None:
        super().__init__()
        for name, size in {"enc_dim": enc_dim, "dec_dim": dec_dim}.items():
            if size % num_heads:
                raise ValueError(f"{name} = {size} is not a multiple of {num_heads}")
        self._columns = (num_heads, dec_dim // num_heads, enc_dim // num_heads)
        self._scale = scale
        self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        self.W_o = nn.Linear(enc_dim, enc_dim, bias=False)

    def forward(self, decoder_states: Tensor, encoder_states: Tensor) -> Attended:
        n, k, e = self._columns
        (B, T_t, _), T_s = decoder_states.shape, encoder_states.shape[1]
        s = decoder_states.reshape(B, T_t, n, k).permute(0, 2, 1, 3).reshape(B * n, T_t, k)
        h = self.W_a(encoder_states).reshape(B, T_s, n, k).permute(0, 2, 3, 1).reshape(B * n, k, T_s)
        v = encoder_states.reshape(B, T_s, n, e).permute(0, 2, 1, 3).reshape(B * n, T_s, e)
        a = (torch.bmm(s, h) * self._scale).softmax(dim=-1)
        c = torch.bmm(a, v).reshape(B, n, T_t, e).permute(0, 2, 1, 3).reshape(B, T_t, n * e)
        return Attended(self.W_o(c), a.reshape(B, n, T_t, T_s))


def memory_write(memory: Tensor, weights: Tensor, erase: Tensor, add: Tensor, decay: float = 0.0) -> Tensor:
    w = weights[..., None]
    return torch.addcmul(torch.addcmul(memory * (1 - decay), memory * w, erase[:, None], value=-1), w, add[:, None])


def memory_read(memory: Tensor, weights: Tensor, keepdim: bool = False) -> Tensor:
    return torch.sum(memory * weights[..., None], dim=1, keepdim=keepdim)


def top_k_retrieval(query, keys, values, k, scale=None):
    N, d_k = keys.shape[1:]
    assert query.shape[-1] == d_k, "widths differ"
    if not isinstance(k, int) or k < 1 or k > N:
        raise ValueError(f"k = {k}, but there are {N} keys")
    scale = 1 / math.sqrt(d_k) if scale is None else scale
    top, where = ((query * scale) @ keys.transpose(-1, -2)).topk(k)
    wide = values[:, None].expand(-1, query.shape[1], -1, -1)
    chosen = torch.take_along_dim(wide, where[..., None], dim=2)
    return Attended(torch.sum(top.softmax(-1)[..., None] * chosen, dim=2), where)
