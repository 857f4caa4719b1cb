"""The calls that are timed beside the reference: sizes and limits."""

from __future__ import annotations

from autograder.assignments.experiments.heads import LAYERS, Heads
from autograder.assignments.kit.observed import not_ready_made
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.speed import SCALE, SENTENCES, speed, timed

NOT_READY_MADE = not_ready_made("CrossAttention")


def attending(builder: ProgramBuilder, calls: int, *, batch: int, length: int, heads: int, width: int) -> None:
    """Call a CrossAttention ``calls`` times."""
    size = Heads(batch, length, length, heads, width)
    shapes = {f"{name}.weight": (size.d_model, size.d_model) for name in LAYERS}
    builder.make("cross", "CrossAttention", size.d_model, heads, weights=shapes, scale=SCALE)
    for i in range(calls):
        inputs = (builder.noise(f"{name}{i}", batch, length, size.d_model) for name in ("query", "memory"))
        builder.call(f"out{i}", "cross", *inputs, outputs=size.results)


SPEED = speed(
    "cross-speed",
    0.5,
    "CrossAttention",
    timed(
        "cross",
        attending,
        "batch",
        SENTENCES,
        at=64,
        limit=5,
        watch="attention",
        allowed=NOT_READY_MADE,
        length=12,
        heads=4,
        width=8,
    ),
)
