"""The first and next steps of Seq2Seq's methods, and its beam search, built from replaceable parts."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from autograder.assignments.seq2seq.hidden.mistakes.models import Parts, carried, cat, real
from reference.seq2seq import modules as right

Carry = tuple[Tensor, ...]
KEPT = ("kept", "settled")

START: Parts = {
    "mask": lambda src, lengths, ids: real(lengths, src.shape[1]),
    "state": lambda first: first,
    "fed": torch.zeros_like,  # into the first step, of the first state
    "next": lambda carry, before: carry,  # the next step's state
    "weights": lambda alpha, before: alpha,
}
BEAM: Parts = START | {
    "gains": lambda logits, count: logits.log_softmax(-1),
    "weighed": lambda gains, step: gains,  # step: 1 for the first word
    "beams": lambda size: size,
    "ended": lambda gains, ended, only_pad: torch.where(ended.unsqueeze(-1), only_pad, gains),
    "added": lambda totals, gains: totals + gains,
    "reorder": lambda x, rows, count: x[rows],
    "words": lambda words, rows: words[rows],
    "enough": lambda ended: ended[:, 0].all(),  # of all beams, the best hypothesis first
    "live": lambda totals, ended: totals,  # where finished hypotheses leave the beam
    "rank": lambda totals, words, ended, ids: totals,
    "results": lambda words, ids: words,
}


def begin(model: right.Seq2Seq, use: SimpleNamespace, src: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Carry]:
    """Return the encoder's states, the mask, and the first step's state."""
    encoder: Any = model.encoder
    states, first = encoder.forward(src, lengths)
    first = use.state(first)
    alone = isinstance(model.decoder, right.BahdanauDecoder)
    carry = (first,) if alone else (first, use.fed(first))
    return states, use.mask(src, lengths, model.ids), carry


def step(
    model: right.Seq2Seq, use: SimpleNamespace, token: Tensor, carry: Carry, *source: Tensor
) -> tuple[Tensor, Carry, Tensor]:
    """Return the logits, the next step's state and the weights. ``source``: the encoder's states and the mask."""
    decoder: Any = model.decoder
    logits, after, alpha = carried(decoder.step(token, *carry, *source))
    return logits, use.next(after, carry), alpha


class Search:
    """One beam search. Finished hypotheses are "kept" in the beam or put "aside". "early": put aside, and the search
    ends when no unfinished hypothesis can overtake the best finished one. "settled": kept, and the search ends when
    each sentence's greatest total is that of a finished one, however hypotheses rank then. "refilled": put aside, and
    hypotheses that go on take their places."""

    def __init__(
        self, model: right.Seq2Seq, use: SimpleNamespace, finished: str, src: Tensor, lengths: Tensor, size: int
    ) -> None:
        self.model, self.use, self.finished = model, use, finished
        self.count, self.size = count, size = src.shape[0], use.beams(size)
        states, mask, carry = begin(model, use, src, lengths)
        repeated = [x.repeat_interleave(size, 0) for x in (states, mask, *carry)]
        self.source, self.carry = repeated[:2], tuple(repeated[2:])
        self.words = src.new_full((count * size, 1), model.ids[1])
        self.ended = torch.zeros(count, size, dtype=torch.bool)
        self.totals = self.source[0].new_full((count, size), -math.inf)
        self.totals[:, 0] = 0
        self.done = [(-math.inf, self.words[0, 1:])] * count
        self.most = self.totals.new_full((count,), -math.inf)  # the best total of the finished ones

    def words_of(self, max_len: int) -> Tensor:
        """Return the best hypothesis of each sentence, at most ``max_len`` words."""
        for _ in range(max_len):
            self._grow()
            if self.finished not in KEPT:
                self._put_aside()
            elif self._settled():
                break
            if self.totals.isneginf().all():
                break
        return self.use.results(self._best(), self.model.ids)  # type: ignore[no-any-return]

    def _grow(self) -> None:
        """Extend each hypothesis by one word, and keep the best."""
        logits, carry, _ = step(self.model, self.use, self.words[:, -1], self.carry, *self.source)
        gains = self.use.weighed(self.use.gains(logits, self.count), self.words.shape[1])
        gains = gains.unflatten(0, (self.count, self.size))
        only_pad = torch.full_like(gains[0, 0], -math.inf)
        only_pad[self.model.ids[0]] = 0
        grown = self.use.added(self.totals.unsqueeze(-1), self.use.ended(gains, self.ended, only_pad)).flatten(1)
        if self.finished == "refilled":
            grown = self._that_go_on(grown)
        best = grown.sort(dim=1, descending=True, stable=True).indices[:, : self.size]
        self.totals = grown.gather(1, best)
        parent, token = best // gains.shape[-1], best % gains.shape[-1]
        rows = (torch.arange(self.count).unsqueeze(1) * self.size + parent).flatten()
        self.carry = tuple(self.use.reorder(x, rows, self.count) for x in carry)
        self.words = cat(self.use.words(self.words, rows), token.flatten().unsqueeze(1))
        self.ended = self.ended.gather(1, parent) | (token == self.model.ids[2])

    def _that_go_on(self, grown: Tensor) -> Tensor:
        """Move the hypotheses that end among the best out of the beam. Return the totals of the others."""
        width, eos = grown.shape[1] // self.size, self.model.ids[2]
        best = grown.sort(dim=1, descending=True, stable=True).indices[:, : self.size]
        for b, k in (best % width == eos).nonzero().tolist():
            words = self.words[b * self.size + int(best[b, k]) // width, 1:]
            found = grown[b, best[b, k]].item(), cat(words, words.new_tensor([eos]))
            self.done[b] = max(self.done[b], found, key=lambda h: h[0])
        return grown.masked_fill(torch.arange(grown.shape[1]) % width == eos, -math.inf)

    def _settled(self) -> bool:
        """Whether each sentence's best hypothesis is finished and can't be overtaken."""
        if self.finished == "settled":
            return bool(self.use.enough(self.ended))
        right_ones = all(getattr(self.use, part) is BEAM[part] for part in ("ended", "added", "rank"))
        return right_ones and bool(self.use.enough(self.ended))

    def _put_aside(self) -> None:
        """Move finished hypotheses out of the beam."""
        ranked = self._ranked()
        self.most = self.most.maximum(self.totals.masked_fill(~self.ended, -math.inf).amax(1))
        totals = self.use.live(self.totals, self.ended)
        over = self.most >= totals.masked_fill(self.ended, -math.inf).amax(1)
        closed = self.ended | over.unsqueeze(1) if self.finished == "early" else self.ended
        for b, k in (closed & ranked.isfinite()).nonzero().tolist():
            found = ranked[b, k].item(), self.words[b * self.size + k, 1:]
            self.done[b] = max(self.done[b], found, key=lambda h: h[0])
        self.totals = totals.masked_fill(closed, -math.inf)

    def _best(self) -> Tensor:
        ranked = self._ranked()
        ways = self._by_sentence()[torch.arange(self.count), ranked.argmax(1), 1:]
        if self.finished in KEPT:
            return ways
        rows = [one if total > ranked[b].max() else ways[b] for b, (total, one) in enumerate(self.done)]
        return pad_sequence(rows, batch_first=True, padding_value=self.model.ids[0])

    def _ranked(self) -> Tensor:
        return self.use.rank(self.totals, self._by_sentence(), self.ended, self.model.ids)  # type: ignore[no-any-return]

    def _by_sentence(self) -> Tensor:
        return self.words.reshape(self.count, self.size, self.words.shape[1])
