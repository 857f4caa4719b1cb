"""The calls of ``bahdanau`` that are timed beside the reference: sizes and limits."""

from __future__ import annotations

import numpy as np

from autograder.assignments.bahdanau.programs import Size, build
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.speed import LENGTHS, POSITIONS, ROWS, SCALE, SENTENCES, SOURCE_LENGTH, D, speed, timed

# torch prints up to 1,000 numbers in full, which takes long. A print that was left in must not decide.
MOST = 1024
GROWING = (*LENGTHS[:-1], MOST)


def additive(builder: ProgramBuilder, calls: int, *, batch: int, source: int, width: int) -> None:
    """Call BahdanauAttention ``calls`` times."""
    build(builder, width, width, width, scale=SCALE)
    for i in range(calls):
        state = builder.noise(f"decoder_state{i}", batch, width)
        states = builder.noise(f"encoder_states{i}", batch, source, width)
        builder.call(f"out{i}", "attention", state, states, outputs=Size(batch, source, width, width, width).results)


def softmax(builder: ProgramBuilder, calls: int, *, rows: int, source: int) -> None:
    """Call stable_softmax ``calls`` times."""
    for i in range(calls):
        scores = builder.noise(f"scores{i}", rows, source)
        builder.call(f"out{i}", "stable_softmax", scores, outputs={"result": (rows, source)})


def vjp(builder: ProgramBuilder, calls: int, *, rows: int, source: int) -> None:
    """Call softmax_vjp ``calls`` times."""
    for i in range(calls):
        powers = np.exp(builder.generator.noise(rows, source))
        weights = builder.array(f"weights{i}", powers / powers.sum(-1, keepdims=True))
        incoming = builder.noise(f"grad_weights{i}", rows, source)
        builder.call(f"out{i}", "softmax_vjp", weights, incoming, outputs={"result": (rows, source)})


SOFTMAX_SPEED = speed(
    "softmax-speed", 1, "stable_softmax", timed("softmax-rows", softmax, "rows", ROWS, at=1000, limit=8, source=16)
)
# A Jacobian in one product costs some ten times as much, and is a right way.
VJP_SPEED = speed("vjp-speed", 3, "softmax_vjp", timed("vjp-rows", vjp, "rows", ROWS, at=1000, limit=40, source=8))
ATTENTION_SPEED = speed(
    "attention-speed",
    4,
    "BahdanauAttention",
    timed("positions", additive, "source", POSITIONS, at=MOST, limit=5, growing=GROWING, batch=1, width=D),
    timed("sentences", additive, "batch", SENTENCES, at=128, limit=5, source=8, width=32),
)

# What ``bench`` measures: one query and T source positions. Nothing is graded by it.
MECHANISM = timed("additive", additive, "source", SOURCE_LENGTH, at=1000, limit=5, growing=LENGTHS, batch=1, width=D)
