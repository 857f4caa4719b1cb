"""Known mistakes of copy_curves and translation_bleu, where models with known answers stand in for the given ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant
from reference.experiments import functions as reference
from reference.experiments import modules as right

ROWS = 64
Part = Callable[..., Any]


def _kinds() -> tuple[Any, Any]:
    """Return the models of the moment."""
    return right.FixedContext, right.WithAttention


def _teacher_forced(model: Any, src: Tensor, lengths: Tensor, tgt_in: Tensor) -> Tensor:
    with torch.no_grad():
        best: Tensor = model(src, lengths, tgt_in).argmax(-1)
        return best


def _tested(decode: Part, rows: Part | None = None, kinds: Part = _kinds) -> Part:
    """Build a ``copy_curves`` that decodes, or draws its test rows, in a wrong way."""

    def copy_curves(seed: int, lengths: Sequence[int], train_lengths: Sequence[int], vocab_size: int = 13) -> Tensor:
        curves = []
        for kind in kinds():
            model = reference.trained_to_copy(seed, train_lengths, vocab_size, kind)
            row = []
            for length in lengths:
                src, tgt_in, _ = reference.copy_task(length, ROWS, vocab_size, 10**6 + seed + length)
                src, tgt_in = rows(model, src, tgt_in) if rows else (src, tgt_in)
                whole = torch.full((ROWS,), length)
                row.append(reference.copy_accuracy(decode(model, src, whole, tgt_in), src))
            curves.append(row)
        return torch.tensor(curves)

    return copy_curves


def _greedy(model: Any, src: Tensor, lengths: Tensor, tgt_in: Tensor) -> Tensor:
    return reference.greedy(model, src, lengths, src.shape[1])


def _after_training(model: Any, src: Tensor, tgt_in: Tensor) -> tuple[Tensor, Tensor]:
    """Return rows that the model is trained on before the test."""
    model(src, torch.full((len(src),), src.shape[1]), tgt_in)
    return src, tgt_in


def _swapped(copy: Part) -> Part:
    return lambda *args, **kwargs: copy(*args, **kwargs).flip(0)


def _constant(seed: int, lengths: Sequence[int], train_lengths: Sequence[int], vocab_size: int = 13) -> Tensor:
    return torch.tensor([[0.9 * 0.6**i for i in range(len(lengths))], [1.0] * len(lengths)])


def _twice(which: int) -> Part:
    return lambda: (_kinds()[which],) * 2


COPY: dict[str, dict[str, Part]] = {
    "decodes-with-targets": {"": _tested(_teacher_forced)},
    "tests-on-training-data": {"": _tested(_greedy, _after_training)},
    "rows-swapped": {"": _swapped(_tested(_greedy))},
    "curve-not-of-this-run": {
        "": _constant,
        "one-model": _tested(_greedy, kinds=_twice(0)),
        "other-model": _tested(_greedy, kinds=_twice(1)),
    },
}


def _translations(decode: Part, first: int = 400, words: int = 400, flip: bool = False) -> Part:
    """Build a ``translation_bleu`` that decodes in a wrong way, tests on the pairs from ``first`` on, or takes its
    words from the first ``words`` pairs."""

    def translation_bleu(seed: int, epochs: int = 20) -> Tensor:
        pairs = right.toy_corpus(seed, 500)  # type: ignore[no-untyped-call]
        english, german = (reference.Vocabulary([pair[side] for pair in pairs[:words]]) for side in (0, 1))
        src, lengths = english.tensor([pair[0] for pair in pairs], [], [])
        tgt_in, _ = german.tensor([pair[1] for pair in pairs], [right.BOS], [])
        tgt_out, tgt_lengths = german.tensor([pair[1] for pair in pairs], [], [right.EOS])
        rows = []
        for kind in _kinds():
            model = kind(english.size, german.size)
            optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
            for _ in range(epochs):
                every = torch.arange(400)
                reference.train_epoch(model, optimizer, src, lengths, tgt_in, tgt_out, tgt_lengths, every, 32)
            test = slice(first, first + 100)
            said = decode(model, src[test], lengths[test], tgt_in[test]).tolist()
            wanted = [pair[1] for pair in pairs[test]]
            candidates = [german.text(row) for row in said]
            rows.append(reference.bleu_by_length(candidates, wanted, lengths[test].tolist(), right.BUCKETS))
        return torch.tensor(rows[::-1] if flip else rows)

    return translation_bleu


def _greedy_words(model: Any, src: Tensor, lengths: Tensor, tgt_in: Tensor) -> Tensor:
    return reference.greedy(model, src, lengths, 24)


TRANSLATION: dict[str, dict[str, Part]] = {
    "decodes-with-targets": {"": _translations(_teacher_forced)},
    "test-words-in-vocabulary": {"": _translations(_greedy_words, words=500)},
    "tests-on-training-data": {
        "": _translations(_greedy_words, first=0),
        "last": _translations(_greedy_words, first=300),
    },
    "rows-swapped": {"": _translations(_greedy_words, flip=True)},
}
VARIANTS: tuple[Variant, ...] = tuple(
    Variant(cause, f"{name}-{how}", {name: part})
    for name, tables in (("copy_curves", COPY), ("translation_bleu", TRANSLATION))
    for cause, table in tables.items()
    for how, part in table.items()
)
