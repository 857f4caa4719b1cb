# whole file: A large negative number added under the mask, sentences sorted by hand, greedy sentence by sentence, spare candidates in the beam.

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
        lengths = lengths.cpu()
        ordered, order = torch.sort(lengths, descending=True)
        back = torch.argsort(order)
        packed = pack_padded_sequence(self.embedding(src[order]), ordered, batch_first=True)
        out, h = self.rnn(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        out = F.pad(out, (0, 0, 0, src.shape[1] - out.shape[1]))
        h = torch.cat((h[-2], h[-1]), 1)
        return out[back], torch.tanh(self.bridge(h[back]))


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
