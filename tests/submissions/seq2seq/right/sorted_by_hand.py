"""A right translator: exp, sorted, plain, rows, lists_aside, steps, ignore, prod."""

import math
import warnings
from collections import Counter, defaultdict, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


def is_real(lengths, width):
    return torch.arange(width, device=lengths.device)[None] < lengths[:, None]


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
        lengths = lengths.cpu()
        ordered, order = torch.sort(lengths, descending=True)
        back = torch.argsort(order)
        packed = pack_padded_sequence(self.embedding(src[order]), ordered, batch_first=True)
        out, h = self.rnn(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        out = F.pad(out, (0, 0, 0, src.shape[1] - out.shape[1]))
        h = torch.cat((h[-2], h[-1]), 1)
        return out[back], torch.tanh(self.bridge(h[back]))


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

    @torch.no_grad()
    def greedy_decode(self, src, src_lengths, max_len):
        rows = []
        for b in range(len(src)):
            states, mask, carry = self._begin(src[b : b + 1], src_lengths[b : b + 1])
            said, token = [], self.bos_id
            while len(said) < max_len and token != self.eos_id or not said:
                z, carry, _ = self._step(torch.tensor([token], device=src.device), carry, states, mask)
                token = int(z.argmax())
                said.append(token)
            rows.append(torch.tensor(said, device=src.device))
        return pad_sequence(rows, batch_first=True, padding_value=self.pad_id)

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
    match, total = [0] * 4, [0] * 4
    c_len = r_len = 0
    for cand, ref in zip(candidates, references):
        c_len += len(cand)
        r_len += len(ref)
        for n in range(1, 5):
            have = Counter(zip(*(cand[i:] for i in range(n))))
            want = Counter(zip(*(ref[i:] for i in range(n))))
            match[n - 1] += sum(min(k, want[g]) for g, k in have.items())
            total[n - 1] += max(len(cand) - n + 1, 0)
    if min(match) == 0:
        return 0.0
    bp = 1.0 if c_len > r_len else math.exp(1 - r_len / c_len)
    return 100 * bp * math.prod(m / t for m, t in zip(match, total)) ** 0.25
