"""Known mistakes of local_weights."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.misconceptions import masks, softmaxes
from autograder.misconceptions.variant import Variant
from reference import luong as reference
from reference.masking import masked_softmax

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
    window: Window = _window, softmax: masks.MaskedSoftmax = masked_softmax, gaussian: Gauss = _gaussian,
    combine: Combine = _product, first: int = 0,
) -> dict[str, Any]:  # fmt: skip
    """A local_weights in which parts are other than they must be; positions count from ``first``."""

    def local_weights(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
        j = torch.arange(first, first + scores.shape[-1], dtype=scores.dtype)
        p = center.unsqueeze(-1)
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
CUT: dict[str, Window] = {  # by the end of the sentence first
    "cut": lambda j, p, D: j < torch.floor(p + D).clamp(max=float(j[-1])),
    "never-last": lambda j, p, D: (j <= p + D) & (j < j[-1]),
}
ROUNDED = {("floor", ""), ("", "ceil")}  # a whole center: another mistake
NAMELESS: dict[str, Window] = {  # known, and without an id
    "rounded": lambda j, p, D: _window(j, p.round(), D),
    "half": lambda j, p, D: (j - p).abs() <= D / 2,
    "twice": lambda j, p, D: (j - p).abs() <= 2 * D,
    "backward": lambda j, p, D: (j <= p) & (j >= p - D),
    "forward": lambda j, p, D: (j >= p) & (j <= p + D),
}


def _between(left: Window, right: Window) -> Window:
    return lambda j, p, D: left(j, p, D) & right(j, p, D)


def _windows() -> Iterator[Variant]:
    for (low, left), (high, right) in itertools.product(LEFT.items(), (RIGHT | CUT).items()):
        if low or high:
            cause = "" if (low, high) in ROUNDED else "window-off-by-one"
            yield Variant(cause, f"{low}-{high}", local(_between(left, right)))
    for how, window in NAMELESS.items():
        yield Variant("", f"window-{how}", local(window))
    yield Variant("mask-inverted", "window", local(lambda j, p, D: (j - p).abs() > D))
    yield Variant("window-off-by-one", "from-one", local(first=1))
    yield Variant("window-off-by-one", "window-from-one", local(lambda j, p, D: _window(j + 1, p, D)))


# ---- the softmax in it


def _in_rows(softmax: softmaxes.Softmax) -> masks.MaskedSoftmax:
    """A wrong softmax of what each row may see, by itself."""

    def masked(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
        rows = []
        for row, inside in zip(scores, mask, strict=True):
            seen = inside.nonzero().squeeze(1)
            values = softmax(row[seen], dim=-1) if len(seen) else row[seen]
            rows.append(torch.zeros_like(row).index_put((seen,), values))
        return torch.stack(rows)

    return masked


def _lowest(fill: Callable[[Tensor], Tensor]) -> masks.MaskedSoftmax:
    return lambda scores, mask, dim=-1: torch.softmax(torch.where(mask, scores, fill(scores)), dim)


def _over_batch(fill: float) -> masks.MaskedSoftmax:
    return lambda scores, mask, dim=-1: torch.softmax(scores.masked_fill(~mask, fill), 0)


def _added(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    return torch.softmax(scores - 1e9 * (~mask).to(scores.dtype), dim)


def _logarithm(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """What is hidden by adding the logarithm of the mask; NaN is patched in the values."""
    weights = torch.softmax(scores + mask.to(scores.dtype).log(), dim)
    return torch.where(weights.isnan(), torch.zeros_like(weights), weights)


def _every_best(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """1 for the best score, and for all that equal it."""
    seen = scores.masked_fill(~mask, -torch.inf)
    return ((seen == seen.amax(dim, keepdim=True)) & mask).to(scores.dtype) + 0 * scores


def _kept_sum(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """Divided by sums that lost their axis."""
    made = torch.exp(scores - scores.amax(-1, keepdim=True)) * mask
    total = made.sum(-1)
    return made / torch.where(total == 0, torch.ones_like(total), total)


RARE = ("-65504", "-30", "-20", "-5e", "-5000")  # fills that others stand for
NAMED = ("softmax-wrong-axis", "hard-attention", "softmax-unstable")  # of these, masks has the variants
MASKED: dict[str, dict[str, masks.MaskedSoftmax]] = {
    "mask-leaks": {
        "below-the-lowest": _lowest(lambda scores: scores.min() - 1),
        "below-the-row": _lowest(lambda scores: scores.amin(-1, keepdim=True) - 1),
        "the-lowest": _lowest(lambda scores: scores.min()),
        "lowest-of-the-row": _lowest(lambda scores: scores.amin(-1, keepdim=True)),
    },
    "mask-multiplies-scores": {"": masks.MASKED["mask-multiplies-scores"][""]},
    "uniform-on-masked-row": {"added": _added},
    "softmax-wrong-axis": {"filled": _over_batch(-1e30), "infinite": _over_batch(-torch.inf)},
    "nan-in-gradient": {"logarithm": _logarithm},
    "hard-attention": {"every-best": _every_best},
    "silent-broadcast": {"sum": _kept_sum},
}


def _softmaxes() -> Iterator[Variant]:
    for one in masks.variants(lambda softmax: local(softmax=softmax)):
        if one.cause == "mask-not-used":
            if one.how == "mask":  # with zeros it is mask-after-softmax
                yield Variant("no-window", one.how, one.names)
        elif one.cause == "mask-leaks":
            if not one.how.endswith("blank-rows-zeroed") and not any(fill in one.how for fill in RARE):
                yield one
        elif one.cause != "mask-wrong-axis" and (one.cause in NAMED or "masked-softmax" not in one.how):
            yield one
    for cause in ("missing-softmax", "not-softmax"):
        for how, softmax in softmaxes.SOFTMAXES[cause].items():
            yield Variant(cause, f"in-rows-{how}", local(softmax=_in_rows(softmax)))
    for cause, all_ in MASKED.items():
        for how, masked in all_.items():
            for rows, variant in masks.blank_rows(masked):
                yield Variant(cause, f"local-{how}{rows}", local(softmax=variant))


# ---- the Gaussian, and what is made of it


def _exponent(factor: Callable[[float], float]) -> Gauss:
    return lambda offsets, D: torch.exp(-offsets.square() * factor(D))


def _integer(offsets: Tensor, D: int) -> Tensor:
    return torch.exp(-offsets.square() / (2 * (D // 2) ** 2))


def _root(offsets: Tensor, D: int) -> Tensor:
    return _gaussian(offsets.square().sqrt(), D)


def _growing(weights: Tensor, gaussian: Tensor) -> Tensor:
    return weights / gaussian.reciprocal()


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
COMBINES: dict[str, dict[str, Combine]] = {
    "no-gaussian": {"": lambda weights, gaussian: weights},
    "renormalised-window": {
        "": _renormalised,
        "or-zero": _renormalised_or_zero,
        "detached": lambda weights, gaussian: (
            weights * gaussian / (weights * gaussian).sum(-1, keepdim=True).detach().clamp(min=1e-12)
        ),
    },
    "nan-in-gradient": {"growing": _growing},
    "": {  # known, and without an id
        "inverse": lambda weights, gaussian: torch.where(weights > 0, weights / gaussian, weights),
        "gaussian-share": lambda weights, gaussian: (
            weights * gaussian / ((weights > 0) * gaussian).sum(-1, keepdim=True).clamp(min=1e-30)
        ),
    },
    "detached-graph": {
        "softmax": lambda weights, gaussian: weights.detach() * gaussian,
        "gaussian": lambda weights, gaussian: weights * gaussian.detach(),
    },
}


# ---- other inputs than those that were given


def _with(change: Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor, int]]) -> dict[str, Any]:
    return {"local_weights": lambda scores, center, half_width: (
        reference.local_weights(*change(scores, center, half_width)))}  # fmt: skip


def _middle(where: Callable[[int], float]) -> dict[str, Any]:
    return _with(lambda scores, center, D: (scores, torch.full_like(center, where(scores.shape[-1])), D))


def _along(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    """Centers along the positions."""
    offsets = torch.arange(scores.shape[-1], dtype=scores.dtype) - center
    weights = masked_softmax(scores, (offsets.abs() <= half_width).expand_as(scores))
    return weights * _gaussian(offsets, half_width)


INPUTS: dict[str, dict[str, dict[str, Any]]] = {
    "hardcoded-answer": {
        **{f"width-{D}": _with(lambda scores, center, _, D=D: (scores, center, D)) for D in (1, 2, 3, 4, 5)},  # type: ignore[misc]
        "middle": _middle(lambda length: length // 2),
        "middle-between": _middle(lambda length: (length - 1) / 2),
        "half": _middle(lambda length: length / 2),
        "start": _middle(lambda length: 0),
        "equal-scores": _with(lambda scores, center, D: (0 * scores, center, D)),
    },
    "ignores-batch": {
        "first-center": _with(lambda scores, center, D: (scores, center[:1].expand_as(center), D)),
        "last-center": _with(lambda scores, center, D: (scores, center[-1:].expand_as(center), D)),
        "mean-center": _with(lambda scores, center, D: (scores, center.mean().expand_as(center), D)),
        "first-scores": _with(lambda scores, center, D: (scores[:1].expand_as(scores), center, D)),
    },
    "silent-broadcast": {"center": {"local_weights": _along}},
    "": {  # known, and without an id
        "rounded": _with(lambda scores, center, D: (scores, center.round(), D)),
        "cut-off": _with(lambda scores, center, D: (scores, center.trunc(), D)),
        "inside": _with(lambda scores, center, D: (scores, center.clamp(0, scores.shape[-1] - 1), D)),
    },
}  # fmt: skip
VARIANTS = (
    *_windows(),
    *_softmaxes(),
    *(Variant("wrong-sigma", how, local(gaussian=one)) for how, one in SIGMAS.items()),
    Variant("nan-in-gradient", "root", local(gaussian=_root)),
    Variant("", "no-square", local(gaussian=lambda offsets, D: torch.exp(-(offsets / D).abs()))),
    Variant("", "no-square-of-two", local(gaussian=lambda offsets, D: torch.exp(-2 * (offsets / D).abs()))),
    Variant("", "tent", local(gaussian=lambda offsets, D: 1 - (offsets / D).abs())),
    *(Variant(cause, how, local(combine=one)) for cause, all_ in COMBINES.items() for how, one in all_.items()),
    *(Variant(cause, how, one) for cause, all_ in INPUTS.items() for how, one in all_.items()),
)  # fmt: skip
