"""A translator with attention (assignment 5).

Conventions: every helper is pure, every state is a frozen dataclass, nothing is updated in place.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Final, Optional, Union

import torch
from torch import BoolTensor, LongTensor, Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

MAX_ORDER: Final = 4


@dataclass(frozen=True)
class Source:
    """What the decoder can look at."""

    states: Tensor
    mask: Tensor

    def repeat(self, times: int) -> "Source":
        return Source(self.states.repeat_interleave(times, 0), self.mask.repeat_interleave(times, 0))


@dataclass(frozen=True)
class DecoderState:
    """What the decoder remembers; ``fed`` is None for Bahdanau."""

    hidden: Tensor
    fed: Optional[Tensor] = None

    def select(self, rows: Tensor) -> "DecoderState":
        return DecoderState(self.hidden[rows], None if self.fed is None else self.fed[rows])


@dataclass(frozen=True)
class StepResult:
    logits: Tensor
    weights: Tensor
    state: DecoderState


def real_tokens(width: int, lengths: Tensor, device: torch.device) -> Tensor:
    return torch.arange(width, device=device).expand(lengths.numel(), width) < lengths.to(device).view(-1, 1)


def attend(scores: Tensor, mask: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
    blocked = ~mask
    raw = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)
    weights = raw.softmax(-1).masked_fill(blocked, 0.0)
    return torch.matmul(weights.unsqueeze(-2), encoder_states).squeeze(-2), weights


def gru_step(rnn: nn.GRU, inputs: Tensor, hidden: Tensor) -> Tensor:
    _, h = rnn(inputs.unsqueeze(1), hidden.unsqueeze(0).contiguous())
    return h.squeeze(0)


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, src: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        packed = pack_padded_sequence(self.embedding(src), lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, (forward_last, backward_last) = self.rnn(packed)
        states, _ = pad_packed_sequence(out, batch_first=True, total_length=src.size(1))
        return states, torch.tanh(self.bridge(torch.cat([forward_last, backward_last], dim=-1)))


class BahdanauDecoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int, enc_dim: int, attn_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_s = nn.Linear(hidden_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.rnn = nn.GRU(emb_dim + enc_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim + enc_dim, vocab_size)

    def score(self, state: Tensor, encoder_states: Tensor) -> Tensor:
        return self.v(torch.tanh(self.W_s(state).unsqueeze(1) + self.W_h(encoder_states))).squeeze(-1)

    def step(
        self, token: Tensor, state: Tensor, encoder_states: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        context, weights = attend(self.score(state, encoder_states), mask, encoder_states)
        new_state = gru_step(self.rnn, torch.cat([self.embedding(token), context], dim=-1), state)
        logits = self.out(torch.cat([new_state, context], dim=-1))
        return logits, new_state, weights


class LuongDecoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int, enc_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def score(self, state: Tensor, encoder_states: Tensor) -> Tensor:
        return torch.matmul(self.W_a(encoder_states), state.unsqueeze(-1)).squeeze(-1)

    def step(
        self, token: Tensor, state: Tensor, fed: Tensor, encoder_states: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        new_state = gru_step(self.rnn, torch.cat([self.embedding(token), fed], dim=-1), state)
        context, weights = attend(self.score(new_state, encoder_states), mask, encoder_states)
        attentional = torch.tanh(self.W_c(torch.cat([context, new_state], dim=-1)))
        return self.out(attentional), new_state, attentional, weights


class Seq2Seq(nn.Module):
    def __init__(
        self,
        encoder: Encoder,
        decoder: Union[BahdanauDecoder, LuongDecoder],
        pad_id: int,
        bos_id: int,
        eos_id: int,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.pad_id = pad_id
        self.bos_id = bos_id
        self.eos_id = eos_id

    def start(self, src: Tensor, src_lengths: Tensor) -> tuple[Source, DecoderState]:
        states, first = self.encoder(src, src_lengths)
        source = Source(states, real_tokens(src.size(1), src_lengths, src.device))
        if isinstance(self.decoder, LuongDecoder):
            return source, DecoderState(hidden=first, fed=torch.zeros_like(first))
        return source, DecoderState(hidden=first)

    def advance(self, token: Tensor, state: DecoderState, source: Source) -> StepResult:
        if state.fed is None:
            logits, hidden, weights = self.decoder.step(token, state.hidden, source.states, source.mask)
        else:
            logits, hidden, attentional, weights = self.decoder.step(
                token, state.hidden, state.fed, source.states, source.mask
            )
        return StepResult(logits=logits, weights=weights, state=replace(state, hidden=hidden))

    def forward(self, src: Tensor, src_lengths: Tensor, tgt_in: Tensor) -> tuple[Tensor, Tensor]:
        source, state = self.start(src, src_lengths)
        results = []
        for t in range(tgt_in.size(1)):
            result = self.advance(tgt_in[:, t], state, source)
            state = result.state
            results.append(result)
        logits = torch.stack([r.logits for r in results], dim=1)
        weights = torch.stack([r.weights for r in results], dim=1)
        return logits, weights

    @torch.no_grad()
    def greedy_decode(self, src: Tensor, src_lengths: Tensor, max_len: int) -> Tensor:
        source, state = self.start(src, src_lengths)
        token = src.new_full((src.size(0),), self.bos_id)
        ended = torch.zeros_like(token, dtype=torch.bool)
        words: list[Tensor] = []
        for _ in range(max_len):
            result = self.advance(token, state, source)
            state = result.state
            token = torch.where(ended, self.pad_id, result.logits.argmax(-1))
            words.append(token)
            ended = ended | (token == self.eos_id)
            if bool(ended.all()):
                break
        return torch.stack(words, dim=1)

    @torch.no_grad()
    def beam_search(self, src: Tensor, src_lengths: Tensor, beam_size: int, max_len: int) -> Tensor:
        batch = src.size(0)
        source, state = self.start(src, src_lengths)
        source = source.repeat(beam_size)
        base = torch.arange(batch, device=src.device).unsqueeze(1) * beam_size
        state = state.select(base.expand(batch, beam_size).flatten() // beam_size)
        totals = source.states.new_full((batch, beam_size), -math.inf)
        totals[:, 0] = 0.0
        words = src.new_full((batch * beam_size, 1), self.bos_id)
        ended = torch.zeros(batch * beam_size, dtype=torch.bool, device=src.device)
        for _ in range(max_len):
            result = self.advance(words[:, -1], state, source)
            log_probs = F.log_softmax(result.logits, dim=-1)
            vocab = log_probs.size(-1)
            only_pad = torch.where(torch.arange(vocab, device=src.device) == self.pad_id, 0.0, -math.inf)
            log_probs = torch.where(ended.unsqueeze(-1), only_pad.to(log_probs.dtype), log_probs)
            scores = totals.unsqueeze(-1) + log_probs.view(batch, beam_size, vocab)
            totals, flat = scores.flatten(1).topk(beam_size, dim=-1)
            rows = (base + flat // vocab).flatten()
            chosen = (flat % vocab).flatten()
            state = result.state.select(rows)
            words = torch.cat([words[rows], chosen.unsqueeze(1)], dim=1)
            ended = ended[rows] | (chosen == self.eos_id)
            if bool(ended.all()):
                break
        return words.view(batch, beam_size, -1)[:, 0, 1:]


class FixedContextSeq2Seq(nn.Module):
    def __init__(
        self,
        encoder: Encoder,
        vocab_size: int,
        emb_dim: int,
        hidden_dim: int,
        pad_id: int,
        bos_id: int,
        eos_id: int,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id

    def forward(self, src: Tensor, src_lengths: Tensor, tgt_in: Tensor) -> Tensor:
        _, first = self.encoder(src, src_lengths)
        summary = first.unsqueeze(1).expand(-1, tgt_in.size(1), -1)
        states, _ = self.rnn(torch.cat([self.embedding(tgt_in), summary], dim=-1), first.unsqueeze(0))
        return self.out(torch.cat([states, summary], dim=-1))


def masked_loss(logits: Tensor, targets: Tensor, lengths: Tensor) -> Tensor:
    mask = real_tokens(targets.size(1), lengths, targets.device)
    return F.cross_entropy(logits[mask], targets[mask])


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
    model.zero_grad(set_to_none=True)
    result = model(src, src_lengths, tgt_in)
    loss = masked_loss(result[0] if isinstance(result, tuple) else result, tgt_out, tgt_lengths)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return loss.item()


def ngrams(tokens: list, order: int) -> list[tuple]:
    return [tuple(tokens[start : start + order]) for start in range(len(tokens) - order + 1)]


def corpus_bleu(candidates: list[list], references: list[list]) -> float:
    matches: Counter[int] = Counter()
    totals: Counter[int] = Counter()
    for candidate, reference in zip(candidates, references):
        for order in range(1, MAX_ORDER + 1):
            known = set(ngrams(reference, order))
            mine = ngrams(candidate, order)
            matches[order] += sum(gram in known for gram in mine)
            totals[order] += len(mine)
    precisions = [matches[n] / totals[n] if totals[n] else 0.0 for n in range(1, MAX_ORDER + 1)]
    if min(precisions) == 0.0:
        return 0.0
    c = sum(len(x) for x in candidates)
    r = sum(len(x) for x in references)
    brevity = 1.0 if c >= r else math.exp(1.0 - r / c)
    return 100.0 * brevity * math.exp(sum(map(math.log, precisions)) / MAX_ORDER)
