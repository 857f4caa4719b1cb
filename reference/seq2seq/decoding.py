"""Greedy and beam search, and whether their result is unambiguous.

The contract allows either side of a tie. It allows a finished hypothesis to keep its place in the beam, or to be put
aside. ``greedy_margin`` and ``beam_is_decided`` find the inputs on which these choices do not matter.
"""

import math
from typing import Literal, NamedTuple, get_args

import torch
from torch import Tensor

from reference.seq2seq.recurrent import Carry, Step, Weights, start_decoder

# What happens to a hypothesis that ends: it
Finished = Literal[
    "kept",  # holds its place in the beam, and loses it only to better ones
    "aside",  # is put aside; the next beam is filled from what the others become
    "replaced",  # is put aside, and the next best unfinished one takes its place at once
    "shrinking",  # is put aside, and the beam stays smaller by one
    "early",  # is put aside if among the beam_size best of its parent, even without room in the beam
]


@torch.no_grad()
def greedy_decode(
    weights: Weights, src: Tensor, src_lengths: Tensor, max_len: int, pad_id: int, bos_id: int, eos_id: int
) -> Tensor:
    """The most probable word at every step, until eos: (B, T_s), (B,) -> (B, L), L <= max_len."""
    step, carry = start_decoder(weights, src, src_lengths)
    token = src.new_full((src.shape[0],), bos_id)  # (B,)
    ended = torch.zeros_like(token, dtype=torch.bool)  # (B,)
    sentences = src.new_empty(src.shape[0], 0)
    while sentences.shape[1] < max_len and not ended.all():
        logits, _, carry = step(token, carry)  # (B, V)
        token = logits.argmax(-1).masked_fill(ended, pad_id)  # (B,)
        ended = ended | (token == eos_id)
        sentences = torch.cat([sentences, token.unsqueeze(1)], 1)
    return sentences


@torch.no_grad()
def beam_search(
    weights: Weights,
    src: Tensor,
    src_lengths: Tensor,
    beam_size: int,
    max_len: int,
    pad_id: int,
    bos_id: int,
    eos_id: int,
) -> Tensor:
    """The best of beam_size hypotheses by total log-probability: (B, T_s), (B,) -> (B, L), L <= max_len.

    Sutskever, Vinyals and Le 2014, arXiv 1409.3215, section 3.2; finished hypotheses are "kept". As a
    total can only fall, a sentence is done when the best of its hypotheses has ended.
    """
    B, K = src.shape[0], beam_size
    step, carry = start_decoder(weights, src, src_lengths, copies=K)
    token = src.new_full((B, K), bos_id)
    sentences = src.new_empty(B, K, 0)
    ended = torch.zeros_like(token, dtype=torch.bool)  # (B, K)
    totals = carry[0].new_full((B, K), -math.inf)
    totals[:, 0] = 0  # one hypothesis at first, the empty one
    while sentences.shape[2] < max_len and not ended[:, 0].all():
        logits, _, carry = step(token.flatten(), carry)  # (B K, V)
        gains = logits.log_softmax(-1).view(B, K, -1)  # (B, K, V)
        only_pad = torch.full_like(gains[0, 0], -math.inf).index_fill(0, src.new_tensor([pad_id]), 0)  # (V,)
        gains = torch.where(ended.unsqueeze(-1), only_pad, gains)  # (B, K, V)
        totals, chosen = (totals.unsqueeze(-1) + gains).flatten(1).topk(K)  # (B, K), best first
        parent, token = chosen // gains.shape[-1], chosen % gains.shape[-1]  # (B, K)
        rows = (torch.arange(B, device=src.device).unsqueeze(1) * K + parent).flatten()  # (B K,)
        carry = tuple(x[rows] for x in carry)
        ended = ended.gather(1, parent) | (token == eos_id)
        sentences = torch.cat([sentences.flatten(0, 1)[rows].view(B, K, -1), token.unsqueeze(-1)], -1)
    return trim(sentences[:, 0], eos_id)


def trim(sentences: Tensor, eos_id: int) -> Tensor:
    """Cut the columns at the end in which every sentence has already ended."""
    is_eos = (sentences == eos_id).int()
    running = is_eos.cumsum(1) - is_eos == 0  # no eos before this position
    return sentences[:, : int(running.sum(1).max())]


@torch.no_grad()
def greedy_margin(
    weights: Weights, src: Tensor, src_lengths: Tensor, max_len: int, pad_id: int, bos_id: int, eos_id: int
) -> float:
    """Return the smallest lead in log-probability of a word that ``greedy_decode`` takes over the second best."""
    step, carry = start_decoder(weights, src, src_lengths)
    token, margin = src.new_full((src.shape[0],), bos_id), math.inf
    running = torch.ones_like(token, dtype=torch.bool)
    for _ in range(max_len):
        logits, _, carry = step(token, carry)  # (B, V)
        if not running.any() or logits.shape[1] == 1:
            break
        first, second = logits[running].topk(2).values.unbind(1)  # (running,)
        margin = min(margin, float((first - second).min()))
        token = logits.argmax(-1)
        running = running & (token != eos_id)
    return margin


@torch.no_grad()
def beam_is_decided(
    weights: Weights,
    src: Tensor,
    src_lengths: Tensor,
    beam_size: int,
    max_len: int,
    pad_id: int,
    bos_id: int,
    eos_id: int,
    margin: float = 1e-4,
) -> bool:
    """Return whether all variants of beam search find the same sentences, with no choice closer than margin."""
    for b in range(src.shape[0]):
        step, carry = start_decoder(weights, src[b : b + 1], src_lengths[b : b + 1], copies=beam_size)
        found = set()
        ways = [(finished, math.inf) for finished in get_args(Finished)]
        for finished, enough in [*ways, ("aside", beam_size), ("replaced", beam_size)]:
            best, gap = search_one(step, carry, beam_size, max_len, bos_id, eos_id, finished, enough)
            if gap <= margin:
                return False
            found.add(best)
        if len(found) > 1:
            return False
    return True


class Hypothesis(NamedTuple):
    total: float
    words: tuple[int, ...]
    row: int  # of its state in the carry


def search_one(
    step: Step,
    carry: Carry,
    beam_size: int,
    max_len: int,
    bos_id: int,
    eos_id: int,
    finished: Finished,
    enough: float = math.inf,
) -> tuple[tuple[int, ...], float]:
    """Beam search of one sentence, on lists, in the variant ``finished``; stops when ``enough`` have ended.

    Returns the best sentence, without padding, and the smallest gap between a taken and a rejected hypothesis.
    """
    live, done, gap = [Hypothesis(0.0, (), 0)], list[Hypothesis](), math.inf
    for _ in range(max_len):
        rows = [h.row for h in live] + [0] * (beam_size - len(live))
        words = [h.words[-1] if h.words else bos_id for h in live] + [bos_id] * (beam_size - len(live))
        device = carry[0].device
        logits, _, carry = step(torch.tensor(words, device=device), tuple(x[rows] for x in carry))
        pool = list[Hypothesis]()
        for row, (h, gains) in enumerate(zip(live, logits.log_softmax(-1).tolist(), strict=False)):
            children = [Hypothesis(h.total + gain, (*h.words, word), row) for word, gain in enumerate(gains)]
            if finished == "early":
                children, gap = take(children, beam_size, gap)
            pool += children
        if finished == "kept":
            pool, done = pool + done, []
        places = beam_size - len(done) if finished == "shrinking" else beam_size
        taken, gap = (pool, gap) if finished == "early" else take(pool, places, gap)
        done += [h for h in taken if h.words[-1] == eos_id]
        if finished in ("replaced", "early"):
            taken, gap = take([h for h in pool if h.words[-1] != eos_id], places, gap)
        live = [h for h in taken if h.words[-1] != eos_id]
        if len(done) >= enough:
            live = []
        if not live:
            break
    best, gap = take(live + done, 1, gap)
    return best[0].words, gap


def take(pool: list[Hypothesis], places: int, gap: float) -> tuple[list[Hypothesis], float]:
    """Return the best of pool, and the smaller of gap and their lead over the first of the others."""
    ranked = sorted(pool, key=lambda h: h.total, reverse=True)
    if len(ranked) > places:
        gap = min(gap, ranked[places - 1].total - ranked[places].total)
    return ranked[:places], gap
