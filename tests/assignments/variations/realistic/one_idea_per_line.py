"""Variations on attention, my way: many small functions, few classes' bodies."""

from functools import partial
from math import sqrt

import torch
from torch import nn

softmax_last = partial(torch.softmax, dim=-1)
linear = partial(nn.Linear, bias=False)
gru = partial(nn.GRU, batch_first=True, bidirectional=True)


def where_real(lengths, size):
    steps = torch.arange(size, device=lengths.device)
    return steps.unsqueeze(0) < lengths.unsqueeze(1)


def average(rows, lengths):
    real = where_real(lengths.to(rows.device), rows.size(1))
    return rows.masked_fill(~real, 0).sum() / lengths.sum().to(rows.device)


def hide(scores, hidden):
    return scores.masked_fill(hidden, -torch.inf)


def coverage_attention(scores, penalty):
    history = torch.zeros_like(scores[:, :1])
    weights = scores.new_empty(scores.size(0), 0, scores.size(2))
    for t in range(scores.size(1)):
        new = softmax_last(scores[:, t : t + 1] - penalty * history[:, -1:])
        weights = torch.cat([weights, new], dim=1)
        history = torch.cat([history, history[:, -1:] + new], dim=1)
    return weights, history[:, :-1]


def coverage_loss(weights, seen, tgt_lengths):
    return average(torch.minimum(weights, seen).sum(dim=-1), tgt_lengths)


def supervised_loss(task_loss, weights, gold, tgt_lengths, factor):
    gap = weights - gold
    return task_loss + factor * average((gap * gap).sum(dim=-1), tgt_lengths)


class PointerGenerator(nn.Module):
    def __init__(self, enc_dim, dec_dim, emb_dim):
        super().__init__()
        self.w_c = linear(enc_dim, 1)
        self.w_s = linear(dec_dim, 1)
        self.w_y = nn.Linear(emb_dim, 1)

    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size):
        p_gen = torch.sigmoid(self.w_c(context) + self.w_s(state) + self.w_y(embedded))
        room = extended_size - vocab_probs.size(1)
        words = nn.functional.pad(vocab_probs, (0, room))
        copies = torch.zeros_like(words).scatter_add(1, src_ids, weights)
        return p_gen * words + (1 - p_gen) * copies, p_gen.squeeze(1)


def multi_hop(query, memory, hops):
    if hops < 1:
        raise ValueError("hops")
    rows = []
    for _ in range(hops):
        rows.append(softmax_last(torch.einsum("btd,bd->bt", memory, query)))
        query = torch.einsum("bt,btd->bd", rows[-1], memory)
    return query, torch.stack(rows, dim=1)


class BiDAF(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.w = linear(3 * dim, 1)

    def similarity(self, context, question):
        left = context.unsqueeze(2).expand(-1, -1, question.size(1), -1)
        right = question.unsqueeze(1).expand(-1, context.size(1), -1, -1)
        return self.w(torch.cat([left, right, left * right], dim=-1)).squeeze(-1)

    def forward(self, context, question, context_mask, question_mask):
        table = hide(self.similarity(context, question), ~question_mask.unsqueeze(1))
        asked = softmax_last(table) @ question
        best = hide(table.amax(dim=-1), ~context_mask)
        picked = softmax_last(best).unsqueeze(1) @ context
        rows = torch.cat([context, asked, context * asked, context * picked], dim=-1)
        return rows.masked_fill(~context_mask.unsqueeze(-1), 0)


class SpatialAttention(nn.Module):
    def __init__(self, feature_dim, state_dim):
        super().__init__()
        self.W_a = linear(feature_dim, state_dim)

    def forward(self, features, state):
        shape = features.shape[2:]
        places = features.flatten(2)
        scores = torch.einsum("bs,sf,bfp->bp", state, self.W_a.weight, places)
        weights = softmax_last(scores)
        return torch.einsum("bp,bfp->bf", weights, places), weights.unflatten(1, shape)


class PyramidalEncoder(nn.Module):
    def __init__(self, input_dim, hidden_dim, num_layers):
        super().__init__()
        first = gru(2 * input_dim, hidden_dim)
        others = [gru(4 * hidden_dim, hidden_dim) for _ in range(1, num_layers)]
        self.rnns = nn.ModuleList([first, *others])

    def forward(self, frames, lengths):
        frames = frames.masked_fill(~where_real(lengths.to(frames.device), frames.size(1)).unsqueeze(2), 0)
        for rnn in self.rnns:
            frames = nn.functional.pad(frames, (0, 0, 0, frames.size(1) % 2))
            frames = torch.cat([frames[:, ::2], frames[:, 1::2]], dim=2)
            lengths = lengths - lengths // 2
            packed = nn.utils.rnn.pack_padded_sequence(frames, lengths.cpu(), True, False)
            width = frames.size(1)
            frames = nn.utils.rnn.pad_packed_sequence(rnn(packed)[0], True, total_length=width)[0]
        return frames, lengths


def monotonic_attention(scores):
    places = torch.arange(scores.size(-1), device=scores.device)
    peak = torch.zeros_like(scores[:, 0, :1], dtype=torch.long)
    rows = []
    for row in scores.unbind(dim=1):
        rows.append(softmax_last(hide(row, places < peak)))
        peak = rows[-1].argmax(dim=-1, keepdim=True)
    return torch.stack(rows, dim=1)


def diagonal_prior_attention(scores, src_lengths, tgt_lengths, sigma):
    S = src_lengths.to(scores.device).reshape(-1, 1, 1)
    T = tgt_lengths.to(scores.device).reshape(-1, 1, 1)
    j = torch.arange(scores.size(2), device=scores.device)
    t = torch.arange(scores.size(1), device=scores.device).unsqueeze(1)
    gap = j - t.to(scores.dtype) * S / T
    bump = torch.exp(-gap.square() / (2 * sigma**2))
    weights = softmax_last(hide(scores + bump, j >= S))
    return weights.masked_fill(t >= T, 0)


def memory_address(memory, key, strength):
    closeness = torch.cosine_similarity(memory, key.unsqueeze(1), dim=-1)
    return softmax_last(strength.unsqueeze(-1) * closeness)


def memory_read(memory, weights):
    return torch.einsum("bn,bnd->bd", weights, memory)


def memory_write(memory, weights, erase, add):
    share = weights.unsqueeze(-1)
    written = memory + share * add.unsqueeze(1)
    return written * (1 - share * erase.unsqueeze(1))


class MultiHeadLuong(nn.Module):
    def __init__(self, enc_dim, dec_dim, num_heads):
        super().__init__()
        if enc_dim % num_heads or dec_dim % num_heads:
            raise ValueError("num_heads")
        self.num_heads = num_heads
        self.W_a = linear(enc_dim, dec_dim)
        self.W_o = linear(enc_dim, enc_dim)

    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, decoder_states, encoder_states):
        queries = self.heads(decoder_states)
        keys = self.heads(self.W_a(encoder_states))
        weights = softmax_last(queries @ keys.transpose(-1, -2))
        joined = (weights @ self.heads(encoder_states)).transpose(1, 2).flatten(2)
        return self.W_o(joined), weights


def top_k_retrieval(query, keys, values, k):
    if not 1 <= k <= keys.size(1):
        raise ValueError("k")
    scores, indices = (query @ keys.transpose(1, 2)).topk(k)
    weights = softmax_last(scores / sqrt(query.size(-1)))
    spread = values.unsqueeze(1).expand(-1, query.size(1), -1, -1)
    chosen = torch.take_along_dim(spread, indices.unsqueeze(-1), dim=2)
    return torch.einsum("bqk,bqkv->bqv", weights, chosen), indices
