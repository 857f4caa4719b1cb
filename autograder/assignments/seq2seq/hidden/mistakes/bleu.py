"""Known mistakes of corpus_bleu."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

from autograder.assignments.kit.hidden.variant import from_table
from autograder.assignments.seq2seq.hidden.mistakes.models import Part, Parts

Corpus = Sequence[Sequence[Hashable]]


def _grams(tokens: Sequence[Hashable], n: int) -> Counter[tuple[Hashable, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def _mean(shares: list[float]) -> float:
    """Return the geometric mean."""
    return math.exp(sum(map(math.log, shares)) / len(shares)) if all(shares) else 0.0


def _penalty(c: int, r: int) -> float:
    return min(1.0, math.exp(1 - r / c)) if c else 0.0


def bleu(
    matches: Part = lambda mine, other: (mine & other).total(),
    penalty: Part = _penalty,
    scale: Part = lambda score: 100.0 * score,
) -> Callable[[Corpus, Corpus], float]:
    """Build a ``corpus_bleu`` with some parts replaced by wrong ones."""

    def corpus_bleu(candidates: Corpus, references: Corpus) -> float:
        shares = []
        for n in range(1, 5):
            pairs = [(_grams(c, n), _grams(r, n)) for c, r in zip(candidates, references, strict=True)]
            total = sum(mine.total() for mine, _ in pairs)
            shares.append(sum(matches(*pair) for pair in pairs) / total if total else 0.0)
        c, r = sum(map(len, candidates)), sum(map(len, references))
        return float(scale(penalty(c, r) * _mean(shares)))

    return corpus_bleu


def _constant(value: float) -> Parts:
    return {"scale": lambda score: value}


BLEU: dict[str, dict[str, Parts]] = {
    "bleu-no-brevity-penalty": {"": {"penalty": lambda c, r: 1.0}},
    "bleu-no-clipping": {
        "": {"matches": lambda mine, other: sum(k for gram, k in mine.items() if gram in other)},
        "other": {"matches": lambda mine, other: sum(k for gram, k in other.items() if gram in mine)},
    },
    "hardcoded-answer": {"zero": _constant(0.0), "hundred": _constant(100.0), "one": _constant(1.0)},
}
VARIANTS = from_table(BLEU, lambda parts: {"corpus_bleu": bleu(**parts)}, "bleu-{}")
