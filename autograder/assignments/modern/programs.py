"""The programs of ``modern``'s cases: functions that write the steps of one case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.usual_programs import MADE, Call, UsualPrograms

Shape = Sequence[int] | None
PROJECTED, STREAMED, WINDOW, SPARSE = "ProjectedAttention", "streamed_attention", "window_attention", "sparse_attention"
ROTARY, GROUPED, LAYER, BLOCK = "apply_rotary", "grouped_attention", "GroupedQueryAttention", "TransformerBlock"
COSTS, PAIRS = "attention_costs", "visible_pairs"
STEP, FORWARD, EXTEND = "ProjectedAttention.step", "ProjectedAttention.forward", "GroupedQueryAttention.extend"


class Additive(NamedTuple):
    """Sentences, target and source positions, and widths of encoder states, decoder states and attention layer."""

    batch: int
    targets: int
    sources: int
    enc: int
    dec: int
    attn: int


class Heads(NamedTuple):
    """Sentences, words, heads, groups, the width of a head, and of the hidden layer of a block."""

    batch: int
    length: int
    heads: int
    groups: int
    d_h: int
    d_ff: int = 5

    @property
    def width(self) -> int:
        """The width of a word's vector."""
        return self.heads * self.d_h


# ---- modules


def make_additive(builder: ProgramBuilder, size: Additive, scale: float = 0.7, **given: Any) -> None:
    """Build a ProjectedAttention with Gaussian weights. ``W_s=...`` replaces one."""
    shapes = {"W_s": (size.attn, size.dec), "W_h": (size.attn, size.enc), "v": (1, size.attn)}
    weights = {f"{name}.weight": given.get(name, shape) for name, shape in shapes.items()}
    builder.make(MADE, PROJECTED, size.enc, size.dec, size.attn, weights=weights, scale=scale)


def _heads(size: Heads, prefix: str = "") -> dict[str, tuple[int, ...]]:
    square, shared = (size.width, size.width), (size.groups * size.d_h, size.width)
    shapes = {"W_Q": square, "W_K": shared, "W_V": shared, "W_O": square}
    return {f"{prefix}{name}.weight": shape for name, shape in shapes.items()}


def make_heads(builder: ProgramBuilder, size: Heads, scale: float = 0.6) -> None:
    """Build a GroupedQueryAttention with Gaussian weights."""
    builder.make(MADE, LAYER, size.width, size.heads, size.groups, weights=_heads(size), scale=scale)


def make_block(builder: ProgramBuilder, size: Heads, scale: float = 0.6) -> None:
    """Build a TransformerBlock with Gaussian weights."""
    weights: dict[str, tuple[int, ...]] = {
        f"norm{i}.{name}": (size.width,) for i in "12" for name in ("weight", "bias")
    }
    weights |= _heads(size, "attention.")
    weights |= {"W_1.weight": (size.d_ff, size.width), "W_1.bias": (size.d_ff,)}
    weights |= {"W_2.weight": (size.width, size.d_ff), "W_2.bias": (size.width,)}
    builder.make(MADE, BLOCK, size.width, size.heads, size.groups, size.d_ff, weights=weights, scale=scale)


MAKES: dict[str, Callable[..., None]] = {
    STEP: make_additive,
    FORWARD: make_additive,
    LAYER: make_heads,
    EXTEND: lambda builder, size, cached: make_heads(builder, size),
    BLOCK: make_block,
}

# ---- inputs: each writes the arrays of one call, whose names begin with ``of``


def _step(builder: ProgramBuilder, of: str, size: Additive) -> Call:
    """``projected`` is not what ``project`` would return: the scores must come from it."""
    args = [
        builder.normal(f"{of}decoder_state", size.batch, size.dec),
        builder.normal(f"{of}encoder_states", size.batch, size.sources, size.enc),
        builder.normal(f"{of}projected", size.batch, size.sources, size.attn),
    ]
    return Call(f"{MADE}.step", args, {"context": (size.batch, size.enc), "weights": (size.batch, size.sources)})


def _forward(builder: ProgramBuilder, of: str, size: Additive) -> Call:
    args = [
        builder.normal(f"{of}decoder_states", size.batch, size.targets, size.dec),
        builder.normal(f"{of}encoder_states", size.batch, size.sources, size.enc),
    ]
    rows = (size.batch, size.targets)
    return Call(MADE, args, {"context": (*rows, size.enc), "weights": (*rows, size.sources)})


def drawn(builder: ProgramBuilder, of: str, queries: Sequence[int], keys: Sequence[int], d_v: int) -> list[Any]:
    """Add a query, a key and a value. ``queries`` and ``keys`` are shapes."""
    return [
        builder.normal(f"{of}query", *queries, scale=1.5),
        builder.normal(f"{of}key", *keys, scale=1.5),
        builder.normal(f"{of}value", *keys[:-1], d_v),
    ]


def _streamed(
    builder: ProgramBuilder, of: str, batch: int, queries: int, keys: int, d_k: int, d_v: int, block: int
) -> Call:
    args = drawn(builder, of, (batch, queries, d_k), (batch, keys, d_k), d_v)
    return Call(STREAMED, [*args, block], {"result": (batch, queries, d_v)})


def _pattern(name: str) -> Callable[..., Call]:
    def write(builder: ProgramBuilder, of: str, batch: int, length: int, d_k: int, d_v: int, *sizes: int) -> Call:
        args = drawn(builder, of, (batch, length, d_k), (batch, length, d_k), d_v)
        return Call(name, [*args, *sizes], {"result": (batch, length, d_v)})

    return write


def _rotary(builder: ProgramBuilder, of: str, *shape: int, farthest: int = 60, base: float | None = None) -> Call:
    """``farthest``: positions are below it, in any order. ``base`` None leaves it to the default."""
    x = builder.normal(f"{of}x", *shape)
    places = builder.array(f"{of}positions", builder.generator.integers(shape[-2], low=farthest // 4, high=farthest))
    return Call(ROTARY, [x, places] if base is None else [x, places, base], {"result": shape})


def _grouped(
    builder: ProgramBuilder, of: str, batch: int, heads: int, groups: int, queries: int, keys: int, d_k: int, d_v: int
) -> Call:
    args = drawn(builder, of, (batch, heads, queries, d_k), (batch, groups, keys, d_k), d_v)
    return Call(GROUPED, args, {"result": (batch, heads, queries, d_v)})


def _words(builder: ProgramBuilder, of: str, size: Heads) -> Call:
    shape = (size.batch, size.length, size.width)
    return Call(MADE, [builder.normal(f"{of}x", *shape)], {"result": shape})


def _extend(builder: ProgramBuilder, of: str, size: Heads, before: int) -> Call:
    """``before``: the cache has so many words."""
    shape, cached = (size.batch, size.length, size.width), (size.batch, size.groups, before, size.d_h)
    args = [builder.normal(f"{of}x", *shape), *(builder.normal(f"{of}{name}", *cached) for name in ("keys", "values"))]
    longer = (size.batch, size.groups, before + size.length, size.d_h)
    return Call(f"{MADE}.extend", args, {"output": shape, "keys": longer, "values": longer})


DRAWN: dict[str, Callable[..., Call]] = {
    STEP: _step,
    FORWARD: _forward,
    STREAMED: _streamed,
    WINDOW: _pattern(WINDOW),
    SPARSE: _pattern(SPARSE),
    ROTARY: _rotary,
    GROUPED: _grouped,
    LAYER: _words,
    EXTEND: _extend,
    BLOCK: _words,
}
METHODS = {PROJECTED: (".project", ".step", ".forward"), LAYER: (".forward", ".extend"), BLOCK: (".forward",)}
TAKES = {
    STREAMED: "(query, key, value, block_size)",
    WINDOW: "(query, key, value, radius)",
    SPARSE: "(query, key, value, radius, stride)",
    ROTARY: "(x, positions, base=10000.0)",
    GROUPED: "(query, key, value)",
}
USUAL = UsualPrograms(DRAWN, TAKES, MAKES, METHODS)


# ---- programs


def project(builder: ProgramBuilder, size: Additive) -> None:
    """Call project once."""
    make_additive(builder, size)
    states = builder.normal("encoder_states", size.batch, size.sources, size.enc)
    shape = (size.batch, size.sources, size.attn)
    builder.call("out", f"{MADE}.project", states, outputs={"projected": shape}, gradient=True, echo=True)


def far_below(builder: ProgramBuilder, batch: int, queries: int, keys: int, block: int, depth: float) -> None:
    """Call streamed_attention where all scores are about ``-depth``."""
    made = _streamed(builder, "", batch, queries, keys, 3, 2, block)
    builder.arrays["query"][..., 0] = -depth * 3**0.5
    builder.arrays["key"][..., 0] = 1.0
    builder.call("out", made.name, *made.args, outputs=made.outputs)


def uneven(builder: ProgramBuilder, bad: Sequence[tuple[int, int, int]], size: Heads) -> None:
    """Build layers whose sizes do not fit, as ``bad0``..., and call one whose sizes do."""
    for i, sizes in enumerate(bad):
        builder.make(f"bad{i}", LAYER, *sizes)
    USUAL.once(builder, LAYER, size)


def costs(builder: ProgramBuilder, *given: int) -> None:
    """Call attention_costs once. The sizes are a little larger where the case is redrawn."""
    sizes = [builder.generator.near(number, most=3) for number in given]
    builder.call("out", COSTS, *sizes, outputs=dict.fromkeys(("operations", "matrix_bytes", "cache_bytes")))


def pairs(builder: ProgramBuilder, *given: tuple[int, int, int]) -> None:
    """Call visible_pairs with each length, radius and stride. Lengths are larger where the case is redrawn."""
    for i, (length, radius, stride) in enumerate(given):
        builder.call(f"out{i}", PAIRS, builder.generator.near(length, least=1), radius, stride)
