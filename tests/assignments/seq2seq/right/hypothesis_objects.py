# whole file: Base class for the decoders, a generator for greedy search, a heap of hypothesis objects, and BLEU in fractions.

import functools
import heapq
import itertools
import math
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_sequence, unpack_sequence


def concat(*parts: Tensor) -> Tensor:
    return torch.cat(parts, dim=-1)


def mask_from(lengths: Tensor, like: Tensor) -> Tensor:
    """True at the first lengths[b] places of row b of ``like``."""
    rows = [[i < n for i in range(like.size(1))] for n in lengths.tolist()]
    return torch.tensor(rows, dtype=torch.bool, device=like.device)


class MaskedAttention(nn.Module):
    """Scores to weights and context; no parameters, so nothing to load."""

    def forward(self, scores: Tensor, mask: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        lowest = torch.full_like(scores, torch.finfo(scores.dtype).min)
        logs = torch.where(mask, scores, lowest)
        logs = logs - torch.logsumexp(logs, dim=1, keepdim=True)
        weights = torch.where(mask, logs.exp(), torch.zeros_like(logs))
        return torch.einsum("bt,bte->be", weights, values), weights


class Encoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, src, lengths):
        sentences = [self.embedding(row[:n]) for row, n in zip(src, lengths.tolist())]
        packed, (last_forward, last_backward) = self.rnn(pack_sequence(sentences, enforce_sorted=False))
        states = self.embedding.weight.new_zeros(*src.shape, 2 * self.rnn.hidden_size)
        places = torch.cat([torch.arange(len(s)) + b * src.size(1) for b, s in enumerate(sentences)])
        found = torch.cat(unpack_sequence(packed))
        flat = states.flatten(0, 1).index_copy(0, places.to(src.device), found)
        return flat.view_as(states), torch.tanh(self.bridge(concat(last_forward, last_backward)))


class Decoder(nn.Module):
    """What both decoders share: an embedding, a GRU of one step, an output layer."""

    extra = 0  # how many zero vectors the first step needs beside the state

    def __init__(self, vocab_size, emb_dim, fed_dim, hidden_dim, out_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + fed_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(out_dim, vocab_size)
        self.attention = MaskedAttention()

    def advance(self, token, fed, state):
        x = concat(self.embedding(token), fed)
        output, _ = self.rnn(x.unsqueeze(1), state.unsqueeze(0).contiguous())
        return output.select(1, 0)


class BahdanauDecoder(Decoder):
    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim, attn_dim):
        super().__init__(vocab_size, emb_dim, enc_dim, hidden_dim, hidden_dim + enc_dim)
        self.W_s = nn.Linear(hidden_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, state, encoder_states):
        energy = torch.tanh(self.W_h(encoder_states) + self.W_s(state).unsqueeze(1))
        return self.v(energy).flatten(1)

    def step(self, token, state, encoder_states, mask):
        context, weights = self.attention(self.score(state, encoder_states), mask, encoder_states)
        new_state = self.advance(token, context, state)
        return self.out(concat(new_state, context)), new_state, weights


class LuongDecoder(Decoder):
    extra = 1

    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim):
        super().__init__(vocab_size, emb_dim, hidden_dim, hidden_dim, hidden_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)

    def score(self, state, encoder_states):
        return torch.matmul(self.W_a(encoder_states), state.unsqueeze(-1)).flatten(1)

    def step(self, token, state, fed, encoder_states, mask):
        new_state = self.advance(token, fed, state)
        context, weights = self.attention(self.score(new_state, encoder_states), mask, encoder_states)
        attentional = torch.tanh(self.W_c(concat(context, new_state)))
        return self.out(attentional), new_state, attentional, weights


class Source(NamedTuple):
    states: Tensor
    mask: Tensor


@dataclass(order=True)
class Hypothesis:
    cost: float
    number: int  # settles ties, so that nothing else is compared
    words: tuple = field(compare=False)
    carry: list = field(compare=False)


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id

    def read(self, src, src_lengths):
        states, first = self.encoder(src, src_lengths)
        carry = [first] + [torch.zeros_like(first) for _ in range(self.decoder.extra)]
        return Source(states, mask_from(src_lengths, src)), carry

    def forward(self, src, src_lengths, tgt_in):
        source, carry = self.read(src, src_lengths)
        B, T = tgt_in.shape
        all_logits, all_weights = [], []
        for t in range(T):
            logits, *carry, weights = self.decoder.step(tgt_in[:, t], *carry, *source)
            all_logits += [logits]
            all_weights += [weights]
        return torch.cat(all_logits, 1).view(B, T, -1), torch.cat(all_weights, 1).view(B, T, -1)

    def speak(self, src, src_lengths):
        """Yields the best words of each step, for ever."""
        source, carry = self.read(src, src_lengths)
        token = src.new_full((src.size(0),), self.bos_id)
        while True:
            logits, *carry, _ = self.decoder.step(token, *carry, *source)
            token = logits.max(dim=1)[1]
            yield token

    def greedy_decode(self, src, src_lengths, max_len):
        with torch.no_grad():
            columns, open_ = [], torch.ones_like(src[:, 0], dtype=torch.bool)
            for token in itertools.islice(self.speak(src, src_lengths), max_len):
                columns.append(torch.where(open_, token, self.pad_id))
                open_ = open_ & (token != self.eos_id)
                if not bool(open_.any()):
                    break
            return torch.stack(columns, dim=-1)

    def grow(self, hypothesis, source, beam_size, counter):
        """The best continuations of one hypothesis."""
        last = hypothesis.words[-1] if hypothesis.words else self.bos_id
        token = torch.tensor([last], device=source.mask.device)
        logits, *carry, _ = self.decoder.step(token, *hypothesis.carry, *source)
        logs = torch.log_softmax(logits[0].double(), dim=0)
        best = torch.topk(logs, min(beam_size, len(logs)))
        for gain, word in zip(best.values.tolist(), best.indices.tolist()):
            words = (*hypothesis.words, word)
            yield Hypothesis(hypothesis.cost - gain, next(counter), words, carry)

    def search_one(self, src, src_lengths, beam_size, max_len):
        source, carry = self.read(src, src_lengths)
        counter = itertools.count()
        beam, finished = [Hypothesis(0.0, next(counter), (), carry)], []
        for _ in range(max_len):
            pool = itertools.chain.from_iterable(self.grow(h, source, beam_size, counter) for h in beam)
            beam = []
            for h in heapq.nsmallest(beam_size, pool):
                (finished if h.words[-1] == self.eos_id else beam).append(h)
            if not beam or (finished and min(finished) < min(beam)):
                break
        return min(finished + beam).words

    @torch.no_grad()
    def beam_search(self, src, src_lengths, beam_size, max_len):
        found = [
            self.search_one(one, n, beam_size, max_len) for one, n in zip(src.split(1), src_lengths.split(1))
        ]
        columns = itertools.zip_longest(*found, fillvalue=self.pad_id)
        return torch.tensor(list(zip(*columns)), device=src.device)


class FixedContextSeq2Seq(nn.Module):
    def __init__(self, encoder, vocab_size, emb_dim, hidden_dim, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)

    def forward(self, src, src_lengths, tgt_in):
        summary = self.encoder(src, src_lengths)[1]
        state, logits = summary, []
        for words in self.embedding(tgt_in).unbind(1):
            output, _ = self.rnn(concat(words, summary).unsqueeze(1), state.unsqueeze(0))
            state = output[:, 0]
            logits.append(self.out(concat(state, summary)))
        return torch.stack(logits, dim=1)


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    params = list(model.parameters())
    model.zero_grad()
    output = model(src, src_lengths, tgt_in)
    logits = output if isinstance(model, FixedContextSeq2Seq) else output[0]
    right = nn.functional.one_hot(tgt_out, logits.size(-1)).to(logits.dtype)
    surprise = -(right * torch.log_softmax(logits, dim=-1)).sum(-1)
    loss = surprise[mask_from(tgt_lengths, tgt_out)].mean()
    loss.backward()
    grads = [p.grad for p in params if p.grad is not None]
    norm = torch.cat([g.flatten() for g in grads]).norm().item()
    if norm > clip:
        for g in grads:
            g.div_(norm / clip)
    optimizer.step()
    return float(loss.detach())


def ngrams(tokens, n):
    return Counter(zip(*(itertools.islice(tokens, start, None) for start in range(n))))


def corpus_bleu(candidates, references):
    precisions = []
    for n in range(1, 5):
        pairs = [(ngrams(c, n), ngrams(r, n)) for c, r in zip(candidates, references)]
        missed = sum(sum((c - r).values()) for c, r in pairs)
        total = sum(sum(c.values()) for c, _ in pairs)
        if missed == total:
            return 0.0
        precisions.append(Fraction(total - missed, total))
    product = functools.reduce(lambda a, b: a * b, precisions)
    c, r = (sum(len(x) for x in side) for side in (candidates, references))
    brevity = math.exp(1 - r / c) if c < r else 1.0
    return 100.0 * brevity * float(product) ** (1 / 4)
