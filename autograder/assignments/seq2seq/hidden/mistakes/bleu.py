"""Known mistakes of corpus_bleu."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

from autograder.assignments.kit.hidden.variant import Variant, from_table
from autograder.assignments.seq2seq.hidden.mistakes.models import Part, Parts

Corpus = Sequence[Sequence[Hashable]]


def _grams(tokens: Sequence[Hashable], n: int) -> Counter[tuple[Hashable, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def _mean(shares: list[float]) -> float:
    """Return the geometric mean."""
    return math.exp(sum(map(math.log, shares)) / len(shares)) if all(shares) else 0.0


def _penalty(c: int, r: int) -> float:
    return min(1.0, math.exp(1 - r / c)) if c else 0.0


def _share(matched: int, total: int, n: int) -> float:
    return matched / total if total else 0.0


def bleu(
    matches: Part = lambda mine, other: (mine & other).total(),
    share: Part = _share,
    penalty: Part = _penalty,
    scale: Part = lambda score: 100.0 * score,
    mean: Part = _mean,
    orders: Part = lambda: (1, 2, 3, 4),
    split: Part = lambda tokens: tokens,
) -> Callable[[Corpus, Corpus], float]:
    """Build a ``corpus_bleu`` with some parts replaced by wrong ones. ``share`` also gets the order."""

    def corpus_bleu(candidates: Corpus, references: Corpus) -> float:
        shares = []
        for n in orders():
            pairs = [(_grams(split(c), n), _grams(split(r), n)) for c, r in zip(candidates, references, strict=True)]
            total = sum(mine.total() for mine, _ in pairs)
            shares.append(share(sum(matches(*pair) for pair in pairs), total, n))
        c, r = sum(map(len, candidates)), sum(map(len, references))
        return float(scale(penalty(c, r) * mean(shares)))

    return corpus_bleu


def _constant(value: float) -> Parts:
    return {"scale": lambda score: value}


def _mean_of_sentences(candidates: Corpus, references: Corpus) -> float:
    scores = [bleu()([c], [r]) for c, r in zip(candidates, references, strict=True)]
    return sum(scores) / max(len(scores), 1)


def _raised(by: float, least: int = 1, both: bool = True, some: bool = False) -> Parts:
    """Add to the matches of the orders from ``least``, and to the totals. ``some``: only where anything matches."""

    def share(matched: int, total: int, n: int) -> float:
        if n < least or (some and not matched):
            return _share(matched, total, n)
        below = total + by if both else total
        return (matched + by) / below if below else 0.0

    return {"share": share}


def _floored(least: float) -> Parts:
    return {"share": lambda matched, total, n: _share(matched, total, n) or least}


BLEU: dict[str, dict[str, Parts]] = {
    "bleu-no-brevity-penalty": {
        "": {"penalty": lambda c, r: 1.0},
        "inverted": {"penalty": lambda c, r: min(1.0, math.exp(1 - c / r)) if r else 0.0},
    },
    "bleu-no-clipping": {
        "": {"matches": lambda mine, other: sum(k for gram, k in mine.items() if gram in other)},
        "other": {"matches": lambda mine, other: sum(k for gram, k in other.items() if gram in mine)},
    },
    "bleu-smoothed": {
        "add-one": _raised(1),
        "add-one-from-two": _raised(1, least=2),
        "add-one-above": _raised(1, both=False),
        "add-one-to-some": _raised(1, some=True),
        **{f"floor-{least:g}": _floored(least) for least in (1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)},
        **{f"plus-{by:g}": _raised(by, both=False) for by in (1e-10, 1e-9, 1e-8, 1e-6, 0.1)},
    },
    "bleu-arithmetic-mean": {
        "": {"mean": lambda shares: sum(shares) / len(shares)},
        "or-zero": {"mean": lambda shares: sum(shares) / len(shares) if all(shares) else 0.0},
    },
    "bleu-wrong-orders": {
        "one": {"orders": lambda: (1,)},
        "two": {"orders": lambda: (1, 2)},
        "three": {"orders": lambda: (1, 2, 3)},
        "four-only": {"orders": lambda: (4,)},
        "five": {"orders": lambda: (1, 2, 3, 4, 5)},
        "characters": {"split": lambda tokens: " ".join(map(str, tokens))},
        "characters-joined": {"split": lambda tokens: "".join(map(str, tokens))},
    },
    "hardcoded-answer": {"zero": _constant(0.0), "hundred": _constant(100.0), "one": _constant(1.0)},
}
VARIANTS = (
    *from_table(BLEU, lambda parts: {"corpus_bleu": bleu(**parts)}, "bleu-{}"),
    Variant("bleu-mean-of-sentences", "", {"corpus_bleu": _mean_of_sentences}),
)
