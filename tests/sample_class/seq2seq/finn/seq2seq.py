# finn; worked together with ana on the decoders, training and bleu are mine

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def length_mask(lengths: Tensor, width: int, device: torch.device) -> Tensor:
    return torch.arange(width, device=device)[None, :] < lengths.to(device)[:, None]


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, src: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        packed = pack_padded_sequence(self.embedding(src), lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, h_n = self.rnn(packed)
        states, _ = pad_packed_sequence(out, batch_first=True, total_length=src.shape[1])
        first = torch.tanh(self.bridge(h_n.transpose(0, 1).flatten(1)))
        return states, first


class BahdanauDecoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int, enc_dim: int, attn_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_s = nn.Linear(hidden_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.rnn = nn.GRU(emb_dim + enc_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim + enc_dim, vocab_size)

    def step(self, token: Tensor, state: Tensor, encoder_states: Tensor, mask: Tensor):
        energy = torch.tanh(self.W_s(state)[:, None, :] + self.W_h(encoder_states))
        weights = masked_softmax(self.v(energy)[..., 0], mask)
        context = torch.einsum("bt,bte->be", weights, encoder_states)
        _, new = self.rnn(torch.cat((self.embedding(token), context), dim=-1)[:, None, :], state[None].contiguous())
        new = new[0]
        return self.out(torch.cat((new, context), dim=-1)), new, weights


class LuongDecoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int, enc_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def step(self, token: Tensor, state: Tensor, fed: Tensor, encoder_states: Tensor, mask: Tensor):
        _, new = self.rnn(torch.cat((self.embedding(token), fed), dim=-1)[:, None, :], state[None].contiguous())
        new = new[0]
        weights = masked_softmax(torch.einsum("bd,btd->bt", new, self.W_a(encoder_states)), mask)
        context = torch.einsum("bt,bte->be", weights, encoder_states)
        attentional = torch.tanh(self.W_c(torch.cat((context, new), dim=-1)))
        return self.out(attentional), new, attentional, weights


class Seq2Seq(nn.Module):
    def __init__(self, encoder: Encoder, decoder: nn.Module, pad_id: int, bos_id: int, eos_id: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.pad_id = pad_id
        self.bos_id = bos_id
        self.eos_id = eos_id

    def _advance(self, token: Tensor, memory: tuple[Tensor, ...], states: Tensor, mask: Tensor):
        """One step of either decoder: logits, what to remember, weights."""
        logits, *rest = self.decoder.step(token, *memory, states, mask)
        return logits, tuple(rest[:-1]), rest[-1]

    def _begin(self, src: Tensor, src_lengths: Tensor):
        states, first = self.encoder(src, src_lengths)
        mask = length_mask(src_lengths, src.shape[1], src.device)
        memory = (first, torch.zeros_like(first)) if hasattr(self.decoder, "W_c") else (first,)
        return states, mask, memory

    def forward(self, src: Tensor, src_lengths: Tensor, tgt_in: Tensor) -> tuple[Tensor, Tensor]:
        states, mask, memory = self._begin(src, src_lengths)
        all_logits, all_weights = [], []
        for t in range(tgt_in.shape[1]):
            logits, memory, weights = self._advance(tgt_in[:, t], memory, states, mask)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)

    @torch.no_grad()
    def greedy_decode(self, src: Tensor, src_lengths: Tensor, max_len: int) -> Tensor:
        states, mask, memory = self._begin(src, src_lengths)
        token = src.new_full((src.shape[0],), self.bos_id)
        done = torch.zeros_like(token, dtype=torch.bool)
        out = []
        for _ in range(max_len):
            logits, memory, _ = self._advance(token, memory, states, mask)
            token = torch.where(done, torch.full_like(token, self.pad_id), logits.argmax(dim=-1))
            out.append(token)
            done = done | (token == self.eos_id)
            if bool(done.all()):
                break
        return torch.stack(out, dim=1)

    @torch.no_grad()
    def beam_search(self, src: Tensor, src_lengths: Tensor, beam_size: int, max_len: int) -> Tensor:
        results = [
            self._beam_one(src[b : b + 1], src_lengths[b : b + 1], beam_size, max_len) for b in range(src.shape[0])
        ]
        width = max(len(r) for r in results)
        padded = [r + [self.pad_id] * (width - len(r)) for r in results]
        return torch.tensor(padded, dtype=torch.long, device=src.device)

    def _beam_one(self, src: Tensor, length: Tensor, beam_size: int, max_len: int) -> list[int]:
        states, mask, memory = self._begin(src, length)
        beam: list[tuple[float, list[int], bool, tuple[Tensor, ...]]] = [(0.0, [], False, memory)]
        for _ in range(max_len):
            if all(done for _, _, done, _ in beam):
                break
            grown = []
            for score, words, done, memory in beam:
                if done:
                    grown.append((score, words, True, memory))
                    continue
                last = src.new_tensor([words[-1] if words else self.bos_id])
                logits, new_memory, _ = self._advance(last, memory, states, mask)
                log_probs = torch.log_softmax(logits[0].double(), dim=-1)
                values, ids = log_probs.topk(min(beam_size, log_probs.numel()))
                for value, word in zip(values.tolist(), ids.tolist()):
                    grown.append((score + value, [*words, word], word == self.eos_id, new_memory))
            beam = sorted(grown, key=lambda h: h[0], reverse=True)[:beam_size]
        return beam[0][1]


class FixedContextSeq2Seq(nn.Module):
    def __init__(self, encoder, vocab_size, emb_dim, hidden_dim, pad_id, bos_id, eos_id) -> None:
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id

    def forward(self, src: Tensor, src_lengths: Tensor, tgt_in: Tensor) -> Tensor:
        _, first = self.encoder(src, src_lengths)
        repeated = first[:, None, :].expand(-1, tgt_in.shape[1], -1)
        states, _ = self.rnn(torch.cat((self.embedding(tgt_in), repeated), dim=-1), first[None].contiguous())
        return self.out(torch.cat((states, repeated), dim=-1))


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip: float = 5.0) -> float:
    result = model(src, src_lengths, tgt_in)
    logits = result[0] if isinstance(result, tuple) else result
    real = length_mask(tgt_lengths, tgt_out.shape[1], tgt_out.device)
    loss = nn.functional.cross_entropy(logits[real], tgt_out[real])
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm=clip)
    optimizer.step()
    return float(loss)


def corpus_bleu(candidates: Sequence[Sequence], references: Sequence[Sequence]) -> float:
    matches, totals = [0] * 4, [0] * 4
    for cand, ref in zip(candidates, references):
        for n in range(1, 5):
            c = Counter(tuple(cand[i : i + n]) for i in range(len(cand) - n + 1))
            r = Counter(tuple(ref[i : i + n]) for i in range(len(ref) - n + 1))
            matches[n - 1] += sum(min(k, r[g]) for g, k in c.items())
            totals[n - 1] += sum(c.values())
    if min(matches) == 0:
        return 0.0
    log_p = sum(math.log(m / t) for m, t in zip(matches, totals)) / 4
    c_len, r_len = sum(map(len, candidates)), sum(map(len, references))
    brevity = 1.0 if c_len >= r_len else math.exp(1 - r_len / c_len)
    return 100.0 * brevity * math.exp(log_p)
