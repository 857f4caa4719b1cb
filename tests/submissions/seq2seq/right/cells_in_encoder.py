"""A right translator: dead, cells, plain, again, replaced, once, ignore, dicts."""

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
    dead = ~mask.any(dim=1, keepdim=True)
    w = F.softmax(scores.masked_fill(~(mask | dead), float("-inf")), dim=-1)
    return w.masked_fill(dead, 0)


def look(weights, values):
    return (weights[:, None, :] @ values)[:, 0]


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
        e = self.v(torch.tanh(self.W_s(state)[:, None] + self.W_h(encoder_states)))[..., 0]
        alpha = weigh(e, mask)
        c = look(alpha, encoder_states)
        x = torch.cat((self.embedding(token), c), 1)[:, None]
        new, _ = self.rnn(x, state[None].contiguous())
        new = new[:, 0]
        return self.out(torch.cat((new, c), 1)), new, alpha


class LuongDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def step(self, token, state, fed, encoder_states, mask):
        x = torch.cat((self.embedding(token), fed), 1)[:, None]
        _, new = self.rnn(x, state[None].contiguous())
        new = new.squeeze(0)
        alpha = weigh(torch.einsum("bd,bsd->bs", new, self.W_a(encoder_states)), mask)
        a = torch.tanh(self.W_c(torch.cat((look(alpha, encoder_states), new), 1)))
        return self.out(a), new, a, alpha


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
        """Runs all of forward again for each word."""
        words = torch.full((len(src), 1), self.bos_id, device=src.device)
        done = torch.zeros(len(src), dtype=torch.bool, device=src.device)
        for _ in range(max_len):
            with torch.no_grad():
                best = self(src, src_lengths, words)[0][:, -1].argmax(-1)
            best = torch.where(done, torch.tensor(self.pad_id), best)
            words = torch.cat([words, best[:, None]], 1)
            done = done | best.eq(self.eos_id)
            if done.all():
                break
        return words[:, 1:]

    @torch.no_grad()
    def beam_search(self, src, src_lengths, beam_size, max_len):
        """Twice as many candidates as beams, so that there are always enough that go on."""
        out = torch.full((len(src), max_len), self.pad_id, device=src.device)
        for b in range(len(src)):
            states, mask, carry = self._begin(src[b : b + 1], src_lengths[b : b + 1])
            words, totals = torch.zeros(1, 0, dtype=torch.long, device=src.device), torch.zeros(1, dtype=torch.float64, device=src.device)
            best, best_words = -math.inf, None
            for t in range(max_len):
                token = words[:, -1] if t else torch.tensor([self.bos_id], device=src.device)
                n = len(token)
                z, carry, _ = self._step(token, carry, states.expand(n, -1, -1), mask.expand(n, -1))
                grown = totals[:, None] + z.double().log_softmax(-1)
                V = grown.size(1)
                top, index = grown.flatten().topk(min(2 * beam_size, n * V))
                keep = []
                for rank, (total, i) in enumerate(zip(top.tolist(), index.tolist())):
                    if i % V == self.eos_id:
                        if rank < beam_size and total > best:
                            best, best_words = total, torch.cat([words[i // V], torch.tensor([self.eos_id], device=src.device)])
                    elif len(keep) < beam_size:
                        keep.append((total, i))
                if not keep:
                    break
                chosen = torch.tensor([i for _, i in keep], device=src.device)
                totals = torch.tensor([total for total, _ in keep], dtype=torch.float64, device=src.device)
                words = torch.cat([words[chosen // V], (chosen % V)[:, None]], 1)
                carry = tuple(c[chosen // V] for c in carry)
            if totals[0] > best:
                best_words = words[0]
            out[b, : len(best_words)] = best_words
        return out


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


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    model.train()
    optimizer.zero_grad()
    out = model(src, src_lengths, tgt_in)
    logits = out[0] if isinstance(model, Seq2Seq) else out
    target = tgt_out.masked_fill(~is_real(tgt_lengths.to(tgt_out.device), tgt_out.size(1)), -100)
    loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=-100)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return float(loss)


def corpus_bleu(candidates, references):
    logs = []
    for n in range(1, 5):
        hit = all_ = 0
        for cand, ref in zip(candidates, references):
            left = defaultdict(int)
            for i in range(len(ref) - n + 1):
                left[tuple(ref[i : i + n])] += 1
            for i in range(len(cand) - n + 1):
                all_ += 1
                gram = tuple(cand[i : i + n])
                if left[gram] > 0:
                    left[gram] -= 1
                    hit += 1
        if hit == 0:
            return 0
        logs.append(math.log(hit) - math.log(all_))
    c, r = sum(len(x) for x in candidates), sum(len(x) for x in references)
    penalty = min(0, 1 - r / c)
    return 100 * math.exp(penalty + sum(logs) / 4)
