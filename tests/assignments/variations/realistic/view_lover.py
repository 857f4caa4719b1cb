"""Variations. All shapes by view/reshape, one softmax helper."""
import math
import torch
from torch import nn

NEG = -math.inf


def masked(x, keep):
    return x.masked_fill(~keep, NEG)


def sm(x):
    x = x - x.max(dim=-1, keepdim=True).values.detach()
    e = x.exp()
    return e / e.sum(dim=-1, keepdim=True)


def keep_rows(lengths, n, ref):
    return torch.arange(n, device=ref.device).view(1, n) < lengths.to(ref.device).view(-1, 1)


def coverage_attention(scores, penalty):
    B, Tt, Ts = scores.shape
    total = scores.new_zeros(B, 1, Ts)
    w, s = [], []
    for t in range(Tt):
        a = sm(scores[:, t : t + 1] - penalty * total)
        s.append(total)
        w.append(a)
        total = total + a
    return torch.cat(w, 1), torch.cat(s, 1)


def coverage_loss(weights, seen, tgt_lengths):
    B, Tt, Ts = weights.shape
    keep = keep_rows(tgt_lengths, Tt, weights).reshape(-1)
    flat = torch.minimum(weights.reshape(B * Tt, Ts), seen.reshape(B * Tt, Ts))
    return flat[keep].sum() / keep.sum()


class PointerGenerator(nn.Module):
    def __init__(self, enc_dim, dec_dim, emb_dim):
        super().__init__()
        self.w_c = nn.Linear(enc_dim, 1, False)
        self.w_s = nn.Linear(dec_dim, 1, False)
        self.w_y = nn.Linear(emb_dim, 1, True)

    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size):
        B, V = vocab_probs.shape
        p = torch.sigmoid(self.w_c(context) + self.w_s(state) + self.w_y(embedded))
        flat_ids = (src_ids + extended_size * torch.arange(B, device=src_ids.device).view(B, 1)).reshape(-1)
        copied = p.new_zeros(B * extended_size).index_add(0, flat_ids, ((1 - p) * weights).reshape(-1)).view(B, extended_size)
        gen = torch.cat([p * vocab_probs, p.new_zeros(B, extended_size - V)], dim=1)
        return gen + copied, p.view(B)


def multi_hop(query, memory, hops):
    if hops < 1:
        raise ValueError("hops")
    B, T, d = memory.shape
    q, ws = query.reshape(B, 1, d), []
    for _ in range(hops):
        a = sm(torch.bmm(q, memory.transpose(1, 2)))
        q = torch.bmm(a, memory)
        ws.append(a)
    return q.view(B, d), torch.cat(ws, dim=1).view(B, hops, T)


class BiDAF(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.w = nn.Linear(3 * dim, 1, False)

    def similarity(self, context, question):
        B, m, d = context.shape
        n = question.shape[1]
        h = context.reshape(B, m, 1, d).expand(B, m, n, d)
        u = question.reshape(B, 1, n, d).expand(B, m, n, d)
        return self.w(torch.cat((h, u, h * u), dim=-1)).view(B, m, n)

    def forward(self, context, question, context_mask, question_mask):
        B, m, d = context.shape
        n = question.shape[1]
        S = masked(self.similarity(context, question), question_mask.reshape(B, 1, n))
        u = torch.bmm(sm(S), question)
        b = sm(masked(S.max(dim=2).values, context_mask)).view(B, 1, m)
        h = torch.bmm(b, context)
        out = torch.cat((context, u, context * u, context * h), dim=-1)
        return out * context_mask.reshape(B, m, 1).to(out.dtype)


class SpatialAttention(nn.Module):
    def __init__(self, feature_dim, state_dim):
        super().__init__()
        self.W_a = nn.Linear(feature_dim, state_dim, False)

    def forward(self, features, state):
        B, D, H, W = features.shape
        v = features.reshape(B, H * W, D)
        e = torch.bmm(self.W_a(v), state.view(B, -1, 1)).view(B, H * W)
        a = sm(e)
        c = torch.bmm(a.view(B, 1, H * W), v).view(B, D)
        return c, a.view(B, H, W)


class PyramidalEncoder(nn.Module):
    def __init__(self, input_dim, hidden_dim, num_layers):
        super().__init__()
        self.rnns = nn.ModuleList()
        for i in range(num_layers):
            size = 2 * input_dim if i == 0 else 4 * hidden_dim
            self.rnns.append(nn.GRU(size, hidden_dim, batch_first=True, bidirectional=True))

    def forward(self, frames, lengths):
        x = frames
        for rnn in self.rnns:
            B, T, D = x.shape
            x = x.masked_fill(~keep_rows(lengths, T, x).view(B, T, 1), 0.0)
            if T % 2 == 1:
                x = torch.cat((x, x.new_zeros(B, 1, D)), dim=1)
                T = T + 1
            x = x.reshape(B, T // 2, 2 * D)
            lengths = (lengths + 1) // 2
            packed = nn.utils.rnn.pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
            y, _ = rnn(packed)
            x, _ = nn.utils.rnn.pad_packed_sequence(y, batch_first=True, total_length=T // 2)
        return x, lengths


def supervised_loss(task_loss, weights, gold, tgt_lengths, factor):
    B, Tt, Ts = weights.shape
    keep = keep_rows(tgt_lengths, Tt, weights).reshape(-1)
    diff = (weights - gold).reshape(B * Tt, Ts)[keep]
    return task_loss + factor * (diff * diff).sum(dim=1).mean()


def monotonic_attention(scores):
    B, Tt, Ts = scores.shape
    j = torch.arange(Ts, device=scores.device).view(1, Ts)
    peak = torch.zeros(B, 1, dtype=torch.long, device=scores.device)
    rows = []
    for t in range(Tt):
        a = sm(masked(scores[:, t], j >= peak))
        peak = a.argmax(dim=-1).view(B, 1)
        rows.append(a.view(B, 1, Ts))
    return torch.cat(rows, dim=1)


def diagonal_prior_attention(scores, src_lengths, tgt_lengths, sigma):
    B, Tt, Ts = scores.shape
    S = src_lengths.to(scores.device).view(B, 1, 1)
    T = tgt_lengths.to(scores.device).view(B, 1, 1)
    j = torch.arange(Ts, device=scores.device).view(1, 1, Ts)
    t = torch.arange(Tt, device=scores.device).view(1, Tt, 1)
    off = (j * T - t * S).to(scores.dtype) / T.to(scores.dtype)
    a = sm(masked(scores + torch.exp(-off * off / (2.0 * sigma * sigma)), j < S))
    return a * (t < T).to(a.dtype)


def memory_address(memory, key, strength):
    B, N, d = memory.shape
    k = nn.functional.normalize(key, dim=-1).view(B, d, 1)
    m = nn.functional.normalize(memory, dim=-1)
    return sm(strength.view(B, 1) * torch.bmm(m, k).view(B, N))


def memory_read(memory, weights):
    B, N, d = memory.shape
    return torch.bmm(weights.reshape(B, 1, N), memory).view(B, d)


def memory_write(memory, weights, erase, add):
    B, N, d = memory.shape
    w, e, a = weights.reshape(B, N, 1), erase.reshape(B, 1, d), add.reshape(B, 1, d)
    return memory - memory * w * e + w * a


class MultiHeadLuong(nn.Module):
    def __init__(self, enc_dim, dec_dim, num_heads):
        super().__init__()
        if enc_dim % num_heads or dec_dim % num_heads:
            raise ValueError("num_heads")
        self.num_heads = num_heads
        self.W_a = nn.Linear(enc_dim, dec_dim, False)
        self.W_o = nn.Linear(enc_dim, enc_dim, False)

    def forward(self, decoder_states, encoder_states):
        B, Tt, Dd = decoder_states.shape
        _, Ts, De = encoder_states.shape
        n = self.num_heads
        q = decoder_states.reshape(B, Tt, n, Dd // n).permute(0, 2, 1, 3)
        k = self.W_a(encoder_states).reshape(B, Ts, n, Dd // n).permute(0, 2, 3, 1)
        v = encoder_states.reshape(B, Ts, n, De // n).permute(0, 2, 1, 3)
        a = sm(torch.matmul(q, k))
        c = torch.matmul(a, v).permute(0, 2, 1, 3).reshape(B, Tt, De)
        return self.W_o(c), a


def top_k_retrieval(query, keys, values, k):
    B, N, d = keys.shape
    if k < 1 or k > N:
        raise ValueError("k")
    s = torch.bmm(query, keys.transpose(1, 2))
    top, idx = torch.topk(s, k)
    a = sm(top / math.sqrt(d)).view(B, -1, 1, k)
    flat = (idx + N * torch.arange(B, device=idx.device).view(B, 1, 1)).view(-1)
    v = values.reshape(B * N, -1)[flat].view(B, -1, k, values.shape[2])
    return torch.matmul(a, v).view(B, -1, values.shape[2]), idx
