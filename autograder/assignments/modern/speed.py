"""The calls of ``modern`` that are timed beside the reference: sizes and limits."""

from __future__ import annotations

from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.speed import SCALE, SENTENCES, TARGETS, speed, timed
from autograder.assignments.kit.usual_programs import MADE
from autograder.assignments.modern.programs import PROJECTED, SPARSE, WINDOW, Additive, make_additive


def projected(builder: ProgramBuilder, calls: int, *, batch: int, targets: int, sources: int, width: int) -> None:
    """Call ProjectedAttention ``calls`` times."""
    make_additive(builder, Additive(batch, targets, sources, width, width, width), SCALE)
    outputs = {"context": (batch, targets, width), "weights": (batch, targets, sources)}
    for i in range(calls):
        states = builder.noise(f"decoder_states{i}", batch, targets, width)
        other = builder.noise(f"encoder_states{i}", batch, sources, width)
        builder.call(f"out{i}", MADE, states, other, outputs=outputs)


def pattern(builder: ProgramBuilder, calls: int, *, name: str, length: int, radius: int, strides: int = 0) -> None:
    """Call window_attention, or sparse_attention with so many strided positions, ``calls`` times."""
    sizes = [radius, *([max(length // strides, 1)] if strides else [])]
    for i in range(calls):
        given = [builder.noise(f"{key}{i}", 1, length, 8) for key in ("query", "key", "value")]
        builder.call(f"out{i}", name, *given, *sizes, outputs={"result": (1, length, 8)})


SPEED = {
    PROJECTED: speed(
        "projected-speed",
        1,
        PROJECTED,
        timed("targets", projected, "targets", TARGETS, at=64, limit=5, batch=1, sources=8, width=16),
        timed("sentences", projected, "batch", SENTENCES, at=64, limit=5, targets=4, sources=8, width=16),
    ),
    WINDOW: speed(
        "window-speed",
        2.5,
        WINDOW,
        timed("window", pattern, "length", "positions", at=1536, limit=5, name=WINDOW, radius=4),
    ),
    SPARSE: speed(
        "sparse-speed",
        2,
        SPARSE,
        timed("sparse", pattern, "length", "positions", at=1536, limit=5, name=SPARSE, radius=4, strides=8),
    ),
}
