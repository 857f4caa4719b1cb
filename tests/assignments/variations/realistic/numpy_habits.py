"""Assignment 10, variations. I think in NumPy, so there is a lot of axis= here."""
import numpy as np
import torch
import torch.nn as nn


def softmax(x, axis=-1):
    return torch.softmax(x, dim=axis)


def length_mask(lengths, size, like):
    """True where the position is real.  (B,) -> (B, size)"""
    pos = torch.arange(size, device=like.device)
    return pos[np.newaxis, :] < lengths.to(like.device)[:, np.newaxis]


# ---------------------------------------------------------------- 1 coverage
def coverage_attention(scores, penalty):
    T_t = scores.shape[1]
    weights = []
    seen = []
    running = torch.zeros_like(scores[:, 0, :])  # (B, T_s)
    for t in range(T_t):
        seen.append(running)
        w = softmax(scores[:, t, :] - penalty * running, axis=1)
        weights.append(w)
        running = running + w  # not += , this would change the list
    return torch.stack(weights, axis=1), torch.stack(seen, axis=1)


def coverage_loss(weights, seen, tgt_lengths):
    m = length_mask(tgt_lengths, weights.shape[1], weights)
    per_row = torch.minimum(weights, seen).sum(axis=2)
    return (per_row * m).sum() / m.sum()


# ---------------------------------------------------------------- 2 pointer
class PointerGenerator(nn.Module):
    def __init__(self, enc_dim, dec_dim, emb_dim):
        super(PointerGenerator, self).__init__()
        self.w_c = nn.Linear(enc_dim, 1, bias=False)
        self.w_s = nn.Linear(dec_dim, 1, bias=False)
        self.w_y = nn.Linear(emb_dim, 1, bias=True)

    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size):
        z = self.w_c(context) + self.w_s(state) + self.w_y(embedded)  # (B, 1)
        p_gen = torch.special.expit(z)
        B, V = vocab_probs.shape
        extra = torch.zeros((B, extended_size - V), dtype=vocab_probs.dtype, device=vocab_probs.device)
        gen = torch.cat([p_gen * vocab_probs, extra], axis=1)
        copy = torch.zeros_like(gen)
        copy = copy.scatter_add(1, src_ids, (1.0 - p_gen) * weights)
        # print(p_gen.min(), p_gen.max())
        return gen + copy, p_gen[:, 0]


# ---------------------------------------------------------------- 3 hops
def multi_hop(query, memory, hops):
    if hops < 1:
        raise ValueError("need at least one hop, got %d" % hops)
    all_w = []
    m = query
    for _ in range(hops):
        w = softmax((memory * m[:, np.newaxis, :]).sum(axis=2), axis=1)
        m = (w[:, :, np.newaxis] * memory).sum(axis=1)
        all_w.append(w)
    return m, torch.stack(all_w, axis=1)


# ---------------------------------------------------------------- 4 BiDAF
class BiDAF(nn.Module):
    def __init__(self, dim):
        super(BiDAF, self).__init__()
        self.dim = dim
        self.w = nn.Linear(3 * dim, 1, bias=False)

    def similarity(self, context, question):
        B, m, d = context.shape
        n = question.shape[1]
        h = context[:, :, np.newaxis, :] * torch.ones((1, 1, n, 1), dtype=context.dtype, device=context.device)
        u = question[:, np.newaxis, :, :] * torch.ones((1, m, 1, 1), dtype=context.dtype, device=context.device)
        return self.w(torch.cat([h, u, h * u], axis=3))[..., 0]

    def forward(self, context, question, context_mask, question_mask):
        S = self.similarity(context, question)
        S = S.masked_fill(~question_mask[:, np.newaxis, :], -np.inf)
        a = softmax(S, axis=2)
        u_tilde = torch.matmul(a, question)
        b = torch.amax(S, axis=2).masked_fill(~context_mask, -np.inf)
        h_tilde = torch.matmul(softmax(b, axis=1)[:, np.newaxis, :], context)
        G = torch.cat([context, u_tilde, context * u_tilde, context * h_tilde], axis=2)
        return torch.where(context_mask[:, :, np.newaxis], G, torch.zeros_like(G))


# ---------------------------------------------------------------- 5 images
class SpatialAttention(nn.Module):
    def __init__(self, feature_dim, state_dim):
        super(SpatialAttention, self).__init__()
        self.W_a = nn.Linear(feature_dim, state_dim, bias=False)

    def forward(self, features, state):
        B, D, H, W = features.shape
        v = torch.moveaxis(features, 1, 3).reshape(B, H * W, D)
        scores = (self.W_a(v) * state[:, np.newaxis, :]).sum(axis=2)
        a = softmax(scores, axis=1)
        context = (a[:, :, np.newaxis] * v).sum(axis=1)
        return context, a.reshape(B, H, W)


# ---------------------------------------------------------------- 6 pyramid
class PyramidalEncoder(nn.Module):
    def __init__(self, input_dim, hidden_dim, num_layers):
        super(PyramidalEncoder, self).__init__()
        sizes = [2 * input_dim]
        for _ in range(num_layers - 1):
            sizes.append(4 * hidden_dim)
        self.rnns = nn.ModuleList([nn.GRU(s, hidden_dim, batch_first=True, bidirectional=True) for s in sizes])

    def forward(self, frames, lengths):
        x = frames
        for rnn in self.rnns:
            # zero the padding, otherwise an odd sentence takes a frame from it
            x = torch.where(length_mask(lengths, x.shape[1], x)[:, :, np.newaxis], x, torch.zeros_like(x))
            if x.shape[1] % 2 == 1:
                x = torch.cat([x, torch.zeros_like(x[:, :1])], axis=1)
            B, T, D = x.shape
            x = x.reshape(B, T // 2, 2 * D)
            lengths = (lengths + 1) // 2
            p = nn.utils.rnn.pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
            out, _ = rnn(p)
            x, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True, total_length=T // 2)
        return x, lengths


# ---------------------------------------------------------------- 7 supervised
def supervised_loss(task_loss, weights, gold, tgt_lengths, factor):
    m = length_mask(tgt_lengths, weights.shape[1], weights)
    sq = np.power(weights - gold, 2) if isinstance(weights, np.ndarray) else (weights - gold) ** 2
    return task_loss + factor * (sq.sum(axis=2) * m).sum() / m.sum()


# ---------------------------------------------------------------- 8 monotonic
def monotonic_attention(scores):
    B, T_t, T_s = scores.shape
    j = torch.arange(T_s, device=scores.device)[np.newaxis, :]
    peak = torch.zeros((B, 1), dtype=torch.int64, device=scores.device)
    rows = []
    for t in range(T_t):
        e = torch.where(j >= peak, scores[:, t, :], -np.inf)
        rows.append(softmax(e, axis=1))
        peak = torch.argmax(rows[-1], axis=1, keepdims=True)
    return torch.stack(rows, axis=1)


# ---------------------------------------------------------------- 9 diagonal
def diagonal_prior_attention(scores, src_lengths, tgt_lengths, sigma):
    B, T_t, T_s = scores.shape
    S = src_lengths.to(scores.device)[:, np.newaxis, np.newaxis]
    T = tgt_lengths.to(scores.device)[:, np.newaxis, np.newaxis]
    j = torch.arange(T_s, device=scores.device)[np.newaxis, np.newaxis, :]
    t = torch.arange(T_t, device=scores.device)[np.newaxis, :, np.newaxis]
    d = j.to(scores.dtype) - (t * S).to(scores.dtype) / T.to(scores.dtype)
    bonus = torch.exp(-0.5 * (d / sigma) ** 2)
    w = softmax((scores + bonus).masked_fill(j >= S, -np.inf), axis=2)
    return w * (t < T)


# ---------------------------------------------------------------- 10 NTM
def memory_address(memory, key, strength):
    dot = (memory * key[:, np.newaxis, :]).sum(axis=2)
    norms = torch.linalg.norm(memory, axis=2) * torch.linalg.norm(key, axis=1, keepdims=True)
    cos = dot / torch.clamp(norms, min=1e-8)
    return softmax(strength[:, np.newaxis] * cos, axis=1)


def memory_read(memory, weights):
    return (memory * weights[:, :, np.newaxis]).sum(axis=1)


def memory_write(memory, weights, erase, add):
    w = weights[:, :, np.newaxis]
    kept = memory * (1 - w * erase[:, np.newaxis, :])
    return kept + w * add[:, np.newaxis, :]


# ---------------------------------------------------------------- 11 heads
class MultiHeadLuong(nn.Module):
    def __init__(self, enc_dim, dec_dim, num_heads):
        super(MultiHeadLuong, self).__init__()
        if enc_dim % num_heads != 0 or dec_dim % num_heads != 0:
            raise ValueError("sizes must be multiples of num_heads")
        self.n = num_heads
        self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        self.W_o = nn.Linear(enc_dim, enc_dim, bias=False)

    def forward(self, decoder_states, encoder_states):
        q = np.split(np.arange(decoder_states.shape[2]), self.n)
        v = np.split(np.arange(encoder_states.shape[2]), self.n)
        keys = self.W_a(encoder_states)
        ctx, att = [], []
        for i in range(self.n):
            s = decoder_states[:, :, q[i][0] : q[i][-1] + 1]
            k = keys[:, :, q[i][0] : q[i][-1] + 1]
            a = softmax(torch.matmul(s, torch.swapaxes(k, 1, 2)), axis=2)
            ctx.append(torch.matmul(a, encoder_states[:, :, v[i][0] : v[i][-1] + 1]))
            att.append(a)
        return self.W_o(torch.cat(ctx, axis=2)), torch.stack(att, axis=1)


# ---------------------------------------------------------------- 12 retrieval
def top_k_retrieval(query, keys, values, k):
    N = keys.shape[1]
    if k < 1 or k > N:
        raise ValueError("k=%d, N=%d" % (k, N))
    scores = torch.matmul(query, torch.swapaxes(keys, 1, 2))
    best, idx = torch.topk(scores, k, axis=2)
    a = softmax(best / np.sqrt(query.shape[2]), axis=2)
    b = torch.arange(query.shape[0], device=query.device)[:, np.newaxis, np.newaxis]
    return (a[..., np.newaxis] * values[b, idx]).sum(axis=2), idx


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.normal(size=(2, 4, 5)))
    w, s = coverage_attention(x, 1.0)
    print(w.sum(axis=2), s[:, -1])
    print(monotonic_attention(x).argmax(axis=2))
