"""The calls of ``masking`` that are timed beside the reference: sizes and limits."""

from __future__ import annotations

from autograder import model
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.speed import SENTENCES, D, timed


def masked(builder: ProgramBuilder, calls: int, *, batch: int, length: int, width: int) -> None:
    """Call masked_attention ``calls`` times."""
    results = {"output": (batch, length, width), "weights": (batch, length, length)}
    for i in range(calls):
        given = [builder.noise(f"{name}{i}", batch, length, width) for name in ("query", "key", "value")]
        mask = builder.array(f"mask{i}", builder.generator.mask(batch, length, length))
        builder.call(f"out{i}", "masked_attention", *given, mask, outputs=results)


def window(builder: ProgramBuilder, calls: int, *, length: int) -> None:
    """Call window_mask ``calls`` times, with lengths that no one can have ready."""
    for i in range(calls):
        here = length + int(builder.generator.integers(high=max(2, length // 10)))
        radius = int(builder.generator.integers(low=1, high=here))
        builder.call(f"out{i}", "window_mask", here, radius, outputs={"mask": (here, here)})


def loss(builder: ProgramBuilder, calls: int, *, batch: int, length: int, vocab: int) -> None:
    """Call masked_cross_entropy ``calls`` times."""
    for i in range(calls):
        logits = builder.noise(f"logits{i}", batch, length, vocab)
        targets = builder.array(f"targets{i}", builder.generator.integers(batch, length, high=vocab))
        lengths = builder.array(f"lengths{i}", builder.generator.integers(batch, low=1, high=length + 1))
        builder.call(f"out{i}", "masked_cross_entropy", logits, targets, lengths, outputs={"loss": ()})


TIMED: tuple[model.TimedCall, ...] = (
    timed("positions", masked, "length", "positions", at=100, limit=5, growing=(10, 30, 100, 200), batch=1, width=D),
    timed("window", window, "length", "positions", at=200, limit=5),
    timed("sentences", loss, "batch", SENTENCES, at=256, limit=8, length=8, vocab=64),
)
