"""A right translator: rows, groups, cells, again, lists_aside, once, index, dicts."""

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
    mask = torch.zeros(len(lengths), width, dtype=torch.bool, device=lengths.device)
    for b, n in enumerate(lengths.tolist()):
        mask[b, :n] = True
    return mask


def weigh(scores, mask):
    rows = []
    for row, keep in zip(scores, mask):
        out = torch.zeros_like(row)
        if bool(keep.any()):
            out = out.masked_scatter(keep, row[keep].softmax(0))
        rows.append(out)
    return torch.stack(rows)


def look(weights, values):
    return torch.stack([w @ v for w, v in zip(weights, values)])


class Encoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, src, lengths):
        """Sentences of one length go through the GRU together; nothing is padded."""
        H = self.rnn.hidden_size
        rows = {}
        for n in sorted(set(lengths.tolist())):
            where = (lengths == n).nonzero().flatten()
            out, h = self.rnn(self.embedding(src[where, :n]))
            for k, b in enumerate(where.tolist()):
                rows[b] = (out[k], torch.cat([h[0, k], h[1, k]]))
        pieces = [rows[b][0] for b in range(len(src))]
        states = pad_sequence([*pieces, src.new_zeros(src.shape[1], 2 * H).to(pieces[0].dtype)], batch_first=True)
        return states[:-1], torch.tanh(self.bridge(torch.stack([rows[b][1] for b in range(len(src))])))


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
        c = self.encoder(src, src_lengths)[1]
        many = c[:, None].repeat(1, tgt_in.size(1), 1)
        h, _ = self.rnn(torch.cat((self.embedding(tgt_in), many), 2), c[None].contiguous())
        return self.out(torch.cat((h, many), 2))


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    optimizer.zero_grad(set_to_none=False)
    result = model(src, src_lengths, tgt_in)
    logits = result[0] if isinstance(result, (tuple, list)) else result
    keep = is_real(tgt_lengths.to(tgt_out.device), tgt_out.size(1))
    loss = nn.CrossEntropyLoss()(logits[keep], tgt_out[keep])
    loss.backward()
    total = torch.linalg.vector_norm(torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]))
    factor = torch.clamp(clip / (total + 1e-6), max=1.0)
    for p in model.parameters():
        if p.grad is not None:
            p.grad.mul_(factor)
    optimizer.step()
    return loss.detach().cpu().item()


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
