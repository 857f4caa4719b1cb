"""Known mistakes of apply_rotary."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant, from_table

Part = Callable[..., Any]


def frequencies(count: int, base: float) -> Tensor:
    """Return base^(-2i/d) for d/2 pairs."""
    return base ** (-torch.arange(count, dtype=torch.float64) / count)


def turned(first: Tensor, second: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    """Return the pairs turned by their angles."""
    return first * cos - second * sin, second * cos + first * sin


def rotary(
    frequency: Part = frequencies,
    pairs: Part = lambda x: x.chunk(2, -1),
    turn: Part = turned,
    joined: Part = lambda first, second: torch.cat([first, second], -1),
    places: Part = lambda positions: positions,
    base_of: Part = lambda base: base,
    given: Part = lambda x: x,
) -> Part:
    """Build an apply_rotary with some parts replaced by wrong ones."""

    def apply_rotary(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        if x.shape[-1] % 2:
            raise ValueError(x.shape)
        angles = places(positions).double().unsqueeze(1) * frequency(x.shape[-1] // 2, base_of(base))
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        found: Tensor = joined(*turn(*pairs(given(x)), cos, sin))
        return found

    return apply_rotary


def interleaved(first: Tensor, second: Tensor) -> Tensor:
    """Return the columns of both in turn."""
    return torch.stack([first, second], -1).flatten(-2)


def neighbours(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the even and the odd columns."""
    return x[..., ::2], x[..., 1::2]


def _exponent(power: Callable[[Tensor, int], Tensor]) -> Part:
    """``power``: of i and d."""
    return lambda count, base: base ** power(torch.arange(count, dtype=torch.float64), 2 * count)


TABLES: dict[str, dict[str, Part]] = {
    "rotary-neighbours": {"": rotary(pairs=neighbours, joined=interleaved)},
    "rotary-backwards": {"": rotary(turn=lambda a, b, cos, sin: turned(a, b, cos, -sin))},
    "rotary-exponent": {
        "without-2": rotary(_exponent(lambda i, d: -i / d)),
        "twice": rotary(_exponent(lambda i, d: -4 * i / d)),
        "sign": rotary(_exponent(lambda i, d: 2 * i / d)),
        "sign-without-2": rotary(_exponent(lambda i, d: i / d)),
        "not-divided": rotary(_exponent(lambda i, d: -2 * i)),
    },
    "rotary-one-angle": {
        "": rotary(_exponent(lambda i, d: 0 * i)),
        "last": rotary(_exponent(lambda i, d: 0 * i - (d - 2) / d)),
    },
    "rotary-pairs-from-one": {"": rotary(_exponent(lambda i, d: -2 * (i + 1) / d))},
    "rotary-base-ignored": {"": rotary(base_of=lambda base: 10000.0)},
    "rotary-positions-ignored": {
        "": rotary(places=lambda p: torch.arange(len(p))),
        "from-one": rotary(places=lambda p: torch.arange(len(p)) + 1),
        "offset": rotary(places=lambda p: p[0] + torch.arange(len(p))),
        "none": rotary(places=lambda p: 0 * p),
        "sorted": rotary(places=lambda p: p.sort().values),
    },
    "rotary-not-joined": {
        "interleaved": rotary(joined=interleaved),
        "halves": rotary(pairs=neighbours),
        "swapped": rotary(joined=lambda a, b: torch.cat([b, a], -1)),
    },
    "detached-graph": {"": rotary(given=lambda x: x.detach())},
    "sin-cos-swapped": {"": rotary(turn=lambda a, b, cos, sin: turned(a, b, sin, cos))},
    "": {
        "reflected": rotary(turn=lambda a, b, cos, sin: (a * cos + b * sin, a * sin - b * cos)),
        "plus": rotary(turn=lambda a, b, cos, sin: (a * cos + b * sin, b * cos + a * sin)),
        "first-only": rotary(turn=lambda a, b, cos, sin: (a * cos - b * sin, b)),
        "turned-first-used": rotary(turn=lambda a, b, cos, sin: (first := a * cos - b * sin, b * cos + first * sin)),
        "from-one": rotary(places=lambda p: p + 1),
        "neighbours-backwards": rotary(
            pairs=neighbours, joined=interleaved, turn=lambda a, b, cos, sin: turned(a, b, cos, -sin)
        ),
        "turns": rotary(lambda count, base: 2 * torch.pi * frequencies(count, base)),
    },
}


def _variants() -> Iterator[Variant]:
    yield from from_table(TABLES, lambda one: {"apply_rotary": one}, "rotary-{}")


VARIANTS = tuple(_variants())
