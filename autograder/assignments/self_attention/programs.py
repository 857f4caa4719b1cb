"""The programs of ``self_attention``'s cases: functions that write the steps of one case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np

from autograder.assignments.kit.programs import CallOptions, ProgramBuilder
from autograder.protocol import Ref

SELF, DOT = "self_attention", "scaled_dot_product_attention"
POSITIONS, ENTROPY = "sinusoidal_positions", "attention_entropy"
ONE, MANY = "SelfAttention", "MultiHeadAttention"
NAMES = (SELF, DOT, POSITIONS, ENTROPY, ONE, MANY)

EXAMPLE = [[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]  # three words of width 2
Shape = tuple[int, ...]
Blank = Sequence[Any]  # indices of the rows of a mask in which nothing may be attended to


class DotSize(NamedTuple):
    """Leading axes, queries, keys, and widths of keys and values, of scaled_dot_product_attention."""

    lead: Shape
    queries: int
    keys: int
    d_k: int
    d_v: int

    @property
    def results(self) -> dict[str, Shape]:
        """What the function returns."""
        return {"output": (*self.lead, self.queries, self.d_v), "weights": (*self.lead, self.queries, self.keys)}


class OneSize(NamedTuple):
    """Sentences, positions, and widths of inputs, keys and values, of SelfAttention."""

    batch: int
    length: int
    width: int
    d_k: int
    d_v: int

    @property
    def results(self) -> dict[str, Shape]:
        """What the module returns."""
        return {"output": (self.batch, self.length, self.d_v), "weights": (self.batch, self.length, self.length)}


class ManySize(NamedTuple):
    """Sentences, queries, keys, heads, and the width of a head, of MultiHeadAttention."""

    batch: int
    queries: int
    keys: int
    heads: int
    d_h: int

    @property
    def width(self) -> int:
        """The width of queries, keys and values."""
        return self.heads * self.d_h

    @property
    def results(self) -> dict[str, Shape]:
        """What the module returns."""
        weights = (self.batch, self.heads, self.queries, self.keys)
        return {"output": (self.batch, self.queries, self.width), "weights": weights}


# ---------------------------------------------------------------- functions


def drawn_mask(builder: ProgramBuilder, shape: Shape, blank: Blank = (), name: str = "mask") -> Ref:
    """Draw a mask in which only the rows ``blank`` hide everything. A last axis of length 1 hides whole rows."""
    if shape[-1] == 1 < len(shape):
        mask = builder.generator.mask(*shape[:-2], 1, shape[-2]).swapaxes(-1, -2)
    else:
        mask = builder.generator.mask(*shape)
    for index in blank:
        mask[index] = False
    return builder.array(name, mask)


def bare(
    builder: ProgramBuilder,
    batch: int,
    length: int,
    width: int,
    *,
    temperature: float | None = None,
    **call: Unpack[CallOptions],
) -> None:
    """Call self_attention once. ``temperature`` None leaves it to the default."""
    x = builder.normal("x", batch, length, width, scale=0.8)
    named: dict[str, Any] = {} if temperature is None else {"temperature": temperature}
    outputs = {"output": (batch, length, width), "weights": (batch, length, length)}
    builder.call("out", SELF, x, outputs=outputs, **named, **call)


def plain(
    builder: ProgramBuilder,
    size: DotSize,
    mask: Shape | None = None,
    blank: Blank = (),
    *,
    by_name: bool = False,
    **call: Unpack[CallOptions],
) -> None:
    """Call scaled_dot_product_attention once. ``by_name``: the mask is a named argument."""
    inputs = [
        builder.normal("query", *size.lead, size.queries, size.d_k, scale=1.5),
        builder.normal("key", *size.lead, size.keys, size.d_k, scale=1.5),
        builder.normal("value", *size.lead, size.keys, size.d_v),
    ]
    masks = [] if mask is None else [drawn_mask(builder, mask, blank)]
    named: dict[str, Any] = {"mask": masks.pop()} if by_name else {}
    builder.call("out", DOT, *inputs, *masks, outputs=size.results, **named, **call)


def positions(builder: ProgramBuilder, length: int, dim: int, into: str = "out") -> None:
    """Call sinusoidal_positions once."""
    length, dim = builder.generator.near(length), 2 * builder.generator.near(dim // 2)
    builder.call(into, POSITIONS, length, dim, outputs={"positions": (length, dim)})


def entropy(builder: ProgramBuilder, *shape: int, hidden: float = 0.0, **call: Unpack[CallOptions]) -> None:
    """Call attention_entropy once on the weights of Gaussian scores. The share ``hidden`` of them is exactly 0."""
    scores = builder.generator.normal(*shape, scale=1.2)
    powers = np.exp(scores) * (builder.generator.mask(*shape, keep=1 - hidden) if hidden else 1.0)
    weights = builder.array("weights", powers / powers.sum(-1, keepdims=True))
    builder.call("out", ENTROPY, weights, outputs={"entropy": shape[:-1]}, **call)


def entropy_of(builder: ProgramBuilder, values: object, **call: Unpack[CallOptions]) -> None:
    """Call attention_entropy once on these weights."""
    weights = builder.array("weights", np.asarray(values, dtype=float))
    builder.call("out", ENTROPY, weights, outputs={"entropy": builder.arrays["weights"].shape[:-1]}, **call)


# ---------------------------------------------------------------- modules


def build_one(builder: ProgramBuilder, width: int, d_k: int, d_v: int, train: bool = False, **given: Any) -> None:
    """Build a SelfAttention, as ``attention``, with Gaussian weights. ``W_Q=...`` replaces one."""
    shapes = {"W_Q": (d_k, width), "W_K": (d_k, width), "W_V": (d_v, width)}
    weights = {f"{name}.weight": given.get(name, shape) for name, shape in shapes.items()}
    builder.make("attention", ONE, width, d_k, d_v, weights=weights, train=train)


def one_head(
    builder: ProgramBuilder,
    size: OneSize,
    mask: Shape | None = None,
    blank: Blank = (),
    *,
    train: bool = False,
    **call: Unpack[CallOptions],
) -> None:
    """Build a SelfAttention and call it once."""
    build_one(builder, size.width, size.d_k, size.d_v, train)
    x = builder.normal("x", size.batch, size.length, size.width)
    masks = [] if mask is None else [drawn_mask(builder, mask, blank)]
    builder.call("out", "attention", x, *masks, outputs=size.results, **call)


def build_many(
    builder: ProgramBuilder,
    width: int,
    heads: int,
    *,
    scale: float = 0.6,
    train: bool = False,
    into: str = "attention",
    **given: Any,
) -> None:
    """Build a MultiHeadAttention with Gaussian weights. ``W_O=...`` replaces one."""
    weights = {f"W_{name}.weight": given.get(f"W_{name}", (width, width)) for name in "QKVO"}
    builder.make(into, MANY, width, heads, weights=weights, scale=scale, train=train)


def many_inputs(builder: ProgramBuilder, size: ManySize) -> list[Ref]:
    """Draw query, key and value."""
    lengths = {"query": size.queries, "key": size.keys, "value": size.keys}
    return [builder.normal(name, size.batch, length, size.width) for name, length in lengths.items()]


def many_heads(
    builder: ProgramBuilder,
    size: ManySize,
    mask: Shape | None = None,
    blank: Blank = (),
    *,
    alone: bool = False,
    train: bool = False,
    **call: Unpack[CallOptions],
) -> None:
    """Build a MultiHeadAttention and call it once. ``alone``: query, key and value are one tensor."""
    build_many(builder, size.width, size.heads, train=train)
    if alone:
        inputs = [builder.normal("query", size.batch, size.queries, size.width)] * 3
    else:
        inputs = many_inputs(builder, size)
    masks = [] if mask is None else [drawn_mask(builder, mask, blank)]
    builder.call("out", "attention", *inputs, *masks, outputs=size.results, **call)


# ---------------------------------------------------------------- other programs


def uneven(builder: ProgramBuilder, bad: Sequence[tuple[int, int]], size: ManySize) -> None:
    """Build modules, as ``bad0``..., whose heads do not divide the width, and call one whose heads do."""
    for i, (width, heads) in enumerate(bad):
        builder.make(f"bad{i}", MANY, width, heads)
    many_heads(builder, size)


def bare_example(builder: ProgramBuilder) -> None:
    """Compute the handout's example at three temperatures. Every number can be followed by hand."""
    x = builder.example("x", EXAMPLE)
    for into, temperature in (("out", 1.0), ("sharp", 0.1), ("flat", 10.0)):
        builder.call(into, SELF, x, temperature, outputs={"output": (1, 3, 2), "weights": (1, 3, 3)})


def plain_example(builder: ProgramBuilder) -> None:
    """Compute the handout's example under a mask, which hides everything from the second query."""
    x = builder.example("x", EXAMPLE)
    mask = builder.example("mask", [[True, False, True], [False, False, False], [True, True, True]])
    outputs = {"output": (1, 3, 2), "weights": (1, 3, 3)}
    builder.call("out", DOT, x, x, x, mask, outputs=outputs, gradient=True)


def entropy_example(builder: ProgramBuilder) -> None:
    """Compute the entropies of the handout's example."""
    scores = builder.example("weights", [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0]])
    powers = np.exp(builder.arrays[scores.name])
    builder.array(scores.name, powers / powers.sum(-1, keepdims=True))
    builder.call("out", ENTROPY, scores, outputs={"entropy": (3,)})


def many_masks(builder: ProgramBuilder, size: ManySize, masks: Sequence[Shape]) -> None:
    """Call one MultiHeadAttention under several masks, as ``out0``, ``out1``..."""
    build_many(builder, size.width, size.heads)
    in_masks(builder, "attention", many_inputs(builder, size), size.results, masks)


def in_masks(
    builder: ProgramBuilder, name: str, inputs: Sequence[Ref], outputs: dict[str, Shape], masks: Sequence[Shape]
) -> None:
    """Call ``name`` under several random masks, as ``out0``, ``out1``... Modules get the mask by name."""
    for i, shape in enumerate(masks):
        mask = drawn_mask(builder, shape, name=f"mask{i}")
        if name == DOT:
            builder.call(f"out{i}", name, *inputs, mask, outputs=outputs)
        else:
            builder.call(f"out{i}", name, *inputs, mask=mask, outputs=outputs)
