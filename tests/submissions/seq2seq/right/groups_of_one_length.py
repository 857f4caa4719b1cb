"""A right translator: double, groups, tuple, again, kept_tensors, once, sentences, numpy."""

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


Step = namedtuple("Step", "logits state attentional weights")
Look = namedtuple("Look", "logits state weights")


class BahdanauDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim, attn_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_s = nn.Linear(hidden_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.rnn = nn.GRU(emb_dim + enc_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim + enc_dim, vocab_size)

    def step(self, token, state, encoder_states, mask, keys=None):
        if keys is None:
            keys = self.W_h(encoder_states)
        alpha = weigh(self.v((self.W_s(state).unsqueeze(-2) + keys).tanh()).squeeze(2), mask)
        c = look(alpha, encoder_states)
        out, h = self.rnn(torch.stack([torch.cat([self.embedding(token), c], dim=-1)], dim=1), state.clone().unsqueeze(0))
        return Look(self.out(torch.cat([h[0], c], dim=-1)), h[0], alpha)


class LuongDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def step(self, token, state, fed, encoder_states, mask):
        out, h = self.rnn(torch.hstack([self.embedding(token), fed]).unsqueeze(1), state.clone().unsqueeze(0))
        scores = torch.baddbmm(h.new_zeros(()), h.transpose(0, 1), self.W_a(encoder_states).mT)[:, 0]
        alpha = weigh(scores, mask)
        a = torch.tanh(self.W_c(torch.hstack([look(alpha, encoder_states), h[0]])))
        return Step(self.out(a), h[0], a, alpha)


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


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    model.zero_grad(set_to_none=True)
    result = model(src, src_lengths, tgt_in)
    logits = result[0] if hasattr(model, "decoder") else result
    loss, count = 0.0, 0
    for z, y, n in zip(logits, tgt_out, tgt_lengths.tolist()):
        loss = loss + F.nll_loss(z[:n].log_softmax(-1), y[:n], reduction="sum")
        count += n
    loss = loss / count
    loss.backward()
    norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])
    nn.utils.clip_grads_with_norm_(list(model.parameters()), clip, norm)
    optimizer.step()
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
