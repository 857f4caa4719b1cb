# Computes in double precision inside, and returns the dtype of the inputs.
import torch
from torch import nn
from torch.nn import functional as F


def coverage_attention(scores, penalty):
    inside = scores.double()
    rows = []
    for row in inside.unbind(1):
        seen = torch.stack(rows).sum(0) if rows else torch.zeros_like(row)
        rows.append(F.softmax(row - penalty * seen, dim=1))
    weights = torch.stack(rows, 1)
    seen = F.pad(weights.cumsum(1), (0, 0, 1, 0))[:, :-1]
    return weights.to(scores.dtype), seen.to(scores.dtype)


def coverage_loss(weights, seen, tgt_lengths):
    overlap = torch.minimum(weights.double(), seen.double()).sum(2)
    counted = torch.arange(overlap.size(1), device=overlap.device)[None] < tgt_lengths.to(overlap.device)[:, None]
    return (overlap.masked_fill(~counted, 0).sum() / counted.sum()).to(weights.dtype)


class PointerGenerator(nn.Module):
    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size):
        terms = ((self.w_c, context), (self.w_s, state), (self.w_y, embedded))
        gate = sum(F.linear(x.double(), layer.weight.double()) for layer, x in terms) + self.w_y.bias.double()
        p_gen = gate.sigmoid()
        result = torch.zeros(len(gate), extended_size, dtype=torch.double, device=gate.device)
        result = result.scatter_add(1, src_ids, gate.neg().sigmoid() * weights.double())
        places = torch.arange(vocab_probs.size(1), device=gate.device)
        result = result.index_add(1, places, p_gen * vocab_probs.double())
        return result.to(vocab_probs.dtype), p_gen.squeeze(1).to(context.dtype)


def multi_hop(query, memory, hops):
    if hops < 1:
        raise ValueError("at least one hop")
    m, rows, kind = query.double().unsqueeze(1), [], query.dtype
    memory = memory.double()
    for _ in range(hops):
        rows.append(torch.softmax(m @ memory.mT, -1))
        m = rows[-1] @ memory
    return m.squeeze(1).to(kind), torch.cat(rows, 1).to(kind)


class SpatialAttention(nn.Module):
    def forward(self, features, state):
        B, D, H, W = features.shape
        v = features.double().permute(0, 2, 3, 1)
        scores = F.linear(v, self.W_a.weight.double()).mul(state.double()[:, None, None]).sum(-1)
        weights = torch.softmax(scores.reshape(B, -1), -1).reshape(B, H, W)
        return (weights[..., None] * v).sum((1, 2)).to(features.dtype), weights.to(features.dtype)


def supervised_loss(task_loss, weights, gold, tgt_lengths, factor):
    squares = (weights.double() - gold.double()).square().sum(2)
    counted = torch.arange(squares.size(1), device=squares.device)[None] < tgt_lengths.to(squares.device)[:, None]
    return (task_loss.double() + factor * (squares * counted).sum() / counted.sum()).to(weights.dtype)


def monotonic_attention(scores):
    inside = scores.double()
    rows, allowed = [], torch.ones_like(scores[:, 0], dtype=torch.bool)
    for row in inside.unbind(1):
        weights = torch.softmax(torch.where(allowed, row, -torch.inf), 1).to(scores.dtype)
        rows.append(weights)
        peak = torch.zeros_like(allowed).scatter(1, weights.argmax(1, keepdim=True), True)
        allowed = peak.cummax(1).values
    return torch.stack(rows, 1)


def diagonal_prior_attention(scores, src_lengths, tgt_lengths, sigma):
    B, T_t, T_s = scores.shape
    S = src_lengths.to(scores.device, torch.double)[:, None, None]
    T = tgt_lengths.to(scores.device, torch.double)[:, None, None]
    j = torch.arange(T_s, dtype=torch.double, device=scores.device).view(1, 1, T_s)
    t = torch.arange(T_t, dtype=torch.double, device=scores.device).view(1, T_t, 1)
    z = (j - t * S / T) / sigma
    weights = (scores.double() + (-0.5 * z * z).exp()).masked_fill(j >= S, -torch.inf).softmax(2)
    return (weights * (t < T)).to(scores.dtype)


def memory_address(memory, key, strength):
    similarity = F.cosine_similarity(memory.double(), key.double()[:, None], dim=2)
    return torch.softmax(similarity * strength.double()[:, None], 1).to(memory.dtype)


def memory_read(memory, weights):
    return torch.bmm(weights.double()[:, None], memory.double())[:, 0].to(memory.dtype)


def memory_write(memory, weights, erase, add):
    m, w, e, a = memory.double(), weights.double()[..., None], erase.double()[:, None], add.double()[:, None]
    return (m - w * e * m + w * a).to(memory.dtype)


def top_k_retrieval(query, keys, values, k):
    if k not in range(1, keys.size(1) + 1):
        raise ValueError("k")
    scores, indices = torch.topk(query.double() @ keys.double().mT, k)
    weights = torch.softmax(scores / query.size(-1) ** 0.5, -1)
    chosen = values.double().unsqueeze(1).expand(-1, query.size(1), -1, -1)
    chosen = chosen.gather(2, indices.unsqueeze(-1).expand(-1, -1, -1, values.size(2)))
    return (weights.unsqueeze(-1) * chosen).sum(2).to(values.dtype), indices
