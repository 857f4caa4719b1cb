"""Known mistakes of streamed_attention."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant, from_table

Part = Callable[..., Any]
Blocks = Callable[[Tensor, int], Sequence[Tensor]]


def split(x: Tensor, size: int) -> Sequence[Tensor]:
    """Return all blocks, of which the last one may be shorter."""
    return torch.split(x, size, 1)


def running(maxima: Sequence[Tensor]) -> list[Tensor]:
    """Return the largest of each query's scores so far, after each block."""
    found = [maxima[0]]
    for one in maxima[1:]:
        found.append(torch.maximum(found[-1], one))
    return found


def shrunk(maxima: Sequence[Tensor]) -> list[Tensor]:
    """Return what earlier sums are multiplied with at each block."""
    return [torch.ones_like(maxima[0]), *((one - two).exp() for one, two in pairwise(maxima))]


def streamed(
    scale: Part = lambda q, k: q.shape[-1] ** -0.5,
    blocks: Blocks = split,
    tops: Part = running,
    of_sum: Part = shrunk,
    of_total: Part = shrunk,
    result: Part = lambda summed, total: summed / total,
) -> dict[str, Any]:
    """Build a streamed_attention with some parts replaced by wrong ones."""

    def streamed_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
        if block_size < 1:
            raise ValueError(block_size)
        factor = scale(query, key)
        keys, values = blocks(key, block_size), blocks(value, block_size)
        # Scores are computed twice and not kept: some cases have many keys.
        maxima = tops([(query @ one.mT * factor).amax(2, keepdim=True) for one in keys])
        summed: Any = 0.0
        total: Any = 0.0
        for k, v, top, a, b in zip(keys, values, maxima, of_sum(maxima), of_total(maxima), strict=True):
            p = torch.exp(query @ k.mT * factor - top)
            summed, total = summed * a + p @ v, total * b + p.sum(2, keepdim=True)
        found: Tensor = result(summed, total)
        return found

    return {"streamed_attention": streamed_attention}


def ones(maxima: Sequence[Tensor]) -> list[Tensor]:
    """Return that nothing is rescaled."""
    return [torch.ones_like(one) for one in maxima]


def _whole(x: Tensor, size: int) -> Sequence[Tensor]:
    """Return the full blocks alone; one shorter block if there is no other."""
    parts = torch.split(x, size, 1)
    return parts[:-1] if len(parts) > 1 and parts[-1].shape[1] < size else parts


def _counted(x: Tensor, size: int) -> Sequence[Tensor]:
    """Return the full blocks alone, none if there is none; a sum over nothing is NaN here."""
    parts = [one for one in torch.split(x, size, 1) if one.shape[1] == size]
    return parts or [x[:, :1] * torch.nan]


def _from_zero(maxima: Sequence[Tensor]) -> list[Tensor]:
    return running([torch.zeros_like(maxima[0]), *maxima])[1:]


def _own_maximum(maxima: Sequence[Tensor]) -> list[Tensor]:
    return list(maxima)


def _averaged(weighted: bool) -> Part:
    """Return attention as a mean of the blocks' own attentions."""

    def streamed_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
        if block_size < 1:
            raise ValueError(block_size)
        keys, values = torch.split(key, block_size, 1), torch.split(value, block_size, 1)
        found: Any = 0.0
        for k, v in zip(keys, values, strict=True):
            share = k.shape[1] / key.shape[1] if weighted else 1 / len(keys)
            found = found + share * (torch.softmax(query @ k.mT / query.shape[-1] ** 0.5, -1) @ v)
        return found  # type: ignore[no-any-return]

    return streamed_attention


def _summed(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    found: Tensor = _averaged(False)(query, key, value, block_size)
    return found * len(torch.split(key, block_size, 1))


TOPS: dict[str, dict[str, Part]] = {
    "maximum-from-zero": {"": _from_zero},
    "softmax-unstable": {
        "plain": lambda maxima: [torch.zeros_like(one) for one in maxima],
        "first-block": lambda maxima: [maxima[0]] * len(maxima),
        "one-maximum": lambda maxima: running([one.amax().expand_as(one) for one in maxima]),
    },
}
TOTALS: dict[str, dict[str, Part]] = {
    "block-sum-not-rescaled": {"": ones},
    "": {"inverse": lambda maxima: [1 / one for one in shrunk(maxima)]},
}
FACTORS: dict[str, dict[str, Part]] = {
    "block-not-rescaled": {"": ones, "lost": lambda maxima: [0 * one for one in maxima]},
    "": {"inverse": lambda maxima: [1 / one for one in shrunk(maxima)]},
}
BLOCKS: dict[str, dict[str, Blocks]] = {
    "last-block-lost": {"": _whole, "always": _counted},
    "": {
        "first-only": lambda x, size: torch.split(x, size, 1)[:1],
        "last-only": lambda x, size: torch.split(x, size, 1)[-1:],
        "without-last": lambda x, size: torch.split(x, size, 1)[:-1] or torch.split(x, size, 1),
        "overlap": lambda x, size: [x[:, max(0, i - 1) : i + size] for i in range(0, x.shape[1], size)],
    },
}
SCALES: dict[str, dict[str, Part]] = {
    "missing-scale": {"": lambda q, k: 1.0},
    "wrong-scale": {
        "width": lambda q, k: 1 / q.shape[-1],
        "times": lambda q, k: q.shape[-1] ** 0.5,
        "keys": lambda q, k: k.shape[1] ** -0.5,
    },
}
RESULTS: dict[str, dict[str, Part]] = {
    "not-softmax": {"not-divided": lambda summed, total: summed},
    "detached-graph": {
        "total": lambda summed, total: summed / total.detach(),
        "sum": lambda summed, total: summed.detach() / total,
        "whole": lambda summed, total: (summed / total).detach(),
    },
}


def _variants() -> Iterator[Variant]:
    yield from from_table(TOPS, lambda one: streamed(tops=one), "top-{}")
    yield from from_table(TOTALS, lambda one: streamed(of_total=one), "total-{}")
    yield from from_table(FACTORS, lambda one: streamed(of_sum=one, of_total=one))
    yield Variant("block-not-rescaled", "sum", streamed(of_sum=ones))
    yield Variant("block-not-rescaled", "own-maximum", streamed(tops=_own_maximum, of_sum=ones, of_total=ones))
    yield Variant("block-not-rescaled", "own-maximum-shrunk", streamed(tops=_own_maximum))
    yield from from_table(BLOCKS, lambda one: streamed(blocks=one), "blocks-{}")
    yield from from_table(SCALES, lambda one: streamed(scale=one))
    yield from from_table(RESULTS, lambda one: streamed(result=one), "result-{}")
    names = "streamed_attention"
    yield Variant("block-normalised", "", {names: _averaged(False)})
    yield Variant("block-normalised", "weighted", {names: _averaged(True)})
    yield Variant("block-normalised", "sum", {names: _summed})


VARIANTS = tuple(_variants())
