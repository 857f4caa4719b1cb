"""A right translator: double, packed, plain, again, lists_aside, steps, ignore, numpy."""

import math
import warnings
from collections import Counter, defaultdict, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


def is_real(lengths, width):
    ones = lengths.new_ones(lengths.shape[0], width)
    return ones.cumsum(1) <= lengths.unsqueeze(1)


def weigh(scores, mask):
    wide = scores.double()
    w = torch.softmax(wide.masked_fill(~mask, -1e300), -1)
    return (w * mask).to(scores.dtype)


def look(weights, values):
    return torch.matmul(values.transpose(1, 2), weights.unsqueeze(2)).squeeze(2)


class Encoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, src, lengths, verbose=False):
        lengths = lengths.to("cpu", torch.int64)
        packed = pack_padded_sequence(self.embedding(src), lengths, batch_first=True, enforce_sorted=False)
        out, h = self.rnn(packed)
        states, n = pad_packed_sequence(out, batch_first=True, padding_value=0.0)
        if states.size(1) < src.size(1):
            extra = states.new_zeros(states.size(0), src.size(1) - states.size(1), states.size(2))
            states = torch.cat((states, extra), dim=1)
        h = h.permute(1, 0, 2).flatten(1)
        return [states, torch.tanh(self.bridge(h))]


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
        """One sentence after another; finished ones are put aside."""
        rows = []
        for b in range(len(src)):
            states, mask, carry = self._begin(src[b : b + 1], src_lengths[b : b + 1])
            live, done = [(0.0, [], carry)], []
            for _ in range(max_len):
                pool = []
                for total, said, carry in live:
                    z, new, _ = self._step(torch.tensor([said[-1] if said else self.bos_id], device=src.device), carry, states, mask)
                    for word, gain in enumerate(F.log_softmax(z[0], -1).tolist()):
                        pool.append((total + gain, said + [word], new))
                pool.sort(key=lambda h: -h[0])
                done += [h for h in pool[:beam_size] if h[1][-1] == self.eos_id]
                live = [h for h in pool[:beam_size] if h[1][-1] != self.eos_id]
                if not live or done and max(h[0] for h in done) >= live[0][0]:
                    break
            rows.append(torch.tensor(max(done + live, key=lambda h: h[0])[1], device=src.device))
        return pad_sequence(rows, batch_first=True, padding_value=self.pad_id)


class FixedContextSeq2Seq(nn.Module):
    def __init__(self, encoder, vocab_size, emb_dim, hidden_dim, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)
        self.ids = (pad_id, bos_id, eos_id)

    def forward(self, src, src_lengths, tgt_in):
        _, c = self.encoder(src, src_lengths)
        h, logits = c[None], []
        for token in tgt_in.T:
            _, h = self.rnn(torch.cat([self.embedding(token), c], -1)[:, None], h)
            logits.append(self.out(torch.cat([h[0], c], -1)))
        return torch.stack(logits, 1)


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
