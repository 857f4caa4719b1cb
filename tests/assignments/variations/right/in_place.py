# In place, but only on tensors of its own.
import torch
from torch import nn


def coverage_attention(scores, penalty):
    weights = torch.empty_like(scores)
    seen = torch.zeros_like(scores)
    total = torch.zeros_like(scores[:, 0])
    for t in range(scores.shape[1]):
        row = (scores[:, t] - penalty * total).softmax(-1)
        seen[:, t] = total
        weights[:, t] = row
        total = total + row
    return weights, seen


def coverage_loss(weights, seen, tgt_lengths):
    total = weights.new_zeros(())
    for w, s, n in zip(weights, seen, tgt_lengths.tolist()):
        total += torch.minimum(w[:n], s[:n]).sum()
    return total / int(tgt_lengths.sum())


class PointerGenerator(nn.Module):
    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size):
        p_gen = self.w_y(embedded)
        p_gen += self.w_c(context)
        p_gen += self.w_s(state)
        p_gen = p_gen.sigmoid()
        distribution = vocab_probs.new_zeros(vocab_probs.shape[0], extended_size)
        distribution[:, : vocab_probs.shape[1]] = p_gen * vocab_probs
        distribution.scatter_add_(1, src_ids, weights - p_gen * weights)
        return distribution, p_gen[:, 0]


class BiDAF(nn.Module):
    def forward(self, context, question, context_mask, question_mask):
        B, m, d = context.shape
        scores = self.similarity(context, question).clone()
        scores.masked_fill_(question_mask.logical_not().unsqueeze(1), -torch.inf)
        asked = scores.softmax(2).bmm(question)
        best = scores.max(dim=2)[0].clone()
        best[context_mask.logical_not()] = -torch.inf
        found = best.softmax(1).unsqueeze(1).bmm(context)
        result = context.new_zeros(B, m, 4 * d)
        result[:, :, :d] = context
        result[:, :, d : 2 * d] = asked
        result[:, :, 2 * d : 3 * d] = context * asked
        result[:, :, 3 * d :] = context * found
        result[context_mask.logical_not()] = 0
        return result


def supervised_loss(task_loss, weights, gold, tgt_lengths, factor):
    off = weights.clone()
    off -= gold
    for b, n in enumerate(tgt_lengths.tolist()):
        off[b, n:] = 0
    return task_loss + off.pow(2).sum().mul(factor).div(int(tgt_lengths.sum()))


def monotonic_attention(scores):
    scores = scores.clone()
    weights = torch.zeros_like(scores)
    for b in range(scores.shape[0]):
        peak = 0
        for t in range(scores.shape[1]):
            weights[b, t, peak:] = scores[b, t, peak:].softmax(0)
            peak += int(weights[b, t, peak:].argmax())
    return weights


def diagonal_prior_attention(scores, src_lengths, tgt_lengths, sigma):
    weights = torch.zeros_like(scores)
    for b, (S, T) in enumerate(zip(src_lengths.tolist(), tgt_lengths.tolist())):
        j = torch.arange(S, dtype=scores.dtype, device=scores.device)
        centre = torch.arange(T, dtype=scores.dtype, device=scores.device).mul_(S).div_(T)
        prior = j.repeat(T, 1).sub_(centre[:, None]).div_(sigma).pow_(2).mul_(-0.5).exp_()
        weights[b, :T, :S] = (scores[b, :T, :S] + prior).softmax(-1)
    return weights


def memory_write(memory, weights, erase, add):
    new = memory.clone()
    new *= 1 - weights[:, :, None] * erase[:, None]
    new += weights[:, :, None] * add[:, None]
    return new


class MultiHeadLuong(nn.Module):
    def forward(self, decoder_states, encoder_states):
        B, T_t, dec_dim = decoder_states.shape
        T_s, enc_dim = encoder_states.shape[1:]
        n, k, e = self.num_heads, dec_dim // self.num_heads, enc_dim // self.num_heads
        keys = self.W_a(encoder_states)
        weights = decoder_states.new_empty(B, n, T_t, T_s)
        joined = encoder_states.new_empty(B, T_t, enc_dim)
        for i in range(n):
            mine, other = slice(i * k, i * k + k), slice(i * e, i * e + e)
            head = (decoder_states[..., mine] @ keys[..., mine].mT).softmax(-1)
            weights[:, i] = head
            joined[..., other] = head @ encoder_states[..., other]
        return self.W_o(joined), weights


def top_k_retrieval(query, keys, values, k):
    if k <= 0 or k > keys.shape[1]:
        raise ValueError("k")
    scores = query @ keys.mT
    left = scores.detach().clone()
    indices = torch.empty(*query.shape[:2], k, dtype=torch.int64, device=query.device)
    for n in range(k):
        best = left.argmax(-1, keepdim=True)
        indices[..., n : n + 1] = best
        left.scatter_(-1, best, -torch.inf)
    weights = scores.gather(-1, indices).div(query.shape[-1] ** 0.5).softmax(-1)
    chosen = torch.zeros_like(scores).scatter_(-1, indices, weights)
    return chosen @ values, indices
