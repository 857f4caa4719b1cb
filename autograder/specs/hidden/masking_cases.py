"""Recipes of the hidden checks of ``masking``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.cases import Script
from autograder.specs.masking import (
    blanked,
    padding,
    square,
)
from autograder.specs.vocabulary import in_turn


def drawn_padding(script: Script, *, batch: int, longest: int, integer: str) -> None:
    """Drawn lengths, 0 and the longest among them, with widths below, at and above it."""
    lengths = script.draw.integers(batch, high=longest)
    lengths[:2] = (longest, 0)
    lengths = lengths[script.draw.permutation(batch)].tolist()
    widths = (None, longest + 2, longest - 2, 1)
    padding(script, calls=[(lengths, width, integer) for width in widths])


def drawn_squares(script: Script, *, name: str, numbers: int) -> None:
    """Drawn lengths and radii or strides."""
    lengths = [*script.draw.integers(3, low=3, high=17).tolist(), 1]
    given = [[length, *script.draw.integers(numbers, low=1, high=6).tolist()] for length in lengths]
    square(script, name, given)


def padding_by_place(script: Script) -> None:
    """max_len by its place, for one sentence, and for empty ones; any strides."""
    for into, lengths, width in (("out0", [3], 5), ("out1", [0, 0], 3), ("out2", [5, 5, 5, 5, 5], 5)):
        given = script.array(f"{into}_lengths", np.array(lengths))
        script.call(into, "padding_mask", given, width, echo=True, layout="gapped")


def padding_turns(script: Script) -> None:
    """padding_mask on lengths in turn."""
    for letter, lengths in (("a", [2, 7, 5]), ("b", [3, 1]), ("c", [7, 1, 0])):
        script.array(f"{letter}_lengths", np.array(lengths))
    in_turn(script, "padding_mask", {key: {"result": None} for key in "abc"}, "lengths", 5)


def softmax_turns(script: Script) -> None:
    """masked_softmax on inputs in turn."""
    sizes = {"a": (3, 7), "b": (2, 5), "c": (3, 7)}
    for letter, size in sizes.items():
        script.normal(f"{letter}_scores", *size)
        script.array(f"{letter}_mask", blanked(script, size))
    in_turn(
        script, "masked_softmax", {key: {"result": size} for key, size in sizes.items()}, "scores", "mask"
    )


def attention_turns(script: Script) -> None:
    """masked_attention on inputs in turn."""
    sizes = {"a": (2, 3, 7), "b": (3, 2, 5), "c": (2, 3, 7)}
    for letter, (batch, queries, keys) in sizes.items():
        script.normal(f"{letter}_query", batch, queries, 5)
        script.normal(f"{letter}_key", batch, keys, 5)
        script.normal(f"{letter}_value", batch, keys, 2)
        script.array(f"{letter}_mask", blanked(script, (batch, queries, keys)))
    outputs: Any = {key: {"output": None, "weights": None} for key in "abc"}
    in_turn(script, "masked_attention", outputs, "query", "key", "value", "mask")


def loss_turns(script: Script) -> None:
    """masked_cross_entropy on inputs in turn."""
    for letter, lengths in (("a", [5, 2]), ("b", [1, 7, 0]), ("c", [3, 5])):
        script.normal(f"{letter}_logits", len(lengths), 7, 5)
        script.array(f"{letter}_targets", script.draw.integers(len(lengths), 7, high=5))
        script.array(f"{letter}_lengths", np.array(lengths))
    outputs: Any = {key: {"result": None} for key in "abc"}
    in_turn(script, "masked_cross_entropy", outputs, "logits", "targets", "lengths")


def extreme(
    script: Script, *, largest: float, low: tuple[float, float] = (-600.0, -800.0), dim: int = -1
) -> None:
    """Rows on levels of ±1e4 with small differences inside, greater scores where masked, one row masked. Two rows
    are ``low``, within and beyond what exp can tell from 0, beside masked scores of about 0."""
    mask = blanked(script, (9, 5))
    levels = np.array([1e4, 1e4, -1e4, -1e4, 0.0, 3.0, -1e4, *low])[:, None]
    masked = np.array([-1e4, 1e4, 1e4, largest, largest, 1e4, -1e4, 0.0, 0.0])[:, None]
    fine = np.round(script.draw.normal(9, 5) * 256) / 256  # so that adding a level is exact, in float32 too
    values = fine + np.where(mask, levels, masked)
    scores = script.array("scores", values if dim == -1 else values.T)
    seen = script.array("mask", mask if dim == -1 else mask.T)
    shape = values.shape if dim == -1 else values.T.shape
    script.call("out", "masked_softmax", scores, seen, dim, outputs={"result": shape}, wrt=("scores",))


def extreme_attention(script: Script) -> None:
    """A masked key whose score is far greater than those in sight, and one query that sees nothing."""
    query = np.abs(script.draw.normal(2, 3, 5)) + 1.0
    key = script.draw.normal(2, 7, 5)
    key[:, 2] += 1e4
    mask = script.draw.mask(2, 3, 7)
    mask[:, :, 2] = False
    mask[:, :, 3] = True
    mask[1, 1] = False
    arrays = [script.array("query", query), script.array("key", key), script.normal("value", 2, 7, 11)]
    script.call("out", "masked_attention", *arrays, script.array("mask", mask),
                outputs={"output": (2, 3, 11), "weights": (2, 3, 7)},
                wrt=("query", "key", "value"))  # fmt: skip


def low_attention(script: Script, *, levels: Sequence[float]) -> None:
    """Queries whose scores are at these levels where they may attend, near each other; masked scores are 0."""
    lowest = np.abs(levels).max()
    seen = np.array([True, True, False, True, True, False, True])
    mask = script.draw.mask(2, 5, 7) & seen
    mask[:, :, 0] = True
    mask[1, 4] = False
    arrays = [
        script.array("query", np.broadcast_to(np.array(levels)[:, None], (2, 5, 1))),
        script.array("key", np.where(seen[:, None], 1.0 + script.draw.normal(2, 7, 1) * 2 / lowest, 0.0)),
        script.normal("value", 2, 7, 3),
        script.array("mask", mask),
    ]
    script.call("out", "masked_attention", *arrays, outputs={"output": (2, 5, 3), "weights": (2, 5, 7)},
                wrt=("query", "key", "value"))  # fmt: skip


def padding_on_device(script: Script) -> None:
    """One call of padding_mask with a width, which needs no look at the lengths."""
    script.call("out", "padding_mask", script.array("lengths", np.array([3, 0, 5, 2])), 9)


def extreme_loss(script: Script) -> None:
    """Logits of ±1e4, at real tokens and at padding; the right class is often far from the greatest."""
    levels = script.draw.generator.choice([1e4, -1e4, 0.0], size=(3, 7, 5))
    logits = script.array("logits", levels + np.round(script.draw.normal(3, 7, 5) * 256) / 256)
    targets = script.array("targets", script.draw.integers(3, 7, high=5))
    lengths = script.array("lengths", np.array([3, 5, 2]))
    script.call(
        "out", "masked_cross_entropy", logits, targets, lengths, outputs={"result": ()}, wrt=("logits",)
    )


def other_padding(script: Script) -> None:
    """The same sentences with other logits and targets at padding: the same loss."""
    lengths = script.array("lengths", np.array([5, 0, 2, 7]))
    script.array("order", np.arange(1))
    real = np.arange(11) < script.arrays["lengths"][:, None]
    first, second = script.draw.normal(4, 11, 3), script.draw.normal(4, 11, 3, scale=1e3)
    targets, others = script.draw.integers(4, 11, high=3), script.draw.integers(4, 11, high=3)
    for into, logits, classes in (
        ("first", first, targets),
        ("out", np.where(real[..., None], first, second), np.where(real, targets, others)),
    ):
        given = script.array(f"{into}_logits", logits), script.array(f"{into}_targets", classes)
        script.call(
            into, "masked_cross_entropy", *given, lengths, outputs={"result": ()}, wrt=(given[0].name,)
        )


def other_masked(script: Script) -> None:
    """Other scores where masked, and a constant added to each row: the same weights."""
    mask = blanked(script, (5, 7))
    scores = np.round(script.draw.normal(5, 7) * 256) / 256
    shift = np.array([[512.0], [-2048.0], [8.0], [-1.0], [64.0]])
    changed = np.where(mask, scores + shift, script.draw.normal(5, 7, scale=50.0))
    seen = script.array("mask", mask)
    script.array("order", np.arange(7))
    for into, values in (("first", scores), ("out", changed)):
        given = script.array(f"{into}_scores", values)
        script.call(into, "masked_softmax", given, seen, outputs={"result": (5, 7)})
