# whole file: `bmm` over flattened batches, an own masked softmax, and heads by chunks.
from typing import NamedTuple, Optional
import numpy as np
import torch
from torch import Tensor, nn
import warnings


class Result(NamedTuple):
    output: Tensor
    weights: Tensor


def masked_softmax(scores: Tensor, mask: Optional[Tensor]) -> Tensor:
    """By hand, with the greatest visible score taken away."""
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=scores.device)
    mask = mask.broadcast_to(scores.shape)
    low = scores.new_full((), torch.finfo(scores.dtype).min)
    top = torch.where(mask, scores, low).amax(-1, keepdim=True).detach()
    shifted = torch.where(mask, scores - top, torch.zeros_like(scores))
    e = torch.where(mask, shifted.exp(), torch.zeros_like(scores))
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total == 0, torch.ones_like(total), total)


def self_attention(x: Tensor, temperature: float = 1.0, *, verbose: bool = False):
    warnings.warn("attention, please")
    if verbose:
        print(x)
    w = masked_softmax(torch.bmm(x, x.transpose(1, 2)).div(temperature), None)
    return Result(torch.bmm(w, x), w)


def scaled_dot_product_attention(query, key, value, mask=None):
    """Not F.scaled_dot_product_attention."""
    lead = query.shape[:-2]
    q = query.flatten(0, -3) if query.dim() > 2 else query.unsqueeze(0)
    k = key.flatten(0, -3) if key.dim() > 2 else key.unsqueeze(0)
    v = value.flatten(0, -3) if value.dim() > 2 else value.unsqueeze(0)
    s = torch.bmm(q, k.transpose(1, 2)).view(*lead, query.size(-2), key.size(-2))
    w = masked_softmax(s / float(np.sqrt(query.size(-1))), mask)
    o = torch.bmm(w.flatten(0, -3) if w.dim() > 2 else w.unsqueeze(0), v)
    return Result(o.view(*lead, *o.shape[1:]), w)


class SelfAttention(nn.Module):
    def __init__(self, d_model: int, d_k: int, d_v: int, name: str = "attention"):
        super().__init__()
        self.name = name
        self.W_Q, self.W_K = nn.Linear(d_model, d_k, False), nn.Linear(d_model, d_k, False)
        self.W_V = nn.Linear(d_model, d_v, False)
        self.register_buffer("ones", torch.ones(1), persistent=False)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if (d_model // num_heads) * num_heads != d_model:
            raise ValueError(f"{d_model=} {num_heads=}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model, False)
        self.W_K = nn.Linear(d_model, d_model, False)
        self.W_V = nn.Linear(d_model, d_model, False)
        self.W_O = nn.Linear(d_model, d_model, False)
        self.last_weights = None

    def forward(self, query, key, value, mask=None):
        q = torch.stack(self.W_Q(query).chunk(self.num_heads, -1), 1)
        k = torch.stack(self.W_K(key).chunk(self.num_heads, -1), 1)
        v = torch.stack(self.W_V(value).chunk(self.num_heads, -1), 1)
        if mask is not None:
            while mask.dim() < 3:
                mask = mask.unsqueeze(0)
            mask = mask.unsqueeze(1)
        o, w = scaled_dot_product_attention(q, k, v, mask)
        self.last_weights = w.detach()
        return self.W_O(torch.cat(o.unbind(1), -1)), w


def sinusoidal_positions(length, dim):
    p = np.arange(length)[:, None]
    angle = p / np.power(10000, np.arange(0, dim, 2) / dim)
    table = np.empty((length, dim), dtype=np.float32)
    table[:, ::2], table[:, 1::2] = np.sin(angle), np.cos(angle)
    return torch.from_numpy(table)


def attention_entropy(weights):
    logs = torch.where(weights > 0, weights, torch.ones_like(weights)).log()
    return torch.einsum("...t,...t->...", weights, -logs)
