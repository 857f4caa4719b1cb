"""A right translator: added, aligned, tuple, again, lists_aside, once, index, prod."""

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
    w = torch.softmax(scores + (~mask).to(scores.dtype) * -1e30, dim=1)
    return w * mask.to(w.dtype)


def look(weights, values):
    return (weights.unsqueeze(-1) * values).sum(dim=1)


class Encoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, src, lengths):
        # forward half: words to the left; backward half: words to the right, so that it starts with the last one
        B, T = src.shape
        H = self.rnn.hidden_size
        steps = torch.arange(T, device=src.device)
        shift = T - lengths.to(src.device)[:, None]
        right = src.gather(1, (steps - shift) % T)
        left_out, _ = self.rnn(self.embedding(src))
        right_out, _ = self.rnn(self.embedding(right))
        places = ((steps + shift) % T).unsqueeze(-1).expand(B, T, H)
        backward = right_out[..., H:].gather(1, places)
        states = torch.cat([left_out[..., :H], backward], -1)
        states = states * is_real(lengths.to(src.device), T).unsqueeze(-1)
        last = states[torch.arange(B, device=src.device), lengths - 1, :H]
        return states, torch.tanh(self.bridge(torch.cat([last, states[:, 0, H:]], -1)))


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
