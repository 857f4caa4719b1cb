"""Known mistakes of entropy_bits and binary_channel_capacity. Other functions may have an entropy of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.variant import from_table
from reference.bottleneck.functions import entropy_bits, information

Entropy = Callable[[Tensor], Tensor]
LN2 = math.log(2)


# Those that a function with an entropy of its own can have too.
ENTROPIES: dict[str, dict[str, Entropy]] = {
    "wrong-log-base": {
        "nats": lambda p: entropy_bits(p) * LN2,
        "ten": lambda p: entropy_bits(p) * math.log10(2),
        "divided": lambda p: entropy_bits(p) / LN2,
        "twice-divided": lambda p: entropy_bits(p) * LN2 * LN2,
        "nats-nan": lambda p: -(p * p.log()).sum(-1),
    },
    "nan-at-zero-weight": {
        "": lambda p: -(p * p.log2()).sum(-1),
        "replaced": lambda p: -torch.where(p > 0, p * p.log2(), 0.0).sum(-1),
        "patched": lambda p: -(p * p.log2()).nan_to_num(0.0).sum(-1),
        "entr": lambda p: torch.special.entr(p).sum(-1) / LN2,
        "xlogy": lambda p: -torch.special.xlogy(p, p).sum(-1) / LN2,
    },
    "entropy-sign": {"": lambda p: information(p).sum(-1), "nats": lambda p: information(p).sum(-1) * LN2},
}
# Those of them that show where nobody asks for the gradient of a probability of 0.
OWN = {
    cause: {how: one for how, one in ones.items() if how in ("", "nats", "ten")} for cause, ones in ENTROPIES.items()
}
ALONE: dict[str, dict[str, Entropy]] = {
    "mean-not-sum": {"": lambda p: -information(p).mean(-1)},
    "entropy-sign": {"nan": lambda p: (p * p.log2()).sum(-1)},
    "detached-graph": {
        "all": lambda p: entropy_bits(p.detach()),
        "weights": lambda p: -(p.detach() * p.masked_fill(p == 0, 1.0).log2()).sum(-1),
    },
    "hardcoded-answer": {"uniform": lambda p: 0 * p.sum(-1) + math.log2(p.shape[-1])},
    "squeeze-drops-dim": {"": lambda p: entropy_bits(p).squeeze()},
    "ignores-batch": {
        "": lambda p: entropy_bits(p[:1]).expand(p.shape[:-1]),
        "mean": lambda p: entropy_bits(p).mean().expand(p.shape[:-1]),
    },
    "": {
        "columns": lambda p: -information(p).sum(-2),
        "everything": lambda p: -information(p).sum(),
        "relative": lambda p: entropy_bits(p) / math.log2(p.shape[-1]),
        "perplexity": lambda p: entropy_bits(p).exp2(),
        "without-weights": lambda p: -p.masked_fill(p == 0, 1.0).log2().sum(-1),
        "squares": lambda p: -(p.square()).sum(-1).log2(),
        "largest": lambda p: -p.amax(-1).log2(),
        "kept": lambda p: entropy_bits(p).unsqueeze(-1),
        "binary": lambda p: entropy_bits(torch.stack([p, 1 - p], -1)).sum(-1),
    },
}


def _half(p: float, log: Callable[[float], float]) -> float:
    return p * log(p) if p > 0 else 0.0


def _binary(flip: float, log: Callable[[float], float] = math.log2) -> float:
    return -_half(flip, log) - _half(1 - flip, log)


CAPACITIES: dict[str, dict[str, Callable[[float], Any]]] = {
    "entropy-not-capacity": {"": _binary},
    "capacity-linear": {
        "": lambda f: 1 - f,
        "twice": lambda f: 1 - 2 * f,
        "distance": lambda f: abs(1 - 2 * f),
        "smaller": lambda f: 1 - min(f, 1 - f),
    },
    "nan-at-zero-weight": {
        "channel": lambda f: 1 + f * math.log2(f) + (1 - f) * math.log2(1 - f),
        "channel-nan": lambda f: 1 - _binary(f) if 0 < f < 1 else math.nan,
        "channel-zero": lambda f: 1 - _binary(f) if 0 < f < 1 else 0.0,
    },
    "wrong-log-base": {
        "channel": lambda f: 1 - _binary(f, math.log),
        "channel-nats": lambda f: LN2 - _binary(f, math.log),
        "channel-ten": lambda f: 1 - _binary(f, math.log10),
        "channel-divided": lambda f: (1 - _binary(f, math.log)) / LN2,
        "channel-raising": lambda f: 1 + f * math.log(f) + (1 - f) * math.log(1 - f),
        "channel-times": lambda f: 1 - _binary(f) / LN2,
    },
    "": {
        "channel-half": lambda f: 1 + _half(f, math.log2),
        "channel-other-half": lambda f: 1 + _half(1 - f, math.log2),
        "channel-plus": lambda f: 1 + _binary(f),
        "channel-sign": lambda f: _binary(f) - 1,
        "channel-once": lambda f: 1 + 2 * _half(f, math.log2),
        "channel-erasure": lambda f: 1 - f / 2,
        "channel-squared": lambda f: (1 - 2 * f) ** 2,
        "channel-correct": lambda f: 1 - f if f < 0.5 else f,
    },
}
VARIANTS = (
    *from_table(ENTROPIES, lambda one: {"entropy_bits": one}, "entropy-{}"),
    *from_table(ALONE, lambda one: {"entropy_bits": one}, "entropy-alone-{}"),
    *from_table(CAPACITIES, lambda one: {"binary_channel_capacity": one}, "{}"),
)
