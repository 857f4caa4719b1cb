"""The calls of ``seq2seq`` that are timed beside the reference: sizes and limits."""

from __future__ import annotations

import numpy as np

from autograder import model
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.speed import SCALE, SENTENCES, TARGETS, timed
from autograder.assignments.seq2seq.models import Size, translator


def forcing(builder: ProgramBuilder, calls: int, *, batch: int, source: int, target: int, hidden: int) -> None:
    """Call a Seq2Seq with Bahdanau's decoder ``calls`` times: teacher forcing."""
    generator = builder.generator
    given = tuple(int(length) for length in generator.integers(batch, low=max(1, source // 2), high=source + 1))
    size = Size(given, source, target, 31, 29, hidden, hidden, hidden, hidden)
    translator(builder, "bahdanau", size)
    for name, values in builder.arrays.items():  # with larger weights, a network of this size would be chaotic
        builder.arrays[name] = values * np.float32(4 * SCALE)
    for i in range(calls):
        src = builder.array(f"src{i}", generator.integers(batch, source, high=size.src_words))
        lengths = builder.array(f"lengths{i}", np.array(given))
        words = builder.array(f"tgt_in{i}", generator.integers(batch, target, high=size.words))
        builder.call(f"out{i}", "model", src, lengths, words, outputs=size.forwarded)


TIMED: tuple[model.TimedCall, ...] = (
    timed("steps", forcing, "target", TARGETS, at=12, limit=5, calls=1, batch=2, source=8, hidden=16),
    timed("sentences", forcing, "batch", SENTENCES, at=64, limit=5, calls=1, source=5, target=2, hidden=16),
)
