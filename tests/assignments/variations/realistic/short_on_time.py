import torch as th, torch.nn as nn, torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence as pack, pad_packed_sequence as unpack
from torch import Tensor as T_

L = lambda i, o, b=False: nn.Linear(i, o, bias=b)
real = lambda n, w, x: th.arange(w, device=x.device) < n.to(x.device)[:, None]

def coverage_attention(scores, penalty):
    ws, c = [], [th.zeros_like(scores[:, 0])]
    for e in scores.transpose(0, 1):
        ws.append((e - penalty * c[-1]).softmax(-1)); c.append(c[-1] + ws[-1])
    return th.stack(ws, 1), th.stack(c[:-1], 1)

def coverage_loss(weights, seen, tgt_lengths):
    return th.min(weights, seen).sum(-1)[real(tgt_lengths, weights.shape[1], weights)].mean()

class PointerGenerator(nn.Module):
    def __init__(s, enc_dim, dec_dim, emb_dim):
        super().__init__(); s.w_c, s.w_s, s.w_y = L(enc_dim, 1), L(dec_dim, 1), L(emb_dim, 1, True)
    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size):
        p = F.sigmoid(self.w_c(context) + self.w_s(state) + self.w_y(embedded))
        P = th.cat([p * vocab_probs, p.new_zeros(len(p), extended_size - vocab_probs.shape[1])], 1)
        return P.scatter_add(-1, src_ids, (1 - p) * weights), p.view(-1)

def multi_hop(query, memory, hops):
    if hops < 1: raise ValueError('hops')
    a = []
    for i in range(hops):
        a.append(th.einsum('bd,bnd->bn', query, memory).softmax(1)); query = th.einsum('bn,bnd->bd', a[i], memory)
    return query, th.stack(a, 1)

class BiDAF(nn.Module):
    def __init__(self, dim): super().__init__(); self.w = L(3 * dim, 1)
    def similarity(self, context, question):
        a, b, c = self.w.weight.view(3, -1)
        return (context @ a)[..., None] + (question @ b)[:, None] + (context * c) @ question.mT
    def forward(self, context, question, context_mask, question_mask):
        S = self.similarity(context, question).masked_fill(~question_mask[:, None], -th.inf)
        u = S.softmax(-1) @ question
        b = S.max(-1)[0].masked_fill(~context_mask, -th.inf).softmax(-1)
        h = (b[..., None] * context).sum(1, True)
        return th.cat([context, u, context * u, context * h], -1).masked_fill(~context_mask[..., None], 0)

class SpatialAttention(nn.Module):
    def __init__(self, feature_dim, state_dim): super().__init__(); self.W_a = L(feature_dim, state_dim)
    def forward(self, features, state):
        x = features.flatten(2)
        a = (state[:, None] @ self.W_a.weight @ x).softmax(-1)
        return (a * x).sum(-1), a.reshape(len(x), *features.shape[2:])

class PyramidalEncoder(nn.Module):
    def __init__(self, input_dim, hidden_dim, num_layers):
        super().__init__()
        self.rnns = nn.ModuleList(nn.GRU(4 * hidden_dim if i else 2 * input_dim, hidden_dim, batch_first=True, bidirectional=True) for i in range(num_layers))
    def forward(self, frames, lengths):
        x = frames * real(lengths, frames.shape[1], frames)[..., None]
        for g in self.rnns:
            x = F.pad(x, (0, 0, 0, x.shape[1] % 2)); x = x.reshape(len(x), x.shape[1] // 2, -1); lengths = (lengths + 1) // 2
            x = unpack(g(pack(x, lengths.cpu(), True, False))[0], True, total_length=x.shape[1])[0]
        return x, lengths

def supervised_loss(task_loss, weights, gold, tgt_lengths, factor):
    return task_loss + factor * (weights - gold).pow(2).sum(-1)[real(tgt_lengths, weights.shape[1], weights)].mean()

def monotonic_attention(scores):
    j, out = th.arange(scores.shape[-1], device=scores.device), []
    for e in scores.unbind(1):
        if out: e = e.masked_fill(j < out[-1].argmax(-1, True), -th.inf)
        out.append(e.softmax(-1))
    return th.stack(out, 1)

def diagonal_prior_attention(scores, src_lengths, tgt_lengths, sigma):
    S, T = (n.to(scores.device)[:, None, None] for n in (src_lengths, tgt_lengths))
    j, t = th.arange(scores.shape[2], device=scores.device), th.arange(scores.shape[1], device=scores.device)[:, None]
    g = th.exp(-((j * T - t * S).to(scores.dtype) / T) ** 2 / (2 * sigma ** 2))
    return (scores + g).masked_fill(j >= S, -th.inf).softmax(-1).masked_fill(t >= T, 0)

memory_read = lambda memory, weights: (weights[:, None] @ memory)[:, 0]
def memory_address(memory, key, strength): return (strength[:, None] * F.cosine_similarity(memory, key[:, None], -1)).softmax(-1)
def memory_write(memory, weights, erase, add): w = weights[..., None]; return memory * (1 - w * erase[:, None]) + w * add[:, None]

class MultiHeadLuong(nn.Module):
    def __init__(self, enc_dim, dec_dim, num_heads):
        super().__init__()
        if enc_dim % num_heads or dec_dim % num_heads: raise ValueError('heads')
        self.W_a, self.W_o, self.n = L(enc_dim, dec_dim), L(enc_dim, enc_dim), num_heads
    def forward(self, decoder_states, encoder_states):
        f = lambda x: x.reshape(*x.shape[:2], self.n, -1).transpose(1, 2)
        a = (f(decoder_states) @ f(self.W_a(encoder_states)).mT).softmax(-1)
        return self.W_o((a @ f(encoder_states)).transpose(1, 2).flatten(2)), a

def top_k_retrieval(query, keys, values, k):
    if not 1 <= k <= keys.shape[1]: raise ValueError('k')
    s, i = (query @ keys.mT * query.shape[-1] ** -0.5).topk(k)
    return th.stack([(w[..., None] * v[j]).sum(1) for w, v, j in zip(s.softmax(-1), values, i)]), i
