"""Known mistakes of corpus_bleu."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from types import SimpleNamespace
from typing import Any

import torch

from autograder.misconceptions.seq2seq_models import Part, Parts
from autograder.misconceptions.variant import Variant

Grams = Counter[tuple[Hashable, ...]]
PARTS: Parts = {
    "count": lambda tokens, n: Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)),
    "matches": lambda mine, other: (mine & other).total(),
    "precision": lambda matches, total, n: matches / total if total else 0.0,
    "mean": lambda shares: math.exp(sum(map(math.log, shares)) / len(shares)) if all(shares) else 0.0,
    "penalty": lambda c, r: min(1.0, math.exp(1 - r / c)) if c else 0.0,
    "scale": lambda score: 100.0 * score,
}


def bleu(orders: int = 4, **parts: Part) -> Callable[..., float]:
    """A ``corpus_bleu`` in which parts are other than they must be."""
    use = SimpleNamespace(**PARTS | parts)

    def corpus_bleu(
        candidates: Sequence[Sequence[Hashable]], references: Sequence[Sequence[Hashable]]
    ) -> float:
        shares = []
        for n in range(1, orders + 1):
            pairs = [(use.count(c, n), use.count(r, n)) for c, r in zip(candidates, references, strict=True)]
            matches, total = sum(use.matches(*pair) for pair in pairs), sum(mine.total() for mine, _ in pairs)
            shares.append(use.precision(matches, total, n))
        c, r = sum(map(len, candidates)), sum(map(len, references))
        return float(use.scale(use.penalty(c, r) * use.mean(shares)))

    return corpus_bleu


def _constant(value: float) -> Parts:
    return {"scale": lambda score: value}


def _joined(tokens: Any, n: int) -> Counter[str]:
    words = [str(token) for token in tokens]
    return Counter("".join(words[i : i + n]) for i in range(len(words) - n + 1))


def _spaced(tokens: Any, n: int) -> Counter[str]:
    words = [str(token) for token in tokens]
    return Counter(" ".join(words[i : i + n]) for i in range(len(words) - n + 1))


BLEU: dict[str, dict[str, dict[str, Any]]] = {
    "bleu-no-brevity-penalty": {"": {"penalty": lambda c, r: 1.0}},
    "bleu-no-clipping": {
        "": {"matches": lambda mine, other: sum(k for gram, k in mine.items() if gram in other)},
        "other": {"matches": lambda mine, other: sum(k for gram, k in other.items() if gram in mine)},
    },
    "hardcoded-answer": {"zero": _constant(0.0), "hundred": _constant(100.0), "one": _constant(1.0)},
    "": {
        "once": {"matches": lambda mine, other: len(mine.keys() & other.keys())},
        "reversed-penalty": {"penalty": lambda c, r: min(1.0, math.exp(1 - c / r)) if r else 0.0},
        "bonus": {"penalty": lambda c, r: 2.718281828459045 ** (1 - r / c) if c else 0.0},
        "ratio": {"penalty": lambda c, r: min(1.0, c / r) if r else 0.0},
        "penalty-ratio": {"penalty": lambda c, r: min(1.0, 2.718281828459045 ** (-r / c)) if c else 0.0},
        "arithmetic": {"mean": lambda shares: sum(shares) / len(shares)},
        "product": {"mean": lambda shares: float(torch.tensor(shares, dtype=torch.float64).prod())},
        "three": {"orders": 3},
        "two": {"orders": 2},
        "one": {"orders": 1},
        "five": {"orders": 5},
        "fraction": {"scale": lambda score: score},
        "plus-one": {"precision": lambda matches, total, n: (matches + 1) / (total + 1)},
        "plus-one-above": {"precision": lambda m, total, n: (m + (n > 1)) / (total + (n > 1)) if total else 0.0},
        "epsilon": {"precision": lambda matches, total, n: matches / total if matches else 1e-9},
        "epsilon-share": {"precision": lambda matches, total, n: (matches or 0.1) / total if total else 0.0},
        "not-zero": {"mean": lambda shares: _mean([one for one in shares if one])},
        "joined": {"count": _joined},
        "spaced": {"count": _spaced},
    },
}  # fmt: skip


def _mean(shares: list[float]) -> float:
    """The geometric mean of what is not 0."""
    return float(torch.tensor(shares, dtype=torch.float64).log().mean().exp()) if shares else 0.0


def _averaged(candidates: Any, references: Any) -> float:
    scores = [RIGHT([c], [r]) for c, r in zip(candidates, references, strict=True)]
    return sum(scores) / len(scores)


RIGHT = bleu()
VARIANTS = (
    *(
        Variant(cause, f"bleu-{how}", {"corpus_bleu": bleu(**parts)})
        for cause, all_ in BLEU.items()
        for how, parts in all_.items()
    ),
    Variant("", "bleu-averaged", {"corpus_bleu": _averaged}),
)
