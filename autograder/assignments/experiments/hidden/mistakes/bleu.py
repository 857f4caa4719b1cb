"""Known mistakes of bleu_by_length."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from autograder.assignments.kit.hidden.variant import Variant, from_table

Part = Callable[..., Any]
Parts = dict[str, Part]
Words = Sequence[Hashable]
FLOORS = (1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)


def _grams(tokens: Words, n: int) -> Counter[tuple[Hashable, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def _share(matches: float, total: float, n: int) -> float:
    return matches / total if total else 0.0


def _score(
    pairs: Sequence[tuple[Words, Words]],
    matches: Part = lambda mine, theirs: (mine & theirs).total(),
    share: Part = _share,
    penalty: Part = lambda c, r: min(1.0, math.exp(1 - r / c)) if c else 0.0,
) -> float:
    shares = []
    for n in range(1, 5):
        counts = [(_grams(c, n), _grams(r, n)) for c, r in pairs]
        total = sum(mine.total() for mine, _ in counts)
        shares.append(share(sum(matches(*both) for both in counts), total, n))
    if not all(shares):
        return 0.0
    lengths = sum(len(c) for c, _ in pairs), sum(len(r) for _, r in pairs)
    return 100.0 * float(penalty(*lengths)) * math.exp(sum(map(math.log, shares)) / 4)


def _mean_of_sentences(pairs: Sequence[tuple[Words, Words]]) -> float:
    return sum(_score([pair]) for pair in pairs) / max(len(pairs), 1)


def by_length(
    score: Part = _score,
    length: Part = lambda candidate, reference, source: source,
    inside: Part = lambda first, length, last: first <= length <= last,
) -> Part:
    """Build a ``bleu_by_length`` with some parts replaced by wrong ones."""

    def bleu_by_length(
        candidates: Sequence[Words], references: Sequence[Words], source_lengths: Sequence[int], buckets: Any
    ) -> list[float]:
        triples = list(zip(candidates, references, source_lengths, strict=True))
        return [score([(c, r) for c, r, n in triples if inside(a, length(c, r, n), b)]) for a, b in buckets]

    return bleu_by_length


def _with(**parts: Part) -> Parts:
    return {"score": lambda pairs: _score(pairs, **parts)}


def _raised(by: float, least: int = 1, both: bool = True) -> Part:
    def share(matches: float, total: float, n: int) -> float:
        if n < least:
            return _share(matches, total, n)
        below = total + by * both
        return (matches + by) / below if below else 0.0

    return share


TABLE: dict[str, dict[str, Parts]] = {
    "bucket-end-excluded": {
        "last": {"inside": lambda first, length, last: first <= length < last},
        "first": {"inside": lambda first, length, last: first < length <= last},
        "both": {"inside": lambda first, length, last: first < length < last},
    },
    "bucket-by-target-length": {
        "": {"length": lambda candidate, reference, source: len(reference)},
        "candidate": {"length": lambda candidate, reference, source: len(candidate)},
    },
    "bleu-mean-of-sentences": {"": {"score": _mean_of_sentences}},
    "bleu-no-brevity-penalty": {"": _with(penalty=lambda c, r: 1.0)},
    "bleu-no-clipping": {
        "": _with(matches=lambda mine, theirs: sum(k for gram, k in mine.items() if gram in theirs)),
        "other": _with(matches=lambda mine, theirs: sum(k for gram, k in theirs.items() if gram in mine)),
    },
    "bleu-smoothed": {
        "add-one": _with(share=_raised(1)),
        "add-one-from-two": _with(share=_raised(1, least=2)),
        "add-one-above": _with(share=_raised(1, both=False)),
        **{f"floor-{least:g}": _with(share=lambda m, t, n, least=least: _share(m, t, n) or least) for least in FLOORS},
        **{f"least-{least:g}": _with(share=lambda m, t, n, least=least: max(m, least) / max(t, 1)) for least in FLOORS},
    },
    "": {"fraction": {"score": lambda pairs: _score(pairs) / 100}},
}
VARIANTS: tuple[Variant, ...] = from_table(TABLE, lambda parts: {"bleu_by_length": by_length(**parts)}, "bleu-{}")
