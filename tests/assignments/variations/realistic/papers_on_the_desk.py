# HW10. I wrote each part with the paper beside me, so names follow the papers.
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


# --- Tu et al. / See et al.

def coverage_attention(scores, penalty):
    """alpha_t = softmax(e_t - lambda * c_t)"""
    batch, steps, source = scores.size()
    c = scores.new_zeros(batch, source)
    alphas, cs = [], []
    for t in range(steps):
        e_t = scores[:, t]
        alpha = F.softmax(e_t - penalty * c, dim=-1)
        alphas.append(alpha)
        cs.append(c)
        c = c + alpha
    return torch.stack(alphas, dim=1), torch.stack(cs, dim=1)


def coverage_loss(weights, seen, tgt_lengths):
    covloss = torch.min(weights, seen).sum(dim=2)
    mask = (torch.arange(weights.size(1)).unsqueeze(0) < tgt_lengths.cpu().unsqueeze(1)).to(weights.device)
    return covloss.masked_fill(~mask, 0.0).sum() / mask.sum()


class PointerGenerator(nn.Module):
    def __init__(self, enc_dim, dec_dim, emb_dim):
        super().__init__()
        # p_gen = sigma(w_h* h* + w_s s + w_x x + b)
        self.w_c = nn.Linear(enc_dim, 1, bias=False)
        self.w_s = nn.Linear(dec_dim, 1, bias=False)
        self.w_y = nn.Linear(emb_dim, 1)

    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size):
        p_gen = torch.sigmoid(self.w_c(context) + self.w_s(state) + self.w_y(embedded))
        vocab_dist = p_gen * vocab_probs
        attn_dist = (1 - p_gen) * weights
        extra_zeros = vocab_dist.new_zeros(vocab_dist.size(0), extended_size - vocab_dist.size(1))
        vocab_dist_extended = torch.cat([vocab_dist, extra_zeros], dim=1)
        # project attn_dist to the extended vocabulary
        attn_projected = torch.zeros_like(vocab_dist_extended)
        attn_projected = attn_projected.scatter(1, src_ids, attn_dist)
        return vocab_dist_extended + attn_projected, p_gen.squeeze(1)


# --- Weston et al.

def multi_hop(query, memory, hops):
    if hops < 1:
        raise ValueError("hops must be >= 1")
    u, ps = query, []
    for _ in range(hops):
        p = F.softmax(torch.bmm(memory, u.unsqueeze(2)).squeeze(2), dim=1)
        o = torch.bmm(p.unsqueeze(1), memory).squeeze(1)
        u = o
        ps.append(p)
    return u, torch.stack(ps, dim=1)


# --- Seo et al.

class BiDAF(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.w = nn.Linear(3 * dim, 1, bias=False)

    def similarity(self, context, question):
        T, J = context.size(1), question.size(1)
        H = context.unsqueeze(2).repeat(1, 1, J, 1)
        U = question.unsqueeze(1).repeat(1, T, 1, 1)
        return self.w(torch.cat([H, U, H * U], dim=3)).squeeze(3)

    def forward(self, context, question, context_mask, question_mask):
        S = self.similarity(context, question)
        S = S.masked_fill(~question_mask[:, None, :], float("-inf"))
        U_tilde = F.softmax(S, dim=2) @ question
        b = S.max(dim=2).values.masked_fill(~context_mask, float("-inf"))
        h_tilde = F.softmax(b, dim=1).unsqueeze(1) @ context
        H_tilde = h_tilde.repeat(1, context.size(1), 1)
        G = torch.cat([context, U_tilde, context * U_tilde, context * H_tilde], dim=2)
        return G * context_mask.unsqueeze(2)


# --- Xu et al.

class SpatialAttention(nn.Module):
    def __init__(self, feature_dim, state_dim):
        super().__init__()
        self.W_a = nn.Linear(feature_dim, state_dim, bias=False)

    def forward(self, features, state):
        B, D, H, W = features.size()
        a = features.view(B, D, -1).permute(0, 2, 1) if features.is_contiguous() else features.flatten(2).permute(0, 2, 1)
        e = torch.bmm(self.W_a(a), state.unsqueeze(2)).squeeze(2)
        alpha = F.softmax(e, dim=1)
        z = (a * alpha.unsqueeze(2)).sum(dim=1)
        return z, alpha.view(B, H, W)


# --- Chan et al.

class PyramidalEncoder(nn.Module):
    def __init__(self, input_dim, hidden_dim, num_layers):
        super().__init__()
        dims = [input_dim] + [2 * hidden_dim] * (num_layers - 1)
        self.rnns = nn.ModuleList([nn.GRU(2 * d, hidden_dim, batch_first=True, bidirectional=True) for d in dims])

    def forward(self, frames, lengths):
        h = frames
        for rnn in self.rnns:
            keep = torch.arange(h.size(1), device=h.device)[None] < lengths.to(h.device)[:, None]
            h = h * keep.unsqueeze(2)
            if h.size(1) % 2:
                h = F.pad(h, (0, 0, 0, 1))
            h = h.contiguous().view(h.size(0), h.size(1) // 2, h.size(2) * 2)
            lengths = (lengths // 2).clamp(min=1)
            packed = nn.utils.rnn.pack_padded_sequence(h, lengths.cpu(), batch_first=True, enforce_sorted=False)
            h, _ = nn.utils.rnn.pad_packed_sequence(rnn(packed)[0], batch_first=True, total_length=h.size(1))
        return h, lengths


def supervised_loss(task_loss, weights, gold, tgt_lengths, factor):
    mask = (torch.arange(weights.size(1)).unsqueeze(0) < tgt_lengths.cpu().unsqueeze(1)).to(weights.device)
    delta = (weights - gold).pow(2).sum(dim=2)
    return task_loss + factor * delta.masked_fill(~mask, 0.0).sum() / mask.sum()


def monotonic_attention(scores):
    B, T, S = scores.size()
    rows = []
    start = torch.zeros(B, dtype=torch.long, device=scores.device)
    for t in range(T):
        forbidden = torch.arange(S, device=scores.device)[None] < start[:, None]
        alpha = F.softmax(scores[:, t].masked_fill(forbidden, float("-inf")), dim=-1)
        start = alpha.argmax(dim=-1)
        rows.append(alpha)
    return torch.stack(rows, dim=1)


def diagonal_prior_attention(scores, src_lengths, tgt_lengths, sigma):
    out = scores.new_zeros(scores.size())
    for b in range(scores.size(0)):
        S, T = src_lengths[b].item(), tgt_lengths[b].item()
        t = torch.arange(T, dtype=scores.dtype, device=scores.device).unsqueeze(1)
        j = torch.arange(S, dtype=scores.dtype, device=scores.device).unsqueeze(0)
        prior = torch.exp(-((j - t * S / T) ** 2) / (2 * sigma ** 2))
        out[b, :T, :S] = F.softmax(scores[b, :T, :S] + prior, dim=-1)
    return out


# --- Graves et al.

def memory_address(memory, key, strength):
    K = F.cosine_similarity(memory, key.unsqueeze(1).expand_as(memory), dim=2)
    return F.softmax(strength.unsqueeze(1) * K, dim=1)


def memory_read(memory, weights):
    return torch.einsum("bn,bnm->bm", weights, memory)


def memory_write(memory, weights, erase, add):
    erased = memory * (1 - torch.einsum("bn,bm->bnm", weights, erase))
    return erased + torch.einsum("bn,bm->bnm", weights, add)


# --- Luong et al.

class MultiHeadLuong(nn.Module):
    def __init__(self, enc_dim, dec_dim, num_heads):
        super().__init__()
        if enc_dim % num_heads != 0 or dec_dim % num_heads != 0:
            raise ValueError("dimensions must be divisible by num_heads")
        self.h = num_heads
        self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        self.W_o = nn.Linear(enc_dim, enc_dim, bias=False)

    def forward(self, decoder_states, encoder_states):
        B, T_t, _ = decoder_states.size()
        T_s = encoder_states.size(1)
        Q = decoder_states.reshape(B, T_t, self.h, -1).transpose(1, 2)
        K = self.W_a(encoder_states).reshape(B, T_s, self.h, -1).transpose(1, 2)
        V = encoder_states.reshape(B, T_s, self.h, -1).transpose(1, 2)
        A = F.softmax(torch.matmul(Q, K.transpose(-1, -2)), dim=-1)
        O = torch.matmul(A, V).transpose(1, 2).contiguous().view(B, T_t, -1)
        return self.W_o(O), A


def top_k_retrieval(query, keys, values, k):
    if k < 1 or k > keys.size(1):
        raise ValueError("1 <= k <= N")
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.size(-1))
    top, idx = scores.topk(k, dim=-1)
    alpha = F.softmax(top, dim=-1)
    B, Tq, _ = idx.size()
    v = torch.gather(values.unsqueeze(1).expand(B, Tq, -1, -1), 2, idx.unsqueeze(-1).expand(-1, -1, -1, values.size(-1)))
    return torch.einsum("bqk,bqkv->bqv", alpha, v), idx
