"""The calls of ``masking`` that are timed beside the reference: sizes and limits."""

from __future__ import annotations

from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.speed import ROWS, SENTENCES, D, speed, timed


def masked(builder: ProgramBuilder, calls: int, *, batch: int, length: int, width: int) -> None:
    """Call masked_attention ``calls`` times."""
    results = {"output": (batch, length, width), "weights": (batch, length, length)}
    for i in range(calls):
        given = [builder.noise(f"{name}{i}", batch, length, width) for name in ("query", "key", "value")]
        mask = builder.array(f"mask{i}", builder.generator.mask(batch, length, length))
        builder.call(f"out{i}", "masked_attention", *given, mask, outputs=results)


def softmax(builder: ProgramBuilder, calls: int, *, rows: int, length: int) -> None:
    """Call masked_softmax ``calls`` times."""
    for i in range(calls):
        scores = builder.noise(f"scores{i}", rows, length)
        mask = builder.array(f"mask{i}", builder.generator.mask(rows, length))
        builder.call(f"out{i}", "masked_softmax", scores, mask, outputs={"result": (rows, length)})


def square(builder: ProgramBuilder, calls: int, *, name: str, length: int) -> None:
    """Call a square mask ``calls`` times, with lengths, radii and strides that no one can have ready."""
    for i in range(calls):
        here = length + int(builder.generator.integers(high=max(2, length // 10)))
        numbers = [] if name == "causal_mask" else [int(builder.generator.integers(low=1, high=here))]
        builder.call(f"out{i}", name, here, *numbers, outputs={"mask": (here, here)})


def padding(builder: ProgramBuilder, calls: int, *, batch: int, length: int) -> None:
    """Call padding_mask ``calls`` times."""
    for i in range(calls):
        lengths = builder.array(f"lengths{i}", builder.generator.integers(batch, low=1, high=length + 1))
        builder.call(f"out{i}", "padding_mask", lengths, length, outputs={"mask": (batch, length)})


def combine(builder: ProgramBuilder, calls: int, *, batch: int, length: int) -> None:
    """Call combine_masks ``calls`` times."""
    for i in range(calls):
        real = builder.array(f"key_padding{i}", builder.generator.mask(batch, length))
        seen = builder.array(f"attention{i}", builder.generator.mask(length, length))
        builder.call(f"out{i}", "combine_masks", real, seen, outputs={"mask": (batch, length, length)})


def loss(builder: ProgramBuilder, calls: int, *, batch: int, length: int, vocab: int) -> None:
    """Call masked_cross_entropy ``calls`` times."""
    for i in range(calls):
        logits = builder.noise(f"logits{i}", batch, length, vocab)
        targets = builder.array(f"targets{i}", builder.generator.integers(batch, length, high=vocab))
        lengths = builder.array(f"lengths{i}", builder.generator.integers(batch, low=1, high=length + 1))
        builder.call(f"out{i}", "masked_cross_entropy", logits, targets, lengths, outputs={"loss": ()})


SPEED = {
    "padding_mask": speed(
        "padding-speed", 1, "padding_mask", timed("padding", padding, "batch", SENTENCES, at=4000, limit=10, length=16)
    ),
    **{
        name: speed(
            f"{name.partition('_')[0]}-speed",
            1,
            name,
            timed(name, square, "length", "positions", at=64, limit=10, name=name),
        )
        for name in ("causal_mask", "window_mask", "strided_mask")
    },
    "combine_masks": speed(
        "combine-speed",
        0.5,
        "combine_masks",
        timed("combine", combine, "batch", SENTENCES, at=2000, limit=10, length=2),
    ),
    "masked_softmax": speed(
        "softmax-speed", 1, "masked_softmax", timed("softmax", softmax, "rows", ROWS, at=1000, limit=8, length=16)
    ),
    "masked_attention": speed(
        "attention-speed",
        2,
        "masked_attention",
        timed(
            "positions", masked, "length", "positions", at=100, limit=5, growing=(10, 30, 100, 160), batch=1, width=D
        ),
    ),
    "masked_cross_entropy": speed(
        "loss-speed",
        1,
        "masked_cross_entropy",
        timed("sentences", loss, "batch", SENTENCES, at=2000, limit=8, length=2, vocab=16),
    ),
}
