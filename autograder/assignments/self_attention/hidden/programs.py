"""The programs of ``self_attention``'s hidden cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.assignments.kit.programs import ProgramBuilder
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
    Shape,
    build_many,
    build_one,
    drawn_mask,
    in_masks,
    many_inputs,
)
from autograder.protocol import Ref


def build(builder: ProgramBuilder, name: str, **given: Any) -> None:
    """Build a SelfAttention with widths 6, 3 and 5, or a MultiHeadAttention with three heads of width 2."""
    if name == MANY:
        build_many(builder, 6, 3, **given)
    elif name == ONE:
        build_one(builder, 6, 3, 5, **given)


def results(name: str, batch: int, length: int) -> dict[str, Shape]:
    """Return what a function returns for width 6, or a module that ``build`` made."""
    if name == MANY:
        return ManySize(batch, length, length, 3, 2).results
    return OneSize(batch, length, 6, 3, 5 if name == ONE else 6).results


def inputs(name: str, x: Ref) -> list[Ref]:
    """Return the arguments with which ``name`` attends to one sequence."""
    return [x] * (3 if name in (MANY, DOT) else 1)


def bare_extreme(builder: ProgramBuilder) -> None:
    """Call self_attention with scores of ±1e4 beside small ones, and ordinary differences inside each row."""
    x = np.round(builder.generator.normal(2, 7, 3) * 64) / 4
    x[..., 0] = np.array([1600.0, -1600.0, 4.0, 1600.0, -1600.0, -8.0, 1600.0])
    given = builder.array("x", x)
    outputs = {"output": (2, 7, 3), "weights": (2, 7, 7)}
    builder.call("out", SELF, given, 256.0, outputs=outputs, gradient=True)


def extreme(builder: ProgramBuilder, *, masked: bool = False, height: float = 20.0) -> None:
    """Call scaled_dot_product_attention with scores near 0 and ±1e4 (512 times ``height``).

    With ``masked``, each row hides larger scores than it shows. In float32, no score has a rounding error.
    """
    query = np.round(builder.generator.normal(2, 3, 16) * 8) / 8
    key = np.round(builder.generator.normal(2, 6, 16) * 8) / 8
    query[..., 0] = np.array([2048.0, -2048.0, 0.0])
    key[..., 0] = np.array([1, 1, 0, 0, -1, -1]) * height + key[..., 0] / 512
    given = [builder.array("query", query), builder.array("key", key), builder.normal("value", 2, 6, 5)]
    named: dict[str, Any] = {}
    if masked:  # the first query has the first keys as its best, the second one the last
        seen = np.array([[0, 0, 0, 0, 1, 1], [1, 1, 0, 0, 0, 0], [0, 1, 1, 0, 1, 0]], dtype=bool)
        named["mask"] = builder.array("mask", seen)
    builder.call("out", DOT, *given, outputs=DotSize((2,), 3, 6, 16, 5).results, gradient=True, **named)


def modules_extreme(builder: ProgramBuilder, name: str) -> None:
    """Call a module whose layers are so large that scores reach ±1e4."""
    width = 6
    large: dict[str, Any] = {"W_Q": np.round(builder.generator.normal(width, width) * 2048)}
    large["W_K"] = np.round(builder.generator.normal(width, width) * 32) / 16
    if name == MANY:
        build_many(builder, width, 2, **large)
        outputs = ManySize(2, 5, 5, 2, 3).results
    else:
        build_one(builder, width, width, 5, **large)
        outputs = OneSize(2, 5, width, width, 5).results
    x = inputs(name, builder.normal("x", 2, 5, width))
    builder.call("out", "attention", *x, drawn_mask(builder, (2, 5, 5)), outputs=outputs)


def temperatures(builder: ProgramBuilder, *values: float) -> None:
    """Call self_attention at several temperatures, as ``out0``..., by name and by position in turn."""
    x = builder.normal("x", 2, 5, 3, scale=0.8)
    outputs = {"output": (2, 5, 3), "weights": (2, 5, 5)}
    for i, value in enumerate(values):
        if i % 2:
            builder.call(f"out{i}", SELF, x, value, outputs=outputs)
        else:
            builder.call(f"out{i}", SELF, x, outputs=outputs, temperature=value)


def positions_in_turn(builder: ProgramBuilder, *sizes: tuple[int, int]) -> None:
    """Call sinusoidal_positions with these lengths and widths, as ``out0``..."""
    for i, (length, dim) in enumerate(sizes):
        builder.call(f"out{i}", POSITIONS, length, dim, outputs={"positions": (length, dim)})


def anywhere(builder: ProgramBuilder, name: str) -> None:
    """Call a name without a mask, and with one where it takes one. No other case has these sizes."""
    if name == ENTROPY:
        weights = builder.array("weights", builder.generator.uniform(2, 4, 9, low=0.1, high=0.3))
        builder.call("out", ENTROPY, weights, outputs={"entropy": (2, 4)})
        return
    build(builder, name)
    x = builder.normal("x", 2, 9, 6, scale=0.8)
    callee = name if name in (SELF, DOT) else "attention"
    outputs = results(name, 2, 9)
    builder.call("out", callee, *inputs(name, x), outputs=outputs)
    if name != SELF:
        builder.call("masked", callee, *inputs(name, x), drawn_mask(builder, (2, 9, 9)), outputs=outputs)


def shifted(builder: ProgramBuilder) -> None:
    """Add one vector to all keys. It adds a constant to every row of scores, and the results stay."""
    query, key = builder.normal("query", 2, 5, 3), builder.normal("key", 2, 7, 3)
    other = builder.array("shifted_key", builder.arrays["key"] + builder.generator.normal(2, 1, 3) * 30)
    value = builder.normal("value", 2, 7, 2)
    builder.array("order", np.arange(7))
    outputs = DotSize((2,), 5, 7, 3, 2).results
    builder.call("first", DOT, query, key, value, outputs=outputs)
    builder.call("out", DOT, query, other, value, outputs=outputs)


def permuted(builder: ProgramBuilder, name: str) -> None:
    """Permute the positions of a sentence. The outputs follow, and the weights on both sides."""
    order = builder.generator.permutation(7)
    builder.array("order", order)
    build(builder, name)
    x = builder.normal("x", 2, 7, 6, scale=0.8)
    other = builder.array("permuted_x", builder.arrays["x"][:, order])
    for into, given in (("first", x), ("out", other)):
        callee = SELF if name == SELF else "attention"
        builder.call(into, callee, *inputs(name, given), outputs=results(name, 2, 7))


def uniform(builder: ProgramBuilder, name: str) -> None:
    """Call a module whose W_Q is 0: every row of weights is uniform over the visible positions."""
    zeros = np.zeros((6, 6))
    if name == ONE:
        build(builder, ONE, W_Q=zeros[:3])
        outputs = results(ONE, 2, 7)
    else:
        build_many(builder, 6, 2, W_Q=zeros)
        outputs = ManySize(2, 7, 7, 2, 3).results
    x = inputs(name, builder.normal("x", 2, 7, 6))
    builder.call("out", "attention", *x, drawn_mask(builder, (7, 7)), outputs=outputs)


def identity(builder: ProgramBuilder) -> None:
    """Call a MultiHeadAttention with one head and identity layers, which is plain attention."""
    size = ManySize(2, 3, 7, 1, 5)
    build_many(builder, 5, 1, W_Q=np.eye(5), W_K=np.eye(5), W_V=np.eye(5), W_O=np.eye(5))
    builder.call("out", "attention", *many_inputs(builder, size), outputs=size.results)


def twice(builder: ProgramBuilder, name: str) -> None:
    """Call one module on inputs a, on b of other sizes, and on a again, with and without masks."""
    build(builder, name)
    sizes = {"a": (2, 7), "b": (3, 5)}
    for label, size in sizes.items():
        builder.normal(f"{label}_x", *size, 6)
    masks = {"b": drawn_mask(builder, (3, 5, 5), name="b_mask"), "a": drawn_mask(builder, (2, 7, 7), name="a_mask")}
    for into, label, masked in (
        ("first", "a", False),
        ("between", "b", True),
        ("masked", "a", True),
        ("out", "a", False),
    ):
        given = [*inputs(name, Ref(f"{label}_x")), *([masks[label]] if masked else [])]
        builder.call(into, "attention", *given, outputs=results(name, *sizes[label]), echo=True)


def functions_twice(builder: ProgramBuilder, name: str) -> None:
    """Call a function on inputs in turn."""
    sizes = {"a": (2, 7), "b": (3, 7), "c": (2, 7)}
    for label, size in sizes.items():
        builder.normal(f"{label}_x", *size, 5)
    outputs = {label: DotSize((batch,), length, length, 5, 5).results for label, (batch, length) in sizes.items()}
    builder.in_turn(name, outputs, *["x"] * len(inputs(name, Ref("x"))))


def plain_masks(builder: ProgramBuilder, lead: Shape, masks: Sequence[Shape]) -> None:
    """Call scaled_dot_product_attention on 7 queries and 5 keys under several masks, as ``out0``..."""
    size = DotSize(lead, 7, 5, 3, 2)
    given = [
        builder.normal("query", *lead, 7, 3),
        builder.normal("key", *lead, 5, 3),
        builder.normal("value", *lead, 5, 2),
    ]
    in_masks(builder, DOT, given, size.results, masks)


def one_head_masks(builder: ProgramBuilder, batch: int, length: int, masks: Sequence[Shape]) -> None:
    """Call one SelfAttention under several masks, as ``out0``..."""
    build_one(builder, 7, 5, 2)
    x, size = builder.normal("x", batch, length, 7), OneSize(batch, length, 7, 5, 2)
    in_masks(builder, "attention", [x], size.results, masks)
