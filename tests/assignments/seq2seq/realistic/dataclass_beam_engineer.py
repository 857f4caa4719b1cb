"""Assignment 5, a translator.

The decoders differ in what they carry from step to step, so a small ``Memory`` object hides that
from everything that only wants "the next distribution".
"""

from __future__ import annotations

import heapq
import itertools
import math
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass, field
from typing import Hashable, Iterable, List, NamedTuple, Sequence, Tuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


# --------------------------------------------------------------------------- attention


def masked_attention_weights(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the True positions only; all zeros where a row has none."""
    lowest = torch.finfo(scores.dtype).min
    shifted = scores.masked_fill(~mask, lowest)
    shifted = shifted - shifted.amax(dim=-1, keepdim=True).detach()
    exponentials = shifted.exp() * mask.to(scores.dtype)
    normaliser = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / normaliser.clamp_min(1e-8)


def length_mask(lengths: Tensor, width: int, device: torch.device) -> Tensor:
    return torch.arange(width, device=device)[None, :] < lengths.to(device)[:, None]


# --------------------------------------------------------------------------- encoder


class EncoderOutput(NamedTuple):
    states: Tensor
    first: Tensor


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, src: Tensor, lengths: Tensor) -> EncoderOutput:
        packed = pack_padded_sequence(
            self.embedding(src), lengths.to("cpu"), batch_first=True, enforce_sorted=False
        )
        packed_states, final = self.rnn(packed)
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=src.shape[1])
        summary = final.transpose(0, 1).flatten(1)  # (2, B, H) -> (B, 2H), forward first
        return EncoderOutput(states, self.bridge(summary).tanh())


# --------------------------------------------------------------------------- decoders


class AttentionDecoder(nn.Module, ABC):
    """What the model needs to know about a decoder."""

    @abstractmethod
    def initial_memory(self, first: Tensor) -> Tuple[Tensor, ...]:
        """Tensors that ``step`` takes after the token, at the first step."""

    @abstractmethod
    def step(self, token, *args):
        """One word."""


class BahdanauDecoder(AttentionDecoder):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int, enc_dim: int, attn_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_s = nn.Linear(hidden_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.rnn = nn.GRU(emb_dim + enc_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim + enc_dim, vocab_size)

    def initial_memory(self, first: Tensor) -> Tuple[Tensor, ...]:
        return (first,)

    def step(self, token: Tensor, state: Tensor, encoder_states: Tensor, mask: Tensor):
        energy = torch.tanh(self.W_s(state)[:, None, :] + self.W_h(encoder_states))
        weights = masked_attention_weights(self.v(energy)[..., 0], mask)
        context = (weights[..., None] * encoder_states).sum(dim=1)
        _, hidden = self.rnn(
            torch.cat([self.embedding(token), context], dim=-1)[:, None, :], state[None].contiguous()
        )
        new_state = hidden[0]
        return self.out(torch.cat([new_state, context], dim=-1)), new_state, weights


class LuongDecoder(AttentionDecoder):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int, enc_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def initial_memory(self, first: Tensor) -> Tuple[Tensor, ...]:
        return first, first.new_zeros(first.shape)

    def step(self, token: Tensor, state: Tensor, fed: Tensor, encoder_states: Tensor, mask: Tensor):
        _, hidden = self.rnn(
            torch.cat([self.embedding(token), fed], dim=-1)[:, None, :], state[None].contiguous()
        )
        new_state = hidden[0]
        scores = (self.W_a(encoder_states) * new_state[:, None, :]).sum(dim=-1)
        weights = masked_attention_weights(scores, mask)
        context = (weights[..., None] * encoder_states).sum(dim=1)
        attentional = torch.tanh(self.W_c(torch.cat([context, new_state], dim=-1)))
        return self.out(attentional), new_state, attentional, weights


# --------------------------------------------------------------------------- model


@dataclass
class Memory:
    encoder_states: Tensor
    mask: Tensor
    carried: Tuple[Tensor, ...]

    def rows(self, index: Sequence[int]) -> "Memory":
        return Memory(self.encoder_states[index], self.mask[index], tuple(c[index] for c in self.carried))


@dataclass(order=True)
class Hypothesis:
    score: float
    serial: int = field(compare=True)
    words: Tuple[int, ...] = field(compare=False, default=())

    def extended(self, word: int, log_prob: float, serial: int) -> "Hypothesis":
        return Hypothesis(self.score + log_prob, serial, self.words + (word,))


class Seq2Seq(nn.Module):
    def __init__(self, encoder: Encoder, decoder: AttentionDecoder, pad_id: int, bos_id: int, eos_id: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self._pad, self._bos, self._eos = pad_id, bos_id, eos_id

    def _remember(self, src: Tensor, src_lengths: Tensor) -> Memory:
        encoded = self.encoder(src, src_lengths)
        mask = length_mask(src_lengths, src.shape[1], src.device)
        return Memory(encoded.states, mask, self.decoder.initial_memory(encoded.first))

    def _advance(self, token: Tensor, memory: Memory) -> Tuple[Tensor, Tensor, Memory]:
        result = self.decoder.step(token, *memory.carried, memory.encoder_states, memory.mask)
        logits, weights = result[0], result[-1]
        return logits, weights, Memory(memory.encoder_states, memory.mask, tuple(result[1:-1]))

    def forward(self, src: Tensor, src_lengths: Tensor, tgt_in: Tensor) -> Tuple[Tensor, Tensor]:
        memory = self._remember(src, src_lengths)
        logits, weights = [], []
        for token in tgt_in.unbind(dim=1):
            step_logits, step_weights, memory = self._advance(token, memory)
            logits.append(step_logits)
            weights.append(step_weights)
        return torch.stack(logits, 1), torch.stack(weights, 1)

    @torch.no_grad()
    def greedy_decode(self, src: Tensor, src_lengths: Tensor, max_len: int) -> Tensor:
        memory = self._remember(src, src_lengths)
        token = torch.full_like(src[:, 0], self._bos)
        alive = torch.ones_like(token, dtype=torch.bool)
        columns: List[Tensor] = []
        while len(columns) < max_len and bool(alive.any()):
            logits, _, memory = self._advance(token, memory)
            token = torch.where(alive, logits.argmax(dim=-1), torch.full_like(token, self._pad))
            columns.append(token)
            alive = alive & (token != self._eos)
        return torch.stack(columns, dim=1)

    def _search_one(self, memory: Memory, beam_size: int, max_len: int) -> Tuple[int, ...]:
        """Beam search for one sentence; finished hypotheses are put aside."""
        serial = itertools.count()
        device = memory.mask.device
        beam = [Hypothesis(0.0, next(serial))]
        finished: List[Hypothesis] = []
        for _ in range(max_len):
            last = [h.words[-1] if h.words else self._bos for h in beam]
            logits, _, memory = self._advance(torch.tensor(last, device=device), memory)
            log_probs = F.log_softmax(logits, dim=-1)
            k = min(beam_size, log_probs.shape[-1])
            values, words = log_probs.topk(k, dim=-1)
            candidates = []
            for row, (hypothesis, vs, ws) in enumerate(zip(beam, values.tolist(), words.tolist())):
                for log_prob, word in zip(vs, ws):
                    # earlier ones win ties
                    candidates.append((hypothesis.extended(word, log_prob, -next(serial)), row))
            best = heapq.nlargest(beam_size, candidates)
            beam, parents = [], []
            for hypothesis, row in best:
                if hypothesis.words[-1] == self._eos:
                    finished.append(hypothesis)
                else:
                    beam.append(hypothesis)
                    parents.append(row)
            if not beam:
                break
            if finished and max(finished).score >= beam[0].score:
                break  # a longer sentence only gets less probable
            memory = memory.rows(parents)
        return max(finished + beam).words

    @torch.no_grad()
    def beam_search(self, src: Tensor, src_lengths: Tensor, beam_size: int, max_len: int) -> Tensor:
        memory = self._remember(src, src_lengths)
        sentences = [self._search_one(memory.rows([b]), beam_size, max_len) for b in range(src.shape[0])]
        width = max(map(len, sentences))
        padded = [list(words) + [self._pad] * (width - len(words)) for words in sentences]
        return torch.tensor(padded, dtype=torch.long, device=src.device)


# --------------------------------------------------------------------------- baseline


class FixedContextSeq2Seq(nn.Module):
    def __init__(
        self, encoder: Encoder, vocab_size: int, emb_dim: int, hidden_dim: int, pad_id: int, bos_id: int, eos_id: int
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)
        self._special = (pad_id, bos_id, eos_id)

    def forward(self, src: Tensor, src_lengths: Tensor, tgt_in: Tensor) -> Tensor:
        first = self.encoder(src, src_lengths).first
        repeated = first[:, None, :].repeat(1, tgt_in.shape[1], 1)
        states, _ = self.rnn(torch.cat([self.embedding(tgt_in), repeated], -1), first[None])
        return self.out(torch.cat([states, repeated], -1))


# --------------------------------------------------------------------------- training


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    src: Tensor,
    src_lengths: Tensor,
    tgt_in: Tensor,
    tgt_out: Tensor,
    tgt_lengths: Tensor,
    clip: float = 5.0,
) -> float:
    for parameter in itertools.chain(model.parameters(), *(g["params"] for g in optimizer.param_groups)):
        parameter.grad = None
    logits = model(src, src_lengths, tgt_in)
    if not isinstance(logits, Tensor):
        logits = logits[0]
    real = length_mask(tgt_lengths, tgt_out.shape[1], tgt_out.device)
    per_token = F.cross_entropy(logits.transpose(1, 2), tgt_out, reduction="none")
    loss = per_token.masked_fill(~real, 0.0).sum() / real.sum()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=clip)
    optimizer.step()
    return float(loss.detach())


# --------------------------------------------------------------------------- BLEU


def _ngrams(tokens: Sequence[Hashable], n: int) -> Iterable[Tuple[Hashable, ...]]:
    return zip(*(tokens[k:] for k in range(n)))


@dataclass
class BleuStatistics:
    matched: List[int] = field(default_factory=lambda: [0] * 4)
    total: List[int] = field(default_factory=lambda: [0] * 4)
    candidate_length: int = 0
    reference_length: int = 0

    def add(self, candidate: Sequence[Hashable], reference: Sequence[Hashable]) -> None:
        self.candidate_length += len(candidate)
        self.reference_length += len(reference)
        for n in range(1, 5):
            mine, theirs = Counter(_ngrams(candidate, n)), Counter(_ngrams(reference, n))
            self.matched[n - 1] += sum(min(count, theirs[gram]) for gram, count in mine.items())
            self.total[n - 1] += sum(mine.values())

    def bleu(self) -> float:
        if 0 in self.matched:
            return 0.0
        precision = math.prod(m / t for m, t in zip(self.matched, self.total)) ** 0.25
        if self.candidate_length < self.reference_length:
            precision *= math.exp(1 - self.reference_length / self.candidate_length)
        return 100.0 * precision


def corpus_bleu(candidates: Sequence[Sequence[Hashable]], references: Sequence[Sequence[Hashable]]) -> float:
    statistics = BleuStatistics()
    for candidate, reference in zip(candidates, references):
        statistics.add(candidate, reference)
    return statistics.bleu()
