"""The calls of ``bahdanau`` that are timed beside the reference: sizes and limits."""

from __future__ import annotations

from autograder import model
from autograder.assignments.bahdanau.programs import Size, build
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.speed import LENGTHS, POSITIONS, SCALE, SENTENCES, SOURCE_LENGTH, D, timed


def additive(builder: ProgramBuilder, calls: int, *, batch: int, source: int, width: int) -> None:
    """Call BahdanauAttention ``calls`` times."""
    build(builder, width, width, width, scale=SCALE)
    for i in range(calls):
        state = builder.noise(f"decoder_state{i}", batch, width)
        states = builder.noise(f"encoder_states{i}", batch, source, width)
        builder.call(f"out{i}", "attention", state, states, outputs=Size(batch, source, width, width, width).results)


TIMED: tuple[model.TimedCall, ...] = (
    timed("positions", additive, "source", POSITIONS, at=1000, limit=5, growing=LENGTHS, batch=1, width=D),
    timed("sentences", additive, "batch", SENTENCES, at=128, limit=5, source=8, width=32),
)

# Exercise 6.6 of the course: one query and T source positions. Nothing is graded by it.
MECHANISM = timed("additive", additive, "source", SOURCE_LENGTH, at=1000, limit=5, growing=LENGTHS, batch=1, width=D)
