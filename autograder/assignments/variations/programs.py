"""The programs of ``variations``'s cases: functions that write the steps of one case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograder.assignments.kit.programs import CallOptions, ProgramBuilder
from autograder.assignments.variations.inputs import BIDAF, DRAWN, LUONG, MADE, POINTER, PYRAMID, SPATIAL

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
METHODS = {BIDAF: (".similarity", ".forward")}  # of the others: forward


# ---- programs


def once(builder: ProgramBuilder, name: str, *size: Any, call: CallOptions | None = None, **options: Any) -> None:
    """Call a function or a module once on random inputs of this size. ``call``: how it is called."""
    if name in MAKES:
        MAKES[name](builder, *size)
    made = DRAWN[name](builder, "", *size, **options)
    builder.call("out", made.name, *made.args, outputs=made.outputs, **(call or {}))


def examined(builder: ProgramBuilder, name: str, *size: Any) -> None:
    """Look at the arguments of a function or of a class and its methods, and call it once."""
    builder.inspect("arguments", name, *methods_of(name))
    once(builder, name, *size)
    if name in MAKES:
        builder.inspect("parameters", MADE)


def methods_of(name: str) -> tuple[str, ...]:
    """Return the methods of a class, each behind a dot; none of a function."""
    return METHODS.get(name, (".forward",)) if name in MAKES else ()


def refused(builder: ProgramBuilder, name: str, bad: Sequence[Sequence[Any]], good: Sequence[Any]) -> None:
    """Call a function with arguments that it must refuse, as ``bad0``..., then with others."""
    for i, size in enumerate(bad):
        made = DRAWN[name](builder, f"bad{i}_", *size)
        builder.call(f"bad{i}", made.name, *made.args, outputs=made.outputs)
    once(builder, name, *good)


def uneven(builder: ProgramBuilder, bad: Sequence[tuple[int, int, int]], good: Sequence[Any]) -> None:
    """Build MultiHeadLuong with sizes that do not fit, as ``bad0``..., and call one whose sizes do."""
    for i, sizes in enumerate(bad):
        builder.make(f"bad{i}", LUONG, *sizes)
    once(builder, LUONG, *good)


def similarity(builder: ProgramBuilder, batch: int, m: int, n: int, dim: int) -> None:
    """Call BiDAF.similarity once."""
    make_bidaf(builder, batch, m, n, dim)
    words = {"context": m, "question": n}
    args = [builder.normal(name, batch, length, dim) for name, length in words.items()]
    builder.call("out", f"{MADE}.similarity", *args, outputs={"scores": (batch, m, n)}, gradient=True, echo=True)
