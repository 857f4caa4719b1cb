"""A right translator: exp, cells, cells, buffer, kept_tensors, once, hand, numpy."""

import math
import warnings
from collections import Counter, defaultdict, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


def gru_step(x, h, w_ih, w_hh, b_ih, b_hh):
    xr, xz, xn = (x @ w_ih.T + b_ih).chunk(3, -1)
    hr, hz, hn = (h @ w_hh.T + b_hh).chunk(3, -1)
    r, z = torch.sigmoid(xr + hr), torch.sigmoid(xz + hz)
    n = torch.tanh(xn + r * hn)
    return (1 - z) * n + z * h


def weights_of(rnn, suffix=""):
    return [getattr(rnn, f"{kind}_l0{suffix}") for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]


def is_real(lengths, width):
    ones = lengths.new_ones(lengths.shape[0], width)
    return ones.cumsum(1) <= lengths.unsqueeze(1)


def weigh(scores, mask):
    """exp by hand, shifted by the largest score that counts."""
    top = scores.masked_fill(~mask, -math.inf).amax(-1, keepdim=True)
    top = torch.where(torch.isfinite(top), top, torch.zeros_like(top))
    shifted = torch.where(mask, scores - top, torch.zeros_like(scores))
    e = shifted.exp() * mask
    return e / e.sum(-1, keepdim=True).clamp_min(1e-30)


def look(weights, values):
    return torch.einsum("bs,bsd->bd", weights, values)


class Encoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, src, lengths):
        x = self.embedding(src)
        real = is_real(lengths.to(src.device), src.shape[1]).unsqueeze(-1).to(x.dtype)
        H = self.rnn.hidden_size
        halves, lasts = [], []
        for suffix, order in (("", range(src.shape[1])), ("_reverse", reversed(range(src.shape[1])))):
            h = x.new_zeros(src.shape[0], H)
            found = {}
            for t in order:
                new = gru_step(x[:, t], h, *weights_of(self.rnn, suffix))
                h = real[:, t] * new + (1 - real[:, t]) * h
                found[t] = real[:, t] * h
            halves.append(torch.stack([found[t] for t in range(src.shape[1])], 1))
            lasts.append(h)
        return torch.cat(halves, -1), torch.tanh(self.bridge(torch.cat(lasts, -1)))


class BahdanauDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim, attn_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_s = nn.Linear(hidden_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.rnn = nn.GRU(emb_dim + enc_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim + enc_dim, vocab_size)

    def step(self, token, state, encoder_states, mask):
        q = state @ self.W_s.weight.T
        k = encoder_states @ self.W_h.weight.T
        e = ((q.unsqueeze(1) + k).tanh() * self.v.weight[0]).sum(-1)
        alpha = weigh(e, mask)
        c = look(alpha, encoder_states)
        new = gru_step(torch.cat([self.embedding.weight[token], c], -1), state, *weights_of(self.rnn))
        w, b = self.out.weight, self.out.bias
        H = new.shape[-1]
        return new @ w[:, :H].T + c @ w[:, H:].T + b, new, alpha


class LuongDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def step(self, token, state, fed, encoder_states, mask):
        x = torch.cat([F.one_hot(token, self.embedding.num_embeddings).to(fed.dtype) @ self.embedding.weight, fed], -1)
        new = gru_step(x, state, *weights_of(self.rnn))
        query = new @ self.W_a.weight
        alpha = weigh((query.unsqueeze(1) * encoder_states).sum(-1), mask)
        c = look(alpha, encoder_states)
        E = c.shape[-1]
        a = (c @ self.W_c.weight[:, :E].T + new @ self.W_c.weight[:, E:].T).tanh()
        return [self.out(a), new, a, alpha]


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.pad_id = pad_id
        self.bos_id = bos_id
        self.eos_id = eos_id

    def _begin(self, src, src_lengths):
        states, s = self.encoder(src, src_lengths)
        mask = is_real(src_lengths.to(src.device), src.size(1))
        return states, mask, ((s, torch.zeros_like(s)) if isinstance(self.decoder, LuongDecoder) else (s,))

    def _step(self, token, carry, states, mask):
        got = list(self.decoder.step(token, *carry, states, mask))
        return got[0], tuple(got[1:-1]), got[-1]

    def forward(self, src, src_lengths, tgt_in):
        states, mask, carry = self._begin(src, src_lengths)
        logits, weights = [], []
        for t in range(tgt_in.shape[1]):
            z, carry, a = self._step(tgt_in[:, t], carry, states, mask)
            logits.append(z)
            weights.append(a)
        return torch.stack(logits, 1), torch.stack(weights, 1)

    def greedy_decode(self, src, src_lengths, max_len):
        was = self.training
        self.eval()
        with torch.inference_mode():
            states, mask, carry = self._begin(src, src_lengths)
            out = torch.full((src.size(0), max_len), self.pad_id, dtype=torch.long, device=src.device)
            going = torch.ones(src.size(0), dtype=torch.bool, device=src.device)
            token = torch.full((src.size(0),), self.bos_id, device=src.device)
            for t in range(max_len):
                z, carry, _ = self._step(token, carry, states, mask)
                token = F.log_softmax(z, -1).max(-1).indices
                out[going, t] = token[going]
                going &= token != self.eos_id
                if not going.any():
                    break
        self.train(was)
        return out[:, : t + 1].clone()

    @torch.no_grad()
    def beam_search(self, src, src_lengths, beam_size, max_len):
        """All sentences at once; finished hypotheses stay and are followed by pad."""
        B, K = len(src), beam_size
        states, mask, carry = self._begin(src, src_lengths)
        states, mask, *carry = [torch.stack([x] * K, 1).flatten(0, 1) for x in (states, mask, *carry)]
        V = self.decoder.out.out_features
        seqs = torch.full((B, K, max_len + 1), self.pad_id, device=src.device)
        seqs[..., 0] = self.bos_id
        score = torch.full((B, K), -1e30, dtype=states.dtype, device=src.device)
        score[:, 0] = 0
        done = torch.zeros(B, K, dtype=torch.bool, device=src.device)
        for t in range(max_len):
            z, carry, _ = self._step(seqs[..., t].flatten(), carry, states, mask)
            lp = F.log_softmax(z, -1).reshape(B, K, V).clone()
            lp[done] = -1e30
            lp[..., self.pad_id] = torch.where(done, torch.zeros_like(score), lp[..., self.pad_id])
            order = (score[..., None] + lp).flatten(1).argsort(1, descending=True)[:, :K]
            score = (score[..., None] + lp).flatten(1).gather(1, order)
            parent = order // V
            seqs = seqs.gather(1, parent[..., None].expand(-1, -1, max_len + 1)).clone()
            seqs[..., t + 1] = order % V
            done = done.gather(1, parent) | (order % V == self.eos_id)
            flat = (parent + torch.arange(B, device=src.device)[:, None] * K).flatten()
            carry = [c.index_select(0, flat) for c in carry]
            if done.all():
                break
        best = score.argmax(1)
        return seqs[torch.arange(B, device=src.device), best, 1:]


class FixedContextSeq2Seq(nn.Module):
    def __init__(self, encoder, vocab_size, emb_dim, hidden_dim, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)
        self.ids = (pad_id, bos_id, eos_id)

    def forward(self, src, src_lengths, tgt_in):
        c = self.encoder(src, src_lengths)[1]
        many = c[:, None].repeat(1, tgt_in.size(1), 1)
        h, _ = self.rnn(torch.cat((self.embedding(tgt_in), many), 2), c[None].contiguous())
        return self.out(torch.cat((h, many), 2))


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0, verbose=True):
    for p in model.parameters():
        p.grad = None
    out = model(src, src_lengths, tgt_in)
    logits = out if torch.is_tensor(out) else out[0]
    logp = logits - logits.logsumexp(-1, keepdim=True)
    picked = logp.gather(-1, tgt_out[..., None])[..., 0]
    real = is_real(tgt_lengths.to(tgt_out.device), tgt_out.size(1)).to(logp.dtype)
    loss = -(picked * real).sum() / real.sum()
    loss.backward()
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    norm = math.sqrt(sum(float((g * g).sum()) for g in grads))
    if norm > clip:
        for g in grads:
            g *= clip / norm
    optimizer.step()
    if verbose:
        print(f"loss {loss:.3f}")
    return loss.item()


def corpus_bleu(candidates, references):
    counts = np.zeros((4, 2))
    for cand, ref in zip(candidates, references):
        for n in (1, 2, 3, 4):
            grams = [tuple(cand[i : i + n]) for i in range(len(cand) - n + 1)]
            other = [tuple(ref[i : i + n]) for i in range(len(ref) - n + 1)]
            counts[n - 1] += sum(min(grams.count(g), other.count(g)) for g in set(grams)), len(grams)
    if (counts[:, 0] == 0).any():
        return 0.0
    c, r = map(float, (sum(map(len, candidates)), sum(map(len, references))))
    return 100.0 * np.exp(np.log(counts[:, 0] / counts[:, 1]).mean()) * min(1.0, np.exp(1 - r / c))
