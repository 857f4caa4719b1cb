"""Known mistakes in the masks of ``masking``. The cause ``""``: the contract has no id for the mistake."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.variant import from_table

Mask = Callable[..., Tensor]
Table = dict[str, dict[str, Mask]]


# ---- padding_mask(lengths, max_len=None): a rule of position j, length n and width says which tokens are real


def _width(lengths: Tensor, max_len: int | None) -> int:
    return int(lengths.max()) if max_len is None else max_len


def _padding(rule: Callable[[Tensor, Tensor, int], Tensor]) -> Mask:
    def mask(lengths: Tensor, max_len: int | None = None) -> Tensor:
        width = _width(lengths, max_len)
        return rule(torch.arange(width), lengths.unsqueeze(1), width)

    return mask


def _of_lengths(lengths_too: Callable[[Tensor], Tensor]) -> Mask:
    """Return a mask made with other lengths than the sentences' own."""
    return _padding(lambda j, n, width: (j < lengths_too(n)).expand(len(n), width))


def _of_width(width: Callable[[int | None, int], int]) -> Mask:
    """Return a mask of another width, a function of max_len and the greatest length."""

    def mask(lengths: Tensor, max_len: int | None = None) -> Tensor:
        return torch.arange(width(max_len, int(lengths.max()))) < lengths.unsqueeze(1)

    return mask


PADDING: Table = {
    "padding-off-by-one": {
        "one-more": _padding(lambda j, n, width: j <= n),
        "one-less": _padding(lambda j, n, width: j < n - 1),
        "slice": _padding(lambda j, n, width: (j < n - 1) | ((n == 0) & (j < width - 1))),
        "from-one": _padding(lambda j, n, width: (j >= 1) & (j < n)),
        "shifted": _padding(lambda j, n, width: (j >= 1) & (j <= n)),
        "default-wider": _of_width(lambda max_len, longest: longest + 1 if max_len is None else max_len),
        "default-narrower": _of_width(lambda max_len, longest: longest - 1 if max_len is None else max_len),
        "wider": _of_width(lambda max_len, longest: (longest if max_len is None else max_len) + 1),
        "narrower": _of_width(lambda max_len, longest: (longest if max_len is None else max_len) - 1),
    },
    "mask-inverted": {"": _padding(lambda j, n, width: j >= n), "strictly": _padding(lambda j, n, width: j > n)},
    "mask-wrong-axis": {"turned": lambda lengths, max_len=None: _right_padding(lengths, max_len).T},
    "ignores-batch": {
        "first": _of_lengths(lambda n: n[:1]),
        "first-row": lambda lengths, max_len=None: _right_padding(lengths, max_len)[:1],
        "last": _of_lengths(lambda n: n[-1:]),
        "longest": _of_lengths(lambda n: n.max()),
        "shortest": _of_lengths(lambda n: n.min()),
    },
    "hardcoded-answer": {
        "all": _padding(lambda j, n, width: torch.ones(len(n), width, dtype=torch.bool)),
        "none": _padding(lambda j, n, width: torch.zeros(len(n), width, dtype=torch.bool)),
    },
    "silent-broadcast": {"": _padding(lambda j, n, width: j < n[:, 0])},
    "squeeze-drops-dim": {"": _padding(lambda j, n, width: (j < n).squeeze())},
    "argument-ignored": {"max-len": _of_width(lambda max_len, longest: longest)},
}


def _right_padding(lengths: Tensor, max_len: int | None = None) -> Tensor:
    return torch.arange(_width(lengths, max_len)) < lengths.unsqueeze(1)


# ---- causal_mask(length), window_mask(length, radius), strided_mask(length, stride): rules of rows i, columns j


def _square(rule: Callable[..., Tensor]) -> Mask:
    def mask(length: int, *numbers: int) -> Tensor:
        position = torch.arange(length)
        return rule(position.unsqueeze(1), position, *numbers).expand(length, length)

    return mask


ALL = _square(lambda i, j, *_: (i >= 0) & (j >= 0))
NONE = _square(lambda i, j, *_: (i < 0) & (j < 0))
EYE = _square(lambda i, j, *_: i == j)
CAUSAL: Table = {
    "causal-excludes-self": {"": _square(lambda i, j: j < i)},
    "causal-reversed": {"": _square(lambda i, j: j >= i)},
    "mask-inverted": {"": _square(lambda i, j: j > i)},
    "hardcoded-answer": {"all": ALL, "none": NONE},
}
WINDOW: Table = {
    "window-off-by-one": {
        "one-less": _square(lambda i, j, r: (i - j).abs() < r),
        "one-more": _square(lambda i, j, r: (i - j).abs() <= r + 1),
        "right-end": _square(lambda i, j, r: (i - j <= r) & (j - i < r)),
        "left-end": _square(lambda i, j, r: (i - j < r) & (j - i <= r)),
        "right-end-more": _square(lambda i, j, r: (i - j <= r) & (j - i <= r + 1)),
        "left-end-more": _square(lambda i, j, r: (i - j <= r + 1) & (j - i <= r)),
        "at-least-itself": _square(lambda i, j, r: ((i - j).abs() < r) | (i == j)),
    },
    "mask-inverted": {
        "": _square(lambda i, j, r: (i - j).abs() > r),
        "too": _square(lambda i, j, r: (i - j).abs() >= r),
    },
    "hardcoded-answer": {
        "all": ALL,
        "none": NONE,
        **{f"radius-{n}": _square(lambda i, j, r, n=n: (i - j).abs() <= n) for n in range(5)},
    },
    "window-one-sided": {
        "below": _square(lambda i, j, r: i - j <= r),
        "below-strictly": _square(lambda i, j, r: i - j < r),
        "above": _square(lambda i, j, r: j - i <= r),
        "above-strictly": _square(lambda i, j, r: j - i < r),
    },
    "": {
        "causal": _square(lambda i, j, r: j <= i),
        "either-bound": _square(lambda i, j, r: (i - j <= r) | (j - i <= r)),
        "first-ones": _square(lambda i, j, r: j <= r),
    },
}
STRIDED: Table = {
    "mask-inverted": {"": _square(lambda i, j, s: (j % s != 0) & (i != j))},
    "mask-wrong-axis": {
        "": _square(lambda i, j, s: (i % s == 0) | (i == j)),
        "without-itself": _square(lambda i, j, s: i % s == 0),
    },
    "hardcoded-answer": {
        "all": ALL,
        "none": NONE,
        **{f"stride-{n}": _square(lambda i, j, s, n=n: (j % n == 0) | (i == j)) for n in range(2, 6)},
    },
    "strided-relative": {
        "": _square(lambda i, j, s: (i - j) % s == 0),
        "both-ways": _square(lambda i, j, s: (i - j).abs() % s == 0),
        "before": _square(lambda i, j, s: ((i - j) % s == 0) & (j <= i)),
    },
    "strided-excludes-self": {
        "": _square(lambda i, j, s: j % s == 0),
        "always": _square(lambda i, j, s: (j % s == 0) & (i != j)),
    },
    "": {"itself": EYE},
}


# ---- combine_masks(key_padding, attention)


def _both(key_padding: Tensor, attention: Tensor) -> Tensor:
    return key_padding.unsqueeze(1) & attention


def _queries_too(key_padding: Tensor, attention: Tensor) -> Tensor:
    """Mask padded queries too, as far as the numbers of queries and keys allow."""
    queries = torch.zeros(len(key_padding), len(attention), dtype=torch.bool)
    count = min(len(attention), key_padding.shape[1])
    queries[:, :count] = key_padding[:, :count]
    return _both(key_padding, attention) & queries.unsqueeze(2)


COMBINE: Table = {
    "mask-wrong-axis": {
        "queries": lambda p, a: p.unsqueeze(2) & a,
        "queries-where-square": lambda p, a: p.unsqueeze(2) & a if p.shape[1] == len(a) else _both(p, a),
        "queries-too": _queries_too,
        "queries-too-where-square": lambda p, a: _queries_too(p, a) if p.shape[1] == len(a) else _both(p, a),
        "attention": lambda p, a: p.unsqueeze(1) & a.T,
        "turned": lambda p, a: _both(p, a).mT,
    },
    "mask-inverted": {
        "": lambda p, a: ~_both(p, a),
        "padding": lambda p, a: ~p.unsqueeze(1) & a,
        "attention": lambda p, a: p.unsqueeze(1) & ~a,
        "each": lambda p, a: ~p.unsqueeze(1) & ~a,
    },
    "mask-not-used": {
        "padding": lambda p, a: a.expand(len(p), *a.shape),
        "attention": lambda p, a: p.unsqueeze(1).expand(len(p), *a.shape),
        "attention-or-size": lambda p, a: p.unsqueeze(1),
        "padding-or-size": lambda p, a: a,
    },
    "ignores-batch": {
        "first": lambda p, a: (p[0] & a).expand(len(p), *a.shape),
        "first-row": lambda p, a: p[0] & a,
        "last": lambda p, a: (p[-1] & a).expand(len(p), *a.shape),
        "any": lambda p, a: (p.any(0) & a).expand(len(p), *a.shape),
        "all": lambda p, a: (p.all(0) & a).expand(len(p), *a.shape),
    },
    "hardcoded-answer": {
        "all": lambda p, a: torch.ones(len(p), *a.shape, dtype=torch.bool),
        "none": lambda p, a: torch.zeros(len(p), *a.shape, dtype=torch.bool),
    },
    "modifies-input": {"attention": lambda p, a: p.cumprod(0).bool().unsqueeze(1) & a},
    "silent-broadcast": {
        "": lambda p, a: p & a,
        "where-equal": lambda p, a: p & a if p.shape == a.shape else _both(p, a),
    },
    "squeeze-drops-dim": {"": lambda p, a: _both(p, a).squeeze()},
}


def _as(name: str) -> Callable[[Mask], dict[str, Mask]]:
    return lambda mask: {name: mask}


TABLES = {"causal_mask": CAUSAL, "window_mask": WINDOW, "strided_mask": STRIDED, "combine_masks": COMBINE}
VARIANTS = tuple(
    variant
    for name, table in TABLES.items()
    for variant in from_table(table, _as(name), name.removesuffix("_mask") + "-{}")
)
