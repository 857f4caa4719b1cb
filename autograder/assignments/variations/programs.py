"""The programs of ``variations``'s cases: functions that write the steps of one case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.usual_programs import MADE, UsualPrograms
from autograder.assignments.variations.inputs import (
    ADDRESS,
    BIDAF,
    COVERAGE,
    COVERAGE_LOSS,
    DIAGONAL,
    DRAWN,
    HOPS,
    LUONG,
    MONOTONIC,
    POINTER,
    PYRAMID,
    READ,
    SPATIAL,
    SUPERVISED,
    TOP_K,
    WRITE,
)

# ---- modules: each takes the sizes of its inputs


def make_pointer(
    builder: ProgramBuilder, batch: int, enc: int, dec: int, emb: int, *rest: int, scale: float = 0.7
) -> None:
    """Build a PointerGenerator with Gaussian weights."""
    weights = {"w_c.weight": (1, enc), "w_s.weight": (1, dec), "w_y.weight": (1, emb), "w_y.bias": (1,)}
    builder.make(MADE, POINTER, enc, dec, emb, weights=weights, scale=scale)


def make_bidaf(builder: ProgramBuilder, batch: int, m: int, n: int, dim: int, scale: float = 0.7) -> None:
    """Build a BiDAF with Gaussian weights."""
    builder.make(MADE, BIDAF, dim, weights={"w.weight": (1, 3 * dim)}, scale=scale)


def make_spatial(
    builder: ProgramBuilder, batch: int, features: int, state: int, *places: int, scale: float = 0.7
) -> None:
    """Build a SpatialAttention with Gaussian weights."""
    builder.make(MADE, SPATIAL, features, state, weights={"W_a.weight": (state, features)}, scale=scale)


def make_pyramid(
    builder: ProgramBuilder, batch: int, length: int, width: int, hidden: int, layers: int, scale: float = 0.7
) -> None:
    """Build a PyramidalEncoder with Gaussian weights."""
    weights: dict[str, tuple[int, ...]] = {}
    for layer in range(layers):
        read = 4 * hidden if layer else 2 * width
        for way in ("", "_reverse"):
            rows: dict[str, tuple[int, ...]] = {"weight_ih": (3 * hidden, read), "weight_hh": (3 * hidden, hidden)}
            rows |= {"bias_ih": (3 * hidden,), "bias_hh": (3 * hidden,)}
            weights |= {f"rnns.{layer}.{name}_l0{way}": shape for name, shape in rows.items()}
    builder.make(MADE, PYRAMID, width, hidden, layers, weights=weights, scale=scale)


def make_luong(
    builder: ProgramBuilder, batch: int, targets: int, sources: int, enc: int, dec: int, heads: int, scale: float = 0.7
) -> None:
    """Build a MultiHeadLuong with Gaussian weights."""
    weights = {"W_a.weight": (dec, enc), "W_o.weight": (enc, enc)}
    builder.make(MADE, LUONG, enc, dec, heads, weights=weights, scale=scale)


MAKES: dict[str, Callable[..., None]] = {
    POINTER: make_pointer,
    BIDAF: make_bidaf,
    SPATIAL: make_spatial,
    PYRAMID: make_pyramid,
    LUONG: make_luong,
}
METHODS = {**dict.fromkeys(MAKES, (".forward",)), BIDAF: (".similarity", ".forward")}
TAKES = {
    COVERAGE: "(scores, penalty)",
    COVERAGE_LOSS: "(weights, seen, tgt_lengths)",
    HOPS: "(query, memory, hops)",
    SUPERVISED: "(task_loss, weights, gold, tgt_lengths, factor)",
    MONOTONIC: "(scores)",
    DIAGONAL: "(scores, src_lengths, tgt_lengths, sigma)",
    ADDRESS: "(memory, key, strength)",
    READ: "(memory, weights)",
    WRITE: "(memory, weights, erase, add)",
    TOP_K: "(query, keys, values, k)",
}
USUAL = UsualPrograms(DRAWN, TAKES, MAKES, METHODS)


# ---- programs


def uneven(builder: ProgramBuilder, bad: Sequence[tuple[int, int, int]], good: Sequence[Any]) -> None:
    """Build MultiHeadLuong with sizes that do not fit, as ``bad0``..., and call one whose sizes do."""
    for i, sizes in enumerate(bad):
        builder.make(f"bad{i}", LUONG, *sizes)
    USUAL.once(builder, LUONG, *good)


def similarity(builder: ProgramBuilder, batch: int, m: int, n: int, dim: int) -> None:
    """Call BiDAF.similarity once."""
    make_bidaf(builder, batch, m, n, dim)
    words = {"context": m, "question": n}
    args = [builder.normal(name, batch, length, dim) for name, length in words.items()]
    builder.call("out", f"{MADE}.similarity", *args, outputs={"scores": (batch, m, n)}, gradient=True, echo=True)
