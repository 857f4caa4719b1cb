# Everything by einsum, with one-hot matrices in place of indices.
import torch
from torch import nn
from torch.nn import functional as F


def coverage_attention(scores, penalty):
    steps = scores.size(1)
    earlier = torch.ones(steps, steps, dtype=scores.dtype, device=scores.device).tril(-1)
    rows = []
    for t in range(steps):
        seen = torch.einsum("p,pbs->bs", earlier[t, :t], torch.stack(rows)) if rows else 0.0
        rows.append((scores[:, t] - penalty * seen).softmax(1))
    a = torch.stack(rows, 1)
    return a, torch.einsum("tp,bps->bts", earlier, a)


def coverage_loss(weights, seen, tgt_lengths):
    t = torch.arange(weights.shape[1], device=weights.device)
    real = (t < tgt_lengths.to(t.device)[:, None]).to(weights.dtype)
    return torch.einsum("bts,bt->", torch.min(weights, seen), real) / torch.einsum("bt->", real)


class PointerGenerator(nn.Module):
    def __init__(self, enc_dim, dec_dim, emb_dim):
        super().__init__()
        self.w_c, self.w_s = nn.Linear(enc_dim, 1, bias=False), nn.Linear(dec_dim, 1, bias=False)
        self.w_y = nn.Linear(emb_dim, 1, bias=True)

    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size):
        gate = torch.einsum("bc,oc->bo", context, self.w_c.weight) + torch.einsum("bs,os->bo", state, self.w_s.weight)
        gate = torch.sigmoid(gate + torch.einsum("by,oy->bo", embedded, self.w_y.weight) + self.w_y.bias)[:, 0]
        ids = F.one_hot(src_ids, extended_size).to(weights.dtype)
        copied = torch.einsum("b,bj,bjw->bw", 1 - gate, weights, ids)
        wide = torch.eye(vocab_probs.shape[1], extended_size, dtype=weights.dtype, device=weights.device)
        return torch.einsum("b,bv,vw->bw", gate, vocab_probs, wide) + copied, gate


def multi_hop(query, memory, hops):
    if hops <= 0:
        raise ValueError(f"hops = {hops}")
    weights = []
    while len(weights) < hops:
        weights.append(torch.einsum("bd,btd->bt", query, memory).softmax(-1))
        query = torch.einsum("bt,btd->bd", weights[-1], memory)
    return query, torch.stack(weights, -2)


class BiDAF(nn.Module):
    def similarity(self, context, question):
        a, b, c = self.w.weight[0].chunk(3)
        one = torch.einsum("bid,d->bi", context, a)[:, :, None]
        two = torch.einsum("bjd,d->bj", question, b)[:, None]
        return one + two + torch.einsum("bid,d,bjd->bij", context, c, question)

    def forward(self, context, question, context_mask, question_mask):
        s = self.similarity(context, question).masked_fill(~question_mask[:, None], -torch.inf)
        u = torch.einsum("bij,bjd->bid", s.softmax(2), question)
        b = s.max(2).values.masked_fill(~context_mask, -torch.inf).softmax(1)
        h = torch.einsum("bi,bid->bd", b, context)
        g = torch.cat([context, u, torch.einsum("bid,bid->bid", context, u), torch.einsum("bid,bd->bid", context, h)], 2)
        return torch.einsum("bie,bi->bie", g, context_mask.to(g.dtype))


class SpatialAttention(nn.Module):
    def forward(self, features, state):
        e = torch.einsum("bs,sf,bfhw->bhw", state, self.W_a.weight, features)
        a = e.flatten(1).softmax(1).view_as(e)
        return torch.einsum("bhw,bfhw->bf", a, features), a


def supervised_loss(task_loss, weights, gold, tgt_lengths, factor):
    t = torch.arange(weights.shape[1], device=weights.device)
    real = (t < tgt_lengths.to(t.device)[:, None]).to(weights.dtype)
    off = weights - gold
    return task_loss + factor * torch.einsum("bts,bts,bt->", off, off, real) / real.sum()


def memory_address(memory, key, strength):
    unit = F.normalize(memory, dim=-1)
    return torch.einsum("b,bd,bnd->bn", strength, F.normalize(key, dim=-1), unit).softmax(-1)


def memory_read(memory, weights):
    return torch.einsum("bnd,bn->bd", memory, weights)


def memory_write(memory, weights, erase, add):
    kept = 1 - torch.einsum("bn,bd->bnd", weights, erase)
    return torch.einsum("bnd,bnd->bnd", memory, kept) + torch.einsum("bn,bd->bnd", weights, add)


class MultiHeadLuong(nn.Module):
    def forward(self, decoder_states, encoder_states):
        n = self.num_heads
        s = decoder_states.reshape(*decoder_states.shape[:2], n, -1)
        h = encoder_states.reshape(*encoder_states.shape[:2], n, -1)
        W = self.W_a.weight.reshape(n, -1, self.W_a.in_features)
        a = torch.einsum("btnk,nke,bse->bnts", s, W, encoder_states).softmax(-1)
        c = torch.einsum("bnts,bsne->btne", a, h)
        return torch.einsum("bte,oe->bto", c.flatten(2), self.W_o.weight), a


def top_k_retrieval(query, keys, values, k):
    n = keys.shape[1]
    if not 0 < k <= n:
        raise ValueError("k")
    s = torch.einsum("bqd,bnd->bqn", query, keys)
    best, i = s.sort(dim=-1, descending=True)
    best, i = best[..., :k], i[..., :k]
    pick = F.one_hot(i, n).to(values.dtype)
    return torch.einsum("bqk,bqkn,bnv->bqv", (best * query.shape[-1] ** -0.5).softmax(-1), pick, values), i
