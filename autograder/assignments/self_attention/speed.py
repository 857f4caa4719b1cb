"""The calls of ``self_attention`` that are timed beside the reference: sizes and limits."""

from __future__ import annotations

from typing import Any

from autograder import model
from autograder.assignments.kit.observed import untouched
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.speed import SCALE, SENTENCES, timed
from autograder.assignments.self_attention.programs import NAMES, ManySize, build_many

READY_MADE = (
    "scaled_dot_product fused_sdp flex_attention multi_head_attention multihead flash_attention efficient_attention"
)
NOT_READY_MADE = untouched(READY_MADE, later=READY_MADE, by=NAMES)


def many(builder: ProgramBuilder, calls: int, *, batch: int, length: int, width: int, heads: int) -> None:
    """Call MultiHeadAttention ``calls`` times."""
    build_many(builder, width, heads, scale=SCALE)
    results = ManySize(batch, length, length, heads, width // heads).results
    for i in range(calls):
        inputs = (builder.noise(f"{name}{i}", batch, length, width) for name in ("query", "key", "value"))
        builder.call(f"out{i}", "attention", *inputs, outputs=results)


SIZES: dict[str, Any] = {"batch": 1, "width": 64, "heads": 4}
GROWING = (16, 32, 64, 256)
ALLOWED: dict[str, Any] = {"watch": "attention", "allowed": NOT_READY_MADE}
TIMED: tuple[model.TimedCall, ...] = (
    timed("positions", many, "length", "positions", at=64, limit=5, growing=GROWING, **ALLOWED, **SIZES),
    timed("sentences", many, "batch", SENTENCES, at=128, limit=5, length=8, width=32, heads=4),
)
