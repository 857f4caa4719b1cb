from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

__all__ = ["BiDAF", "MultiHeadLuong", "PointerGenerator", "PyramidalEncoder", "SpatialAttention"]


@dataclass(frozen=True)
class Lengths:
    """Lengths of a batch, and the masks that follow from them."""

    values: Tensor

    def mask(self, width: int, device: torch.device) -> Tensor:
        positions = torch.arange(width, device=device)
        return positions.unsqueeze(0).lt(self.values.to(device).unsqueeze(1))

    def mean(self, per_row: Tensor) -> Tensor:
        return per_row.masked_select(self.mask(per_row.size(1), per_row.device)).mean()


def _rows(scores: Tensor) -> Iterator[Tensor]:
    yield from scores.unbind(dim=1)


def _at_least_one(name: str, value: int) -> None:
    if value < 1:
        raise ValueError(f"{name} must be at least 1, got {value}")


def coverage_attention(scores: Tensor, penalty: float) -> tuple[Tensor, Tensor]:
    seen = [torch.zeros_like(scores[:, 0])]
    weights: list[Tensor] = []
    for row in _rows(scores):
        weights.append(F.softmax(row - penalty * seen[-1], dim=-1))
        seen.append(seen[-1] + weights[-1])
    seen.pop()
    return torch.stack(weights, dim=1), torch.stack(seen, dim=1)


def coverage_loss(weights: Tensor, seen: Tensor, tgt_lengths: Tensor) -> Tensor:
    return Lengths(tgt_lengths).mean(torch.minimum(weights, seen).sum(dim=-1))


def supervised_loss(task_loss: Tensor, weights: Tensor, gold: Tensor, tgt_lengths: Tensor, factor: float) -> Tensor:
    distance = Lengths(tgt_lengths).mean((weights - gold).square().sum(dim=-1))
    return task_loss + factor * distance


class PointerGenerator(nn.Module):
    """Mixes generating and copying."""

    def __init__(self, enc_dim: int, dec_dim: int, emb_dim: int) -> None:
        super().__init__()
        self.w_c = nn.Linear(enc_dim, 1, bias=False)
        self.w_s = nn.Linear(dec_dim, 1, bias=False)
        self.w_y = nn.Linear(emb_dim, 1)

    def gate(self, context: Tensor, state: Tensor, embedded: Tensor) -> Tensor:
        logit: Tensor = self.w_c(context) + self.w_s(state) + self.w_y(embedded)
        return logit.squeeze(-1).sigmoid()

    def forward(
        self,
        context: Tensor,
        state: Tensor,
        embedded: Tensor,
        vocab_probs: Tensor,
        weights: Tensor,
        src_ids: Tensor,
        extended_size: int,
    ) -> tuple[Tensor, Tensor]:
        p_gen = self.gate(context, state, embedded)
        distribution = vocab_probs.new_zeros(vocab_probs.size(0), extended_size)
        distribution[:, : vocab_probs.size(1)] = p_gen.unsqueeze(1) * vocab_probs
        copied = (1 - p_gen).unsqueeze(1) * weights
        return distribution.scatter_add(1, src_ids, copied), p_gen


def multi_hop(query: Tensor, memory: Tensor, hops: int) -> tuple[Tensor, Tensor]:
    _at_least_one("hops", hops)
    weights: list[Tensor] = []
    question = query.unsqueeze(1)
    for _ in range(hops):
        attention = F.softmax(question @ memory.transpose(1, 2), dim=-1)
        question = attention @ memory
        weights.append(attention)
    return question.squeeze(1), torch.cat(weights, dim=1)


class BiDAF(nn.Module):
    """Two directions of attention over one table of scores."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.w = nn.Linear(3 * dim, 1, bias=False)

    def similarity(self, context: Tensor, question: Tensor) -> Tensor:
        size = (context.size(0), context.size(1), question.size(1), context.size(2))
        h, u = context.unsqueeze(2).expand(size), question.unsqueeze(1).expand(size)
        table: Tensor = self.w(torch.cat((h, u, h * u), dim=-1))
        return table.squeeze(-1)

    def forward(self, context: Tensor, question: Tensor, context_mask: Tensor, question_mask: Tensor) -> Tensor:
        table = self.similarity(context, question)
        table = table.masked_fill(question_mask.logical_not().unsqueeze(1), -inf)
        to_question = F.softmax(table, dim=2) @ question
        best, _ = table.max(dim=2)
        to_context = F.softmax(best.masked_fill(context_mask.logical_not(), -inf), dim=1).unsqueeze(1) @ context
        merged = torch.cat((context, to_question, context * to_question, context * to_context), dim=-1)
        return merged.masked_fill(context_mask.logical_not().unsqueeze(-1), 0.0)


class SpatialAttention(nn.Module):
    def __init__(self, feature_dim: int, state_dim: int) -> None:
        super().__init__()
        self.W_a = nn.Linear(feature_dim, state_dim, bias=False)

    def forward(self, features: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        height, width = features.shape[-2:]
        places = features.flatten(start_dim=2).transpose(1, 2)
        scores = torch.bmm(self.W_a(places), state.unsqueeze(-1))
        weights = F.softmax(scores, dim=1)
        context = torch.bmm(places.transpose(1, 2), weights)
        return context.squeeze(-1), weights.reshape(-1, height, width)


class PyramidalEncoder(nn.Module):
    def __init__(self, input_dim: int, hidden_dim: int, num_layers: int) -> None:
        super().__init__()
        self.rnns = nn.ModuleList()
        width = input_dim
        for _ in range(num_layers):
            self.rnns.append(nn.GRU(2 * width, hidden_dim, batch_first=True, bidirectional=True))
            width = 2 * hidden_dim

    @staticmethod
    def _halved(states: Tensor, lengths: Tensor) -> Tensor:
        real = Lengths(lengths).mask(states.size(1), states.device)
        clean = torch.where(real.unsqueeze(-1), states, states.new_zeros(()))
        even = F.pad(clean, (0, 0, 0, states.size(1) % 2))
        return torch.cat((even[:, 0::2], even[:, 1::2]), dim=-1)

    def forward(self, frames: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        states = frames
        for rnn in self.rnns:
            states = self._halved(states, lengths)
            lengths = torch.div(lengths + 1, 2, rounding_mode="floor")
            packed = pack_padded_sequence(states, lengths.cpu(), batch_first=True, enforce_sorted=False)
            result, _ = rnn(packed)
            states, _ = pad_packed_sequence(result, batch_first=True, total_length=states.size(1))
        return states, lengths


def monotonic_attention(scores: Tensor) -> Tensor:
    positions = torch.arange(scores.size(-1), device=scores.device)
    rows: list[Tensor] = []
    for row in _rows(scores):
        if rows:
            peak = rows[-1].argmax(dim=-1, keepdim=True)
            row = row.masked_fill(positions < peak, -inf)
        rows.append(F.softmax(row, dim=-1))
    return torch.stack(rows, dim=1)


def diagonal_prior_attention(scores: Tensor, src_lengths: Tensor, tgt_lengths: Tensor, sigma: float) -> Tensor:
    _, targets, sources = scores.shape
    device, dtype = scores.device, scores.dtype
    stretch = src_lengths.to(device, torch.float64) / tgt_lengths.to(device, torch.float64)
    centre = torch.arange(targets, device=device) * stretch.unsqueeze(1)
    offset = torch.arange(sources, device=device) - centre.unsqueeze(2)
    prior = torch.exp(-offset.square() / (2 * sigma**2)).to(dtype)
    columns = Lengths(src_lengths).mask(sources, device).unsqueeze(1)
    rows = Lengths(tgt_lengths).mask(targets, device).unsqueeze(2)
    weights = F.softmax((scores + prior).masked_fill(~columns, -inf), dim=-1)
    return weights.masked_fill(~rows, 0.0)


def memory_address(memory: Tensor, key: Tensor, strength: Tensor) -> Tensor:
    cosine = F.cosine_similarity(memory, key.unsqueeze(1), dim=-1)
    return F.softmax(cosine * strength.unsqueeze(1), dim=-1)


def memory_read(memory: Tensor, weights: Tensor) -> Tensor:
    return torch.bmm(weights.unsqueeze(1), memory).squeeze(1)


def memory_write(memory: Tensor, weights: Tensor, erase: Tensor, add: Tensor) -> Tensor:
    erased = torch.bmm(weights.unsqueeze(2), erase.unsqueeze(1))
    added = torch.bmm(weights.unsqueeze(2), add.unsqueeze(1))
    return memory * (1 - erased) + added


class MultiHeadLuong(nn.Module):
    def __init__(self, enc_dim: int, dec_dim: int, num_heads: int) -> None:
        super().__init__()
        for name, size in (("enc_dim", enc_dim), ("dec_dim", dec_dim)):
            if size % num_heads:
                raise ValueError(f"{name} = {size} is not a multiple of num_heads = {num_heads}")
        self.num_heads = num_heads
        self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        self.W_o = nn.Linear(enc_dim, enc_dim, bias=False)

    def _split(self, x: Tensor) -> Tensor:
        return torch.stack(x.chunk(self.num_heads, dim=-1), dim=1)

    def forward(self, decoder_states: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
        scores = self._split(decoder_states) @ self._split(self.W_a(encoder_states)).transpose(-1, -2)
        weights = F.softmax(scores, dim=-1)
        heads = (weights @ self._split(encoder_states)).unbind(dim=1)
        context: Tensor = self.W_o(torch.cat(heads, dim=-1))
        return context, weights


def top_k_retrieval(query: Tensor, keys: Tensor, values: Tensor, k: int) -> tuple[Tensor, Tensor]:
    _at_least_one("k", k)
    if k > keys.size(1):
        raise ValueError(f"k = {k}, but there are only {keys.size(1)} keys")
    top = torch.topk(query @ keys.transpose(1, 2), k, dim=-1)
    weights = F.softmax(top.values / query.size(-1) ** 0.5, dim=-1)
    every = values.unsqueeze(1).expand(-1, query.size(1), -1, -1)
    chosen = every.gather(2, top.indices.unsqueeze(-1).expand(-1, -1, -1, values.size(-1)))
    return (weights.unsqueeze(-1) * chosen).sum(dim=2), top.indices


def _self_test() -> None:
    torch.manual_seed(0)
    encoder = PyramidalEncoder(3, 4, 2)
    states, lengths = encoder(torch.randn(2, 7, 3), torch.tensor([7, 2]))
    assert states.shape == (2, 2, 8) and lengths.tolist() == [2, 1]


if __name__ == "__main__":
    _self_test()
