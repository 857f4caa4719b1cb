"""The calls of ``seq2seq`` that are timed beside the reference: sizes and limits."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.speed import SCALE, SENTENCES, TARGETS, speed, timed
from autograder.assignments.seq2seq.models import Size, baseline, decoder, encoder, sources, translator
from autograder.assignments.seq2seq.models import target as decoded
from autograder.assignments.seq2seq.programs import step_inputs


def calm(builder: ProgramBuilder) -> None:
    """Make all weights smaller: otherwise a network of this size would be chaotic."""
    for name, values in builder.arrays.items():
        builder.arrays[name] = values * np.float32(4 * SCALE)


def forcing(builder: ProgramBuilder, calls: int, *, batch: int, source: int, target: int, hidden: int) -> None:
    """Call a Seq2Seq with Bahdanau's decoder ``calls`` times: teacher forcing."""
    generator = builder.generator
    given = tuple(int(length) for length in generator.integers(batch, low=max(1, source // 2), high=source + 1))
    size = Size(given, source, target, 31, 29, hidden, hidden, hidden, hidden)
    translator(builder, "bahdanau", size)
    calm(builder)
    for i in range(calls):
        src = builder.array(f"src{i}", generator.integers(batch, source, high=size.src_words))
        lengths = builder.array(f"lengths{i}", np.array(given))
        words = builder.array(f"tgt_in{i}", generator.integers(batch, target, high=size.words))
        builder.call(f"out{i}", "model", src, lengths, words, outputs=size.forwarded)


def encoding(builder: ProgramBuilder, calls: int, *, batch: int, source: int, hidden: int) -> None:
    """Call an Encoder ``calls`` times."""
    size = Size((source,) * batch, source, 1, 31, 29, hidden, hidden, hidden, hidden)
    encoder(builder, size)
    calm(builder)
    for i in range(calls):
        src, lengths = sources(builder, size, f"{i}_")
        builder.call(f"out{i}", "encoder", src, lengths, outputs=size.encoded)


def stepping(builder: ProgramBuilder, calls: int, *, kind: str, batch: int, source: int, hidden: int) -> None:
    """Call a decoder's step ``calls`` times."""
    size = Size((source,) * batch, source, 1, 31, 29, hidden, hidden, hidden, hidden)
    decoder(builder, kind, size)
    calm(builder)
    for i in range(calls):
        builder.call(f"out{i}", "decoder.step", *step_inputs(builder, kind, size, f"{i}_"), outputs=size.stepped(kind))


def baseline_forcing(builder: ProgramBuilder, calls: int, *, batch: int, source: int, target: int, hidden: int) -> None:
    """Call a FixedContextSeq2Seq ``calls`` times: teacher forcing."""
    size = Size((source,) * batch, source, target, 31, 29, hidden, hidden, hidden, hidden)
    baseline(builder, size)
    calm(builder)
    for i in range(calls):
        src, lengths = sources(builder, size, f"{i}_")
        builder.call(f"out{i}", "model", src, lengths, decoded(builder, f"{i}_tgt_in", size), outputs=size.fixed)


WIDE: dict[str, Any] = {"source": 6, "hidden": 16}
SPEED = {
    "Encoder": speed(
        "encoder-speed", 0.5, "Encoder", timed("encode", encoding, "batch", SENTENCES, at=64, limit=5, **WIDE)
    ),
    "BahdanauDecoder": speed(
        "bahdanau-speed",
        0.5,
        "BahdanauDecoder.step",
        timed("bahdanau", stepping, "batch", SENTENCES, at=64, limit=10, kind="bahdanau", **WIDE),
    ),
    "LuongDecoder": speed(
        "luong-speed",
        0.5,
        "LuongDecoder.step",
        timed("luong", stepping, "batch", SENTENCES, at=64, limit=10, kind="luong", **WIDE),
    ),
    "Seq2Seq": speed(
        "seq2seq-speed",
        1,
        "Seq2Seq",
        timed("steps", forcing, "target", TARGETS, at=12, limit=5, calls=1, batch=2, source=8, hidden=16),
        timed("sentences", forcing, "batch", SENTENCES, at=64, limit=5, calls=1, source=5, target=2, hidden=16),
    ),
    "FixedContextSeq2Seq": speed(
        "fixed-speed",
        0.5,
        "FixedContextSeq2Seq",
        timed("fixed", baseline_forcing, "batch", SENTENCES, at=64, limit=5, calls=1, target=3, **WIDE),
    ),
}
