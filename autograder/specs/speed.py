"""What is timed beside the reference: calls, sizes and limits.

The limits are wide, because only the method matters: a loop over positions or over the batch costs 8 to 100 times
what the reference does, and no way of writing the same sums without one costs twice as much. d = 128, and the source
lengths are those of the course's exercise 6.6.
"""

from __future__ import annotations

import numpy as np

from autograder import model
from autograder.cases import Script
from autograder.specs.self_attention_calls import NOT_READY_MADE
from autograder.specs.seq2seq_cases import Size, translator
from autograder.specs.vocabulary import timed

D = 128
SCALE = 0.05  # of weights: sums of 128 products stay where tanh and softmax are neither flat nor 0 or 1
LENGTHS = (10, 50, 100, 500, 1000)


def additive(script: Script, calls: int, *, batch: int, source: int, width: int) -> None:
    """BahdanauAttention."""
    weights = {"W_s.weight": (width, width), "W_h.weight": (width, width), "v.weight": (1, width)}
    script.make("attention", "BahdanauAttention", width, width, width, weights=weights, scale=SCALE)
    results = {"context": (batch, width), "weights": (batch, source)}
    for i in range(calls):
        given = (
            script.noise(f"decoder_state{i}", batch, width),
            script.noise(f"encoder_states{i}", batch, source, width),
        )
        script.call(f"out{i}", "attention", *given, outputs=results)


def multiplicative(script: Script, calls: int, *, batch: int, target: int, source: int, width: int) -> None:
    """LuongAttention with dot products: of the others, one may project either side, which are of unequal lengths."""
    script.make("attention", "LuongAttention", width, width)
    results = {"context": (batch, target, width), "weights": (batch, target, source)}
    for i in range(calls):
        given = script.noise(f"s{i}", batch, target, width), script.noise(f"h{i}", batch, source, width)
        script.call(f"out{i}", "attention", *given, outputs=results)


def many_heads(script: Script, calls: int, *, batch: int, length: int, width: int, heads: int) -> None:
    weights = {f"W_{name}.weight": (width, width) for name in "QKVO"}
    script.make("attention", "MultiHeadAttention", width, heads, weights=weights, scale=SCALE)
    results = {"output": (batch, length, width), "weights": (batch, heads, length, length)}
    for i in range(calls):
        given = (script.noise(f"{name}{i}", batch, length, width) for name in ("query", "key", "value"))
        script.call(f"out{i}", "attention", *given, outputs=results)


def masked(script: Script, calls: int, *, batch: int, length: int, width: int) -> None:
    results = {"output": (batch, length, width), "weights": (batch, length, length)}
    for i in range(calls):
        given = [script.noise(f"{name}{i}", batch, length, width) for name in ("query", "key", "value")]
        mask = script.array(f"mask{i}", script.draw.mask(batch, length, length))
        script.call(f"out{i}", "masked_attention", *given, mask, outputs=results)


def window(script: Script, calls: int, *, length: int) -> None:
    for i in range(calls):
        here = length + int(
            script.draw.integers(high=max(2, length // 10))
        )  # nothing that could be kept ready
        radius = int(script.draw.integers(low=1, high=here))
        script.call(f"out{i}", "window_mask", here, radius, outputs={"mask": (here, here)})


def loss(script: Script, calls: int, *, batch: int, length: int, vocab: int) -> None:
    for i in range(calls):
        logits = script.noise(f"logits{i}", batch, length, vocab)
        targets = script.array(f"targets{i}", script.draw.integers(batch, length, high=vocab))
        lengths = script.array(f"lengths{i}", script.draw.integers(batch, low=1, high=length + 1))
        script.call(f"out{i}", "masked_cross_entropy", logits, targets, lengths, outputs={"loss": ()})


def forcing(script: Script, calls: int, *, batch: int, source: int, target: int, hidden: int) -> None:
    """Teacher forcing with Bahdanau's decoder."""
    draw = script.draw
    given = tuple(int(length) for length in draw.integers(batch, low=max(1, source // 2), high=source + 1))
    size = Size(given, source, target, 31, 29, hidden, hidden, hidden, hidden)
    translator(script, "bahdanau", size)
    for name, values in script.arrays.items():  # as they come a network of this size would be chaotic
        script.arrays[name] = values * np.float32(4 * SCALE)
    results = {"logits": (batch, target, size.words), "weights": (batch, target, source)}
    for i in range(calls):
        src = script.array(f"src{i}", draw.integers(batch, source, high=size.src_words))
        lengths = script.array(f"lengths{i}", np.array(given))
        words = script.array(f"tgt_in{i}", draw.integers(batch, target, high=size.words))
        script.call(f"out{i}", "model", src, lengths, words, outputs=results)


POSITIONS, TARGETS, SENTENCES = "source positions", "target positions", "sentences"
CALLS: dict[str, tuple[model.Timed, ...]] = {
    "bahdanau": (
        timed("positions", additive, "source", axis=POSITIONS, at=1000, limit=5, growing=LENGTHS, batch=1, width=D),
        timed("sentences", additive, "batch", axis=SENTENCES, at=128, limit=5, source=8, width=32),
    ),
    "luong": (
        timed("positions", multiplicative, "source", axis=POSITIONS, at=1000, limit=5, growing=LENGTHS,
              batch=1, target=32, width=D),
        timed("targets", multiplicative, "target", axis=TARGETS, at=256, limit=5, batch=1, source=16, width=D),
        timed("sentences", multiplicative, "batch", axis=SENTENCES, at=128, limit=5, target=2, source=8, width=32),
    ),
    "self_attention": (
        timed("positions", many_heads, "length", axis="positions", at=64, limit=5, growing=(16, 32, 64, 256),
              batch=1, width=64, heads=4, watch="attention", allowed=NOT_READY_MADE),
        timed("sentences", many_heads, "batch", axis=SENTENCES, at=128, limit=5, length=8, width=32, heads=4),
    ),
    "masking": (
        timed("positions", masked, "length", axis="positions", at=100, limit=5, growing=(10, 30, 100, 200),
              batch=1, width=D),
        timed("window", window, "length", axis="positions", at=200, limit=5),
        timed("sentences", loss, "batch", axis=SENTENCES, at=256, limit=8, length=8, vocab=64),
    ),
    "seq2seq": (
        timed("steps", forcing, "target", axis=TARGETS, at=12, limit=5, calls=1, batch=2, source=8, hidden=16),
        timed("sentences", forcing, "batch", axis=SENTENCES, at=64, limit=5, calls=1, source=5, target=2, hidden=16),
    ),
}  # fmt: skip

# Exercise 6.6 of the course: one query and T source positions, by either mechanism. Nothing is graded by it.
MECHANISMS: dict[str, model.Timed] = {
    "bahdanau": timed("additive", additive, "source", axis="source length T (positions)", at=1000, limit=5,
                      growing=LENGTHS, batch=1, width=D),
    "luong": timed("dot product", multiplicative, "source", axis="source length T (positions)", at=1000, limit=5,
                   growing=LENGTHS, batch=1, target=1, width=D),
}  # fmt: skip


def speed(topic: str) -> model.Check:
    """The check of a topic."""
    title = "As fast as the reference, but for a small factor"
    return model.Check("speed", title, "timing", 5, (), (), section="Speed", timed=CALLS[topic])
