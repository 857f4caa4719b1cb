# As in libraries of language models: cos and sin of the whole width, and rotate_half; keys by expand.
import torch
from torch import nn


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary(x, positions, base=10000.0):
    dim = x.shape[-1]
    if dim % 2 != 0:
        raise ValueError(f"odd width {dim}")
    inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2, dtype=x.dtype, device=x.device) / dim))
    freqs = positions[:, None].to(x.dtype) * inv_freq[None, :]
    emb = torch.cat((freqs, freqs), dim=-1)
    return (x * emb.cos()) + (rotate_half(x) * emb.sin())


def repeat_kv(hidden_states, n_rep):
    batch, num_key_value_heads, slen, head_dim = hidden_states.shape
    if n_rep == 1:
        return hidden_states
    hidden_states = hidden_states[:, :, None, :, :].expand(batch, num_key_value_heads, n_rep, slen, head_dim)
    return hidden_states.reshape(batch, num_key_value_heads * n_rep, slen, head_dim)


def grouped_attention(query, key, value):
    if query.shape[1] % key.shape[1]:
        raise ValueError("heads")
    if query.shape[2] > key.shape[2]:
        raise ValueError("more queries than keys")
    n_rep = query.shape[1] // key.shape[1]
    q_len, k_len = query.shape[2], key.shape[2]
    scores = torch.matmul(query, repeat_kv(key, n_rep).transpose(2, 3)) * query.shape[-1] ** -0.5
    bias = torch.full((q_len, k_len), -torch.inf, dtype=query.dtype, device=query.device).triu(1 + k_len - q_len)
    weights = nn.functional.softmax(scores + bias, dim=-1)
    return torch.matmul(weights, repeat_kv(value, n_rep))


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_groups):
        super().__init__()
        head_dim, rest = divmod(d_model, num_heads)
        if rest or num_heads % num_groups or head_dim % 2:
            raise ValueError("sizes do not fit")
        self.head_dim = head_dim
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, num_groups * head_dim, bias=False)
        self.W_V = nn.Linear(d_model, num_groups * head_dim, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def _split(self, x):
        return x.view(*x.shape[:2], -1, self.head_dim).transpose(1, 2)

    def _attend(self, x, past):
        start = past[0].shape[2] if past else 0
        positions = torch.arange(start, start + x.shape[1], device=x.device)
        q, k, v = (self._split(layer(x)) for layer in (self.W_Q, self.W_K, self.W_V))
        q, k = apply_rotary(q, positions), apply_rotary(k, positions)
        if past:
            k, v = torch.cat((past[0], k), dim=2), torch.cat((past[1], v), dim=2)
        out = grouped_attention(q, k, v).transpose(1, 2).contiguous().view(*x.shape)
        return self.W_O(out), k, v

    def forward(self, x):
        return self._attend(x, None)[0]

    def extend(self, x, keys, values):
        return self._attend(x, (keys, values))
