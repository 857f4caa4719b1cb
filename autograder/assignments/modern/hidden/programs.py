"""The programs of ``modern``'s hidden cases."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.usual_programs import MADE, Call
from autograder.assignments.modern.programs import (
    COSTS,
    DRAWN,
    FORWARD,
    STEP,
    STREAMED,
    Additive,
    Heads,
    make_additive,
    make_heads,
)
from autograder.protocol import Ref

# ---- scores of ±10,000


def _levels(builder: ProgramBuilder, made: Call, key_signs: Sequence[float], signs: Sequence[float], size: int) -> None:
    """Give queries and keys a first column whose products are ±10,000. ``size``: of the scale's root."""
    query, key = builder.arrays["query"], builder.arrays["key"]
    query[..., 0] = np.resize(signs, query.shape[-2]) * 1e4 * size**0.5
    key[..., 0] = np.resize(key_signs, key.shape[-2])
    builder.call("out", made.name, *made.args, outputs=made.outputs)


FIRST, LAST = (1, 1, 1, -1, -1, -1, -1, -1), (-1, -1, -1, -1, -1, -1, 1, 1)


def extreme_streams(builder: ProgramBuilder, key_signs: Sequence[float], block: int) -> None:
    """Call streamed_attention on scores of about ±10,000, so that each query has its largest in some block."""
    _levels(builder, DRAWN[STREAMED](builder, "", 2, 4, len(key_signs), 4, 3, block), key_signs, (1, -1, 1, 0), 4)


def extreme_patterns(builder: ProgramBuilder, name: str, *sizes: int) -> None:
    """Call a pattern on scores of about ±10,000."""
    made = DRAWN[name](builder, "", 2, 9, 4, 3, *sizes)
    _levels(builder, made, (1, -1, -1, 1, 1, -1, 1, -1, -1), (1, -1, -1, 1, 0), 4)


def extreme_groups(builder: ProgramBuilder, name: str, *size: int) -> None:
    """Call grouped_attention on scores of about ±10,000, of which later ones are larger."""
    made = DRAWN[name](builder, "", *size)
    _levels(builder, made, (-1, -1, 1, 1, -1, 1, 1), (1, -1, 1), size[5])


def extreme_steps(builder: ProgramBuilder) -> None:
    """Call step and forward where scores are up to about ±10,000."""
    size = Additive(2, 3, 5, 4, 2, 3)
    make_additive(builder, size, v=builder.generator.normal(1, 3) * 4000)
    for into, name in (("out", FORWARD), ("one", STEP)):
        made = DRAWN[name](builder, f"{into}_", size)
        builder.call(into, made.name, *made.args, outputs=made.outputs)


# ---- equal results in other ways


def steps(builder: ProgramBuilder, size: Additive) -> None:
    """Project once, call step for each decoder state, and forward for all."""
    make_additive(builder, size)
    states = builder.generator.normal(size.batch, size.targets, size.dec)
    encoder_states = builder.normal("encoder_states", size.batch, size.sources, size.enc)
    shape = (size.batch, size.sources, size.attn)
    projected = builder.call("projected", f"{MADE}.project", encoder_states, outputs={"projected": shape})
    outputs = {"context": (size.batch, size.enc), "weights": (size.batch, size.sources)}
    for t in range(size.targets):
        state = builder.array(f"state{t}", states[:, t])
        builder.call(f"step{t}", f"{MADE}.step", state, encoder_states, projected, outputs=outputs)
    rows = (size.batch, size.targets)
    made = {"context": (*rows, size.enc), "weights": (*rows, size.sources)}
    builder.call("out", MADE, builder.array("states", states), encoder_states, outputs=made)


def pieces(builder: ProgramBuilder, size: Heads, lengths: Sequence[int]) -> None:
    """Extend an empty cache by pieces of a sentence, as ``piece0``..., and call the layer on the whole sentence."""
    size = size._replace(length=sum(lengths))
    make_heads(builder, size)
    x = builder.generator.normal(size.batch, size.length, size.width)
    nothing = np.zeros((size.batch, size.groups, 0, size.d_h))
    keys, values = builder.array("keys", nothing), builder.array("values", nothing)
    done = 0
    for i, length in enumerate(lengths):
        piece = builder.array(f"x{i}", x[:, done : done + length])
        done += length
        longer = (size.batch, size.groups, done, size.d_h)
        outputs = {"output": (size.batch, length, size.width), "keys": longer, "values": longer}
        builder.call(f"piece{i}", f"{MADE}.extend", piece, keys, values, outputs=outputs)
        keys, values = Ref(f"piece{i}", 1), Ref(f"piece{i}", 2)
    builder.call("out", MADE, builder.array("x", x), outputs={"result": x.shape})


def far_positions(builder: ProgramBuilder) -> None:
    """Call apply_rotary at positions up to 9,999, some of them twice, in no order."""
    places = builder.array("positions", [9999, 17, 0, 9999, 1234, 17])
    builder.call("out", "apply_rotary", builder.normal("x", 2, 6, 8), places, outputs={"result": (2, 6, 8)})


def relative(builder: ProgramBuilder) -> None:
    """Call apply_rotary on the same rows at positions that all are 7 later."""
    x, places = builder.normal("x", 3, 5, 6), builder.generator.integers(5, high=40)
    for into, by in (("first", 0), ("out", 7)):
        given = builder.array(f"{into}_positions", places + by)
        builder.call(into, "apply_rotary", x, given, outputs={"result": (3, 5, 6)})


# ---- memory and large numbers


def long_stream(builder: ProgramBuilder) -> None:
    """Call streamed_attention on so many keys that the table of all scores would need 134 MB."""
    for into, queries, keys, block in (("small", 2, 10, 4), ("out", 512, 65536, 256)):
        sizes = {"query": queries, "key": keys, "value": keys}
        args = [builder.noise(f"{into}_{name}", 1, length, 8) for name, length in sizes.items()]
        builder.call(into, STREAMED, *args, block, outputs={"result": (1, queries, 8)}, weigh=True)


def default_bytes(builder: ProgramBuilder) -> None:
    """Call attention_costs without the size of a number, with one, and for one query and many keys."""
    outputs = dict.fromkeys(("operations", "matrix_bytes", "cache_bytes"))
    for into, given in (
        ("out", (2, 12, 4, 9, 9, 8)),
        ("half", (1, 5, 1, 3, 10, 4, 2)),
        ("one", (4, 8, 8, 1, 4096, 64)),
    ):
        builder.call(into, COSTS, *given, outputs=outputs)


def tables_of_pairs(builder: ProgramBuilder) -> None:
    """Call visible_pairs for all small sizes that differ in kind."""
    given = [(1, 0, 1), (7, 0, 3), (7, 9, 2), (12, 3, 1), (12, 2, 12), (12, 2, 50), (31, 5, 4), (30, 7, 7), (5, 4, 5)]
    for i, sizes in enumerate(given):
        builder.call(f"out{i}", "visible_pairs", *sizes)


def many_pairs(builder: ProgramBuilder) -> None:
    """Call visible_pairs for a million positions."""
    radius, stride = (int(builder.generator.integers(low=low, high=2 * low)) for low in (40, 500))
    builder.call("out", "visible_pairs", 1_000_000, radius, stride)
