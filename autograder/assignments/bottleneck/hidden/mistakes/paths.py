"""Known mistakes of path_length, path_decay and reach."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from autograder.assignments.kit.hidden.variant import from_table

Length = Callable[[int, int, int], int]  # source, target, position


def length(of: Length, attended: int = 1) -> dict[str, Any]:
    """Build a wrong path_length. ``attended``: what it says with attention."""

    def path_length(source_length: int, target_length: int, position: int, attention: bool = False) -> int:
        return attended if attention else of(source_length, target_length, position)

    return {"path_length": path_length}


def _right(source: int, target: int, position: int) -> int:
    return target + source - position


LENGTHS: dict[str, dict[str, Length]] = {
    "encoder-path-missing": {"": lambda s, t, p: t},
    "decoder-path-missing": {"": lambda s, t, p: s - p},
    "position-from-the-start": {
        "": lambda s, t, p: t + p,
        "zero-based": lambda s, t, p: t + p - 1,
        "encoder-only": lambda s, t, p: p,
    },
    "off-by-one": {"length-more": lambda s, t, p: t + s - p + 1, "length-less": lambda s, t, p: t + s - p - 1},
    "": {
        "length-all": lambda s, t, p: t + s,
        "length-signed": lambda s, t, p: p - s + t,
        "length-two": lambda s, t, p: t + s - p + 2,
        "length-product": lambda s, t, p: t * (s - p),
        "length-to-target": lambda s, t, p: t - p,
    },
}
ATTENDED: dict[str, dict[str, dict[str, Any]]] = {
    "argument-ignored": {"attention": {"path_length": lambda s, t, p, attention=False: _right(s, t, p)}},
    "": {
        "attended-none": length(_right, 0),
        "attended-two": length(_right, 2),
        "attended-target": {"path_length": lambda s, t, p, attention=False: t if attention else _right(s, t, p)},
        "attended-encoder": {
            "path_length": lambda s, t, p, attention=False: s - p + 1 if attention else _right(s, t, p)
        },
        "attended-inverted": {"path_length": lambda s, t, p, attention=False: _right(s, t, p) if attention else 1},
    },
}
DECAYS: dict[str, dict[str, Callable[[float, int], Any]]] = {
    "decay-times-steps": {"": lambda g, n: g * n},
    "off-by-one": {"decay-more": lambda g, n: g ** (n + 1), "decay-less": lambda g, n: g ** (n - 1)},
    "": {
        "decay-exponential": lambda g, n: math.exp(-g * n),
        "decay-inverse": lambda g, n: g / n if n else math.inf,
        "decay-complement": lambda g, n: (1 - g) ** n,
        "decay-swapped": lambda g, n: float(n) ** g,
        "decay-lost": lambda g, n: 1 - g**n,
        "decay-natural": lambda g, n: math.exp(-n / g),
        "decay-log": lambda g, n: n * math.log(g),
        "decay-linear": lambda g, n: max(0.0, 1 - n * (1 - g)),
        "decay-negative": lambda g, n: g**-n if n < 500 else math.inf,
    },
}


def _steps(gamma: float, threshold: float) -> float:
    return math.log(threshold) / math.log(gamma)


Reach = Callable[[float, float], Any]
REACHES: dict[str, dict[str, Reach]] = {
    "off-by-one": {
        "reach-up": lambda g, e: math.ceil(_steps(g, e)),
        "reach-less": lambda g, e: math.floor(_steps(g, e)) - 1,
        "reach-nearest": lambda g, e: round(_steps(g, e)),
        "reach-two": lambda g, e: math.floor(_steps(g, e)) + 2,
    },
    "argument-ignored": {
        "threshold": lambda g, e: math.floor(_steps(g, 1e-7)),
        "threshold-up": lambda g, e: math.ceil(_steps(g, 1e-7)),
    },
    "": {
        "reach-fraction": _steps,
        "reach-negative": lambda g, e: -math.floor(_steps(g, e)),
        "reach-inverse": lambda g, e: math.floor(1 / _steps(g, e)),
        "reach-log": lambda g, e: math.floor(-math.log(e)),
        "reach-divided": lambda g, e: math.floor(g / e),
        "reach-gamma": lambda g, e: math.floor(-math.log(e) / g),
        "reach-ten": lambda g, e: math.floor(math.log10(e) / math.log(g)),
        "reach-bits": lambda g, e: math.floor(math.log2(e) / math.log(g)),
        "reach-half": lambda g, e: math.floor(_steps(g, e) / 2),
    },
}


def _reach(of: Reach) -> dict[str, Any]:
    return {"reach": lambda gamma, threshold=1e-7: of(gamma, threshold)}


VARIANTS = (
    *from_table(LENGTHS, length, "{}"),
    *from_table(ATTENDED, lambda one: one, "{}"),
    *from_table(DECAYS, lambda one: {"path_decay": one}, "{}"),
    *from_table(REACHES, _reach, "{}"),
)
