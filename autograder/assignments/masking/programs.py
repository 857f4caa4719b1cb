"""The programs of ``masking``'s cases: functions that write the steps of one case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np

from autograder.assignments.kit.programs import CallOptions, ProgramBuilder

Shape = tuple[int, ...]


class Size(NamedTuple):
    """Leading axes, queries and keys, the mask's shape, and widths of keys and values."""

    lead: Shape
    queries: int
    keys: int
    mask: Shape
    d_k: int = 5
    d_v: int = 3


def padding(builder: ProgramBuilder, *calls: tuple[Sequence[int], int | None, str]) -> None:
    """Call padding_mask, as ``out0``, ``out1``..., with each (lengths, max_len or None, dtype)."""
    builder.inspect("arguments", "padding_mask")
    for i, (lengths, max_len, dtype) in enumerate(calls):
        if builder.generator.redraws:
            lengths = builder.generator.integers(len(lengths), high=2 * max(lengths)).tolist()
        given = builder.array(f"lengths{i}", np.array(lengths, dtype=dtype))
        how: dict[str, Any] = {} if max_len is None else {"max_len": max_len}
        builder.call(f"out{i}", "padding_mask", given, echo=True, **how)


def square(builder: ProgramBuilder, name: str, *calls: Sequence[int]) -> None:
    """Call causal_mask, window_mask or strided_mask with these numbers, as ``out0``, ``out1``..."""
    builder.inspect("arguments", name)
    for i, numbers in enumerate(calls):
        length, *others = numbers
        unseen = builder.generator.near(length, most=20, least=11)  # no shipped length, so no table has it
        builder.call(f"out{i}", name, unseen, *map(builder.generator.near, others))


def combine(builder: ProgramBuilder, batch: int, queries: int, keys: int, **call: Unpack[CallOptions]) -> None:
    """Call combine_masks once on random masks."""
    real = builder.array("key_padding", builder.generator.mask(batch, keys))
    seen = builder.array("attention", builder.generator.mask(queries, keys))
    builder.call("out", "combine_masks", real, seen, **call)


def drawn_mask(builder: ProgramBuilder, shape: Shape, axis: int = -1, blank: bool = False) -> np.ndarray:
    """Return a random mask. Along ``axis``, a third row is all True, and a second one all False if ``blank``."""
    moved = np.moveaxis(np.empty(shape), axis, -1).shape
    rows = builder.generator.mask(*moved).reshape(-1, shape[axis])
    rows[1:2] &= not blank
    rows[2:3] = True
    return np.moveaxis(rows.reshape(moved), -1, axis)


def softmax(
    builder: ProgramBuilder,
    shape: Shape,
    mask: Shape,
    *,
    dim: int | None = -1,
    blank: bool = False,
    unmasked: bool = False,
    **call: Unpack[CallOptions],
) -> None:
    """Call masked_softmax once. ``dim`` None leaves it to the default.

    ``blank``: a row is fully masked. ``unmasked``: nothing is masked.
    """
    scores = builder.normal("scores", *shape, scale=1.5)
    axis = (-1 if dim is None else dim) if len(mask) == len(shape) else -1
    seen = builder.array("mask", drawn_mask(builder, mask, axis, blank) | unmasked)
    along: dict[str, Any] = {} if dim is None else {"dim": dim}
    builder.call("out", "masked_softmax", scores, seen, outputs={"result": shape}, **along, **call)


def far(builder: ProgramBuilder) -> None:
    """Call masked_softmax on rows of ordinary differences around -1e4, 1e4 and 0."""
    scores = builder.array("scores", builder.generator.normal(3, 7) + np.array([[-1e4], [1e4], [0.0]]))
    seen = builder.array("mask", drawn_mask(builder, (3, 7), -1, False))
    builder.call("out", "masked_softmax", scores, seen, outputs={"result": (3, 7)})


def attention(builder: ProgramBuilder, size: Size, *, blank: bool = False, **call: Unpack[CallOptions]) -> None:
    """Call masked_attention once. ``blank``: a query may attend to nothing."""
    lead, queries, keys, mask, d_k, d_v = size
    inputs = [
        builder.normal("query", *lead, queries, d_k, scale=1.5),
        builder.normal("key", *lead, keys, d_k),
        builder.normal("value", *lead, keys, d_v),
        builder.array("mask", drawn_mask(builder, mask, blank=blank)),
    ]
    outputs = {"output": (*lead, queries, d_v), "weights": (*lead, queries, keys)}
    builder.call("out", "masked_attention", *inputs, outputs=outputs, **call)


def loss(
    builder: ProgramBuilder,
    lengths: Sequence[int],
    width: int,
    classes: int,
    *,
    integer: str = "int64",
    **call: Unpack[CallOptions],
) -> None:
    """Call masked_cross_entropy once. Every position has its own target, padding too."""
    inputs = [
        builder.normal("logits", len(lengths), width, classes, scale=0.7),
        builder.array("targets", builder.generator.integers(len(lengths), width, high=classes)),
        builder.array("lengths", np.array(lengths, dtype=integer)),
    ]
    builder.call("out", "masked_cross_entropy", *inputs, outputs={"result": ()}, **call)


def padding_example(builder: ProgramBuilder) -> None:
    """Compute the handout's example: the mask of two sentences."""
    builder.call("out", "padding_mask", builder.example("lengths", [1, 3]))


def combine_example(builder: ProgramBuilder) -> None:
    """Compute the handout's example: the keys that are real and not in the future."""
    real = builder.example("key_padding", [[True, False, False], [True, True, True]])
    builder.call("out", "combine_masks", real, builder.example("attention", np.tri(3, dtype=bool)))


def softmax_example(builder: ProgramBuilder) -> None:
    """Compute the handout's example: three rows, the last one fully masked."""
    scores = builder.example("scores", np.tile([1.0, 2.0, 3.0], (3, 1)))
    mask = builder.example("mask", [[True, True, False], [False, True, False], [False] * 3])
    builder.call("out", "masked_softmax", scores, mask, outputs={"result": (3, 3)}, gradient=True)


def loss_example(builder: ProgramBuilder) -> None:
    """Compute the handout's example: a loss of ln 4."""
    logits, targets = builder.example("logits", np.zeros((2, 3, 4))), builder.example("targets", np.zeros((2, 3), int))
    builder.call("out", "masked_cross_entropy", logits, targets, builder.example("lengths", [1, 3]))
