"""The mathematics of the experiments: data, accuracy, one epoch, BLEU by length, heads and maps."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from reference.experiments.given import BOS, BUCKETS, EOS, PAD

Words = Sequence[Hashable]
Pair = tuple[list[str], list[str]]
BATCH = 32


def copy_task(length: int, count: int, vocab_size: int, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Random rows, and what a decoder reads and must say: (count, length) and twice (count, length + 1)."""
    generator = torch.Generator().manual_seed(seed)
    src = torch.randint(EOS + 1, vocab_size, (count, length), generator=generator)
    return src, F.pad(src, (1, 0), value=BOS), F.pad(src, (0, 1), value=EOS)


def copy_accuracy(predicted: Tensor, src: Tensor) -> float:
    """The share of the source's positions that are right. (B, L), (B, T); a missing column is wrong."""
    right = sum(
        int(predicted[b, j] == src[b, j]) for b in range(len(src)) for j in range(min(predicted.shape[1], src.shape[1]))
    )
    return right / (src.shape[0] * src.shape[1])


def train_epoch(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    src: Tensor,
    src_lengths: Tensor,
    tgt_in: Tensor,
    tgt_out: Tensor,
    tgt_lengths: Tensor,
    order: Tensor,
    batch_size: int,
    clip: float = 1.0,
) -> list[float]:
    """One pass over the pairs in this order, with the global norm clipped; it changes the model.

    Pascanu, Mikolov and Bengio 2013, arXiv 1211.5063, algorithm 1: g <- g clip / |g| where |g| > clip.
    """
    losses = []
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        for parameter in model.parameters():
            parameter.grad = None
        log_probs = model(src[rows], src_lengths[rows], tgt_in[rows]).log_softmax(-1)
        chosen = log_probs.gather(2, tgt_out[rows].unsqueeze(2)).squeeze(2)  # (B, T_t)
        real = torch.arange(tgt_out.shape[1], device=tgt_out.device) < tgt_lengths[rows].unsqueeze(1)
        loss = -torch.where(real, chosen, 0.0).sum() / real.sum()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses


def greedy(model: Callable[..., Tensor], src: Tensor, src_lengths: Tensor, steps: int) -> Tensor:
    """The best ids (B, steps); each step reads those before it."""
    said = torch.full((len(src), 1), BOS)
    with torch.no_grad():
        for _ in range(steps):
            said = torch.cat([said, model(src, src_lengths, said)[:, -1:].argmax(-1)], 1)
    return said[:, 1:]


def copy_curves(
    seed: int, lengths: Sequence[int], train_lengths: Sequence[int], vocab_size: int, models: Sequence[Any]
) -> Tensor:
    """The accuracy of each model at each length, (models, lengths) float32, after training from short to long."""
    return torch.tensor([_copy_row(seed, lengths, train_lengths, vocab_size, one) for one in models])


def _copy_row(
    seed: int, lengths: Sequence[int], train_lengths: Sequence[int], vocab_size: int, kind: Any, steps: int = 20
) -> list[float]:
    model = trained_to_copy(seed, train_lengths, vocab_size, kind, steps)
    row = []
    for number, length in enumerate(lengths):
        src, _, _ = copy_task(length, 64, vocab_size, 10**6 * (seed + 1) + number)
        row.append(copy_accuracy(greedy(model, src, torch.full((64,), length), length), src))
    return row


def trained_to_copy(seed: int, train_lengths: Sequence[int], vocab_size: int, kind: Any, steps: int = 20) -> Any:
    """A model that has seen ``steps`` batches of each length, from short to long."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = kind(vocab_size, vocab_size)
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    for number, length in enumerate(sorted(train_lengths)):
        src, tgt_in, tgt_out = copy_task(length, BATCH * steps, vocab_size, 1000 * seed + number)
        whole = torch.full((len(src),), length)
        train_epoch(model, optimizer, src, whole, tgt_in, tgt_out, whole + 1, torch.arange(len(src)), BATCH)
    return model


def corpus_bleu(candidates: Sequence[Words], references: Sequence[Words]) -> float:
    """100 BP exp(mean_n ln p_n), n = 1..4, Papineni et al. 2002, section 2.3, with one reference each."""
    log_precision = 0.0
    for n in range(1, 5):
        matches = total = 0
        for candidate, reference in zip(candidates, references, strict=True):
            matches += (_grams(candidate, n) & _grams(reference, n)).total()
            total += max(0, len(candidate) - n + 1)
        if matches == 0:
            return 0.0
        log_precision += math.log(matches / total) / 4
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return 100.0 * math.exp(min(0.0, 1 - r / c) + log_precision)


def _grams(tokens: Words, n: int) -> Counter[tuple[Hashable, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def bleu_by_length(
    candidates: Sequence[Words],
    references: Sequence[Words],
    source_lengths: Sequence[int],
    buckets: Sequence[Sequence[int]],
) -> list[float]:
    """The BLEU of the pairs in each bucket of source lengths, ends included; 0 for an empty one."""
    scores = []
    for first, last in buckets:
        chosen = [i for i, length in enumerate(source_lengths) if first <= length <= last]
        scores.append(corpus_bleu([candidates[i] for i in chosen], [references[i] for i in chosen]))
    return scores


class Vocabulary:
    """Words as ids from 3 on. All words that it does not have share one id more."""

    def __init__(self, sentences: Sequence[Sequence[str]]) -> None:
        self.words = list(dict.fromkeys(word for words in sentences for word in words))
        self.ids = {word: 3 + number for number, word in enumerate(self.words)}
        self.size = 4 + len(self.words)

    def tensor(self, sentences: Sequence[Sequence[str]], before: list[int], after: list[int]) -> tuple[Tensor, Tensor]:
        """The ids, padded to (B, T), and the lengths (B,)."""
        rows = [[*before, *(self.ids.get(word, self.size - 1) for word in words), *after] for words in sentences]
        width = max(map(len, rows))
        padded = [row + [PAD] * (width - len(row)) for row in rows]
        return torch.tensor(padded), torch.tensor([len(row) for row in rows])

    def text(self, ids: Sequence[int]) -> list[str]:
        """The words up to the end of the sentence."""
        known = {i: word for word, i in self.ids.items()}
        ended = list(ids).index(EOS) if EOS in ids else len(ids)
        return [known.get(i, "<unknown>") for i in ids[:ended]]


def translation_bleu(
    seed: int, epochs: int, models: Sequence[Any], corpus: Callable[[int, int], Sequence[Pair]]
) -> Tensor:
    """BLEU by length of each model on the last 100 of 500 pairs, (models, buckets) float32."""
    pairs = corpus(seed, 500)
    english, german = (Vocabulary([pair[side] for pair in pairs[:400]]) for side in (0, 1))
    src, src_lengths = english.tensor([pair[0] for pair in pairs], [], [])
    tgt_in, _ = german.tensor([pair[1] for pair in pairs], [BOS], [])
    tgt_out, tgt_lengths = german.tensor([pair[1] for pair in pairs], [], [EOS])
    rows = []
    for kind in models:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = kind(english.size, german.size)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
        for epoch in range(epochs):
            order = torch.randperm(400, generator=torch.Generator().manual_seed(1000 * seed + epoch))
            train_epoch(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, order, BATCH)
        said = greedy(model, src[400:], src_lengths[400:], 24).tolist()
        candidates = [german.text(row) for row in said]
        rows.append(bleu_by_length(candidates, [p[1] for p in pairs[400:]], src_lengths[400:].tolist(), BUCKETS))
    return torch.tensor(rows)


def split_projection(in_proj_weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The rows of torch's fused projection (3 d, d): those of queries, then of keys, then of values."""
    d = in_proj_weight.shape[1]
    return in_proj_weight[:d].clone(), in_proj_weight[d : 2 * d].clone(), in_proj_weight[2 * d :].clone()


def head_ablation(model: Any, src: Tensor, tgt_in: Tensor, tgt_out: Tensor) -> Tensor:
    """The accuracy with every head minus that without head i, for each head: Michel et al. 2019, section 3.2."""
    with torch.no_grad():

        def accuracy(head_mask: Tensor | None) -> Tensor:
            logits = model(src, tgt_in, head_mask)
            right: Tensor = (logits.argmax(-1) == tgt_out).to(logits.dtype)
            return right.mean()

        everything = accuracy(None)
        like = model.out.weight
        drops = []
        for i in range(model.num_heads):
            mask = torch.ones(model.num_heads, dtype=like.dtype, device=like.device)
            mask[i] = 0.0
            drops.append(everything - accuracy(mask))
        return torch.stack(drops)


def mean_attention_map(attention: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> Tensor:
    """(layers, B, heads, T_t, T_s) -> (B, T_t, T_s): the mean over layers and heads, 0 at padding."""
    layers, _, heads, T_t, T_s = attention.shape
    mean = attention.sum((0, 2)) / (layers * heads)
    rows = torch.arange(T_t, device=attention.device).view(1, -1, 1) < tgt_lengths.view(-1, 1, 1)
    columns = torch.arange(T_s, device=attention.device).view(1, 1, -1) < src_lengths.view(-1, 1, 1)
    return torch.where(rows & columns, mean, 0.0)
