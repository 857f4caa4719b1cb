# One helper attends in all parts, and one averages real rows.
import math

import torch
from torch import nn
from torch.nn import functional as F


def attend(scores, values=None, visible=None, scale=1.0):
    """(..., T_q, T_k), (..., T_k, d) -> (..., T_q, d), weights. Nothing visible gives zeros."""
    scores = scores * scale
    if visible is not None:
        scores = scores.masked_fill(~visible, -math.inf)
        empty = ~visible.any(dim=-1, keepdim=True)
        weights = F.softmax(scores.masked_fill(empty, 0.0), dim=-1).masked_fill(empty | ~visible, 0.0)
    else:
        weights = F.softmax(scores, dim=-1)
    return None if values is None else weights @ values, weights


def real_rows(lengths, width, device):
    return torch.arange(width, device=device)[None, :] < lengths.to(device)[:, None]


def batch_mean(per_row, lengths):
    return torch.masked_select(per_row, real_rows(lengths, per_row.shape[1], per_row.device)).mean()


def coverage_attention(scores, penalty):
    seen = [scores.new_zeros(scores.shape[0], scores.shape[2])]
    rows = []
    for t in range(scores.shape[1]):
        _, row = attend(scores[:, t] - penalty * seen[t])
        rows.append(row)
        seen.append(seen[t] + row)
    return torch.stack(rows, dim=1), torch.stack(seen[: len(rows)], dim=1)


def coverage_loss(weights, seen, tgt_lengths):
    return batch_mean(torch.stack([weights, seen]).amin(dim=0).sum(dim=-1), tgt_lengths)


def supervised_loss(task_loss, weights, gold, tgt_lengths, factor):
    return task_loss + factor * batch_mean(torch.square(gold - weights).sum(dim=-1), tgt_lengths)


def multi_hop(query, memory, hops):
    if hops < 1:
        raise ValueError("hops must be positive")
    rows, m = [], query[:, None]
    for _ in range(hops):
        m, row = attend(m @ memory.mT, memory)
        rows.append(row)
    return m[:, 0], torch.cat(rows, dim=1)


class BiDAF(nn.Module):
    def forward(self, context, question, context_mask, question_mask):
        table = self.similarity(context, question)
        asked, _ = attend(table, question, question_mask[:, None])
        best = torch.where(question_mask[:, None], table, -math.inf).max(dim=-1).values
        found, _ = attend(best[:, None], context, context_mask[:, None])
        parts = [context, asked, context * asked, context * found.expand_as(context)]
        return torch.cat(parts, dim=-1).masked_fill(~context_mask[..., None], 0)


class SpatialAttention(nn.Module):
    def forward(self, features, state):
        places = features.permute(0, 2, 3, 1).flatten(1, 2)
        context, weights = attend(state[:, None] @ self.W_a(places).mT, places)
        return context.squeeze(1), weights.reshape(len(features), *features.shape[2:])


def monotonic_attention(scores):
    j = torch.arange(scores.shape[2], device=scores.device)
    border = j.new_zeros(scores.shape[0])
    rows = []
    for t in range(scores.shape[1]):
        _, row = attend(scores[:, t], None, j >= border[:, None])
        rows.append(row)
        border = row.max(dim=-1).indices
    return torch.stack(rows, dim=1)


def diagonal_prior_attention(scores, src_lengths, tgt_lengths, sigma):
    T_t, T_s = scores.shape[1:]
    columns = real_rows(src_lengths, T_s, scores.device)
    rows = real_rows(tgt_lengths, T_t, scores.device)
    slope = (src_lengths.to(scores) / tgt_lengths.to(scores))[:, None, None]
    t = torch.arange(T_t).to(scores)[:, None]
    j = torch.arange(T_s).to(scores)
    prior = torch.exp(-((j - t * slope) ** 2) / (2 * sigma**2))
    return attend(scores + prior, None, rows[:, :, None] & columns[:, None, :])[1]


def memory_address(memory, key, strength):
    key, memory = F.normalize(key, dim=-1), F.normalize(memory, dim=-1)
    return attend((key[:, None] @ memory.mT)[:, 0], scale=strength[:, None])[1]


class MultiHeadLuong(nn.Module):
    def heads(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.num_heads, -1).transpose(1, 2)

    def forward(self, decoder_states, encoder_states):
        keys, values = self.heads(self.W_a(encoder_states)), self.heads(encoder_states)
        context, weights = attend(self.heads(decoder_states) @ keys.mT, values)
        return self.W_o(context.transpose(1, 2).reshape(*decoder_states.shape[:2], -1)), weights


def top_k_retrieval(query, keys, values, k):
    if k < 1 or k > keys.shape[1]:
        raise ValueError("k must be in 1..N")
    scores = query @ keys.mT
    indices = scores.topk(k).indices
    visible = torch.zeros_like(scores).scatter(-1, indices, 1.0).bool()
    output, _ = attend(scores, values, visible, scale=1 / math.sqrt(query.shape[-1]))
    return output, indices
