"""Known mistakes of grouped_attention."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.softmaxes import OF_LAST_AXIS
from autograder.assignments.kit.hidden.variant import Variant, from_table

Part = Callable[..., Any]


def shared(x: Tensor, heads: int) -> Tensor:
    """Return the key head of each query head."""
    return x.repeat_interleave(heads // x.shape[1], 1)


def earlier(queries: int, keys: int) -> Tensor:
    """Return which keys each query sees."""
    return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)


def sizes(query: Tensor, key: Tensor) -> tuple[int, int, int]:
    """Return the numbers of query heads, queries and keys. Raises ValueError where the reference does."""
    heads, queries, keys = query.shape[1], query.shape[2], key.shape[2]
    if heads % key.shape[1] or queries > keys:
        raise ValueError(f"{query.shape} {key.shape}")
    return heads, queries, keys


def grouped(
    share: Part = shared,
    visible: Part = earlier,
    scores: Part = lambda q, k: q @ k.mT / q.shape[-1] ** 0.5,
    softmax: Part = torch.softmax,
    summed: Part = torch.matmul,
    share_values: Part | None = None,
) -> Part:
    """Build a grouped_attention with some parts replaced by wrong ones."""

    def grouped_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        heads, queries, keys = sizes(query, key)
        seen = visible(queries, keys)
        hidden = ~seen & seen.any(-1, keepdim=True)
        weights = softmax(scores(query, share(key, heads)).masked_fill(hidden, -torch.inf), -1)
        weights = weights.masked_fill(~seen, 0.0)
        found: Tensor = summed(weights, (share_values or share)(value, heads))
        return found

    return grouped_attention


SHARED: dict[str, dict[str, Part]] = {
    "groups-interleaved": {"": lambda x, heads: x.repeat(1, heads // x.shape[1], 1, 1)},
    "one-group-for-all": {
        "": lambda x, heads: x[:, :1].expand(-1, heads, -1, -1),
        "mean": lambda x, heads: x.mean(1, keepdim=True).expand(-1, heads, -1, -1),
        "last": lambda x, heads: x[:, -1:].expand(-1, heads, -1, -1),
    },
    "": {"reversed": lambda x, heads: shared(x.flip(1), heads)},
    "ignores-batch": {"": lambda x, heads: shared(x[:1].expand(len(x), -1, -1, -1), heads)},
}
VISIBLE: dict[str, dict[str, Part]] = {
    "future-visible": {"": lambda q, k: torch.ones(q, k, dtype=torch.bool)},
    "queries-at-the-start": {"": lambda q, k: torch.ones(q, k, dtype=torch.bool).tril()},
    "own-position-hidden": {
        "": lambda q, k: earlier(q, k) & ~torch.eye(k, dtype=torch.bool)[k - q :],
        "first-sees-itself": lambda q, k: (
            earlier(q, k) & (~torch.eye(k, dtype=torch.bool)[k - q :] | (torch.arange(k) == 0))
        ),
    },
    "causal-reversed": {"": lambda q, k: torch.ones(q, k, dtype=torch.bool).triu(k - q)},
    "": {"next-too": lambda q, k: torch.ones(q, k, dtype=torch.bool).tril(k - q + 1)},
}
SCORES: dict[str, dict[str, Part]] = {
    "missing-scale": {"": lambda q, k: q @ k.mT},
    "wrong-scale": {
        "width": lambda q, k: q @ k.mT / q.shape[-1],
        "times": lambda q, k: q @ k.mT * q.shape[-1] ** 0.5,
        "heads": lambda q, k: q @ k.mT / (q.shape[1] * q.shape[-1]) ** 0.5,
    },
}
SUMS: dict[str, dict[str, Part]] = {
    "detached-graph": {
        "weights": lambda w, v: w.detach() @ v,
        "values": lambda w, v: w @ v.detach(),
        "result": lambda w, v: (w @ v).detach(),
    }
}
CAUSES = ("softmax-wrong-axis", "hard-attention", "softmax-unstable", "missing-softmax")
COMMON = {cause: dict(OF_LAST_AXIS[cause]) for cause in CAUSES}
# of them all, by the part of ``grouped`` that they replace
TABLES: dict[str, dict[str, dict[str, Part]]] = {
    "share": SHARED,
    "visible": VISIBLE,
    "scores": SCORES,
    "summed": SUMS,
    "softmax": COMMON,
}


def _masked_after(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Return attention whose mask comes after the softmax."""
    heads, queries, keys = sizes(query, key)
    weights = torch.softmax(query @ shared(key, heads).mT / query.shape[-1] ** 0.5, -1)
    return (weights * earlier(queries, keys)) @ shared(value, heads)


def _filled(fill: float, last: int = 0) -> Part:
    """Return attention whose mask fills scores with ``fill``. A query sees keys up to ``last`` from its own."""

    def grouped_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        heads, queries, keys = sizes(query, key)
        seen = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries + last)
        scores = query @ shared(key, heads).mT / query.shape[-1] ** 0.5
        return torch.softmax(scores.masked_fill(~seen, fill), -1) @ shared(value, heads)

    return grouped_attention


def _with(name: str, part: Part) -> dict[str, Any]:
    return {"grouped_attention": grouped(**{name: part})}


def _variants() -> Iterator[Variant]:
    for part, table in TABLES.items():
        yield from from_table(table, partial(_with, part), "grouped-{}")
    yield Variant("mask-after-softmax", "grouped", {"grouped_attention": _masked_after})
    for fill in (-1e4, -1e3, -1e2):
        yield Variant("mask-leaks", f"grouped-{fill:g}", {"grouped_attention": _filled(fill)})
    for how, fill in (("uniform", -1e30), ("nan", -torch.inf)):
        yield Variant("own-position-hidden", f"grouped-{how}", {"grouped_attention": _filled(fill, last=-1)})
    twice = grouped(share=SHARED["groups-interleaved"][""], share_values=shared)
    yield Variant("", "grouped-keys-interleaved", {"grouped_attention": twice})


VARIANTS = tuple(_variants())
