"""The inputs of ``variations``: each function draws the arrays of one call, whose names begin with ``of``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from autograder import protocol
from autograder.assignments.kit.programs import InputGenerator, ProgramBuilder
from autograder.assignments.kit.usual_programs import MADE, Call

COVERAGE, COVERAGE_LOSS, POINTER, HOPS = "coverage_attention", "coverage_loss", "PointerGenerator", "multi_hop"
BIDAF, SPATIAL, PYRAMID, SUPERVISED = "BiDAF", "SpatialAttention", "PyramidalEncoder", "supervised_loss"
MONOTONIC, DIAGONAL, ADDRESS = "monotonic_attention", "diagonal_prior_attention", "memory_address"
READ, WRITE, LUONG, TOP_K = "memory_read", "memory_write", "MultiHeadLuong", "top_k_retrieval"


def softmax(values: np.ndarray) -> np.ndarray:
    """Return positive numbers whose sum along the last axis is 1."""
    powers = np.exp(values - values.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True))


def shares(builder: ProgramBuilder, name: str, *shape: int) -> protocol.Ref:
    """Add random weights that sum to 1 along the last axis."""
    return builder.array(name, softmax(builder.generator.normal(*shape)))


def lengths(generator: InputGenerator, batch: int, most: int) -> np.ndarray:
    """Return lengths up to ``most``, which one sentence has; of several sentences, another one is shorter."""
    found = generator.integers(batch, low=1, high=most + 1)
    longest = int(generator.integers(high=batch))
    found[longest] = most
    if batch > 1 and most > 1:
        found[longest - 1] = generator.integers(low=1, high=most)
    return found


def peaked(generator: InputGenerator, targets: int, sources: int) -> np.ndarray:
    """Return scores (targets, sources) of one sentence whose peaks go forward, with larger scores before them."""
    scores = generator.normal(targets, sources, scale=0.7)
    peaks = np.sort(generator.generator.permutation(sources)[: targets if targets <= sources else 0])
    for t, peak in enumerate(peaks):
        scores[t, peak] += 4.0
        if t and peaks[t - 1]:  # a row that looks back: the border hides its largest score
            scores[t, generator.integers(high=peaks[t - 1])] += 6.0
    return scores


# ---- attention that remembers or is guided


def _coverage(builder: ProgramBuilder, of: str, batch: int, targets: int, sources: int, penalty: float) -> Call:
    shape = (batch, targets, sources)
    return Call(
        COVERAGE, [builder.normal(f"{of}scores", *shape, scale=1.5), penalty], {"weights": shape, "seen": shape}
    )


def _coverage_loss(builder: ProgramBuilder, of: str, batch: int, targets: int, sources: int, padding: int = 1) -> Call:
    """``padding``: even the longest sentence has so many rows of padding."""
    weights = shares(builder, f"{of}weights", batch, targets, sources)
    seen = builder.array(f"{of}seen", builder.generator.uniform(batch, targets, sources, high=2 / sources))
    rows = builder.array(f"{of}tgt_lengths", lengths(builder.generator, batch, targets - padding))
    return Call(COVERAGE_LOSS, [weights, seen, rows], {"loss": ()})


def _supervised(
    builder: ProgramBuilder, of: str, batch: int, targets: int, sources: int, factor: float, padding: int = 1
) -> Call:
    """``padding``: even the longest sentence has so many rows of padding."""
    task = builder.array(f"{of}task_loss", builder.generator.uniform(low=1.0, high=3.0))
    gold = builder.generator.uniform(batch, targets, sources, high=2 / sources)  # they need not sum to 1
    given = [shares(builder, f"{of}weights", batch, targets, sources), builder.array(f"{of}gold", gold)]
    rows = builder.array(f"{of}tgt_lengths", lengths(builder.generator, batch, targets - padding))
    return Call(SUPERVISED, [task, *given, rows, factor], {"loss": ()})


def source_ids(generator: InputGenerator, batch: int, sources: int, vocab: int, extra: int) -> np.ndarray:
    """Return ids of which one occurs three times, and one is no word of the vocabulary, if there is room for them."""
    found = generator.integers(batch, sources, high=vocab + extra)
    for row in found:
        places = generator.generator.permutation(sources)
        row[places[1:3]] = row[places[0]]
        if extra and sources > 3:
            row[places[3]] = generator.integers(low=vocab, high=vocab + extra)
    return found


def _pointer(
    builder: ProgramBuilder, of: str, batch: int, enc: int, dec: int, emb: int, vocab: int, sources: int, extra: int
) -> Call:
    """``extra``: the extended vocabulary has so many words more."""
    widths = {"context": enc, "state": dec, "embedded": emb}
    given = [builder.normal(f"{of}{name}", batch, width) for name, width in widths.items()]
    given += [shares(builder, f"{of}vocab_probs", batch, vocab), shares(builder, f"{of}weights", batch, sources)]
    ids = builder.array(f"{of}src_ids", source_ids(builder.generator, batch, sources, vocab, extra))
    return Call(MADE, [*given, ids, vocab + extra], {"distribution": (batch, vocab + extra), "p_gen": (batch,)})


def _monotonic(builder: ProgramBuilder, of: str, batch: int, targets: int, sources: int) -> Call:
    scores = np.stack([peaked(builder.generator, targets, sources) for _ in range(batch)])
    return Call(MONOTONIC, [builder.array(f"{of}scores", scores)], {"weights": (batch, targets, sources)})


def _diagonal(
    builder: ProgramBuilder, of: str, batch: int, targets: int, sources: int, sigma: float, padding: int = 1
) -> Call:
    """``padding``: even the longest sentence has so many rows and columns of padding."""
    scores = builder.normal(f"{of}scores", batch, targets, sources)
    sizes = {"src_lengths": sources - padding, "tgt_lengths": targets - padding}
    given = [builder.array(f"{of}{name}", lengths(builder.generator, batch, most)) for name, most in sizes.items()]
    return Call(DIAGONAL, [scores, *given, sigma], {"weights": (batch, targets, sources)})


# ---- attention that reads in another way


def _hops(builder: ProgramBuilder, of: str, batch: int, length: int, width: int, hops: int) -> Call:
    args = [builder.normal(f"{of}query", batch, width), builder.normal(f"{of}memory", batch, length, width)]
    return Call(HOPS, [*args, hops], {"result": (batch, width), "weights": (batch, max(hops, 1), length)})


def _bidaf(builder: ProgramBuilder, of: str, batch: int, m: int, n: int, dim: int) -> Call:
    words = {"context": m, "question": n}
    args = [builder.normal(f"{of}{name}", batch, length, dim) for name, length in words.items()]
    args += [builder.array(f"{of}{name}_mask", builder.generator.mask(batch, k, keep=0.7)) for name, k in words.items()]
    return Call(MADE, args, {"result": (batch, m, 4 * dim)})


def _spatial(builder: ProgramBuilder, of: str, batch: int, features: int, state: int, height: int, width: int) -> Call:
    args = [builder.normal(f"{of}features", batch, features, height, width), builder.normal(f"{of}state", batch, state)]
    return Call(MADE, args, {"context": (batch, features), "weights": (batch, height, width)})


def _pyramid(
    builder: ProgramBuilder,
    of: str,
    batch: int,
    length: int,
    width: int,
    hidden: int,
    layers: int,
    given: Sequence[int] | None = None,
    loud: float = 1.0,
) -> Call:
    """``given``: the lengths, instead of drawn ones. ``loud``: the size of what stands in the padding."""
    frames = builder.generator.normal(batch, length, width)
    sizes = lengths(builder.generator, batch, max(length - 1, 1)) if given is None else np.array(given)
    frames = np.where((np.arange(length) < sizes[:, None])[..., None], frames, loud * frames)
    args = [builder.array(f"{of}frames", frames), builder.array(f"{of}lengths", sizes)]
    for _ in range(layers):
        length = (length + 1) // 2
    return Call(MADE, args, {"states": (batch, length, 2 * hidden), "lengths": None})


# ---- memories


def _address(builder: ProgramBuilder, of: str, batch: int, rows: int, width: int, strength: float = 2.0) -> Call:
    """``strength``: the most of it. No entry is near 0: a guard in the denominator counts more where a key is short."""
    shapes = {f"{of}memory": (batch, rows, width), f"{of}key": (batch, width)}
    drawn = {name: builder.generator.normal(*shape) for name, shape in shapes.items()}
    args = [builder.array(name, values + np.copysign(1.0, values)) for name, values in drawn.items()]
    strengths = builder.generator.uniform(batch, low=strength / 4, high=strength)
    return Call(ADDRESS, [*args, builder.array(f"{of}strength", strengths)], {"weights": (batch, rows)})


def _read(builder: ProgramBuilder, of: str, batch: int, rows: int, width: int) -> Call:
    args = [builder.normal(f"{of}memory", batch, rows, width), shares(builder, f"{of}weights", batch, rows)]
    return Call(READ, args, {"result": (batch, width)})


def _write(builder: ProgramBuilder, of: str, batch: int, rows: int, width: int) -> Call:
    args = [builder.normal(f"{of}memory", batch, rows, width), shares(builder, f"{of}weights", batch, rows)]
    erase = builder.array(f"{of}erase", builder.generator.uniform(batch, width))
    return Call(WRITE, [*args, erase, builder.normal(f"{of}add", batch, width)], {"result": (batch, rows, width)})


def _luong(
    builder: ProgramBuilder, of: str, batch: int, targets: int, sources: int, enc: int, dec: int, heads: int
) -> Call:
    args = [
        builder.normal(f"{of}decoder_states", batch, targets, dec),
        builder.normal(f"{of}encoder_states", batch, sources, enc),
    ]
    return Call(MADE, args, {"context": (batch, targets, enc), "weights": (batch, heads, targets, sources)})


def _top_k(builder: ProgramBuilder, of: str, batch: int, queries: int, rows: int, d_k: int, d_v: int, k: int) -> Call:
    shapes = {"query": (batch, queries, d_k), "keys": (batch, rows, d_k), "values": (batch, rows, d_v)}
    args = [builder.normal(f"{of}{name}", *shape) for name, shape in shapes.items()]
    return Call(TOP_K, [*args, k], {"output": (batch, queries, d_v), "indices": None})


DRAWN: dict[str, Callable[..., Call]] = {
    COVERAGE: _coverage,
    COVERAGE_LOSS: _coverage_loss,
    POINTER: _pointer,
    HOPS: _hops,
    BIDAF: _bidaf,
    SPATIAL: _spatial,
    PYRAMID: _pyramid,
    SUPERVISED: _supervised,
    MONOTONIC: _monotonic,
    DIAGONAL: _diagonal,
    ADDRESS: _address,
    READ: _read,
    WRITE: _write,
    LUONG: _luong,
    TOP_K: _top_k,
}
