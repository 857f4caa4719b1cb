"""A right translator: rows, single, plain, rows, replaced, steps, sentences, dicts."""

import math
import warnings
from collections import Counter, defaultdict, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


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
        states, finals = [], []
        for words, n in zip(src, lengths.tolist()):
            out, h = self.rnn(self.embedding(words[:n]).unsqueeze(0))
            states.append(F.pad(out[0], (0, 0, 0, src.shape[1] - n)))
            finals.append(h.reshape(-1))
        return torch.stack(states), self.bridge(torch.stack(finals)).tanh()


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
        _, c = self.encoder(src, src_lengths)
        h, logits = c[None], []
        for token in tgt_in.T:
            _, h = self.rnn(torch.cat([self.embedding(token), c], -1)[:, None], h)
            logits.append(self.out(torch.cat([h[0], c], -1)))
        return torch.stack(logits, 1)


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
