"""A right translator: dead, packed, tuple, buffer, kept_tensors, steps, index, prod."""

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
        _, c = self.encoder(src, src_lengths)
        h, logits = c[None], []
        for token in tgt_in.T:
            _, h = self.rnn(torch.cat([self.embedding(token), c], -1)[:, None], h)
            logits.append(self.out(torch.cat([h[0], c], -1)))
        return torch.stack(logits, 1)


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
