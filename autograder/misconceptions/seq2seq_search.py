"""Known mistakes of Seq2Seq: how it begins and goes on, teacher forcing, and the two searches."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import torch
from torch import Tensor

from autograder.misconceptions.seq2seq_models import Part, Parts, real
from autograder.misconceptions.seq2seq_whole import seq2seq, variants

Table = dict[str, dict[str, Parts]]

# ---- what all three methods do


def _mask(change: Part) -> Parts:
    return {"mask": lambda src, lengths, ids: change(real(lengths, src.shape[1]))}


STARTS: Table = {
    "mask-not-used": {"": _mask(torch.ones_like)},
    "mask-inverted": {"mask": _mask(torch.logical_not)},
    "padding-off-by-one": {
        "one-more": {"mask": lambda src, lengths, ids: real(lengths + 1, src.shape[1])},
        "one-less": {"mask": lambda src, lengths, ids: real(lengths - 1, src.shape[1])},
    },
    "ignores-batch": {
        "mask": _mask(lambda mask: mask[:1].expand_as(mask)),
        "state": {"state": lambda first: first[:1].expand_as(first)},
    },
    "": {
        "mask-from-pad": {"mask": lambda src, lengths, ids: src != ids[0]},
        "mask-from-pad-too": {
            "mask": lambda src, lengths, ids: real(lengths, src.shape[1]) & (src != ids[0])
        },
        "mask-from-zero": {"mask": lambda src, lengths, ids: src != 0},
        "state-of-zeros": {"state": torch.zeros_like},
        "fed-first-state": {"fed": lambda first: first},
        "fed-ones": {"fed": torch.ones_like},
    },
    "state-not-carried": {
        "": {"next": lambda carry, before: before},
        "state": {"next": lambda carry, before: (before[0], *carry[1:])},
    },
    "no-input-feeding": {
        "zeros": {"next": lambda carry, before: (carry[0], *(0 * one for one in carry[1:]))},
        "state": {"next": lambda carry, before: (carry[0],) * len(carry)},
        "old-state": {"next": lambda carry, before: (carry[0], *(before[0] for _ in carry[1:]))},
        "fed-again": {"next": lambda carry, before: (carry[0], *before[1:])},
    },
}
DETACHED: Table = {
    "detached-graph": {
        "carry": {"next": lambda carry, before: tuple(one.detach() for one in carry)},
        "state": {"next": lambda carry, before: (carry[0].detach(), *carry[1:])},
        "fed": {"next": lambda carry, before: (carry[0], *(one.detach() for one in carry[1:]))},
        "first": {"state": lambda first: first.detach()},
        "weights": {"weights": lambda alpha, before: alpha.detach()},
        "logits": {"results": lambda z, a: (torch.stack(z, 1).detach(), torch.stack(a, 1))},
    }
}

# ---- teacher forcing


def _before(tokens: Tensor, first: Tensor | int) -> Tensor:
    """One word later, after another first one."""
    start = torch.full_like(tokens[:, :1], first) if isinstance(first, int) else first
    return torch.cat([start, tokens[:, :-1]], 1)


def _after(tokens: Tensor, last: Tensor | int) -> Tensor:
    end = torch.full_like(tokens[:, :1], last) if isinstance(last, int) else last
    return torch.cat([tokens[:, 1:], end], 1)


SHIFTS: dict[str, Part] = {
    "before": lambda tokens, ids: _before(tokens, tokens[:, :1]),
    "zero-before": lambda tokens, ids: _before(tokens, 0),
    "after": lambda tokens, ids: _after(tokens, tokens[:, -1:]),
    "zero-after": lambda tokens, ids: _after(tokens, 0),
    "rolled": lambda tokens, ids: tokens.roll(1, 1),
    "rolled-back": lambda tokens, ids: tokens.roll(-1, 1),
    "but-the-first": lambda tokens, ids: tokens[:, 1:],
    "but-the-last": lambda tokens, ids: tokens[:, :-1],
}
WITH_IDS: dict[str, Part] = {
    "bos-before": lambda tokens, ids: _before(tokens, ids[1]),
    "pad-before": lambda tokens, ids: _before(tokens, ids[0]),
    "eos-after": lambda tokens, ids: _after(tokens, ids[2]),
    "pad-after": lambda tokens, ids: _after(tokens, ids[0]),
}
FORWARDS: Table = {
    "teacher-forcing-shifted": {how: {"targets": one} for how, one in (SHIFTS | WITH_IDS).items()},
    "": {
        "own-words": {"spoken": lambda token, logits: logits.argmax(-1)},
        "reversed": {"targets": lambda tokens, ids: tokens.flip(1)},
        "always-the-first": {"targets": lambda tokens, ids: tokens[:, :1].expand_as(tokens)},
        "always-bos": {"targets": lambda tokens, ids: torch.full_like(tokens, ids[1])},
        "time-first": {"results": lambda z, a: (torch.stack(z), torch.stack(a))},
        "logits-time-first": {"results": lambda z, a: (torch.stack(z), torch.stack(a, 1))},
        "time-last": {"results": lambda z, a: (torch.stack(z, -1), torch.stack(a, -1))},
        "weights-time-last": {"results": lambda z, a: (torch.stack(z, 1), torch.stack(a, -1))},
        "weights-time-first": {"results": lambda z, a: (torch.stack(z, 1), torch.stack(a))},
        "probabilities": {"results": lambda z, a: (torch.stack(z, 1).softmax(-1), torch.stack(a, 1))},
        "log-probabilities": {"results": lambda z, a: (torch.stack(z, 1).log_softmax(-1), torch.stack(a, 1))},
        "last-weights": {"results": lambda z, a: (torch.stack(z, 1), torch.stack([a[-1]] * len(a), 1))},
        "weights-summed": {"weights": lambda alpha, before: alpha + before[-1] if before else alpha},
    },
    "returns-swapped": {"": {"results": lambda z, a: (torch.stack(a, 1), torch.stack(z, 1))}},
}  # fmt: skip

# ---- greedy_decode


def _never(*words: int) -> Part:
    return lambda logits, ids: logits.index_fill(
        -1, torch.tensor([ids[one] for one in words]), -math.inf
    ).argmax(-1)


def _ended_before(words: Tensor, eos: int) -> Tensor:
    """Which words stand after an eos."""
    is_eos = (words == eos).long()
    return is_eos.cumsum(1) - is_eos > 0


def _cut(words: Tensor, after: Tensor, fill: int) -> Tensor:
    return words.masked_fill(after, fill)[:, : int((~after).sum(1).max())]


def _without_eos(words: Tensor, ids: tuple[int, int, int]) -> Tensor:
    return _cut(words, _ended_before(words, ids[2]) | (words == ids[2]), ids[0])


RESULTS: dict[str, Part] = {
    "bos-kept": lambda words, ids: torch.cat([torch.full_like(words[:, :1], ids[1]), words], 1),
    "bos-for-last": lambda words, ids: torch.cat([torch.full_like(words[:, :1], ids[1]), words[:, :-1]], 1),
    "no-eos": _without_eos,
    "no-eos-same-width": lambda words, ids: words.masked_fill(words == ids[2], ids[0]),
    "but-the-first": lambda words, ids: words[:, 1:],
    "but-the-last": lambda words, ids: words[:, :-1],
    "zeros-for-pad": lambda words, ids: words.masked_fill(_ended_before(words, ids[2]), 0),
    "eos-for-pad": lambda words, ids: words.masked_fill(_ended_before(words, ids[2]), ids[2]),
    "bos-for-pad": lambda words, ids: words.masked_fill(_ended_before(words, ids[2]), ids[1]),
    "minus-one-for-pad": lambda words, ids: words.masked_fill(_ended_before(words, ids[2]), -1),
    "time-first": lambda words, ids: words.T,
}
ON: Parts = {"token": lambda best, ended, ids: best}
FOR_EVER: Parts = {"enough": lambda ended: torch.tensor(False)}
GREEDY: Table = {
    "eos-not-final": {
        "": ON,
        "for-ever": ON | FOR_EVER,
        "forgotten": {"ended": lambda ended, token, best, ids: token == ids[2]},
        "forgotten-own-word": {
            "ended": lambda ended, token, best, ids: best == ids[2],
            "read": lambda token, best: best,
        },
        "forgotten-for-ever": {"ended": lambda ended, token, best, ids: token == ids[2]} | FOR_EVER,
        "forgotten-and-on": {"ended": lambda ended, token, best, ids: token == ids[2]} | ON,
        "as-bos": {"ended": lambda ended, token, best, ids: ended | (token == ids[1])},
        "as-pad": {"ended": lambda ended, token, best, ids: ended | (token == ids[0])},
    },
    "ignores-batch": {
        "any": {"enough": lambda ended: ended.any()},
        "first": {"enough": lambda ended: ended[0]},
        "last": {"enough": lambda ended: ended[-1]},
        "word": {"best": lambda logits, ids: logits[:1].argmax(-1).expand(len(logits))},
    },
    "": {
        **{how: {"results": one} for how, one in RESULTS.items()},
        "max-len": FOR_EVER,
        "eos-again": {"token": lambda best, ended, ids: best.masked_fill(ended, ids[2])},
        "zero-again": {"token": lambda best, ended, ids: best.masked_fill(ended, 0)},
        "never-pad": {"best": _never(0)},
        "never-bos": {"best": _never(1)},
        "never-pad-or-bos": {"best": _never(0, 1)},
        "worst": {"best": lambda logits, ids: logits.argmin(-1)},
        "ends-with-pad": {
            "ended": lambda ended, token, best, ids: ended | (token == ids[2]) | (token == ids[0])
        },
    },
    "hardcoded-answer": {
        "eos": {"best": lambda logits, ids: torch.full_like(logits[:, 0], ids[2]).long()},
        "bos": {"best": lambda logits, ids: torch.full_like(logits[:, 0], ids[1]).long()},
        "zeros": {"results": lambda words, ids: torch.zeros_like(words)},
    },
}

# ---- beam_search


def _spoken(words: Tensor, ids: tuple[int, int, int]) -> Tensor:
    """How many words each hypothesis has, of which the first is bos."""
    return (~_ended_before(words[..., 1:].flatten(0, 1), ids[2])).sum(1).view(words.shape[:2])


def _only_best(logits: Tensor, count: int) -> Tensor:
    gains = logits.log_softmax(-1)
    return torch.full_like(gains, -math.inf).scatter(
        -1, gains.argmax(-1, keepdim=True), gains.amax(-1, keepdim=True)
    )


def _first_unfinished(totals: Tensor, ended: Tensor) -> Tensor:
    first = torch.arange(totals.shape[1]) == (~ended).int().argmax(1, keepdim=True)
    return totals.masked_fill(~first, -math.inf)


GOES_ON: Parts = {"ended": lambda gains, ended, only_pad: gains}
BEAM: Table = {
    "missing-softmax": {"": {"gains": lambda logits, count: logits}},
    "softmax-wrong-axis": {  # rounded: hypotheses that are alike get the same, whatever the machine's last digit
        "": {"gains": lambda logits, count: logits.log_softmax(0).round(decimals=9)},
        "beam": {
            "gains": lambda logits, count: (
                logits.unflatten(0, (count, -1)).log_softmax(1).flatten(0, 1).round(decimals=9)
            )
        },
        "all": {"gains": lambda logits, count: logits.view(count, -1).log_softmax(-1).view(logits.shape)},
    },
    "greedy-not-beam": {
        "": {"beams": lambda size: 1},
        "equal": {"empty": lambda totals: totals},
        "best-word": {"gains": _only_best},
        "one-live": {"live": lambda totals, ended: totals.masked_fill(torch.arange(totals.shape[1]) > 0, -math.inf)},
        "one-unfinished": {"live": _first_unfinished},
        "equal-best-word": {"gains": _only_best, "empty": lambda totals: totals},
    },
    "mean-not-sum": {
        "": {"rank": lambda totals, words, ended, ids: totals / _spoken(words, ids)},
        "with-bos": {"rank": lambda totals, words, ended, ids: totals / (_spoken(words, ids) + 1)},
        "without-eos": {"rank": lambda totals, words, ended, ids: totals / (_spoken(words, ids) - 1 * ended + 1e-9)},
    },
    "eos-not-final": {
        "": GOES_ON,
        "cut": GOES_ON | {"results": lambda words, ids: _cut(words, _ended_before(words, ids[2]), ids[0])},
    },
    "state-not-carried": {
        "not-reordered": {"reorder": lambda x, rows, count: x},
    },
    "ignores-batch": {
        "rows": {"reorder": lambda x, rows, count: x[rows % (len(x) // count)]},
    },
    "": {
        **{how: {"results": one} for how, one in RESULTS.items()},
        "two": {"beams": lambda size: min(size, 2)},
        "probabilities": {"gains": lambda logits, count: logits.softmax(-1)},
        "last-word": {"add": lambda totals, gains: gains.masked_fill(totals.isneginf().unsqueeze(-1), -math.inf)},
        "words-not-reordered": {"words": lambda x, rows, count: x},
        "finished-first": {"rank": lambda totals, words, ended, ids: torch.where(ended, totals + 1e6, totals)},
        "unfinished-only": {"rank": lambda totals, words, ended, ids: torch.where(ended, totals - 1e6, totals)},
        "ended-vanish": {"ended": lambda gains, ended, only_pad: gains.masked_fill(ended.unsqueeze(-1), -math.inf)},
    },
}  # fmt: skip


# Where finished hypotheses are put aside, what is done to the result makes no difference; and where a search ends as
# soon as nothing can overtake by its total, only what ranks by something else.
ASIDE, EARLY = (
    {cause: {how: parts for how, parts in all_.items() if fits(parts.keys())} for cause, all_ in BEAM.items()}
    for fits in (lambda names: names != {"results"}, lambda names: "rank" in names)
)


def _in(table: Table, *places: str) -> dict[str, Any]:
    """The same mistakes in each of these methods."""
    return {
        cause: {how: dict.fromkeys(places, parts) for how, parts in all_.items()}
        for cause, all_ in table.items()
    }


ALSO = {cause: STARTS[cause] for cause in ("mask-not-used", "state-not-carried", "no-input-feeding")}
TEACHES, TAKES, SEARCHES = "Seq2Seq.forward", "Seq2Seq.greedy_decode", "Seq2Seq.beam_search"
BEAMS = (("kept", (ALSO, BEAM)), ("aside", (ASIDE,)), ("early", (EARLY,)))
VARIANTS = (
    *variants(
        "Seq2Seq",
        seq2seq,
        _in(STARTS, "forward", "greedy", "beam"),
        how="all",
        where=(TEACHES, TAKES, SEARCHES),
    ),
    *variants("Seq2Seq", seq2seq, _in(ALSO, "forward", "greedy"), how="said", where=(TEACHES, TAKES)),
    *(
        one
        for tables in (ALSO, DETACHED, FORWARDS)
        for one in variants("Seq2Seq", seq2seq, _in(tables, "forward"), how="teach", where=(TEACHES,))
    ),
    *(
        one
        for tables in (ALSO, GREEDY)
        for one in variants("Seq2Seq", seq2seq, _in(tables, "greedy"), how="greedy", where=(TAKES,))
    ),
    *(
        one
        for finished, tables in BEAMS
        for table in tables
        for one in variants(
            "Seq2Seq",
            partial(seq2seq, finished=finished),
            _in(table, "beam"),
            how=finished,
            where=(SEARCHES,),
        )
    ),
)
