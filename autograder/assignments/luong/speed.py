"""The calls of ``luong`` that are timed beside the reference: sizes and limits."""

from __future__ import annotations

from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.speed import (
    LENGTHS,
    POSITIONS,
    SCALE,
    SENTENCES,
    SOURCE_LENGTH,
    TARGETS,
    D,
    speed,
    timed,
)
from autograder.assignments.luong.programs import HIDDEN_STATE, LOCAL, Size, build


def dot(builder: ProgramBuilder, calls: int, *, batch: int, target: int, source: int, width: int) -> None:
    """Call LuongAttention with dot products ``calls`` times.

    The other methods are not timed: they may project either side, and the sides' lengths differ.
    """
    build(builder, "dot", width, width)
    for i in range(calls):
        small = builder.generator.noise(batch, target, width) / width**0.5  # so that scores are about 1
        states = builder.array(f"s{i}", small), builder.noise(f"h{i}", batch, source, width)
        builder.call(f"out{i}", "attention", *states, outputs=Size(batch, target, source, width, width).results)


def joined(builder: ProgramBuilder, calls: int, *, batch: int, target: int, width: int) -> None:
    """Call AttentionalHidden ``calls`` times."""
    builder.make("hidden", HIDDEN_STATE, width, width, weights={"W_c.weight": (width, 2 * width)}, scale=SCALE)
    for i in range(calls):
        given = [builder.noise(f"{name}{i}", batch, target, width) for name in ("context", "states")]
        builder.call(f"out{i}", "hidden", *given, outputs={"result": (batch, target, width)})


def local(builder: ProgramBuilder, calls: int, *, batch: int, source: int) -> None:
    """Call local_weights ``calls`` times."""
    for i in range(calls):
        scores = builder.noise(f"scores{i}", batch, source)
        center = builder.array(f"center{i}", builder.generator.integers(batch, high=4 * source) / 4)
        builder.call(f"out{i}", LOCAL, scores, center, source // 4, outputs={"result": (batch, source)})


ATTENTION_SPEED = speed(
    "attention-speed",
    4,
    "LuongAttention",
    # A product by broadcasting is right and takes 3 to 5 times as long. A loop over positions takes 20 times or more.
    timed("positions", dot, "source", POSITIONS, at=250, limit=8, growing=LENGTHS, batch=1, target=8, width=D),
    timed("targets", dot, "target", TARGETS, at=256, limit=5, batch=1, source=8, width=D),
    timed("sentences", dot, "batch", SENTENCES, at=512, limit=5, target=2, source=4, width=16),
)
HIDDEN_SPEED = speed(
    "attentional-speed",
    2,
    "AttentionalHidden",
    timed("joined", joined, "batch", SENTENCES, at=256, limit=6, target=4, width=32),
)
LOCAL_SPEED = speed(
    "local-speed", 1, "local_weights", timed("local", local, "batch", SENTENCES, at=256, limit=8, source=40)
)

# What ``bench`` measures: one query and T source positions. Nothing is graded by it.
MECHANISM = timed(
    "dot product", dot, "source", SOURCE_LENGTH, at=1000, limit=5, growing=LENGTHS, batch=1, target=1, width=D
)
