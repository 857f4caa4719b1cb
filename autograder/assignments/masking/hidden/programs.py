"""The programs of ``masking``'s hidden cases."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.masking.programs import drawn_mask, padding, square


def drawn_padding(builder: ProgramBuilder, *, batch: int, longest: int, integer: str) -> None:
    """Call padding_mask on random lengths, with 0 and the longest, and with widths below, at and above that."""
    lengths = builder.generator.integers(batch, high=longest)
    lengths[:2] = (longest, 0)
    lengths = lengths[builder.generator.permutation(batch)].tolist()
    widths = (None, longest + 2, longest - 2, 1)
    padding(builder, *((lengths, width, integer) for width in widths))


def drawn_squares(builder: ProgramBuilder, name: str, numbers: int) -> None:
    """Call a square mask with random lengths, and radii or strides."""
    lengths = [*builder.generator.integers(3, low=3, high=17).tolist(), 1]
    given = [[length, *builder.generator.integers(numbers, low=1, high=6).tolist()] for length in lengths]
    square(builder, name, *given)


def padding_by_place(builder: ProgramBuilder, lengths: list[int], width: int) -> None:
    """Call padding_mask with max_len by position. The lengths have gaps."""
    builder.call("out", "padding_mask", builder.array("lengths", lengths), width, echo=True, layout="gapped")


def padding_turns(builder: ProgramBuilder) -> None:
    """Call padding_mask on inputs in turn."""
    for letter, lengths in (("a", [2, 7, 5]), ("b", [3, 1]), ("c", [7, 1, 0])):
        builder.array(f"{letter}_lengths", lengths)
    builder.in_turn("padding_mask", {key: {"result": None} for key in "abc"}, "lengths", 5)


def softmax_turns(builder: ProgramBuilder) -> None:
    """Call masked_softmax on inputs in turn."""
    sizes = {"a": (3, 7), "b": (2, 5), "c": (3, 7)}
    for letter, size in sizes.items():
        builder.normal(f"{letter}_scores", *size)
        builder.array(f"{letter}_mask", drawn_mask(builder, size))
    builder.in_turn("masked_softmax", {key: {"result": size} for key, size in sizes.items()}, "scores", "mask")


def attention_turns(builder: ProgramBuilder) -> None:
    """Call masked_attention on inputs in turn."""
    sizes = {"a": (2, 3, 7), "b": (3, 2, 5), "c": (2, 3, 7)}
    for letter, (batch, queries, keys) in sizes.items():
        builder.normal(f"{letter}_query", batch, queries, 5)
        builder.normal(f"{letter}_key", batch, keys, 5)
        builder.normal(f"{letter}_value", batch, keys, 2)
        builder.array(f"{letter}_mask", drawn_mask(builder, (batch, queries, keys)))
    outputs = {key: {"output": None, "weights": None} for key in "abc"}
    builder.in_turn("masked_attention", outputs, "query", "key", "value", "mask")


def loss_turns(builder: ProgramBuilder) -> None:
    """Call masked_cross_entropy on inputs in turn."""
    for letter, lengths in (("a", [5, 2]), ("b", [1, 7, 0]), ("c", [3, 5])):
        builder.normal(f"{letter}_logits", len(lengths), 7, 5)
        builder.array(f"{letter}_targets", builder.generator.integers(len(lengths), 7, high=5))
        builder.array(f"{letter}_lengths", lengths)
    builder.in_turn("masked_cross_entropy", {key: {"result": None} for key in "abc"}, "logits", "targets", "lengths")


def extreme(
    builder: ProgramBuilder,
    *,
    largest: float,
    low: tuple[float, float] = (-600.0, -800.0),
    dim: int = -1,
    blank: bool = False,
) -> None:
    """Call masked_softmax on rows at ±1e4 with small differences inside, and greater scores where masked.

    Two rows are at ``low``, within and beyond what exp can tell from 0. Masked scores are near 0 there. ``blank``: one
    row is fully masked.
    """
    mask = drawn_mask(builder, (9, 5), blank=blank)
    levels = np.array([1e4, 1e4, -1e4, -1e4, 0.0, 3.0, -1e4, *low])[:, None]
    masked = np.array([-1e4, 1e4, 1e4, largest, largest, 1e4, -1e4, 0.0, 0.0])[:, None]
    fine = np.round(builder.generator.normal(9, 5) * 256) / 256  # so that adding a level is exact, in float32 too
    values = fine + np.where(mask, levels, masked)
    scores = builder.array("scores", values if dim == -1 else values.T)
    seen = builder.array("mask", mask if dim == -1 else mask.T)
    shape = values.shape if dim == -1 else values.T.shape
    builder.call("out", "masked_softmax", scores, seen, dim, outputs={"result": shape}, gradient=True)


def extreme_attention(builder: ProgramBuilder, *, blank: bool = False) -> None:
    """Call masked_attention with a masked key of a far greater score. ``blank``: one query may attend to nothing."""
    query = np.abs(builder.generator.normal(2, 3, 5)) + 1.0
    key = builder.generator.normal(2, 7, 5)
    key[:, 2] += 1e4
    mask = builder.generator.mask(2, 3, 7)
    mask[:, :, 2] = False
    mask[:, :, 3] = True
    mask[1, 1] &= not blank
    inputs = [builder.array("query", query), builder.array("key", key), builder.normal("value", 2, 7, 11)]
    seen, outputs = builder.array("mask", mask), {"output": (2, 3, 11), "weights": (2, 3, 7)}
    builder.call("out", "masked_attention", *inputs, seen, outputs=outputs, gradient=True)


def low_attention(builder: ProgramBuilder, *, levels: Sequence[float]) -> None:
    """Call masked_attention with queries whose scores lie near these levels. Masked scores are 0."""
    lowest = np.abs(levels).max()
    seen = np.array([True, True, False, True, True, False, True])
    mask = builder.generator.mask(2, 5, 7) & seen
    mask[:, :, 0] = True
    inputs = [
        builder.array("query", np.broadcast_to(np.array(levels)[:, None], (2, 5, 1))),
        builder.array("key", np.where(seen[:, None], 1.0 + builder.generator.normal(2, 7, 1) * 2 / lowest, 0.0)),
        builder.normal("value", 2, 7, 3),
        builder.array("mask", mask),
    ]
    outputs = {"output": (2, 5, 3), "weights": (2, 5, 7)}
    builder.call("out", "masked_attention", *inputs, outputs=outputs, gradient=True)


def padding_on_device(builder: ProgramBuilder, *, width: int) -> None:
    """Call padding_mask with a width, so that nothing needs the values of the lengths."""
    builder.call("out", "padding_mask", builder.array("lengths", [3, 0, 5, 2]), width)


def extreme_loss(builder: ProgramBuilder) -> None:
    """Call masked_cross_entropy on logits of ±1e4, at padding too. The right class is often far from the largest."""
    levels = builder.generator.generator.choice([1e4, -1e4, 0.0], size=(3, 7, 5))
    logits = builder.array("logits", levels + np.round(builder.generator.normal(3, 7, 5) * 256) / 256)
    targets = builder.array("targets", builder.generator.integers(3, 7, high=5))
    lengths = builder.array("lengths", [3, 5, 2])
    builder.call("out", "masked_cross_entropy", logits, targets, lengths, outputs={"result": ()}, gradient=True)


def other_padding(builder: ProgramBuilder) -> None:
    """Call masked_cross_entropy twice, with other logits and targets at padding: the loss stays."""
    lengths = builder.array("lengths", [5, 0, 2, 7])
    builder.array("order", np.arange(1))
    real = np.arange(11) < builder.arrays["lengths"][:, None]
    first, second = builder.generator.normal(4, 11, 3), builder.generator.normal(4, 11, 3, scale=1e3)
    targets, others = builder.generator.integers(4, 11, high=3), builder.generator.integers(4, 11, high=3)
    for into, logits, classes in (
        ("first", first, targets),
        ("out", np.where(real[..., None], first, second), np.where(real, targets, others)),
    ):
        given = builder.array(f"{into}_logits", logits), builder.array(f"{into}_targets", classes)
        builder.call(into, "masked_cross_entropy", *given, lengths, outputs={"result": ()}, gradient=True)


def other_masked(builder: ProgramBuilder) -> None:
    """Call masked_softmax twice, with other scores where masked and a constant added to each row: weights stay."""
    mask = drawn_mask(builder, (5, 7))
    scores = np.round(builder.generator.normal(5, 7) * 256) / 256
    shift = np.array([[512.0], [-2048.0], [8.0], [-1.0], [64.0]])
    changed = np.where(mask, scores + shift, builder.generator.normal(5, 7, scale=50.0))
    seen = builder.array("mask", mask)
    builder.array("order", np.arange(7))
    for into, values in (("first", scores), ("out", changed)):
        given = builder.array(f"{into}_scores", values)
        builder.call(into, "masked_softmax", given, seen, outputs={"result": (5, 7)})
