# sorry, late. everything runs
import torch, math
import torch.nn as nn
import torch.nn.functional as F

class ProjectedAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super(ProjectedAttention, self).__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
    def project(self, encoder_states):
        return self.W_h(encoder_states)
    def step(self, decoder_state, encoder_states, projected):
        # repeat the state for every word
        s = self.W_s(decoder_state).unsqueeze(1).repeat(1, encoder_states.size(1), 1)
        e = self.v(torch.tanh(s + projected)).squeeze(2)
        a = F.softmax(e, dim=1)
        c = torch.bmm(a.unsqueeze(1), encoder_states).squeeze(1)
        return c, a
    def forward(self, decoder_states, encoder_states):
        p = self.project(encoder_states).unsqueeze(1)
        s = self.W_s(decoder_states).unsqueeze(2)
        a = F.softmax(self.v(torch.tanh(s + p)).squeeze(3), dim=2)
        return torch.bmm(a, encoder_states), a

def streamed_attention(query, key, value, block_size):
    if block_size <= 0:
        raise ValueError('block_size')
    q = query / math.sqrt(query.size(-1))
    n = key.size(1)
    m, l, o = None, None, None
    i = 0
    while i < n:
        j = min(i + block_size, n)
        s = torch.bmm(q, key[:, i:j].transpose(1, 2))
        mi = s.max(dim=2, keepdim=True)[0]
        if m is None:
            m = mi
            p = torch.exp(s - m)
            l = p.sum(2, keepdim=True)
            o = torch.bmm(p, value[:, i:j])
        else:
            mn = torch.max(m, mi)
            p = torch.exp(s - mn)
            w = torch.exp(m - mn)
            l = l * w + p.sum(2, keepdim=True)
            o = o * w + torch.bmm(p, value[:, i:j])
            m = mn
        i = j
    return o / l

def get_windows(T, radius, device):
    radius = min(radius, T)
    idx = torch.arange(T, device=device).view(-1, 1) + torch.arange(-radius, radius + 1, device=device).view(1, -1)
    bad = (idx < 0) | (idx > T - 1)
    return idx.clamp(0, T - 1), bad

def window_attention(query, key, value, radius):
    if radius < 0:
        raise ValueError('radius')
    idx, bad = get_windows(query.size(1), radius, query.device)
    k, v = key[:, idx], value[:, idx]
    s = (query.unsqueeze(2) * k).sum(-1) / math.sqrt(query.size(-1))
    a = F.softmax(s.masked_fill(bad, float('-inf')), dim=-1)
    return (a.unsqueeze(-1) * v).sum(2)

def sparse_attention(query, key, value, radius, stride):
    if radius < 0 or stride <= 0:
        raise ValueError('radius/stride')
    idx, bad = get_windows(query.size(1), radius, query.device)
    bad = bad | (idx % stride == 0)
    s1 = (query.unsqueeze(2) * key[:, idx]).sum(-1).masked_fill(bad, float('-inf'))
    k2, v2 = key[:, ::stride], value[:, ::stride]
    s2 = torch.bmm(query, k2.transpose(1, 2))
    a = F.softmax(torch.cat([s1, s2], -1) / math.sqrt(query.size(-1)), dim=-1)
    a1, a2 = a[:, :, :idx.size(1)], a[:, :, idx.size(1):]
    return (a1.unsqueeze(-1) * value[:, idx]).sum(2) + torch.bmm(a2, v2)

def apply_rotary(x, positions, base=10000.0):
    d = x.size(-1)
    if d % 2 != 0:
        raise ValueError('d')
    theta = torch.pow(torch.tensor(base, dtype=torch.float64, device=x.device), -2.0 * torch.arange(d // 2, device=x.device) / d)
    ang = positions.double().unsqueeze(-1) * theta
    c, s = torch.cos(ang).type_as(x), torch.sin(ang).type_as(x)
    a, b = x[..., :d // 2], x[..., d // 2:]
    return torch.cat([a * c - b * s, b * c + a * s], dim=-1)

def grouped_attention(query, key, value):
    H, G = query.size(1), key.size(1)
    Tq, Tk = query.size(2), key.size(2)
    if H % G != 0 or Tq > Tk:
        raise ValueError('shapes')
    key = key.repeat(1, H // G, 1, 1)
    value = value.repeat(1, H // G, 1, 1)
    s = torch.matmul(query, key.transpose(2, 3)) / math.sqrt(query.size(-1))
    mask = torch.triu(torch.ones(Tq, Tk, device=query.device), diagonal=Tk - Tq + 1).bool()
    s = s.masked_fill(mask, float('-inf'))
    return torch.matmul(F.softmax(s, dim=-1), value)

class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_groups):
        super(GroupedQueryAttention, self).__init__()
        if d_model % num_heads != 0 or num_heads % num_groups != 0 or (d_model // num_heads) % 2 != 0:
            raise ValueError('sizes')
        self.num_heads, self.num_groups, self.d_h = num_heads, num_groups, d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, num_groups * self.d_h, bias=False)
        self.W_V = nn.Linear(d_model, num_groups * self.d_h, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
    def forward(self, x):
        cache = x.new_zeros(x.size(0), self.num_groups, 0, self.d_h)
        y, _, _ = self.extend(x, cache, cache)
        return y
    def extend(self, x, keys, values):
        B, T, D = x.size()
        p = torch.arange(keys.size(2), keys.size(2) + T, device=x.device)
        q = self.W_Q(x).reshape(B, T, self.num_heads, self.d_h).permute(0, 2, 1, 3)
        k = self.W_K(x).reshape(B, T, self.num_groups, self.d_h).permute(0, 2, 1, 3)
        v = self.W_V(x).reshape(B, T, self.num_groups, self.d_h).permute(0, 2, 1, 3)
        keys = torch.cat([keys, apply_rotary(k, p)], 2)
        values = torch.cat([values, v], 2)
        y = grouped_attention(apply_rotary(q, p), keys, values)
        return self.W_O(y.permute(0, 2, 1, 3).reshape(B, T, D)), keys, values

class TransformerBlock(nn.Module):
    def __init__(self, d_model, num_heads, num_groups, d_ff):
        super(TransformerBlock, self).__init__()
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.attention = GroupedQueryAttention(d_model, num_heads, num_groups)
        self.W_1 = nn.Linear(d_model, d_ff)
        self.W_2 = nn.Linear(d_ff, d_model)
    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        x = x + self.W_2(F.gelu(self.W_1(self.norm2(x))))
        return x

def attention_costs(batch, heads, groups, queries, keys, head_dim, bytes_per_number=4):
    ops = 4 * batch * heads * queries * keys * head_dim
    return ops, batch * heads * queries * keys * bytes_per_number, 2 * batch * groups * keys * head_dim * bytes_per_number

def visible_pairs(length, radius, stride):
    count = 0
    for i in range(length):
        a, b = max(0, i - radius), min(length - 1, i + radius)
        count += b - a + 1
        count += (length - 1) // stride + 1 - (b // stride + 1 - (a + stride - 1) // stride)
    return count

if __name__ == '__main__':
    print(visible_pairs(1000, 16, 32))
