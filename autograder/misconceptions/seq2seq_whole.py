"""Whole models and ``train_step`` as students write them, of parts that can be wrong ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.misconceptions.seq2seq_models import (
    Part,
    Parts,
    bahdanau,
    carried,
    cat,
    encoder,
    gru,
    linear,
    luong,
    real,
)
from autograder.misconceptions.variant import Variant
from autograder.oracle import Weighted
from autograder.oracle import seq2seq as right

Carry = tuple[Tensor, ...]

# ---- Seq2Seq

START: Parts = {
    "mask": lambda src, lengths, ids: real(lengths, src.shape[1]),
    "state": lambda first: first,
    "fed": torch.zeros_like,
    "next": lambda carry, before: carry,  # what the next step gets
    "weights": lambda alpha, before: alpha,
}
FORWARD: Parts = START | {
    "targets": lambda tgt_in, ids: tgt_in,
    "spoken": lambda token, logits: token,  # of the step before
    "results": lambda logits, alphas: (torch.stack(logits, 1), torch.stack(alphas, 1)),
}
GREEDY: Parts = START | {
    "best": lambda logits, ids: logits.argmax(-1),
    "token": lambda best, ended, ids: best.masked_fill(ended, ids[0]),
    "read": lambda token, best: token,  # by the next step
    "ended": lambda ended, token, best, ids: ended | (token == ids[2]),
    "enough": lambda ended: ended.all(),
    "results": lambda words, ids: words,
}
BEAM: Parts = START | {
    "gains": lambda logits, count: logits.log_softmax(-1),
    "beams": lambda size: size,
    "empty": lambda totals: totals.fill_(-math.inf).index_fill_(1, torch.tensor([0]), 0),
    "ended": lambda gains, ended, only_pad: torch.where(ended.unsqueeze(-1), only_pad, gains),
    "add": lambda totals, gains: totals.unsqueeze(-1) + gains,
    "reorder": lambda x, rows, count: x[rows],
    "words": lambda x, rows, count: x[rows],
    "live": lambda totals, ended: totals,  # where finished ones are put aside
    "rank": lambda totals, words, ended, ids: totals,
    "results": lambda words, ids: words,
}


def seq2seq(
    forward: Parts | None = None, greedy: Parts | None = None, beam: Parts | None = None, finished: str = "kept"
) -> type[right.Seq2Seq]:  # fmt: skip
    """A Seq2Seq in which parts of its methods are other than they must be. Finished hypotheses are "kept" in the
    beam or put "aside"; "early": and a search ends when none that goes on can overtake the best of them."""
    teach, take, search = (
        SimpleNamespace(**base | (parts or {}))
        for base, parts in ((FORWARD, forward), (GREEDY, greedy), (BEAM, beam))
    )

    class Seq2Seq(right.Seq2Seq):
        def _begin(self, use: Any, src: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Carry]:
            part: Any = self.parts["encoder"]
            states, first = part.forward(src, lengths)
            first = use.state(first)
            carry = (
                (first,)
                if isinstance(self.parts["decoder"], right.BahdanauDecoder)
                else (first, use.fed(first))
            )
            return states, use.mask(src, lengths, self.ids), carry

        def _step(
            self, use: Any, token: Tensor, carry: Carry, *source: Tensor
        ) -> tuple[Tensor, Carry, Tensor]:
            part: Any = self.parts["decoder"]
            logits, after, alpha = carried(part.step(token, *carry, *source))
            return logits, use.next(after, carry), alpha

        def forward(self, src: Tensor, src_lengths: Tensor, tgt_in: Tensor) -> tuple[Tensor, Tensor]:
            states, mask, carry = self._begin(teach, src, src_lengths)
            all_logits: list[Tensor] = []
            alphas: list[Tensor] = []
            logits = None
            for word in teach.targets(tgt_in, self.ids).unbind(1):
                token = word if logits is None else teach.spoken(word, logits)
                logits, carry, alpha = self._step(teach, token, carry, states, mask)
                all_logits.append(logits)
                alphas.append(teach.weights(alpha, alphas))
            return teach.results(all_logits, alphas)  # type: ignore[no-any-return]

        @torch.no_grad()
        def greedy_decode(self, src: Tensor, src_lengths: Tensor, max_len: int) -> Tensor:
            states, mask, carry = self._begin(take, src, src_lengths)
            token = src.new_full((src.shape[0],), self.ids[1])
            ended = torch.zeros_like(token, dtype=torch.bool)
            words: list[Tensor] = []
            while len(words) < max_len and not (words and take.enough(ended)):
                logits, carry, _ = self._step(take, token, carry, states, mask)
                best = take.best(logits, self.ids)
                words.append(take.token(best, ended, self.ids))
                ended = take.ended(ended, words[-1], best, self.ids)
                token = take.read(words[-1], best)
            return take.results(torch.stack(words, 1), self.ids)  # type: ignore[no-any-return]

        @torch.no_grad()
        def beam_search(self, src: Tensor, src_lengths: Tensor, beam_size: int, max_len: int) -> Tensor:
            pad, bos, eos = self.ids
            count, size = src.shape[0], search.beams(beam_size)
            states, mask, carry = self._begin(search, src, src_lengths)
            states, mask, *carried_ = (x.repeat_interleave(size, 0) for x in (states, mask, *carry))
            carry = tuple(carried_)
            words = src.new_full((count * size, 1), bos)
            ended = torch.zeros(count, size, dtype=torch.bool)
            totals = search.empty(states.new_zeros(count, size))
            done = [(-math.inf, words[0, 1:])] * count
            most = totals.new_full((count,), -math.inf)  # the best total of those
            for _ in range(max_len):
                logits, carry, _ = self._step(search, words[:, -1], carry, states, mask)
                gains = search.gains(logits, count).unflatten(0, (count, size))
                only_pad = torch.full_like(gains[0, 0], -math.inf)
                only_pad[pad] = 0
                grown = search.add(totals, search.ended(gains, ended, only_pad)).flatten(1)
                best = grown.sort(dim=1, descending=True, stable=True).indices[:, :size]
                totals = grown.gather(1, best)
                parent = best // gains.shape[-1]
                rows = (torch.arange(count).unsqueeze(1) * size + parent).flatten()
                token = best % gains.shape[-1]
                carry = tuple(search.reorder(x, rows, count) for x in carry)
                words = cat(search.words(words, rows, count), token.flatten().unsqueeze(1))
                ended = ended.gather(1, parent) | (token == eos)
                if finished != "kept":
                    ranked = search.rank(totals, words.reshape(count, size, words.shape[1]), ended, self.ids)
                    most = most.maximum(totals.masked_fill(~ended, -math.inf).amax(1))
                    totals = search.live(totals, ended)
                    over = most >= totals.masked_fill(ended, -math.inf).amax(1)
                    closed = ended | over.unsqueeze(1) if finished == "early" else ended
                    for b, k in (closed & ranked.isfinite()).nonzero().tolist():
                        done[b] = max(
                            done[b], (ranked[b, k].item(), words[b * size + k, 1:]), key=lambda h: h[0]
                        )
                    totals = totals.masked_fill(closed, -math.inf)
                elif search.ended is BEAM["ended"] and search.rank is BEAM["rank"] and ended[:, 0].all():
                    break
                if totals.isneginf().all():
                    break
            ranked = search.rank(totals, words.reshape(count, size, words.shape[1]), ended, self.ids)
            ways = words.reshape(count, size, words.shape[1])[torch.arange(count), ranked.argmax(1), 1:]
            if finished != "kept":
                rows_ = [one if total > ranked[b].max() else ways[b] for b, (total, one) in enumerate(done)]
                ways = torch.nn.utils.rnn.pad_sequence(rows_, batch_first=True, padding_value=pad)
            return search.results(ways, self.ids)  # type: ignore[no-any-return]

    return Seq2Seq


# ---- FixedContextSeq2Seq

FIXED: Parts = {
    "summary": lambda first: first,
    "start": lambda first: first,
    "targets": lambda tgt_in, ids: tgt_in,
    "read": cat,
    "next": lambda new, first: new,
    "say": lambda new, summary, word: cat(new, summary),
    "results": lambda logits: torch.stack(logits, 1),
}


def fixed(**parts: Part) -> type[right.FixedContextSeq2Seq]:
    """A FixedContextSeq2Seq in which parts are other than they must be."""
    use = SimpleNamespace(**FIXED | parts)

    class FixedContextSeq2Seq(right.FixedContextSeq2Seq):
        def forward(self, src: Tensor, src_lengths: Tensor, tgt_in: Tensor) -> Tensor:
            part: Any = self.parts["encoder"]
            first = part.forward(src, src_lengths)[1]
            summary, state, logits = use.summary(first), use.start(first), []
            for token in use.targets(tgt_in, None).unbind(1):
                word = F.embedding(token, self.weights["embedding.weight"])
                new = gru(self.weights, use.read(word, summary), state)
                logits.append(linear(self.weights, "out", use.say(new, summary, word)))
                state = use.next(new, first)
            return use.results(logits)  # type: ignore[no-any-return]

    return FixedContextSeq2Seq


# ---- train_step


def _clear(weights: dict[str, Tensor], optimizer: torch.optim.Optimizer) -> None:
    for one in weights.values():
        one.grad = None


def cross_entropy(logits: Tensor, targets: Tensor, lengths: Tensor) -> Tensor:
    """The right loss."""
    keep = real(lengths, targets.shape[1])
    return F.cross_entropy(logits[keep], targets[keep])


def _clip(grads: list[Tensor], clip: float) -> None:
    norm = torch.stack([grad.norm() for grad in grads]).norm()
    for grad in grads:
        grad.mul_((clip / (norm + 1e-6)).clamp(max=1.0))


def _nothing(*_: Any) -> None:
    pass


TRAIN: Parts = {
    "clear": _clear,
    "loss": cross_entropy,
    "before": _nothing,  # what is done to the gradients before backward, after it, and after the optimizer's step
    "clip": _clip,
    "after": _nothing,
    "step": lambda optimizer: optimizer.step(),
    "told": lambda loss: loss.item(),
}


def train(**parts: Part) -> Callable[..., Any]:
    """A ``train_step`` in which parts are other than they must be."""
    use = SimpleNamespace(**TRAIN | parts)

    def train_step(
        model: Weighted, optimizer: torch.optim.Optimizer, src: Tensor, src_lengths: Tensor, tgt_in: Tensor,
        tgt_out: Tensor, tgt_lengths: Tensor, clip: float = 5.0,
    ) -> Any:  # fmt: skip
        use.clear(model.weights, optimizer)
        run: Any = model
        result = run.forward(src, src_lengths, tgt_in)
        loss = use.loss(result if isinstance(result, Tensor) else result[0], tgt_out, tgt_lengths)
        use.before(model.weights, optimizer, clip)
        loss.backward()
        use.clip([one.grad for one in model.weights.values() if one.grad is not None], clip)
        use.step(optimizer)
        use.after(model.weights, optimizer, clip)
        return use.told(loss)

    return train_step


# ---- a whole submission

WHOLE: dict[str, Any] = {
    "Encoder": encoder(),
    "BahdanauDecoder": bahdanau(),
    "LuongDecoder": luong(),
    "Seq2Seq": seq2seq(),
    "FixedContextSeq2Seq": fixed(),
    "train_step": train(),
}
SHOWN = {  # the calls in which a mistake is to be known again; wherever else it shows, it follows
    "Encoder": ("Encoder.forward",),
    "BahdanauDecoder": ("BahdanauDecoder.step",),
    "LuongDecoder": ("LuongDecoder.step",),
    "FixedContextSeq2Seq": ("FixedContextSeq2Seq.forward",),
    "train_step": ("train_step",),
}


def variants(
    name: str, make: Callable[..., Any], *tables: dict[str, dict[str, Any]], how: str = "", where: Sequence[str] = ()
) -> tuple[Variant, ...]:  # fmt: skip
    """A variant for each entry of tables (cause -> how -> parts) of one class or function, in a whole submission."""
    return tuple(
        Variant(
            cause,
            "-".join(filter(None, (name, how, which))),
            WHOLE | {name: make(**parts)},
            frozenset(where or SHOWN[name]),
        )
        for table in tables
        for cause, all_ in table.items()
        for which, parts in all_.items()
    )
