"""Known mistakes of Seq2Seq: the first and next steps, teacher forcing, and the two searches."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.seq2seq.hidden.mistakes.models import Part, Parts, real
from autograder.assignments.seq2seq.hidden.mistakes.whole import seq2seq, variants

Table = dict[str, dict[str, Parts]]

# ---- in all three methods


def _mask(change: Part) -> Parts:
    return {"mask": lambda src, lengths, ids: change(real(lengths, src.shape[1]))}


STARTS: Table = {
    "mask-not-used": {"": _mask(torch.ones_like)},
    "mask-from-pad-id": {
        "": {"mask": lambda src, lengths, ids: src != ids[0]},
        "zero": {"mask": lambda src, lengths, ids: src != 0},
        "too": {"mask": lambda src, lengths, ids: real(lengths, src.shape[1]) & (src != ids[0])},
    },
    "mask-inverted": {"mask": _mask(torch.logical_not)},
    "padding-off-by-one": {
        "one-more": {"mask": lambda src, lengths, ids: real(lengths + 1, src.shape[1])},
        "one-less": {"mask": lambda src, lengths, ids: real(lengths - 1, src.shape[1])},
    },
    "ignores-batch": {
        "mask": _mask(lambda mask: mask[:1].expand_as(mask)),
        "state": {"state": lambda first: first[:1].expand_as(first)},
    },
    "first-state-not-used": {"": {"state": torch.zeros_like}},
    "first-fed-not-zero": {"": {"fed": lambda first: first}, "ones": {"fed": torch.ones_like}},
    "state-not-carried": {
        "": {"next": lambda carry, before: before},
        "state": {"next": lambda carry, before: (before[0], *carry[1:])},
    },
    "no-input-feeding": {
        "zeros": {"next": lambda carry, before: (carry[0], *(0 * one for one in carry[1:]))},
        "state": {"next": lambda carry, before: (carry[0],) * len(carry)},
        "old-state": {"next": lambda carry, before: (carry[0], *(before[0] for _ in carry[1:]))},
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
    """Shift by one word, after another first word."""
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
    "teacher-forcing-not-used": {"": {"read": lambda word, logits: logits[-1].argmax(-1) if logits else word}},
    "": {
        "time-last": {"results": lambda z, a: (torch.stack(z, -1), torch.stack(a, -1))},
        "weights-time-last": {"results": lambda z, a: (torch.stack(z, 1), torch.stack(a, -1))},
    },
    "returns-swapped": {"": {"results": lambda z, a: (torch.stack(a, 1), torch.stack(z, 1))}},
}

# ---- greedy_decode


def _ended_before(words: Tensor, eos: int) -> Tensor:
    """Return which words stand after an eos."""
    is_eos = (words == eos).long()
    return is_eos.cumsum(1) - is_eos > 0


def _cut(words: Tensor, after: Tensor, fill: int) -> Tensor:
    return words.masked_fill(after, fill)[:, : int((~after).sum(1).max())]


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
        "as-bos": {"ended": lambda ended, token, best, ids: ended | (token == ids[1])},
        "as-pad": {"ended": lambda ended, token, best, ids: ended | (token == ids[0])},
    },
    "ignores-batch": {
        "any": {"enough": lambda ended: ended.any()},
        "first": {"enough": lambda ended: ended[0]},
        "last": {"enough": lambda ended: ended[-1]},
        "word": {"best": lambda logits, ids: logits[:1].argmax(-1).expand(len(logits))},
    },
    "hardcoded-answer": {
        "eos": {"best": lambda logits, ids: torch.full_like(logits[:, 0], ids[2]).long()},
        "bos": {"best": lambda logits, ids: torch.full_like(logits[:, 0], ids[1]).long()},
        "zeros": {"results": lambda words, ids: torch.zeros_like(words)},
    },
}

# ---- beam_search


def _spoken(words: Tensor, ids: tuple[int, int, int]) -> Tensor:
    """Return each hypothesis' number of words after bos, with eos."""
    return (~_ended_before(words[..., 1:].flatten(0, 1), ids[2])).sum(1).view(words.shape[:2])


def _always(number: int) -> Callable[[int], int]:
    return lambda size: number


def _normalised(power: float) -> Callable[..., Tensor]:
    return lambda totals, words, ended, ids: totals / _spoken(words, ids) ** power


GOES_ON: Parts = {"ended": lambda gains, ended, only_pad: gains}
BEAM: Table = {
    "missing-softmax": {"": {"gains": lambda logits, count: logits}},
    "softmax-wrong-axis": {  # rounded, so that equal hypotheses tie on every machine
        "": {"gains": lambda logits, count: logits.log_softmax(0).round(decimals=9)},
        "beam": {
            "gains": lambda logits, count: (
                logits.unflatten(0, (count, -1)).log_softmax(1).flatten(0, 1).round(decimals=9)
            )
        },
        "all": {"gains": lambda logits, count: logits.view(count, -1).log_softmax(-1).view(logits.shape)},
    },
    "probabilities-added": {"": {"gains": lambda logits, count: logits.softmax(-1)}},
    "greedy-not-beam": {"": {"beams": lambda size: 1}},
    "length-normalised": {
        "": {"rank": lambda totals, words, ended, ids: totals / _spoken(words, ids)},
        **{f"exponent-{power:g}": {"rank": _normalised(power)} for power in (0.5, 0.6, 0.65, 0.7, 0.75, 0.8)},
        "each-step": {"weighed": lambda gains, step: gains / step},
        "with-bos": {"rank": lambda totals, words, ended, ids: totals / (_spoken(words, ids) + 1)},
        "without-eos": {"rank": lambda totals, words, ended, ids: totals / (_spoken(words, ids) - 1 * ended + 1e-9)},
    },
    "eos-not-final": {
        "": GOES_ON,
        "cut": GOES_ON | {"results": lambda words, ids: _cut(words, _ended_before(words, ids[2]), ids[0])},
    },
    "beam-last-word-only": {"": {"added": lambda totals, gains: torch.where(totals.isneginf(), totals, gains)}},
    "beam-words-mixed": {"": {"words": lambda words, rows: words}},
    "finished-first": {"": {"rank": lambda totals, words, ended, ids: torch.where(ended, totals, totals - 1e6)}},
    "state-not-carried": {"not-reordered": {"reorder": lambda x, rows, count: x}},
    "argument-ignored": {f"{number}-beams": {"beams": _always(number)} for number in (2, 3, 4, 5)},
    "search-ends-early": {
        "": {"enough": lambda ended: ended.any(1).all()},
        "any": {"enough": lambda ended: ended.any()},
    },
    "ignores-batch": {
        "any": {"enough": lambda ended: ended[:, 0].any()},
        "first": {"enough": lambda ended: ended[0, 0]},
        "last": {"enough": lambda ended: ended[-1, 0]},
        "rows": {"reorder": lambda x, rows, count: x[rows % (len(x) // count)]},
    },
    "": {
        "two": {"beams": lambda size: min(size, 2)},
        "unfinished-only": {"rank": lambda totals, words, ended, ids: torch.where(ended, totals - 1e6, totals)},
    },
}


# Finished hypotheses that are put aside do not go on. A search with one other hypothesis is greedy.
ASIDE = {cause: all_ for cause, all_ in BEAM.items() if cause != "eos-not-final"} | {
    "greedy-not-beam": {
        "one-live": {"live": lambda totals, ended: totals.masked_fill(torch.arange(totals.shape[1]) > 0, -math.inf)}
    }
}
# A search that ends early by total differs only where hypotheses have another total, or rank by another number.
EARLY = {
    cause: {how: parts for how, parts in all_.items() if {"rank", "added"} & parts.keys()}
    for cause, all_ in BEAM.items()
}


def _in(table: Table, *places: str) -> dict[str, Any]:
    """Return the same mistakes in each of these methods."""
    return {cause: {how: dict.fromkeys(places, parts) for how, parts in all_.items()} for cause, all_ in table.items()}


ALSO = {
    cause: STARTS[cause]
    for cause in (
        "mask-not-used",
        "first-state-not-used",
        "first-fed-not-zero",
        "state-not-carried",
        "no-input-feeding",
    )
}
TEACHES, TAKES, SEARCHES = "Seq2Seq.forward", "Seq2Seq.greedy_decode", "Seq2Seq.beam_search"
REFILLED = {cause: BEAM[cause] for cause in ("missing-softmax", "probabilities-added", "length-normalised")}
RANKED = {"length-normalised": BEAM["length-normalised"]}
BEAMS = (
    ("kept", (ALSO, BEAM)),
    ("aside", (ASIDE,)),
    ("early", (EARLY,)),
    ("settled", (RANKED,)),
    ("refilled", (REFILLED,)),
)
VARIANTS = (
    *variants(
        "Seq2Seq", seq2seq, _in(STARTS, "forward", "greedy", "beam"), how="all", where=(TEACHES, TAKES, SEARCHES)
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
            "Seq2Seq", partial(seq2seq, finished=finished), _in(table, "beam"), how=finished, where=(SEARCHES,)
        )
    ),
)
