# Everything from memory of the lecture; class-heavy, einops-like helper names.
import torch
from torch import nn


def put_in_heads(x, n):
    b, t, d = x.shape
    return x.reshape(b, t, n, d // n).permute(0, 2, 1, 3)


def out_of_heads(x):
    b, n, t, d = x.shape
    return x.permute(0, 2, 1, 3).reshape(b, t, n * d)


class Coverage:
    """Collects weights of earlier rows."""

    def __init__(self, like):
        self.total = torch.zeros_like(like)

    def add(self, row):
        self.total = self.total + row


def coverage_attention(scores, penalty):
    cov = Coverage(scores[:, 0, :])
    W, C = [], []
    for t in range(scores.shape[1]):
        C.append(cov.total)
        W.append(torch.softmax(scores[:, t, :] - penalty * cov.total, dim=1))
        cov.add(W[t])
    return torch.stack(W, dim=1), torch.stack(C, dim=1)


class RealMean:
    def __init__(self, lengths):
        self.lengths = lengths

    def __call__(self, rows):
        chosen = [r[: int(n)] for r, n in zip(rows, self.lengths)]
        return torch.cat(chosen).mean()


def coverage_loss(weights, seen, tgt_lengths):
    return RealMean(tgt_lengths)(torch.where(weights <= seen, weights, seen).sum(dim=2))


def supervised_loss(task_loss, weights, gold, tgt_lengths, factor):
    return task_loss + factor * RealMean(tgt_lengths)((weights - gold).pow(2).sum(dim=2))


class Gate(nn.Module):
    pass


class PointerGenerator(nn.Module):
    def __init__(self, enc_dim, dec_dim, emb_dim):
        super().__init__()
        self.w_c = nn.Linear(enc_dim, 1, bias=False)
        self.w_s = nn.Linear(dec_dim, 1, bias=False)
        self.w_y = nn.Linear(emb_dim, 1)

    def gate(self, c, s, y):
        return torch.sigmoid(self.w_c(c) + self.w_s(s) + self.w_y(y))

    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size):
        g = self.gate(context, state, embedded)
        P = torch.zeros(vocab_probs.shape[0], extended_size, dtype=vocab_probs.dtype, device=vocab_probs.device)
        P[:, : vocab_probs.shape[1]] += g * vocab_probs
        P.scatter_add_(1, src_ids, (1 - g) * weights)
        return P, g.reshape(-1)


def multi_hop(query, memory, hops):
    if hops < 1:
        raise ValueError("no hops")
    w_all = []
    for hop in range(hops):
        w = torch.softmax(torch.matmul(memory, query[:, :, None])[:, :, 0], dim=1)
        query = torch.matmul(w[:, None, :], memory)[:, 0, :]
        w_all.append(w)
    return query, torch.stack(w_all, dim=1)


class BiDAF(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.w = nn.Linear(3 * dim, 1, bias=False)

    def similarity(self, context, question):
        h = context[:, :, None, :].repeat(1, 1, question.shape[1], 1)
        u = question[:, None, :, :].repeat(1, context.shape[1], 1, 1)
        return self.w(torch.cat([h, u, h * u], dim=3))[:, :, :, 0]

    def forward(self, context, question, context_mask, question_mask):
        S = self.similarity(context, question)
        S = S.masked_fill(~question_mask[:, None, :], -float("inf"))
        u_tilde = torch.softmax(S, dim=2) @ question
        # which context words matter
        b = torch.softmax(S.max(dim=2).values, dim=1)
        h_tilde = (b[:, :, None] * context).sum(dim=1, keepdim=True)
        row = torch.cat([context, u_tilde, context * u_tilde, context * h_tilde], dim=2)
        return row.masked_fill(~context_mask[:, :, None], 0.0)


class SpatialAttention(nn.Module):
    def __init__(self, feature_dim, state_dim):
        super().__init__()
        self.W_a = nn.Linear(feature_dim, state_dim, bias=False)

    def forward(self, features, state):
        b, d, h, w = features.shape
        places = features.reshape(b, d, h * w).permute(0, 2, 1)
        scores = torch.sum(self.W_a(places) * state[:, None, :], dim=2)
        alpha = torch.softmax(scores, dim=1)
        return torch.sum(alpha[:, :, None] * places, dim=1), alpha.reshape(b, h, w)


class PyramidalEncoder(nn.Module):
    def __init__(self, input_dim, hidden_dim, num_layers):
        super().__init__()
        self.rnns = nn.ModuleList()
        for layer in range(num_layers):
            self.rnns.append(
                nn.GRU(2 * input_dim if layer == 0 else 4 * hidden_dim, hidden_dim, batch_first=True, bidirectional=True)
            )

    def forward(self, frames, lengths):
        width = frames.shape[1]
        results, sizes = [], []
        for x, n in zip(frames, lengths):
            x = x[: int(n)]
            for rnn in self.rnns:
                if x.shape[0] % 2:
                    x = torch.cat([x, x.new_zeros(1, x.shape[1])])
                x = rnn(x.reshape(1, x.shape[0] // 2, 2 * x.shape[1]))[0][0]
            results.append(x)
            sizes.append(x.shape[0])
        for _ in self.rnns:
            width = (width + 1) // 2
        out = results[0].new_zeros(len(results), width, results[0].shape[1])
        for b, x in enumerate(results):
            out[b, : sizes[b]] = x
        return out, torch.tensor(sizes, dtype=torch.int64, device=lengths.device)


def monotonic_attention(scores):
    rows = [torch.softmax(scores[:, 0], dim=1)]
    j = torch.arange(scores.shape[2], device=scores.device).expand(scores.shape[0], -1)
    for t in range(1, scores.shape[1]):
        peak = rows[-1].max(dim=1, keepdim=True).indices
        rows.append(torch.softmax(scores[:, t].masked_fill(j < peak, -float("inf")), dim=1))
    return torch.stack(rows, dim=1)


def diagonal_prior_attention(scores, src_lengths, tgt_lengths, sigma):
    out = torch.zeros_like(scores)
    for b in range(scores.shape[0]):
        S, T = int(src_lengths[b]), int(tgt_lengths[b])
        t = torch.arange(T, device=scores.device, dtype=scores.dtype).reshape(T, 1)
        j = torch.arange(S, device=scores.device, dtype=scores.dtype).reshape(1, S)
        out[b, :T, :S] = torch.softmax(scores[b, :T, :S] + torch.exp(-((j - t * S / T) ** 2) / (2 * sigma**2)), dim=1)
    return out


class Memory:
    @staticmethod
    def cosine(m, k):
        return nn.functional.cosine_similarity(m, k[:, None, :], dim=2)


def memory_address(memory, key, strength):
    return torch.softmax(strength[:, None] * Memory.cosine(memory, key), dim=1)


def memory_read(memory, weights):
    return torch.sum(weights[:, :, None] * memory, dim=1)


def memory_write(memory, weights, erase, add):
    w = weights[:, :, None]
    return memory * (1 - w * erase[:, None, :]) + w * add[:, None, :]


class MultiHeadLuong(nn.Module):
    def __init__(self, enc_dim, dec_dim, num_heads):
        super().__init__()
        if enc_dim % num_heads != 0 or dec_dim % num_heads != 0:
            raise ValueError("bad number of heads")
        self.n = num_heads
        self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        self.W_o = nn.Linear(enc_dim, enc_dim, bias=False)

    def forward(self, decoder_states, encoder_states):
        q = put_in_heads(decoder_states, self.n)
        k = put_in_heads(self.W_a(encoder_states), self.n)
        v = put_in_heads(encoder_states, self.n)
        weights = torch.softmax(q @ k.transpose(2, 3), dim=3)
        return self.W_o(out_of_heads(weights @ v)), weights


def top_k_retrieval(query, keys, values, k):
    if k < 1 or k > keys.shape[1]:
        raise ValueError("bad k")
    scores = query @ keys.transpose(1, 2)
    top, indices = torch.topk(scores, k, dim=2)
    weights = torch.softmax(top / query.shape[2] ** 0.5, dim=2)
    wide = torch.zeros_like(scores).scatter(2, indices, weights)
    return wide @ values, indices
