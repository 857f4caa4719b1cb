"""Known mistakes of local_weights."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden import masks, softmaxes
from autograder.assignments.kit.hidden.variant import Variant, from_table
from reference.luong import functions as reference
from reference.masking.functions import masked_softmax

Window = Callable[[Tensor, Tensor, int], Tensor]  # positions (T_s,), centers (B, 1), D -> (B, T_s)
Gauss = Callable[[Tensor, int], Tensor]
Combine = Callable[[Tensor, Tensor], Tensor]


def _window(j: Tensor, p: Tensor, D: int) -> Tensor:
    return (j - p).abs() <= D


def _gaussian(offsets: Tensor, D: int) -> Tensor:
    return torch.exp(-2 * (offsets / D).square())


def _product(weights: Tensor, gaussian: Tensor) -> Tensor:
    return weights * gaussian


def local(
    window: Window = _window,
    softmax: masks.MaskedSoftmax = masked_softmax,
    gaussian: Gauss = _gaussian,
    combine: Combine = _product,
    first: int = 0,
    axis: int = -1,
) -> dict[str, Any]:
    """Build a local_weights with some parts replaced by wrong ones. Positions count from ``first``. ``axis`` is the new
    one of the centers."""

    def local_weights(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
        j = torch.arange(first, first + scores.shape[-1], dtype=scores.dtype)
        p = center.unsqueeze(axis)
        weights = softmax(scores, window(j, p, half_width))
        return combine(weights, gaussian(j - p, half_width))

    return {"local_weights": local_weights}


# ---- the window: its edges, one by one

LEFT: dict[str, Window] = {
    "": lambda j, p, D: j >= p - D,
    "strict": lambda j, p, D: j > p - D,
    "later": lambda j, p, D: j >= torch.ceil(p - D) + 1,
    "earlier": lambda j, p, D: j >= torch.ceil(p - D) - 1,
    "floor": lambda j, p, D: j >= torch.floor(p - D),
}
RIGHT: dict[str, Window] = {
    "": lambda j, p, D: j <= p + D,
    "strict": lambda j, p, D: j < p + D,
    "earlier": lambda j, p, D: j <= torch.floor(p + D) - 1,
    "later": lambda j, p, D: j <= torch.floor(p + D) + 1,
    "ceil": lambda j, p, D: j <= torch.ceil(p + D),
}
CUT: dict[str, Window] = {  # the end of the sentence comes first
    "cut": lambda j, p, D: j < torch.floor(p + D).clamp(max=float(j[-1])),
    "never-last": lambda j, p, D: (j <= p + D) & (j < j[-1]),
}
ROUNDED = {("floor", ""), ("", "ceil")}  # a rounded center gives the same


def _between(left: Window, right: Window) -> Window:
    return lambda j, p, D: left(j, p, D) & right(j, p, D)


def _windows() -> Iterator[Variant]:
    for (low, left), (high, right) in itertools.product(LEFT.items(), (RIGHT | CUT).items()):
        if (low or high) and (low, high) not in ROUNDED:
            yield Variant("window-off-by-one", f"{low}-{high}", local(_between(left, right)))
    yield Variant("window-off-by-one", "from-one", local(first=1))
    yield Variant("window-off-by-one", "half", local(lambda j, p, D: (j - p).abs() <= D / 2))
    yield Variant("window-off-by-one", "twice", local(lambda j, p, D: (j - p).abs() <= 2 * D))


# ---- the softmax in it


def _in_rows(softmax: softmaxes.Softmax) -> masks.MaskedSoftmax:
    """Apply a wrong softmax to the visible entries of each row."""

    def masked(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
        rows = []
        for row, inside in zip(scores, mask, strict=True):
            visible = inside.nonzero().squeeze(1)
            values = softmax(row[visible], dim=-1) if len(visible) else row[visible]
            rows.append(torch.zeros_like(row).index_put((visible,), values))
        return torch.stack(rows)

    return masked


def _lowest(fill: Callable[[Tensor], Tensor]) -> masks.MaskedSoftmax:
    return lambda scores, mask, dim=-1: torch.softmax(torch.where(mask, scores, fill(scores)), dim)


def _over_batch(fill: float) -> masks.MaskedSoftmax:
    return lambda scores, mask, dim=-1: torch.softmax(scores.masked_fill(~mask, fill), 0)


def _every_best(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """Give 1 to the best visible score and all scores equal to it."""
    seen = scores.masked_fill(~mask, -torch.inf)
    return ((seen == seen.amax(dim, keepdim=True)) & mask).to(scores.dtype) + 0 * scores


def _by_greatest(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """Subtract the greatest score of the row, which may lie outside the window."""
    seen = torch.exp(scores - scores.amax(dim, keepdim=True)).masked_fill(~mask, 0.0)
    return seen / seen.sum(dim, keepdim=True).clamp_min(1e-30)


def _by_other_sums(known: Callable[[Tensor], Tensor]) -> masks.MaskedSoftmax:
    """Divide by the sums without ``keepdim``: each column by the sum of another row."""

    def masked(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
        greatest = known(scores.masked_fill(~mask, -torch.inf).amax(dim, keepdim=True))
        seen = torch.exp(scores - greatest).masked_fill(~mask, 0.0)
        return seen / seen.sum(dim)

    return masked


RARE = ("-30", "-20")  # other fills stand for these
AXES = (
    "second",
    "last",
    "next-to-last",
    "before",
    "maximum-of-last",
)  # the right one of two axes, or the same as "first"
LEFT_IN_BLANK = ("mask-leaks", "softmax-wrong-axis")  # these show in fully masked rows
NAMED = ("hard-attention", "softmax-unstable")  # for these causes the variants of masks are used
MASKED: dict[str, dict[str, masks.MaskedSoftmax]] = {
    "mask-leaks": {
        "below-the-lowest": _lowest(lambda scores: scores.min() - 1),
        "below-the-row": _lowest(lambda scores: scores.amin(-1, keepdim=True) - 1),
        "the-lowest": _lowest(lambda scores: scores.min()),
        "lowest-of-the-row": _lowest(lambda scores: scores.amin(-1, keepdim=True)),
    },
    "hard-attention": {"every-best": _every_best},
    "silent-broadcast": {"sums": _by_other_sums(lambda m: m), "sums-detached": _by_other_sums(torch.detach)},
    "softmax-unstable": {"maximum-of-all": _by_greatest},
    "softmax-wrong-axis": {"filled": _over_batch(-1e30), "infinite": _over_batch(-torch.inf)},
}


def _softmaxes() -> Iterator[Variant]:
    for one in masks.variants(lambda softmax: local(softmax=softmax)):
        if one.cause == "mask-not-used":
            if one.how == "mask":  # with zeroed entries it would be mask-after-softmax
                yield Variant("no-window", one.how, one.names)
        elif one.cause == "mask-leaks":
            if not one.how.endswith("blank-rows-zeroed") and not any(fill in one.how for fill in RARE):
                yield one
        elif one.cause == "softmax-wrong-axis":
            if one.how.removeprefix("masked-softmax-") not in AXES:
                yield one
        elif one.cause != "mask-wrong-axis" and (one.cause in NAMED or "masked-softmax" not in one.how):
            yield one
    for cause in ("missing-softmax", "not-softmax"):
        for how, softmax in softmaxes.SOFTMAXES[cause].items():
            yield Variant(cause, f"in-rows-{how}", local(softmax=_in_rows(softmax)))
    for cause, parts in MASKED.items():
        for how, masked in parts.items():
            for rows, variant in masks.blank_rows(masked) if cause in LEFT_IN_BLANK else [("", masked)]:
                yield Variant(cause, f"local-{how}{rows}", local(softmax=variant))


# ---- the Gaussian, and the product with it


def _exponent(factor: Callable[[float], float]) -> Gauss:
    return lambda offsets, D: torch.exp(-offsets.square() * factor(D))


def _integer(offsets: Tensor, D: int) -> Tensor:
    return torch.exp(-offsets.square() / (2 * (D // 2) ** 2))


def _root(offsets: Tensor, D: int) -> Tensor:
    return _gaussian(offsets.square().sqrt(), D)


def _renormalised(weights: Tensor, gaussian: Tensor) -> Tensor:
    made = weights * gaussian
    return made / made.sum(-1, keepdim=True)


def _renormalised_or_zero(weights: Tensor, gaussian: Tensor) -> Tensor:
    made = weights * gaussian
    return made / made.sum(-1, keepdim=True).clamp(min=1e-12)


SIGMAS: dict[str, Gauss] = {
    "half-width": _exponent(lambda D: 1 / (2 * D**2)),
    "twice-the-half-width": _exponent(lambda D: 1 / (8 * D**2)),
    "third": _exponent(lambda D: 9 / (2 * D**2)),
    "quarter": _exponent(lambda D: 8 / D**2),
    "sixth": _exponent(lambda D: 18 / D**2),
    "no-two": _exponent(lambda D: 4 / D**2),
    "half-width-no-two": _exponent(lambda D: 1 / D**2),
    "not-squared": _exponent(lambda D: 1 / D),
    "not-squared-no-two": _exponent(lambda D: 2 / D),
    "half-width-not-squared": _exponent(lambda D: 1 / (2 * D)),
    "not-squared-times-two": _exponent(lambda D: 4 / D),
    "multiplied": _exponent(lambda D: D**2 / 8),
    "half-width-multiplied": _exponent(lambda D: D**2 / 2),
    "multiplied-not-squared": _exponent(lambda D: D / 4),
    "half-width-multiplied-not-squared": _exponent(lambda D: D / 2),
    "one": _exponent(lambda D: 0.5),
    "none": _exponent(lambda D: 1.0),
    "two": _exponent(lambda D: 1 / 8),
    "whole-window": _exponent(lambda D: 2 / (2 * D + 1) ** 2),
    "whole-window-width": _exponent(lambda D: 1 / (2 * (2 * D + 1) ** 2)),
    "one-more": _exponent(lambda D: 2 / (D + 1) ** 2),
    "root": _exponent(lambda D: 1 / (4 * D)),
    "integer": _integer,
    "rounded-up": _exponent(lambda D: 1 / (2 * ((D + 1) // 2) ** 2)),
}
DISTANCES: dict[str, Gauss] = {
    "": lambda offsets, D: torch.exp(-2 * offsets.abs() / D**2),
    "by-sigma": lambda offsets, D: torch.exp(-2 * offsets.abs() / D),
}
GROWING: dict[str, Gauss] = {"": lambda offsets, D: torch.exp(2 * (offsets / D).square())}
COMBINES: dict[str, dict[str, Combine]] = {
    "no-gaussian": {"": lambda weights, gaussian: weights},
    "renormalised-window": {"": _renormalised, "or-zero": _renormalised_or_zero},
}


# ---- wrong inputs


def _with(change: Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor, int]]) -> dict[str, Any]:
    return {
        "local_weights": lambda scores, center, half_width: reference.local_weights(*change(scores, center, half_width))
    }


def _middle(where: Callable[[int], float]) -> dict[str, Any]:
    return _with(lambda scores, center, D: (scores, torch.full_like(center, where(scores.shape[-1])), D))


def _moved(move: Callable[[Tensor, int], Tensor]) -> dict[str, Any]:
    return _with(lambda scores, center, D: (scores, move(center, scores.shape[-1]), D))


def _round_in_window(j: Tensor, p: Tensor, D: int) -> Tensor:
    return _window(j, p.round(), D)


INPUTS: dict[str, dict[str, dict[str, Any]]] = {
    "hardcoded-answer": {
        **{f"width-{D}": _with(lambda scores, center, _, D=D: (scores, center, D)) for D in (1, 2, 3, 4, 5)},  # type: ignore[misc]
        "middle": _middle(lambda length: length // 2),
        "half": _middle(lambda length: length / 2),
        "start": _middle(lambda length: 0),
        "equal-scores": _with(lambda scores, center, D: (0 * scores, center, D)),
    },
    "center-rounded": {
        "window": local(_round_in_window),
        "": _moved(lambda center, length: center.round()),
        "down": _moved(lambda center, length: center.floor()),
        "into-the-sentence": _moved(lambda center, length: center.clamp(0, length - 1)),
    },
    "ignores-batch": {"first-center": _with(lambda scores, center, D: (scores, center[:1].expand_as(center), D))},
}
VARIANTS = (
    *_windows(),
    *_softmaxes(),
    *(Variant("wrong-sigma", how, local(gaussian=one)) for how, one in SIGMAS.items()),
    *(Variant("gaussian-inverted", how, local(gaussian=one)) for how, one in GROWING.items()),
    Variant("nan-in-gradient", "root", local(gaussian=_root)),
    *(Variant("distance-not-squared", how, local(gaussian=one)) for how, one in DISTANCES.items()),
    Variant("silent-broadcast", "centers-along-the-positions", local(axis=0)),
    *from_table(COMBINES, lambda combine: local(combine=combine)),
    *from_table(INPUTS, lambda names: names),
)
