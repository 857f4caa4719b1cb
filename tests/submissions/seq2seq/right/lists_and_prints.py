"""A right translator: dead, packed, cells, buffer, replaced, steps, hand, dicts."""

import math
import warnings
from collections import Counter, defaultdict, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


print("loading my translator")
warnings.warn("this is fine")


def gru_step(x, h, w_ih, w_hh, b_ih, b_hh):
    xr, xz, xn = (x @ w_ih.T + b_ih).chunk(3, -1)
    hr, hz, hn = (h @ w_hh.T + b_hh).chunk(3, -1)
    r, z = torch.sigmoid(xr + hr), torch.sigmoid(xz + hz)
    n = torch.tanh(xn + r * hn)
    return (1 - z) * n + z * h


def weights_of(rnn, suffix=""):
    return [getattr(rnn, f"{kind}_l0{suffix}") for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]


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
