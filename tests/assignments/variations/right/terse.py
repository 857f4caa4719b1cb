# Short: one expression where it fits.
import torch
from torch import nn
from torch.nn import functional as F


def coverage_attention(scores, penalty):
    c, out = 0 * scores[:, 0], []
    for e in scores.unbind(1):
        out += [((e - penalty * c).softmax(-1), c)]
        c = c + out[-1][0]
    return tuple(torch.stack(x, 1) for x in zip(*out))


def coverage_loss(weights, seen, tgt_lengths):
    return sum(torch.minimum(w, s)[:n].sum() for w, s, n in zip(weights, seen, tgt_lengths)) / tgt_lengths.sum().to(weights.device)


class PointerGenerator(nn.Module):
    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size):
        p = (self.w_c(context) + self.w_s(state) + self.w_y(embedded)).sigmoid()
        out = torch.zeros(len(p), extended_size).to(p)
        out = out.index_put((torch.arange(len(p), device=p.device)[:, None], src_ids), (1 - p) * weights, accumulate=True)
        return out + F.pad(p * vocab_probs, (0, extended_size - vocab_probs.shape[-1])), p[:, 0]


class BiDAF(nn.Module):
    def similarity(self, context, question):
        h, u = torch.broadcast_tensors(context[:, :, None], question[:, None])
        return self.w(torch.cat([h, u, h * u], -1))[..., 0]

    def forward(self, context, question, context_mask, question_mask):
        S = torch.where(question_mask[:, None], self.similarity(context, question), -torch.inf)
        U = S.softmax(-1) @ question
        h = (torch.where(context_mask, S.amax(-1), -torch.inf).softmax(-1)[:, None] @ context).expand_as(U)
        return torch.cat([context, U, context * U, context * h], -1) * context_mask[..., None]


class SpatialAttention(nn.Module):
    def forward(self, features, state):
        a = torch.einsum("bfhw,sf,bs->bhw", features, self.W_a.weight, state)
        a = a.flatten(1).softmax(1).reshape(a.shape)
        return (a[:, None] * features).flatten(2).sum(2), a


def monotonic_attention(scores):
    out, j = [], torch.arange(scores.shape[-1], device=scores.device)
    for e in scores.unbind(1):
        out += [(e if not out else e.masked_fill(j < out[-1].argmax(-1)[:, None], -torch.inf)).softmax(-1)]
    return torch.stack(out, 1)


def memory_address(memory, key, strength):
    return (strength[:, None] * torch.cosine_similarity(memory, key[:, None], -1)).softmax(-1)


def memory_read(memory, weights):
    return (weights[..., None] * memory).sum(1)


def memory_write(memory, weights, erase, add):
    return memory + weights[..., None] * (add[:, None] - erase[:, None] * memory)


class MultiHeadLuong(nn.Module):
    def forward(self, decoder_states, encoder_states):
        split = lambda x: x.unflatten(-1, (self.num_heads, -1)).movedim(-2, 1)
        a = (split(decoder_states) @ split(self.W_a(encoder_states)).mT).softmax(-1)
        return self.W_o((a @ split(encoder_states)).movedim(1, -2).flatten(-2)), a


def top_k_retrieval(query, keys, values, k):
    if k < 1 or k > keys.shape[1]:
        raise ValueError
    s, i = (query @ keys.mT / query.shape[-1] ** 0.5).topk(k)
    return (s.softmax(-1)[:, :, None] @ values[torch.arange(len(i), device=i.device)[:, None, None], i])[:, :, 0], i
