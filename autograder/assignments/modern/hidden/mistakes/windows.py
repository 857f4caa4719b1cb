"""Known mistakes of window_attention and sparse_attention: other pairs (i, j), and other weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.softmaxes import SOFTMAXES
from autograder.assignments.kit.hidden.variant import Variant, from_table

Part = Callable[..., Any]
Seen = Callable[[Tensor, Tensor, int, int], Tensor]  # i (T, 1), j (T,), radius, stride -> (T, T) bool


def scaled(query: Tensor, key: Tensor) -> Tensor:
    """Return the right scores."""
    scores: Tensor = query @ key.mT / query.shape[-1] ** 0.5
    return scores


def near(i: Tensor, j: Tensor, radius: int, stride: int = 0) -> Tensor:
    """Return the pairs of the window."""
    return (i - j).abs() <= radius


def either(i: Tensor, j: Tensor, radius: int, stride: int) -> Tensor:
    """Return the pairs of the window and of the stride."""
    return near(i, j, radius) | ((j % stride == 0) & (i == i))


def dense(seen: Seen, scores: Part = scaled, softmax: Part = torch.softmax, summed: Part = torch.matmul) -> Part:
    """Return attention to the pairs of a pattern."""

    def attention(query: Tensor, key: Tensor, value: Tensor, radius: int, stride: int = 1) -> Tensor:
        if radius < 0 or stride < 1:
            raise ValueError(f"{radius} {stride}")
        j = torch.arange(query.shape[1])
        visible = seen(j.unsqueeze(1), j, radius, stride)
        weights = softmax(scores(query, key).masked_fill(~visible, -torch.inf), -1)
        found: Tensor = summed(weights.masked_fill(~visible, 0.0), value)
        return found

    return attention


def window(seen: Seen = near, **parts: Part) -> dict[str, Any]:
    """Build a window_attention with some parts replaced by wrong ones."""
    made = dense(seen, **parts)
    return {"window_attention": lambda query, key, value, radius: made(query, key, value, radius)}


def sparse(seen: Seen = either, **parts: Part) -> dict[str, Any]:
    """Build a sparse_attention with some parts replaced by wrong ones."""
    return {"sparse_attention": dense(seen, **parts)}


def _padded(fill: float | None, limit: int | None = None) -> Part:
    """Return window attention in which places beyond the edges take weight.

    ``limit``: a radius is at most T + limit; None is no limit.
    """

    def window_attention(query: Tensor, key: Tensor, value: Tensor, radius: int) -> Tensor:
        if radius < 0:
            raise ValueError(radius)
        length = query.shape[1]
        radius = radius if limit is None else min(radius, length + limit)
        place = torch.arange(length).unsqueeze(1) + torch.arange(-radius, radius + 1)
        real = (place >= 0) & (place < length)
        clamped = place.clamp(0, length - 1)
        scores = (query.unsqueeze(2) @ key[:, clamped].mT).squeeze(2) / query.shape[-1] ** 0.5
        scores = scores if fill is None else scores.masked_fill(~real, fill)
        weights = torch.softmax(scores, -1)
        values = value[:, clamped] if fill is None else value[:, clamped] * real.unsqueeze(-1)
        return (weights.unsqueeze(2) @ values).squeeze(2)

    return window_attention


def _wrapped(query: Tensor, key: Tensor, value: Tensor, radius: int) -> Tensor:
    """Return window attention in which the sentence is a ring."""
    if radius < 0:
        raise ValueError(radius)
    length = query.shape[1]
    radius = min(radius, length - 1)
    place = (torch.arange(length).unsqueeze(1) + torch.arange(-radius, radius + 1)) % length
    weights = torch.softmax((query.unsqueeze(2) @ key[:, place].mT).squeeze(2) / query.shape[-1] ** 0.5, -1)
    return (weights.unsqueeze(2) @ value[:, place]).squeeze(2)


SCORES: dict[str, dict[str, Part]] = {
    "missing-scale": {"": lambda q, k: q @ k.mT},
    "wrong-scale": {"width": lambda q, k: q @ k.mT / q.shape[-1], "times": lambda q, k: q @ k.mT * q.shape[-1] ** 0.5},
    "query-key-swapped": {"": lambda q, k: k @ q.mT / q.shape[-1] ** 0.5},
}
NEAR: dict[str, dict[str, Seen]] = {
    "radius-off-by-one": {
        "narrow": lambda i, j, r, s: ((i - j).abs() < r) | (i == j),
        "wide": lambda i, j, r, s: (i - j).abs() <= r + 1,
        "later-missing": lambda i, j, r, s: (j - i < max(r, 1)) & (j - i >= -r),
        "earlier-missing": lambda i, j, r, s: (i - j < max(r, 1)) & (i - j >= -r),
        "later-more": lambda i, j, r, s: (j - i <= r + 1) & (i - j <= r),
        "earlier-more": lambda i, j, r, s: (j - i <= r) & (i - j <= r + 1),
    },
    "radius-as-width": {
        "": lambda i, j, r, s: (i - j).abs() <= r // 2,
        "even": lambda i, j, r, s: (j - i >= -(r // 2)) & (j - i < max(r - r // 2, 1)),
        "rounded": lambda i, j, r, s: (i - j).abs() <= (r - 1) // 2 if r else i == j,
    },
    "window-one-sided": {
        "earlier": lambda i, j, r, s: (i - j <= r) & (j <= i),
        "later": lambda i, j, r, s: (j - i <= r) & (i <= j),
    },
}
OTHER_WINDOWS: dict[str, dict[str, Seen]] = {
    "own-position-hidden": {"": lambda i, j, r, s: ((i - j).abs() <= r) & ((i != j) | (r == 0) | (len(j) == 1))},
    "argument-ignored": {"all": lambda i, j, r, s: (i == i) & (j == j)},
    "": {"blocks": lambda i, j, r, s: i // (2 * r + 1) == j // (2 * r + 1)},
}


def _clip(seen: Seen) -> Seen:
    """Return the pattern with the stride's positions too."""
    return lambda i, j, r, s: seen(i, j, r, s) | ((j % s == 0) & (i == i))


PATTERNS: dict[str, dict[str, Seen]] = {
    "stride-missing": {"": lambda i, j, r, s: near(i, j, r)},
    "window-missing": {
        "": lambda i, j, r, s: (j % s == 0) & (i == i),
        "own": lambda i, j, r, s: (j % s == 0) | (i == j),
    },
    "stride-of-distance": {"": lambda i, j, r, s: near(i, j, r) | ((i - j) % s == 0)},
    "stride-from-one": {
        "": lambda i, j, r, s: near(i, j, r) | (((j + 1) % s == 0) & (i == i)),
        "second": lambda i, j, r, s: near(i, j, r) | ((j % s == 1 % s) & (i == i)),
        "not-zero": lambda i, j, r, s: near(i, j, r) | ((j % s == 0) & (j > 0) & (i == i)),
    },
    "": {
        "causal": lambda i, j, r, s: either(i, j, r, s) & (j <= i),
        "rows": lambda i, j, r, s: near(i, j, r) | ((i % s == 0) & (j == j)),
        "both": lambda i, j, r, s: (near(i, j, r) & (j % s == 0)) | (i == j),
        "far-only": lambda i, j, r, s: near(i, j, r) ^ ((j % s == 0) & (i == i)) | (i == j),
    },
}


def _twice(query: Tensor, key: Tensor, value: Tensor, radius: int, stride: int) -> Tensor:
    """Return sparse attention in which a strided position in the window counts twice."""
    if radius < 0 or stride < 1:
        raise ValueError(f"{radius} {stride}")
    j = torch.arange(query.shape[1])
    scores = scaled(query, key)
    of_window = scores.masked_fill(~near(j.unsqueeze(1), j, radius), -torch.inf)
    weights = torch.softmax(torch.cat([of_window, scores[..., ::stride]], -1), -1)
    return weights @ torch.cat([value, value[:, ::stride]], 1)


def _mean(share: float, clear: bool = False) -> Part:
    """Return the mean of the window's attention and of the stride's."""

    def sparse_attention(query: Tensor, key: Tensor, value: Tensor, radius: int, stride: int) -> Tensor:
        first = dense(near)(query, key, value, radius, stride)
        other = torch.softmax(scaled(query, key[:, ::stride]), -1) @ value[:, ::stride]
        both: Tensor = first * share + other * (share if share == 1.0 else 1 - share)
        return both

    return sparse_attention


SUMS: dict[str, dict[str, Part]] = {
    "detached-graph": {
        "weights": lambda w, v: w.detach() @ v,
        "values": lambda w, v: w @ v.detach(),
        "result": lambda w, v: (w @ v).detach(),
    },
    "ignores-batch": {"": lambda w, v: w @ v[:1].expand(len(v), -1, -1)},
}
COMMON = {cause: dict(all_) for cause, all_ in SOFTMAXES.items() if cause in ("hard-attention", "softmax-unstable")}


def _with(make: Callable[..., dict[str, Any]], name: str, part: Part) -> dict[str, Any]:
    return make(**{name: part})


def _variants() -> Iterator[Variant]:
    for form, make in (("window-{}", window), ("sparse-{}", sparse)):
        yield from from_table(SCORES, partial(_with, make, "scores"), form)
        yield from from_table(SUMS, partial(_with, make, "summed"), form)
        yield from from_table(COMMON, partial(_with, make, "softmax"), form)
    yield from from_table(NEAR, window, "window-{}")
    yield from from_table(OTHER_WINDOWS, window, "window-{}")
    yield from from_table({k: {h: _clip(s) for h, s in v.items()} for k, v in NEAR.items()}, sparse, "sparse-{}")
    yield from from_table(PATTERNS, sparse, "sparse-{}")
    for how, fill in (("zeros", 0.0), ("repeated", None)):
        for suffix, limit in (("", None), ("-limited", -1), ("-to-length", 0)):
            yield Variant("window-padding-attended", how + suffix, {"window_attention": _padded(fill, limit)})
    yield Variant("window-padding-attended", "ring", {"window_attention": _wrapped})
    yield Variant("pair-counted-twice", "", {"sparse_attention": _twice})
    yield Variant("patterns-averaged", "", {"sparse_attention": _mean(0.5)})
    yield Variant("patterns-averaged", "added", {"sparse_attention": _mean(1.0)})


VARIANTS = tuple(_variants())
