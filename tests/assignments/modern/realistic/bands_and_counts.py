# attention with less work. The patterns are padded, unfolded and counted.
import math
import torch
from torch import nn
from torch.nn.functional import pad, softmax, gelu


class ProjectedAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def project(self, encoder_states):
        return self.W_h(encoder_states)

    def step(self, decoder_state, encoder_states, projected):
        hidden = (self.W_s(decoder_state).unsqueeze(1) + projected).tanh()
        weights = softmax(self.v(hidden), dim=1)
        return (weights * encoder_states).sum(dim=1), weights.squeeze(2)

    def forward(self, decoder_states, encoder_states):
        hidden = (self.W_s(decoder_states).unsqueeze(2) + self.project(encoder_states).unsqueeze(1)).tanh()
        weights = softmax(self.v(hidden).squeeze(3), dim=2)
        return weights.matmul(encoder_states), weights


def streamed_attention(query, key, value, block_size):
    if block_size < 1:
        raise ValueError("block_size must be positive")
    scale = math.sqrt(query.size(2))
    blocks = [(k, v) for k, v in zip(key.split(block_size, 1), value.split(block_size, 1))]
    s = query.matmul(blocks[0][0].mT) / scale
    m = s.amax(2, True)
    z = (s - m).exp()
    n, o = z.sum(2, True), z.matmul(blocks[0][1])
    for k, v in blocks[1:]:
        s = query.matmul(k.mT) / scale
        old, m = m, torch.max(m, s.amax(2, True))
        z, f = (s - m).exp(), (old - m).exp()
        n, o = n * f + z.sum(2, True), o * f + z.matmul(v)
    return o / n


def band(x, r):
    """every position with r neighbours on both sides"""
    return pad(x, (0, 0, r, r)).unfold(1, 2 * r + 1, 1)  # (B, T, d, 2r + 1)


def window_attention(query, key, value, radius):
    if radius < 0:
        raise ValueError("radius must not be negative")
    r = min(radius, query.size(1))
    scores = query.unsqueeze(2).matmul(band(key, r)).squeeze(2) / math.sqrt(query.size(2))
    weights = softmax(scores, dim=2)
    return band(value, r).matmul(weights.unsqueeze(3)).squeeze(3)


def sparse_attention(query, key, value, radius, stride):
    if radius < 0 or stride < 1:
        raise ValueError("bad radius or stride")
    T = query.size(1)
    r = min(radius, T - 1)
    query = query / math.sqrt(query.size(2))
    column = torch.arange(T, device=query.device).unsqueeze(1) + torch.arange(-r, r + 1, device=query.device)
    skip = (column < 0) | (column >= T) | (column % stride == 0)
    near = query.unsqueeze(2).matmul(band(key, r)).squeeze(2).masked_fill(skip, -math.inf)
    far = query.matmul(key[:, ::stride].mT)
    weights = softmax(torch.cat([near, far], dim=2), dim=2)
    near, far = weights[:, :, : 2 * r + 1], weights[:, :, 2 * r + 1 :]
    return band(value, r).matmul(near.unsqueeze(3)).squeeze(3) + far.matmul(value[:, ::stride])


def apply_rotary(x, positions, base=10000.0):
    d = x.size(-1)
    if d % 2:
        raise ValueError("d is odd")
    exponent = torch.arange(0, d, 2, dtype=torch.double, device=x.device) / d
    angle = positions.unsqueeze(1) / base**exponent
    sin, cos = angle.sin().to(x.dtype), angle.cos().to(x.dtype)
    left, right = x.chunk(2, dim=-1)
    return torch.cat([left * cos - right * sin, left * sin + right * cos], dim=-1)


def grouped_attention(query, key, value):
    H, G = query.size(1), key.size(1)
    if H % G:
        raise ValueError("groups do not divide heads")
    before = key.size(2) - query.size(2)
    if before < 0:
        raise ValueError("too few keys")
    which = torch.arange(H, device=query.device) // (H // G)
    scores = query.matmul(key[:, which].mT) / math.sqrt(query.size(3))
    i = torch.arange(query.size(2), device=query.device).unsqueeze(1)
    j = torch.arange(key.size(2), device=query.device)
    return softmax(scores.masked_fill(j > i + before, -math.inf), dim=3).matmul(value[:, which])


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_groups):
        super().__init__()
        if d_model % num_heads or num_heads % num_groups or d_model // num_heads % 2:
            raise ValueError("sizes do not fit")
        self.width = d_model // num_heads
        self.groups = num_groups
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, num_groups * self.width, bias=False)
        self.W_V = nn.Linear(d_model, num_groups * self.width, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def heads(self, x):
        return x.unflatten(2, (-1, self.width)).transpose(1, 2)

    def forward(self, x):
        none = x.new_zeros(x.size(0), self.groups, 0, self.width)
        return self.extend(x, none, none)[0]

    def extend(self, x, keys, values):
        places = torch.arange(keys.size(2), keys.size(2) + x.size(1), device=x.device)
        query = apply_rotary(self.heads(self.W_Q(x)), places)
        keys = torch.cat((keys, apply_rotary(self.heads(self.W_K(x)), places)), dim=2)
        values = torch.cat((values, self.heads(self.W_V(x))), dim=2)
        result = grouped_attention(query, keys, values)
        return self.W_O(result.transpose(1, 2).flatten(2)), keys, values


class TransformerBlock(nn.Module):
    def __init__(self, d_model, num_heads, num_groups, d_ff):
        super().__init__()
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.attention = GroupedQueryAttention(d_model, num_heads, num_groups)
        self.W_1 = nn.Linear(d_model, d_ff)
        self.W_2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.W_2(gelu(self.W_1(self.norm2(x))))


def attention_costs(batch, heads, groups, queries, keys, head_dim, bytes_per_number=4):
    operations = 4 * batch * heads * queries * keys * head_dim
    matrix_bytes = bytes_per_number * batch * heads * queries * keys
    cache_bytes = bytes_per_number * 2 * batch * groups * keys * head_dim
    return operations, matrix_bytes, cache_bytes


def visible_pairs(length, radius, stride):
    r = min(radius, length - 1)
    window = length * (2 * r + 1) - r * (r + 1)
    strided = length * math.ceil(length / stride)
    return window + strided
