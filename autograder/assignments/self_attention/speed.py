"""The calls of ``self_attention`` that are timed beside the reference: sizes and limits."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.assignments.kit.observed import not_ready_made
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.speed import ROWS, SCALE, SENTENCES, speed, timed
from autograder.assignments.self_attention.programs import (
    DOT,
    ENTROPY,
    MANY,
    ONE,
    POSITIONS,
    SELF,
    DotSize,
    ManySize,
    OneSize,
    build_many,
    build_one,
)

NOT_READY_MADE = {name: not_ready_made(name) for name in (DOT, SELF, ONE, MANY)}


def many(builder: ProgramBuilder, calls: int, *, batch: int, length: int, width: int, heads: int) -> None:
    """Call MultiHeadAttention ``calls`` times."""
    build_many(builder, width, heads, scale=SCALE)
    results = ManySize(batch, length, length, heads, width // heads).results
    for i in range(calls):
        inputs = (builder.noise(f"{name}{i}", batch, length, width) for name in ("query", "key", "value"))
        builder.call(f"out{i}", "attention", *inputs, outputs=results)


def bare(builder: ProgramBuilder, calls: int, *, batch: int, length: int, width: int) -> None:
    """Call self_attention ``calls`` times."""
    outputs = {"output": (batch, length, width), "weights": (batch, length, length)}
    for i in range(calls):
        builder.call(f"out{i}", SELF, builder.noise(f"x{i}", batch, length, width), outputs=outputs)


def plain(builder: ProgramBuilder, calls: int, *, batch: int, length: int, width: int) -> None:
    """Call scaled_dot_product_attention ``calls`` times."""
    outputs = DotSize((batch,), length, length, width, width).results
    for i in range(calls):
        inputs = (builder.noise(f"{name}{i}", batch, length, width) for name in ("query", "key", "value"))
        builder.call(f"out{i}", DOT, *inputs, outputs=outputs)


def one(builder: ProgramBuilder, calls: int, *, batch: int, length: int, width: int) -> None:
    """Call SelfAttention ``calls`` times."""
    build_one(builder, width, width, width)
    outputs = OneSize(batch, length, width, width, width).results
    for i in range(calls):
        builder.call(f"out{i}", "attention", builder.noise(f"x{i}", batch, length, width), outputs=outputs)


def positions(builder: ProgramBuilder, calls: int, *, length: int, dim: int) -> None:
    """Call sinusoidal_positions ``calls`` times, with lengths that no one can have ready."""
    for i in range(calls):
        here = length + int(builder.generator.integers(high=max(2, length // 10)))
        builder.call(f"out{i}", POSITIONS, here, dim, outputs={"positions": (here, dim)})


def entropy(builder: ProgramBuilder, calls: int, *, rows: int, length: int) -> None:
    """Call attention_entropy ``calls`` times."""
    for i in range(calls):
        powers = np.exp(builder.generator.noise(rows, length))
        weights = builder.array(f"weights{i}", powers / powers.sum(-1, keepdims=True))
        builder.call(f"out{i}", ENTROPY, weights, outputs={"entropy": (rows,)})


def allowed(name: str) -> dict[str, Any]:
    """Return how one more call is watched for ready-made attention."""
    return {"watch": "attention", "allowed": NOT_READY_MADE[name]}


SHORT: dict[str, Any] = {"length": 16, "width": 16}
SIZES: dict[str, Any] = {"batch": 1, "width": 64, "heads": 4}
GROWING = (16, 32, 64, 256)
SPEED = {
    DOT: speed("sdpa-speed", 1, DOT, timed("sdpa", plain, "batch", SENTENCES, at=64, limit=6, **allowed(DOT), **SHORT)),
    SELF: speed(
        "bare-speed", 0.5, SELF, timed("bare", bare, "batch", SENTENCES, at=64, limit=6, **allowed(SELF), **SHORT)
    ),
    ONE: speed(
        "one-head-speed", 1, ONE, timed("one", one, "batch", SENTENCES, at=64, limit=6, **allowed(ONE), **SHORT)
    ),
    MANY: speed(
        "heads-speed",
        2,
        MANY,
        timed("positions", many, "length", "positions", at=64, limit=5, growing=GROWING, **allowed(MANY), **SIZES),
        timed("sentences", many, "batch", SENTENCES, at=128, limit=5, length=8, width=32, heads=4),
    ),
    POSITIONS: speed(
        "positions-speed", 1, POSITIONS, timed("table", positions, "length", "positions", at=100, limit=10, dim=64)
    ),
    ENTROPY: speed("entropy-speed", 1, ENTROPY, timed("rows", entropy, "rows", ROWS, at=1000, limit=10, length=16)),
}
