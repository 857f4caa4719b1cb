# Plain loops over sentences, rows and positions, which lose the points for speed.
import math

import torch
from torch import nn


def coverage_attention(scores, penalty):
    B, T_t, T_s = scores.shape
    all_weights, all_seen = [], []
    for b in range(B):
        weights, seen = [], [torch.zeros_like(scores[b, 0])]
        for t in range(T_t):
            weights.append(torch.softmax(scores[b, t] - penalty * seen[t], dim=0))
            seen.append(seen[t] + weights[t])
        all_weights.append(torch.stack(weights))
        all_seen.append(torch.stack(seen[:-1]))
    return torch.stack(all_weights), torch.stack(all_seen)


def coverage_loss(weights, seen, tgt_lengths):
    total, rows = 0.0, 0
    for b in range(weights.shape[0]):
        for t in range(int(tgt_lengths[b])):
            for j in range(weights.shape[2]):
                total = total + torch.min(weights[b, t, j], seen[b, t, j])
            rows += 1
    return total / rows


class PointerGenerator(nn.Module):
    def __init__(self, enc_dim, dec_dim, emb_dim):
        super().__init__()
        self.w_c = nn.Linear(enc_dim, 1, bias=False)
        self.w_s = nn.Linear(dec_dim, 1, bias=False)
        self.w_y = nn.Linear(emb_dim, 1)

    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size):
        p_gen = torch.sigmoid(self.w_c(context) + self.w_s(state) + self.w_y(embedded))[:, 0]
        rows = []
        for b in range(len(p_gen)):
            row = []
            for word in range(extended_size):
                p = p_gen[b] * vocab_probs[b, word] if word < vocab_probs.shape[1] else 0.0 * p_gen[b]
                for j in range(src_ids.shape[1]):
                    if src_ids[b, j] == word:
                        p = p + (1 - p_gen[b]) * weights[b, j]
                row.append(p)
            rows.append(torch.stack(row))
        return torch.stack(rows), p_gen


def multi_hop(query, memory, hops):
    if hops < 1:
        raise ValueError("no hops")
    m = query
    history = []
    for k in range(hops):
        scores = torch.stack([(m * memory[:, j]).sum(dim=1) for j in range(memory.shape[1])], dim=1)
        weights = torch.softmax(scores, dim=1)
        m = sum(weights[:, j : j + 1] * memory[:, j] for j in range(memory.shape[1]))
        history.append(weights)
    return m, torch.stack(history, dim=1)


class BiDAF(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.w = nn.Linear(3 * dim, 1, bias=False)

    def similarity(self, context, question):
        rows = []
        for i in range(context.shape[1]):
            h = context[:, i]
            row = []
            for j in range(question.shape[1]):
                u = question[:, j]
                row.append(self.w(torch.cat([h, u, h * u], dim=1)))
            rows.append(torch.cat(row, dim=1))
        return torch.stack(rows, dim=1)

    def forward(self, context, question, context_mask, question_mask):
        scores = self.similarity(context, question)
        batch = []
        for b in range(context.shape[0]):
            words = [j for j in range(question.shape[1]) if question_mask[b, j]]
            places = [i for i in range(context.shape[1]) if context_mask[b, i]]
            best = torch.stack([max(scores[b, i, j] for j in words) for i in places])
            found = sum(p * context[b, i] for p, i in zip(torch.softmax(best, dim=0), places))
            rows = []
            for i in range(context.shape[1]):
                if i not in places:
                    rows.append(context.new_zeros(4 * context.shape[2]))
                    continue
                a = torch.softmax(torch.stack([scores[b, i, j] for j in words]), dim=0)
                asked = sum(a[n] * question[b, j] for n, j in enumerate(words))
                h = context[b, i]
                rows.append(torch.cat([h, asked, h * asked, h * found]))
            batch.append(torch.stack(rows))
        return torch.stack(batch)


class SpatialAttention(nn.Module):
    def __init__(self, feature_dim, state_dim):
        super().__init__()
        self.W_a = nn.Linear(feature_dim, state_dim, bias=False)

    def forward(self, features, state):
        B, D, H, W = features.shape
        scores = []
        for y in range(H):
            for x in range(W):
                scores.append((state * self.W_a(features[:, :, y, x])).sum(dim=1))
        weights = torch.softmax(torch.stack(scores, dim=1), dim=1)
        context = 0
        for y in range(H):
            for x in range(W):
                context = context + weights[:, y * W + x, None] * features[:, :, y, x]
        return context, weights.reshape(B, H, W)


class PyramidalEncoder(nn.Module):
    def __init__(self, input_dim, hidden_dim, num_layers):
        super().__init__()
        self.rnns = nn.ModuleList()
        for n in range(num_layers):
            width = 2 * input_dim if n == 0 else 4 * hidden_dim
            self.rnns.append(nn.GRU(width, hidden_dim, batch_first=True, bidirectional=True))

    def forward(self, frames, lengths):
        width = frames.shape[1]
        for _ in self.rnns:
            width = (width + 1) // 2
        batch = []
        for b in range(frames.shape[0]):
            x = frames[b, : int(lengths[b])]
            for rnn in self.rnns:
                pairs = []
                for i in range(0, x.shape[0], 2):
                    second = x[i + 1] if i + 1 < x.shape[0] else torch.zeros_like(x[i])
                    pairs.append(torch.cat([x[i], second]))
                x = rnn(torch.stack(pairs).unsqueeze(0))[0].squeeze(0)
            fill = torch.zeros(width - x.shape[0], x.shape[1], dtype=x.dtype, device=x.device)
            batch.append(torch.cat([x, fill]))
        for _ in self.rnns:
            lengths = (lengths + 1) // 2
        return torch.stack(batch), lengths


def supervised_loss(task_loss, weights, gold, tgt_lengths, factor):
    distances = []
    for b in range(weights.shape[0]):
        for t in range(int(tgt_lengths[b])):
            distances.append(sum((weights[b, t, j] - gold[b, t, j]) ** 2 for j in range(weights.shape[2])))
    return task_loss + factor * sum(distances) / len(distances)


def monotonic_attention(scores):
    B, T_t, T_s = scores.shape
    batch = []
    for b in range(B):
        border = 0
        rows = []
        for t in range(T_t):
            rest = torch.softmax(scores[b, t, border:], dim=0)
            rows.append(torch.cat([scores.new_zeros(border), rest]))
            border = border + int(torch.argmax(rest))
        batch.append(torch.stack(rows))
    return torch.stack(batch)


def diagonal_prior_attention(scores, src_lengths, tgt_lengths, sigma):
    B, T_t, T_s = scores.shape
    batch = []
    for b in range(B):
        S, T = int(src_lengths[b]), int(tgt_lengths[b])
        rows = []
        for t in range(T_t):
            if t >= T:
                rows.append(scores.new_zeros(T_s))
                continue
            prior = [math.exp(-((j - t * S / T) ** 2) / (2 * sigma**2)) for j in range(S)]
            row = torch.softmax(scores[b, t, :S] + torch.tensor(prior, dtype=scores.dtype, device=scores.device), dim=0)
            rows.append(torch.cat([row, scores.new_zeros(T_s - S)]))
        batch.append(torch.stack(rows))
    return torch.stack(batch)


def memory_address(memory, key, strength):
    similarity = []
    for i in range(memory.shape[1]):
        length = torch.linalg.vector_norm(memory[:, i], dim=1) * torch.linalg.vector_norm(key, dim=1)
        similarity.append((memory[:, i] * key).sum(dim=1) / length.clamp(min=1e-8))
    return torch.softmax(torch.stack(similarity, dim=1) * strength[:, None], dim=1)


def memory_read(memory, weights):
    total = torch.zeros_like(memory[:, 0])
    for i in range(memory.shape[1]):
        total = total + weights[:, i : i + 1] * memory[:, i]
    return total


def memory_write(memory, weights, erase, add):
    rows = []
    for i in range(memory.shape[1]):
        w = weights[:, i : i + 1]
        rows.append(memory[:, i] * (1 - w * erase) + w * add)
    return torch.stack(rows, dim=1)


class MultiHeadLuong(nn.Module):
    def __init__(self, enc_dim, dec_dim, num_heads):
        super().__init__()
        if enc_dim % num_heads != 0:
            raise ValueError("enc_dim")
        if dec_dim % num_heads != 0:
            raise ValueError("dec_dim")
        self.num_heads = num_heads
        self.k, self.e = dec_dim // num_heads, enc_dim // num_heads
        self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        self.W_o = nn.Linear(enc_dim, enc_dim, bias=False)

    def forward(self, decoder_states, encoder_states):
        keys = self.W_a(encoder_states)
        contexts, weights = [], []
        for i in range(self.num_heads):
            s = decoder_states[:, :, i * self.k : (i + 1) * self.k]
            h = keys[:, :, i * self.k : (i + 1) * self.k]
            head = torch.softmax(torch.bmm(s, h.transpose(1, 2)), dim=2)
            contexts.append(torch.bmm(head, encoder_states[:, :, i * self.e : (i + 1) * self.e]))
            weights.append(head)
        return self.W_o(torch.cat(contexts, dim=2)), torch.stack(weights, dim=1)


def top_k_retrieval(query, keys, values, k):
    if k < 1 or k > keys.shape[1]:
        raise ValueError("bad k")
    outputs, indices = [], []
    for b in range(query.shape[0]):
        for t in range(query.shape[1]):
            scores = keys[b] @ query[b, t]
            best = torch.argsort(scores, descending=True)[:k]
            weights = torch.softmax(scores[best] / math.sqrt(query.shape[2]), dim=0)
            outputs.append(sum(w * values[b, n] for w, n in zip(weights, best)))
            indices.append(best)
    B, T_q = query.shape[:2]
    return torch.stack(outputs).reshape(B, T_q, -1), torch.stack(indices).reshape(B, T_q, k)
