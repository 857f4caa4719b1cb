"""Known mistakes of attention_costs and visible_pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from autograder.assignments.kit.hidden.variant import Variant, from_table

Part = Callable[..., Any]


def costs(
    operations: Part = lambda b, h, g, q, k, d, n: 4 * b * h * q * k * d,
    matrix: Part = lambda b, h, g, q, k, d, n: b * h * q * k * n,
    cache: Part = lambda b, h, g, q, k, d, n: 2 * b * g * k * d * n,
) -> dict[str, Any]:
    """Build an attention_costs with some parts replaced by wrong ones."""

    def attention_costs(
        batch: int, heads: int, groups: int, queries: int, keys: int, head_dim: int, bytes_per_number: int = 4
    ) -> tuple[int, int, int]:
        sizes = (batch, heads, groups, queries, keys, head_dim, bytes_per_number)
        return operations(*sizes), matrix(*sizes), cache(*sizes)

    return {"attention_costs": attention_costs}


OPERATIONS: dict[str, dict[str, Part]] = {
    "multiply-add-counted-once": {"": lambda b, h, g, q, k, d, n: 2 * b * h * q * k * d},
    "heads-not-counted": {"operations": lambda b, h, g, q, k, d, n: 4 * b * q * k * d},
    "": {
        "one-product": lambda b, h, g, q, k, d, n: b * h * q * k * d,
        "groups": lambda b, h, g, q, k, d, n: 4 * b * g * q * k * d,
        "batch": lambda b, h, g, q, k, d, n: 4 * h * q * k * d,
        "softmax-too": lambda b, h, g, q, k, d, n: 4 * b * h * q * k * d + b * h * q * k,
    },
}
MATRICES: dict[str, dict[str, Part]] = {
    "heads-not-counted": {"matrix": lambda b, h, g, q, k, d, n: b * q * k * n},
    "bytes-not-counted": {"matrix": lambda b, h, g, q, k, d, n: b * h * q * k},
    "": {
        "groups": lambda b, h, g, q, k, d, n: b * g * q * k * n,
        "batch": lambda b, h, g, q, k, d, n: h * q * k * n,
        "four": lambda b, h, g, q, k, d, n: b * h * q * k * 4,
        "width": lambda b, h, g, q, k, d, n: b * h * q * k * d * n,
    },
}
CACHES: dict[str, dict[str, Part]] = {
    "values-not-cached": {"": lambda b, h, g, q, k, d, n: b * g * k * d * n},
    "cache-of-all-heads": {"": lambda b, h, g, q, k, d, n: 2 * b * h * k * d * n},
    "heads-not-counted": {"cache": lambda b, h, g, q, k, d, n: 2 * b * k * d * n},
    "bytes-not-counted": {"cache": lambda b, h, g, q, k, d, n: 2 * b * g * k * d},
    "": {
        "queries": lambda b, h, g, q, k, d, n: 2 * b * g * q * d * n,
        "batch": lambda b, h, g, q, k, d, n: 2 * g * k * d * n,
        "four": lambda b, h, g, q, k, d, n: 2 * b * g * k * d * 4,
    },
}


def pairs(count: Callable[[int, int, int], int]) -> dict[str, Any]:
    """Build a visible_pairs."""
    return {"visible_pairs": lambda length, radius, stride: count(length, radius, stride)}


def windows(length: int, radius: int) -> int:
    """Return how many pairs the windows hold."""
    r = min(radius, length - 1)
    return length * (2 * r + 1) - r * (r + 1)


def strided(length: int, stride: int) -> int:
    """Return how many positions are multiples of the stride."""
    return (length + stride - 1) // stride


def both(length: int, radius: int, stride: int) -> int:
    """Return how many pairs belong to both patterns."""
    r = min(radius, length - 1)
    return sum(min(j, r) + min(length - 1 - j, r) + 1 for j in range(0, length, stride))


def union(length: int, radius: int, stride: int) -> int:
    """Return the right number."""
    return windows(length, radius) + length * strided(length, stride) - both(length, radius, stride)


PAIRS: dict[str, dict[str, Callable[[int, int, int], int]]] = {
    "window-edges-ignored": {
        "": lambda n, r, s: union(n, r, s) + n * (2 * r + 1) - windows(n, r),
        "limited": lambda n, r, s: union(n, r, s) + n * (2 * min(r, n - 1) + 1) - windows(n, r),
        "everywhere": lambda n, r, s: n * (2 * r + 1) + n * strided(n, s) - strided(n, s) * (2 * r + 1),
        "and-twice": lambda n, r, s: n * (2 * r + 1) + n * strided(n, s),
    },
    "overlap-counted-twice": {"": lambda n, r, s: windows(n, r) + n * strided(n, s)},
    "stride-missing": {"pairs": lambda n, r, s: windows(n, r)},
    "window-missing": {"pairs": lambda n, r, s: n * strided(n, s)},
    "radius-off-by-one": {
        "pairs-narrow": lambda n, r, s: union(n, max(r - 1, 0), s),
        "pairs-wide": lambda n, r, s: union(n, r + 1, s),
    },
    "": {
        "floor": lambda n, r, s: windows(n, r) + n * (n // s) - both(n, r, s),
        "half": lambda n, r, s: union(n, r, s) // 2,
        "one-sided": lambda n, r, s: union(n, r, s) - (windows(n, r) - n) // 2,
    },
}


def _variants() -> Iterator[Variant]:
    yield from from_table(OPERATIONS, lambda one: costs(operations=one), "operations-{}")
    yield from from_table(MATRICES, lambda one: costs(matrix=one), "matrix-{}")
    yield from from_table(CACHES, lambda one: costs(cache=one), "cache-{}")
    bytes_ = MATRICES["bytes-not-counted"]["matrix"], CACHES["bytes-not-counted"]["cache"]
    yield Variant("bytes-not-counted", "both", costs(matrix=bytes_[0], cache=bytes_[1]))
    one = OPERATIONS["heads-not-counted"]["operations"], MATRICES["heads-not-counted"]["matrix"]
    yield Variant("heads-not-counted", "both", costs(operations=one[0], matrix=one[1]))
    yield Variant("heads-not-counted", "all", costs(*one, CACHES["heads-not-counted"]["cache"]))
    yield from from_table(PAIRS, pairs, "pairs-{}")


VARIANTS = tuple(_variants())
