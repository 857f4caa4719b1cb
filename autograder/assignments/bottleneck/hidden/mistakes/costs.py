"""Known mistakes of score_multiplications, attention_bytes and the capacities of a context."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from autograder.assignments.kit.hidden.variant import from_table
from reference.bottleneck.counts import score_multiplications as right

Additive = Callable[[int, int, int], int]  # length, dim, attn_dim
Product = Callable[[int, int], int]


def scores(
    additive: Additive = lambda n, d, a: n * (2 * d * a + a),
    dot: Product = lambda n, d: n * d,
    general: Product = lambda n, d: d * d + n * d,
) -> dict[str, Any]:
    """Build a score_multiplications with some kinds replaced by wrong ones."""

    def score_multiplications(kind: str, length: int, dim: int, attn_dim: int | None = None) -> int:
        right(kind, length, dim, attn_dim or 1)  # raises ValueError where it should
        if kind == "additive":
            return additive(length, dim, attn_dim or 0)
        return dot(length, dim) if kind == "dot" else general(length, dim)

    return {"score_multiplications": score_multiplications}


ADDITIVE: dict[str, dict[str, Additive]] = {
    "projection-forgotten": {"additive": lambda n, d, a: n * a, "additive-dim": lambda n, d, a: n * d},
    "additive-one-projection": {
        "": lambda n, d, a: n * (d * a + a),
        "cached": lambda n, d, a: d * a + n * (d * a + a),
        "query-only": lambda n, d, a: d * a + n * a,
    },
    "multiply-add-counted-twice": {
        "additive": lambda n, d, a: 2 * n * (2 * d * a + a),
        "additive-additions": lambda n, d, a: n * (2 * d * a + a) + n * (2 * (d - 1) * a + a + a - 1),
        "additive-sums": lambda n, d, a: n * (2 * d * a + a) + n * (2 * (d - 1) * a + a - 1),
        "additive-projections": lambda n, d, a: n * (4 * d * a + a),
    },
    "": {
        "additive-without-v": lambda n, d, a: n * 2 * d * a,
        "additive-one-position": lambda n, d, a: 2 * d * a + a,
        "additive-v-once": lambda n, d, a: n * 2 * d * a + a,
        "additive-dim-for-v": lambda n, d, a: n * (2 * d * a + d),
        "additive-square": lambda n, d, a: n * (2 * d * d + d),
        "additive-tanh": lambda n, d, a: n * (2 * d * a + 2 * a),
        "additive-squared-length": lambda n, d, a: n * n * (2 * d * a + a),
    },
}
DOT: dict[str, dict[str, Product]] = {
    "multiply-add-counted-twice": {"dot": lambda n, d: 2 * n * d, "dot-additions": lambda n, d: n * (2 * d - 1)},
    "": {
        "dot-squared": lambda n, d: n * n * d,
        "dot-one": lambda n, d: d,
        "dot-scaled": lambda n, d: n * (d + 1),
        "dot-dim-squared": lambda n, d: n * d * d,
    },
}
GENERAL: dict[str, dict[str, Product]] = {
    "projection-forgotten": {"general": lambda n, d: n * d},
    "general-per-position": {"": lambda n, d: n * (d * d + d), "only": lambda n, d: n * d * d},
    "multiply-add-counted-twice": {
        "general": lambda n, d: 2 * (d * d + n * d),
        "general-additions": lambda n, d: d * (2 * d - 1) + n * (2 * d - 1),
    },
    "": {
        "general-projection-only": lambda n, d: d * d,
        "general-squared": lambda n, d: d * d + n * n * d,
        "general-two": lambda n, d: 2 * d * d + n * d,
    },
}
ALL: dict[str, dict[str, dict[str, Any]]] = {
    "multiply-add-counted-twice": {
        "all": scores(
            lambda n, d, a: 2 * n * (2 * d * a + a), lambda n, d: 2 * n * d, lambda n, d: 2 * (d * d + n * d)
        ),
        "all-additions": scores(
            ADDITIVE["multiply-add-counted-twice"]["additive-additions"],
            DOT["multiply-add-counted-twice"]["dot-additions"],
            GENERAL["multiply-add-counted-twice"]["general-additions"],
        ),
        "all-sums": scores(
            ADDITIVE["multiply-add-counted-twice"]["additive-sums"],
            DOT["multiply-add-counted-twice"]["dot-additions"],
            GENERAL["multiply-add-counted-twice"]["general-additions"],
        ),
    },
    "projection-forgotten": {
        "both": scores(lambda n, d, a: n * a, general=lambda n, d: n * d),
        "both-dim": scores(lambda n, d, a: n * d, general=lambda n, d: n * d),
    },
}


def memory(of: Callable[[int, int, int, int], int]) -> dict[str, Any]:
    """Build a wrong attention_bytes from length, heads, layers and bytes of a number."""

    def attention_bytes(length: int, heads: int = 1, layers: int = 1, bytes_per_number: int = 4) -> int:
        return of(length, heads, layers, bytes_per_number)

    return {"attention_bytes": attention_bytes}


Memory = Callable[[int, int, int, int], Any]


def _times(width: int) -> Memory:
    return lambda n, h, y, b: n * n * h * y * b * width


MEMORY: dict[str, dict[str, Memory]] = {
    "bytes-not-counted": {"": lambda n, h, y, b: n * n * h * y, "bits": lambda n, h, y, b: n * n * h * y * b * 8},
    "argument-ignored": {"bytes": lambda n, h, y, b: n * n * h * y * 4},
    "heads-not-counted": {"": lambda n, h, y, b: n * n * y * b},
    "layers-not-counted": {"": lambda n, h, y, b: n * n * h * b},
    "linear-not-quadratic": {"": lambda n, h, y, b: n * h * y * b, "twice": lambda n, h, y, b: 2 * n * h * y * b},
    "width-counted": {str(width): _times(width) for width in (32, 64, 128, 256, 512, 768, 1024)},
    "": {
        "half": lambda n, h, y, b: n * (n + 1) // 2 * h * y * b,
        "sum": lambda n, h, y, b: n * n * (h + y) * b,
        "kilobytes": lambda n, h, y, b: n * n * h * y * b / 1024,
        "cubed": lambda n, h, y, b: n**3 * h * y * b,
        "squared-heads": lambda n, h, y, b: n * n * h * h * y * b,
        "neither": lambda n, h, y, b: n * n * b,
        "per-head": lambda n, h, y, b: n * n // h * y * b,
    },
}
CAPACITY: dict[str, dict[str, Callable[[int, int], Any]]] = {
    "": {
        "capacity-sum": lambda w, b: w + b,
        "capacity-states": lambda w, b: float(2**b) * w if b < 900 else math.inf,
        "capacity-bytes": lambda w, b: w * b // 8,
        "capacity-bytes-exact": lambda w, b: w * b / 8,
        "capacity-log": lambda w, b: w * math.log2(b),
        "capacity-width": lambda w, b: w,
        "capacity-twice": lambda w, b: 2 * w * b,
    },
    "off-by-one": {"capacity-more": lambda w, b: w * b + 1, "capacity-less": lambda w, b: w * b - 1},
}
TOKEN: dict[str, dict[str, Callable[[int], Any]]] = {
    "wrong-log-base": {"token": lambda v: math.log(v), "token-ten": lambda v: math.log10(v)},
    "": {
        "token-up": lambda v: math.ceil(math.log2(v)),
        "token-down": lambda v: math.floor(math.log2(v)),
        "token-length": lambda v: v.bit_length(),
        "token-negative": lambda v: -math.log2(v),
        "token-share": lambda v: 1 / v,
        "token-weighted": lambda v: math.log2(v) / v,
        "token-words": lambda v: float(v),
        "token-more": lambda v: math.log2(v + 1),
        "token-less": lambda v: math.log2(max(v - 1, 1)),
        "token-root": lambda v: math.sqrt(v),
        "token-rounded": lambda v: round(math.log2(v)),
        "token-two-digits": lambda v: round(math.log2(v), 2),
    },
}


def _lossless(count: Callable[[float], int], log: Callable[[float], float] = math.log2) -> Callable[..., int]:
    return lambda width, bits, vocabulary: count(width * bits / log(vocabulary))


LOSSLESS: dict[str, dict[str, Callable[..., Any]]] = {
    "rounded-up": {
        "": _lossless(math.ceil),
        "nearest": _lossless(round),
        "half": _lossless(lambda x: int(x + 0.5)),
        "one-more": _lossless(lambda x: math.floor(x) + 1),
    },
    "wrong-log-base": {
        "lossless": _lossless(math.floor, math.log),
        "lossless-ten": _lossless(math.floor, math.log10),
        "lossless-rounded": _lossless(round, math.log),
    },
    "off-by-one": {
        "lossless": _lossless(lambda x: math.floor(x) - 1),
        "lossless-below": _lossless(lambda x: math.ceil(x) - 1),
    },
    "": {
        "lossless-whole-bits": lambda w, b, v: w * b // math.ceil(math.log2(v)),
        "lossless-length": lambda w, b, v: w * b // v.bit_length(),
        "lossless-fraction": _lossless(lambda x: x),  # type: ignore[arg-type, return-value]
        "lossless-words": lambda w, b, v: w * b // v,
        "lossless-width": lambda w, b, v: math.floor(w / math.log2(v)),
        "lossless-bits": lambda w, b, v: math.floor(b / math.log2(v)),
        "lossless-product": lambda w, b, v: math.floor(w * b * math.log2(v)),
        "lossless-down-bits": lambda w, b, v: w * b // math.floor(math.log2(v)),
        "lossless-per-number": lambda w, b, v: w * math.floor(b / math.log2(v)),
    },
}
VARIANTS = (
    *from_table(ADDITIVE, lambda one: scores(additive=one), "scores-{}"),
    *from_table(DOT, lambda one: scores(dot=one), "scores-{}"),
    *from_table(GENERAL, lambda one: scores(general=one), "scores-{}"),
    *from_table(ALL, lambda one: one, "scores-{}"),
    *from_table(MEMORY, memory, "memory-{}"),
    *from_table(CAPACITY, lambda one: {"context_capacity": one}, "{}"),
    *from_table(TOKEN, lambda one: {"bits_per_token": one}, "{}"),
    *from_table(LOSSLESS, lambda one: {"longest_lossless": one}, "{}"),
)
