"""Wrong positions and entropies of ``self_attention``."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.self_attention.hidden.mistakes.parts import Part, spelled


def _positions(frequency: Part, first: Part = torch.sin, second: Part = torch.cos) -> Part:
    """Return positions with ``frequency(column, dim)``; ``first`` makes the even columns, ``second`` the odd ones."""

    def sinusoidal_positions(length: int, dim: int) -> Tensor:
        position = torch.arange(length, dtype=torch.float64).unsqueeze(1)
        columns = torch.arange(dim, dtype=torch.float64)
        angle = position * frequency(columns, dim)
        even = columns % 2 == 0
        return torch.where(even, first(angle), second(angle)).float()

    return sinusoidal_positions


def _right(c: Tensor, d: int) -> Tensor:
    return 10000.0 ** -((c - c % 2) / d)


def _in_halves(first: Part, second: Part) -> Part:
    """Return positions whose first half of columns is made by ``first``, and the other half by ``second``."""

    def sinusoidal_positions(length: int, dim: int) -> Tensor:
        position = torch.arange(length, dtype=torch.float64).unsqueeze(1)
        angle = position * 10000.0 ** -(torch.arange(0, dim, 2, dtype=torch.float64) / dim)
        return torch.cat([first(angle), second(angle)], 1)[:, :dim].float()

    return sinusoidal_positions


POSITIONS: dict[str, dict[str, Part]] = {
    "sin-cos-swapped": {"": _positions(_right, torch.cos, torch.sin)},
    "sin-cos-halves": {"": _in_halves(torch.sin, torch.cos), "swapped": _in_halves(torch.cos, torch.sin)},
    "wrong-frequency": {
        **{
            f"base-{base:g}": _positions(lambda c, d, base=base: base ** -((c - c % 2) / d))
            for base in (math.e, 10.0, 100.0, 1000.0, 1e5, 1e6)
        },
        "twice": _positions(lambda c, d: 10000.0 ** -(2 * (c - c % 2) / d)),
        "each-its-own": _positions(lambda c, d: 10000.0 ** -(c / d)),
        "each-its-own-twice": _positions(lambda c, d: 10000.0 ** -(2 * c / d)),
        "half-even-whole-odd": _positions(lambda c, d: 10000.0 ** -(2 * (c // 2 + c % 2) / d)),
        "odd": _positions(lambda c, d: 10000.0 ** -((c - c % 2 + 1) / d)),
        "inverse": _positions(lambda c, d: 10000.0 ** ((c - c % 2) / d)),
        "none": _positions(lambda c, d: torch.ones_like(c)),
        "not-divided": _positions(lambda c, d: 10000.0 ** -(c - c % 2)),
        "shorter": _positions(lambda c, d: 10000.0 ** -((c - c % 2) / max(d - 2, 1))),
        "one-shorter": _positions(lambda c, d: 10000.0 ** -((c - c % 2) / max(d - 1, 1))),
        "by-last-position": lambda length, dim: _positions(lambda c, d: _right(c, d) / max(length - 1, 1))(length, dim),
        "by-length": lambda length, dim: _positions(lambda c, d: _right(c, d) / length)(length, dim),
        "turns": _positions(lambda c, d: 2 * math.pi * _right(c, d)),
        "linear": _positions(lambda c, d: 1 / (10000.0 * ((c - c % 2) / d)).clamp(min=1.0)),
        **{
            f"swapped-{how}": _positions(lambda c, d, p=p: 10000.0 ** -(p * (c - c % 2) / d), torch.cos, torch.sin)
            for how, p in (("half", 0.5), ("twice", 2.0))
        },
    },
    "hardcoded-answer": {
        "hundred": lambda length, dim: _positions(_right)(100, dim),
        "largest": lambda length, dim: _positions(_right)(512, dim),
    },
}


def _terms(weights: Tensor) -> Tensor:
    return weights * weights.masked_fill(weights == 0, 1.0).log()


def _detached(weights: Tensor) -> Tensor:
    return weights * weights.masked_fill(weights == 0, 1.0).log().detach()


def _log_plus(small: float) -> Part:
    return lambda weights: weights * (weights + small).log()


ENTROPIES: dict[str, dict[str, Part]] = {  # functions of weights, before the sum and its sign
    "wrong-log-base": {"two": lambda w: _terms(w) / math.log(2), "ten": lambda w: _terms(w) / math.log(10)},
    "nan-at-zero-weight": {
        "": lambda w: w * w.log(),
        "replaced": lambda w: torch.where(w > 0, w * w.log(), 0.0),
        "entr": lambda w: -torch.special.entr(w),
    },
    "mean-not-sum": {"": lambda w: _terms(w) / w.shape[-1]},
    "epsilon-too-large": {f"{small:g}": _log_plus(small) for small in (1e-2, 1e-3, 1e-4, 1e-5)},
    "weights-softmaxed": {"": lambda w: _terms(torch.softmax(w, -1))},
    "detached-graph": {"log": _detached, "weights": lambda w: w.detach() * w.masked_fill(w == 0, 1.0).log()},
    "hardcoded-answer": {"uniform": lambda w: 0 * w - math.log(w.shape[-1]) / w.shape[-1]},
}


class _BackwardOfZero(torch.autograd.Function):
    """An entropy by hand, with the logarithm of 0 in its backward pass."""

    @staticmethod
    def forward(ctx: Any, weights: Tensor) -> Tensor:
        ctx.save_for_backward(weights)
        return -_terms(weights).sum(-1)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tensor:
        (weights,) = ctx.saved_tensors
        slopes: Tensor = -(weights.log() + 1)
        return slopes * grads[0].unsqueeze(-1)


def _summed(terms: Part) -> Part:
    return lambda weights: -terms(weights).sum(-1)


def _own_backward(weights: Tensor) -> Tensor:
    entropy: Tensor = _BackwardOfZero.apply(weights)  # type: ignore[no-untyped-call]
    return entropy


OTHER_ENTROPIES: dict[str, dict[str, Part]] = {
    "nan-at-zero-weight": {"own-backward": _own_backward},
    "squeeze-drops-dim": {"": lambda w: -_terms(w).sum(-1).squeeze()},
    "ignores-batch": {"": lambda w: (-_terms(w[:1]).sum(-1)).expand(w.shape[:-1])},
}

VARIANTS = (
    *spelled("positions", POSITIONS, lambda one: {"sinusoidal_positions": one}),
    *spelled("entropy", ENTROPIES, lambda one: {"attention_entropy": _summed(one)}),
    *spelled("entropy-other", OTHER_ENTROPIES, lambda one: {"attention_entropy": one}),
)
