"""The calls of ``diagnostics`` that are timed beside the reference: sizes and limits."""

from __future__ import annotations

from typing import Any

from autograder.assignments.diagnostics.programs import (
    ABLATED,
    COVERAGE,
    GEOMETRY,
    LINKS,
    OFFSET,
    PATHS,
    PERMUTED,
    SHARPNESS,
)
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.speed import SENTENCES, speed, timed


def measured(builder: ProgramBuilder, calls: int, *, name: str, batch: int, rows: int, columns: int) -> None:
    """Call a function of weights and lengths ``calls`` times."""
    outputs: dict[str, Any] = {
        SHARPNESS: {"entropy": None, "maximum": None},
        COVERAGE: {"received": None, "uniformity": None},
        OFFSET: {"offset": None, "drift": None},
        LINKS: {"links": None},
    }
    for i in range(calls):
        values = builder.generator.uniform(batch, rows, columns, low=0.01, high=0.2)
        sources = builder.array(f"src_lengths{i}", builder.generator.integers(batch, low=2, high=columns + 1))
        targets = builder.array(f"tgt_lengths{i}", builder.generator.integers(batch, low=2, high=rows + 1))
        for sentence, length in zip(values, builder.arrays[f"src_lengths{i}"], strict=True):
            sentence[:, length:] = 0.0
        lengths = [targets] if name == SHARPNESS else [sources, targets]
        builder.call(f"out{i}", name, builder.array(f"weights{i}", values), *lengths, outputs=outputs[name])


def geometry(builder: ProgramBuilder, calls: int, *, batch: int, length: int, width: int) -> None:
    """Call attention_geometry ``calls`` times."""
    outputs = {"before": (batch, length, length), "after": (batch, length, length), "gain": (batch,)}
    for i in range(calls):
        values = builder.generator.noise(batch, length, width) / width**0.5
        builder.call(f"out{i}", GEOMETRY, builder.array(f"x{i}", values), outputs=outputs)


def paths(builder: ProgramBuilder, calls: int, *, batch: int, length: int, width: int) -> None:
    """Call gradient_paths ``calls`` times."""
    outputs = dict.fromkeys(("direct", "indirect"), (batch, length, width))
    for i in range(calls):
        given = [builder.noise(f"{name}{i}", batch, length, width) for name in ("queries", "states", "grad_contexts")]
        builder.call(f"out{i}", PATHS, *given, outputs=outputs)


def answers(builder: ProgramBuilder, calls: int, *, name: str, batch: int, length: int, width: int) -> None:
    """Call permutation_test with 51 permutations, or ablation_effects, ``calls`` times."""
    for i in range(calls):
        values = builder.generator.uniform(batch, length, low=0.1, high=1.0)
        given = [
            builder.array(f"weights{i}", values / values.sum(-1, keepdims=True)),
            builder.noise(f"states{i}", batch, length, width),
            builder.noise(f"out_weight{i}", 3, width),
            builder.noise(f"out_bias{i}", 3),
        ]
        outputs: dict[str, Any] = {"effects": None}
        if name == PERMUTED:
            orders = builder.generator.generator.permuted([range(length)] * 51, axis=1)
            given.append(builder.array(f"permutations{i}", orders))
            outputs = {"distances": None, "median": None}
        builder.call(f"out{i}", name, *given, outputs=outputs)


SPEED = {
    **{
        name: speed(
            f"{id}-speed",
            0.5,
            name,
            timed(id, measured, "batch", SENTENCES, at=128, limit=10, name=name, rows=24, columns=24),
        )
        for id, name in (("offset", OFFSET), ("links", LINKS), ("coverage", COVERAGE), ("sharpness", SHARPNESS))
    },
    GEOMETRY: speed(
        "geometry-speed",
        0.5,
        GEOMETRY,
        timed("geometry", geometry, "length", "positions", at=32, limit=10, batch=2, width=32),
    ),
    PATHS: speed(
        "paths-speed", 1, PATHS, timed("paths", paths, "length", "positions", at=32, limit=10, batch=16, width=32)
    ),
    PERMUTED: speed(
        "permuted-speed",
        0.5,
        PERMUTED,
        timed("permuted", answers, "batch", SENTENCES, at=64, limit=10, name=PERMUTED, length=16, width=16),
    ),
    ABLATED: speed(
        "ablated-speed",
        0.5,
        ABLATED,
        timed("ablated", answers, "length", "positions", at=48, limit=10, name=ABLATED, batch=16, width=16),
    ),
}
