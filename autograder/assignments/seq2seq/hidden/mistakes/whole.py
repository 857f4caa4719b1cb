"""Whole models and ``train_step`` as students write them, built from replaceable parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant
from autograder.assignments.seq2seq.hidden.mistakes.beam import BEAM, START, Search, begin, step
from autograder.assignments.seq2seq.hidden.mistakes.models import (
    Part,
    Parts,
    bahdanau,
    cat,
    encoder,
    gru,
    linear,
    luong,
    real,
)
from reference.seq2seq import modules as right
from reference.stand_in import ReferenceModule

# ---- Seq2Seq

FORWARD: Parts = START | {
    "targets": lambda tgt_in, ids: tgt_in,
    "read": lambda word, logits: word,
    "results": lambda logits, alphas: (torch.stack(logits, 1), torch.stack(alphas, 1)),
}
GREEDY: Parts = START | {
    "best": lambda logits, ids: logits.argmax(-1),
    "token": lambda best, ended, ids: best.masked_fill(ended, ids[0]),
    "read": lambda token, best: token,  # used by the next step
    "ended": lambda ended, token, best, ids: ended | (token == ids[2]),
    "enough": lambda ended: ended.all(),
    "results": lambda words, ids: words,
}


def seq2seq(
    forward: Parts | None = None, greedy: Parts | None = None, beam: Parts | None = None, finished: str = "kept"
) -> type[right.Seq2Seq]:
    """Build a Seq2Seq with some parts of its methods replaced by wrong ones. ``finished``: see Search."""
    teach, take, search = (
        SimpleNamespace(**base | (parts or {})) for base, parts in ((FORWARD, forward), (GREEDY, greedy), (BEAM, beam))
    )

    class Seq2Seq(right.Seq2Seq):
        def forward(self, src: Tensor, src_lengths: Tensor, tgt_in: Tensor) -> tuple[Tensor, Tensor]:
            states, mask, carry = begin(self, teach, src, src_lengths)
            all_logits: list[Tensor] = []
            alphas: list[Tensor] = []
            for word in teach.targets(tgt_in, self.ids).unbind(1):
                token = teach.read(word, all_logits)
                logits, carry, alpha = step(self, teach, token, carry, states, mask)
                all_logits.append(logits)
                alphas.append(teach.weights(alpha, alphas))
            return teach.results(all_logits, alphas)  # type: ignore[no-any-return]

        @torch.no_grad()
        def greedy_decode(self, src: Tensor, src_lengths: Tensor, max_len: int) -> Tensor:
            states, mask, carry = begin(self, take, src, src_lengths)
            token = src.new_full((src.shape[0],), self.ids[1])
            ended = torch.zeros_like(token, dtype=torch.bool)
            words: list[Tensor] = []
            while len(words) < max_len and not (words and take.enough(ended)):
                logits, carry, _ = step(self, take, token, carry, states, mask)
                best = take.best(logits, self.ids)
                words.append(take.token(best, ended, self.ids))
                ended = take.ended(ended, words[-1], best, self.ids)
                token = take.read(words[-1], best)
            return take.results(torch.stack(words, 1), self.ids)  # type: ignore[no-any-return]

        @torch.no_grad()
        def beam_search(self, src: Tensor, src_lengths: Tensor, beam_size: int, max_len: int) -> Tensor:
            return Search(self, search, finished, src, src_lengths, beam_size).words_of(max_len)

    return Seq2Seq


# ---- FixedContextSeq2Seq

FIXED: Parts = {
    "summary": lambda first: first,
    "each": lambda summary, tgt_in: [summary] * tgt_in.shape[1],  # the summary of each step
    "start": lambda first: first,
    "targets": lambda tgt_in, ids: tgt_in,
    "read": cat,
    "next": lambda new, first: new,
    "say": lambda new, summary, word: cat(new, summary),
    "results": lambda logits: torch.stack(logits, 1),
}


def fixed(**parts: Part) -> type[right.FixedContextSeq2Seq]:
    """Build a FixedContextSeq2Seq with some parts replaced by wrong ones."""
    use = SimpleNamespace(**FIXED | parts)

    class FixedContextSeq2Seq(right.FixedContextSeq2Seq):
        def forward(self, src: Tensor, src_lengths: Tensor, tgt_in: Tensor) -> Tensor:
            part: Any = self.encoder
            first = part.forward(src, src_lengths)[1]
            summaries, state, logits = use.each(use.summary(first), tgt_in), use.start(first), []
            for token, summary in zip(use.targets(tgt_in, None).unbind(1), summaries, strict=True):
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
    """Return the right loss."""
    keep = real(lengths, targets.shape[1])
    return F.cross_entropy(logits[keep], targets[keep])


def clip(grads: list[Tensor], limit: float) -> None:
    """Scale all gradients together, so that their norm is at most ``limit``."""
    norm = torch.stack([grad.norm() for grad in grads]).norm()
    for grad in grads:
        grad.mul_((limit / (norm + 1e-6)).clamp(max=1.0))


def _nothing(*_: Any) -> None:
    pass


TRAIN: Parts = {
    "clear": _clear,
    "loss": cross_entropy,
    "clip": clip,
    "after": _nothing,  # applied to the gradients after the optimizer's step
    "returned": lambda loss: loss.item(),
}


def train(**parts: Part) -> Callable[..., Any]:
    """Build a ``train_step`` with some parts replaced by wrong ones."""
    use = SimpleNamespace(**TRAIN | parts)

    def train_step(
        model: ReferenceModule,
        optimizer: torch.optim.Optimizer,
        src: Tensor,
        src_lengths: Tensor,
        tgt_in: Tensor,
        tgt_out: Tensor,
        tgt_lengths: Tensor,
        clip: float = 5.0,
    ) -> Any:
        use.clear(model.weights, optimizer)
        run: Any = model
        result = run.forward(src, src_lengths, tgt_in)
        loss = use.loss(result if isinstance(result, Tensor) else result[0], tgt_out, tgt_lengths)
        loss.backward()
        use.clip([one.grad for one in model.weights.values() if one.grad is not None], clip)
        optimizer.step()
        use.after(model.weights, optimizer, clip)
        return use.returned(loss)

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
SHOWN = {  # the calls that show a mistake directly; elsewhere it only follows
    "Encoder": ("Encoder.forward",),
    "BahdanauDecoder": ("BahdanauDecoder.step",),
    "LuongDecoder": ("LuongDecoder.step",),
    "FixedContextSeq2Seq": ("FixedContextSeq2Seq.forward",),
    "train_step": ("train_step",),
}


def variants(
    name: str, make: Callable[..., Any], *tables: dict[str, dict[str, Any]], how: str = "", where: Sequence[str] = ()
) -> tuple[Variant, ...]:
    """Return a variant for each entry of the tables (cause -> how -> wrong parts of the class or function ``name``).
    Each variant is a whole submission."""
    places = frozenset(where or SHOWN[name])
    return tuple(
        Variant(cause, "-".join(filter(None, (name, how, which))), WHOLE | {name: make(**parts)}, places)
        for table in tables
        for cause, entries in table.items()
        for which, parts in entries.items()
    )
