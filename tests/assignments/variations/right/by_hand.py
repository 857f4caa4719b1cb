# Softmax, sigmoid and cosine written out; maxima are taken off before exp.
import math

import torch
from torch import nn


def soften(scores, allowed=None, dim=-1):
    """A softmax over the allowed positions; exactly 0 elsewhere."""
    if allowed is not None:
        scores = torch.where(allowed, scores, torch.full_like(scores, -math.inf))
    top = scores.max(dim=dim, keepdim=True).values
    powers = (scores - top).exp()
    return powers / powers.sum(dim=dim, keepdim=True)


def coverage_attention(scores, penalty):
    rows, seen = [], [torch.zeros_like(scores[:, 0])]
    for row in scores.unbind(dim=1):
        rows.append(soften(row - seen[-1] * penalty))
        seen.append(seen[-1] + rows[-1])
    return torch.stack(rows, 1), torch.stack(seen[:-1], 1)


def coverage_loss(weights, seen, tgt_lengths):
    smaller = (weights + seen - (weights - seen).abs()) / 2
    t = torch.arange(weights.size(1), device=weights.device)
    counted = (t[None, :, None] < tgt_lengths.to(t.device)[:, None, None]).expand_as(weights)
    return smaller[counted].sum() / tgt_lengths.sum().to(weights.device)


class PointerGenerator(nn.Module):
    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size):
        both = torch.cat([self.w_c.weight, self.w_s.weight, self.w_y.weight], dim=1)
        gate = torch.cat([context, state, embedded], dim=1) @ both[0] + self.w_y.bias
        p_gen = 0.5 * (1 + torch.tanh(gate / 2))
        words = torch.arange(extended_size, device=src_ids.device)
        same = (src_ids[:, :, None] == words).to(weights.dtype)  # (B, T_s, extended_size)
        copied = ((1 - p_gen)[:, None, None] * weights[:, None] @ same)[:, 0]
        missing = extended_size - vocab_probs.size(1)
        generated = torch.cat([vocab_probs, vocab_probs.new_zeros(len(vocab_probs), missing)], dim=1)
        return copied + p_gen[:, None] * generated, p_gen


def multi_hop(query, memory, hops):
    if not hops >= 1:
        raise ValueError("hops")
    rows = []
    for _ in range(hops):
        rows.append(soften((memory * query[:, None, :]).sum(2)))
        query = (memory * rows[-1][:, :, None]).sum(1)
    return query, torch.stack(rows, dim=1)


class BiDAF(nn.Module):
    def similarity(self, context, question):
        dim = context.size(2)
        w_h, w_u, w_p = self.w.weight[0].split(dim)
        return (context @ w_h).unsqueeze(2) + (question @ w_u).unsqueeze(1) + (context * w_p) @ question.transpose(1, 2)

    def forward(self, context, question, context_mask, question_mask):
        scores = self.similarity(context, question)
        u = soften(scores, question_mask.unsqueeze(1)) @ question
        best = torch.where(question_mask.unsqueeze(1), scores, torch.full_like(scores, -math.inf)).max(dim=2).values
        h = (soften(best, context_mask).unsqueeze(2) * context).sum(1, keepdim=True)
        rows = torch.cat((context, u, context * u, context * h), dim=2)
        return torch.where(context_mask.unsqueeze(2), rows, torch.zeros_like(rows))


def monotonic_attention(scores):
    allowed = torch.ones_like(scores[:, 0], dtype=torch.bool)
    rows = []
    for row in scores.unbind(1):
        rows.append(soften(row, allowed))
        is_top = rows[-1] == rows[-1].amax(1, keepdim=True)
        allowed = is_top.cumsum(1) > 0  # from the first largest weight on
    return torch.stack(rows, 1)


def diagonal_prior_attention(scores, src_lengths, tgt_lengths, sigma):
    S, T = (n.to(scores.device).reshape(-1, 1, 1) for n in (src_lengths, tgt_lengths))
    j = torch.arange(scores.size(-1), device=scores.device)[None, None]
    t = torch.arange(scores.size(-2), device=scores.device)[None, :, None]
    off = (j * T - t * S).to(scores.dtype) / (T * sigma)
    return soften(scores + (off.square() / -2).exp(), (j < S) & (t >= 0)) * (t < T)


def memory_address(memory, key, strength):
    dots = (memory * key.unsqueeze(1)).sum(-1)
    lengths = memory.norm(dim=-1) * key.norm(dim=-1, keepdim=True)
    safe = torch.where(lengths > 0, lengths, torch.ones_like(lengths))
    return soften(dots / safe * strength.unsqueeze(-1))


class MultiHeadLuong(nn.Module):
    def forward(self, decoder_states, encoder_states):
        s = torch.stack(decoder_states.chunk(self.num_heads, dim=-1), dim=1)
        h = torch.stack((encoder_states @ self.W_a.weight.t()).chunk(self.num_heads, dim=-1), dim=1)
        weights = soften((s.unsqueeze(3) * h.unsqueeze(2)).sum(-1))
        heads = weights @ torch.stack(encoder_states.chunk(self.num_heads, dim=-1), dim=1)
        return torch.cat(heads.unbind(1), dim=-1) @ self.W_o.weight.t(), weights


def top_k_retrieval(query, keys, values, k):
    if k > keys.size(1) or k < 1:
        raise ValueError("k")
    scores = (query.unsqueeze(2) * keys.unsqueeze(1)).sum(-1)
    order = scores.argsort(dim=-1, descending=True)
    kept = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, order[..., :k], True)
    return soften(scores / math.sqrt(keys.size(-1)), kept) @ values, order[..., :k]
