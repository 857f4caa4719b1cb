"""The calls of ``luong`` that are timed beside the reference: sizes and limits."""

from __future__ import annotations

from autograder import model
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.speed import LENGTHS, POSITIONS, SENTENCES, SOURCE_LENGTH, TARGETS, D, timed
from autograder.assignments.luong.programs import Size, build


def dot(builder: ProgramBuilder, calls: int, *, batch: int, target: int, source: int, width: int) -> None:
    """Call LuongAttention with dot products ``calls`` times.

    The other methods are not timed: they may project either side, and the sides' lengths differ.
    """
    build(builder, "dot", width, width)
    for i in range(calls):
        states = builder.noise(f"s{i}", batch, target, width), builder.noise(f"h{i}", batch, source, width)
        builder.call(f"out{i}", "attention", *states, outputs=Size(batch, target, source, width, width).results)


TIMED: tuple[model.TimedCall, ...] = (
    timed("positions", dot, "source", POSITIONS, at=1000, limit=5, growing=LENGTHS, batch=1, target=32, width=D),
    timed("targets", dot, "target", TARGETS, at=256, limit=5, batch=1, source=16, width=D),
    timed("sentences", dot, "batch", SENTENCES, at=128, limit=5, target=2, source=8, width=32),
)

# Exercise 6.6 of the course: one query and T source positions. Nothing is graded by it.
MECHANISM = timed(
    "dot product", dot, "source", SOURCE_LENGTH, at=1000, limit=5, growing=LENGTHS, batch=1, target=1, width=D
)
