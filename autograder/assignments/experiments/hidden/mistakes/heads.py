"""Known mistakes of CrossAttention."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant
from reference.experiments import cross, given

Part = Callable[..., Any]
Parts = dict[str, Part]


def _split(x: Tensor, heads: int) -> Tensor:
    return x.view(*x.shape[:-1], heads, -1).transpose(1, 2)


def _softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    if mask is None:
        return scores.softmax(-1)
    seen = mask[:, None, None, :]
    weights = scores.masked_fill(~seen, -1e30).softmax(-1)
    return weights.masked_fill(~seen, 0.0)


def _unscreened(scores: Tensor, mask: Tensor | None) -> Tensor:
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask[:, None, None, :], -torch.inf).softmax(-1)


def _uniform(scores: Tensor, mask: Tensor | None) -> Tensor:
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask[:, None, None, :], -1e30).softmax(-1)


def _after(scores: Tensor, mask: Tensor | None) -> Tensor:
    return scores.softmax(-1) if mask is None else scores.softmax(-1) * mask[:, None, None, :]


def _zeroed(scores: Tensor, mask: Tensor | None) -> Tensor:
    return (scores if mask is None else scores * mask[:, None, None, :]).softmax(-1)


def _gate(heads: Tensor, head_mask: Tensor | None) -> Tensor:
    return heads if head_mask is None else heads * head_mask[:, None, None]


RIGHT: Parts = {
    "project": lambda q, m, Q, K, V: (q @ Q.T, m @ K.T, m @ V.T),
    "split": _split,
    "scale": lambda scores, d_h, d_model: scores / d_h**0.5,
    "softmax": _softmax,
    "weigh": lambda weights, v, head_mask: _gate(weights @ v, head_mask),
    "join": lambda heads: heads.transpose(1, 2).flatten(2),
    "end": lambda joined, O, head_mask: joined @ O.T,
    "results": lambda output, weights, head_mask: (output, weights),
}


def attention(**parts: Part) -> dict[str, Any]:
    """Build a CrossAttention with some parts replaced by wrong ones, and the translator that contains it."""
    use = SimpleNamespace(**RIGHT | parts)

    class CrossAttention(cross.CrossAttention):
        def forward(
            self, query: Tensor, memory: Tensor, mask: Tensor | None = None, head_mask: Tensor | None = None
        ) -> tuple[Tensor, Tensor]:
            W = [self.weights[f"W_{name}.weight"] for name in "QKVO"]
            q, k, v = (use.split(x, self.num_heads) for x in use.project(query, memory, *W[:3]))
            scores = use.scale(q @ k.mT, q.shape[-1], len(W[0]))
            weights = use.softmax(scores, mask)
            joined = use.join(use.weigh(weights, v, head_mask))
            output, weights = use.results(use.end(joined, W[3], head_mask), weights, head_mask)
            return output, weights

    class TinyTranslator(given.TinyTranslator):
        def __init__(self, vocab_size: int, d_model: int, num_heads: int) -> None:
            super().__init__(vocab_size, d_model, num_heads)  # type: ignore[no-untyped-call]
            self.cross = CrossAttention(d_model, num_heads)

    return {"CrossAttention": CrossAttention, "TinyTranslator": TinyTranslator}


def _blocks(x: Tensor, heads: int) -> Tensor:
    """Cut the axis of positions, not the columns."""
    return x.reshape(len(x), heads, x.shape[1], x.shape[2] // heads)


def _strided(x: Tensor, heads: int) -> Tensor:
    return x.view(*x.shape[:-1], -1, heads).movedim(-1, 1)


def _first_rows(weights: Tensor, mask: Tensor | None, zeroed: bool = False) -> Tensor:
    if mask is None:
        return weights.softmax(-1)
    wide = mask[:, None, :, None].expand(-1, -1, -1, weights.shape[-1])[:, :, : weights.shape[2]]
    if wide.shape[2] != weights.shape[2]:
        raise ValueError("a mask of keys on the axis of queries")
    alpha = weights.masked_fill(~wide, -1e30).softmax(-1)
    return alpha * wide if zeroed else alpha


def _after_output(joined: Tensor, O: Tensor, head_mask: Tensor | None) -> Tensor:
    out = joined @ O.T
    return out if head_mask is None else out * head_mask.repeat_interleave(len(O) // len(head_mask))


def _on_weights(output: Tensor, weights: Tensor, head_mask: Tensor | None) -> tuple[Tensor, Tensor]:
    return output, _gate(weights, head_mask)


TABLE: dict[str, dict[str, Parts]] = {
    "heads-mixed": {
        "": {"split": _blocks, "join": lambda h: h.reshape(len(h), h.shape[2], -1)},
        "in": {"split": _blocks},
        "out": {"join": lambda h: h.reshape(len(h), h.shape[2], -1)},
        "strided": {"split": _strided},
        "strided-both": {"split": _strided, "join": lambda h: h.movedim(1, -1).flatten(2)},
    },
    "missing-output-projection": {"": {"end": lambda joined, O, head_mask: joined}},
    "missing-scale": {"": {"scale": lambda scores, d_h, d_model: scores}},
    "wrong-scale": {
        "d-model": {"scale": lambda scores, d_h, d_model: scores / d_model**0.5},
        "d-h": {"scale": lambda scores, d_h, d_model: scores / d_h},
        "times": {"scale": lambda scores, d_h, d_model: scores * d_h**0.5},
        "heads": {"scale": lambda scores, d_h, d_model: scores / (d_model / d_h) ** 0.5},
    },
    "mask-inverted": {"": {"softmax": lambda s, m: _softmax(s, None if m is None else ~m)}},
    "mask-wrong-axis": {
        "": {"softmax": _first_rows},
        "zeroed": {"softmax": lambda s, m: _first_rows(s, m, zeroed=True)},
    },
    "mask-not-used": {"": {"softmax": lambda s, m: s.softmax(-1)}},
    "mask-after-softmax": {"": {"softmax": _after}},
    "mask-multiplies-scores": {"": {"softmax": _zeroed}},
    "nan-on-masked-row": {"": {"softmax": _unscreened}},
    "uniform-on-masked-row": {"": {"softmax": _uniform}},
    "softmax-wrong-axis": {
        "queries": {"softmax": lambda s, m: _screened(s, m).softmax(-2)},
        "heads": {"softmax": lambda s, m: _screened(s, m).softmax(1)},
    },
    "values-not-projected": {"": {"project": lambda q, m, Q, K, V: (q @ Q.T, m @ K.T, m)}},
    "context-from-projections": {"keys": {"project": lambda q, m, Q, K, V: (q @ Q.T, m @ K.T, m @ K.T)}},
    "query-key-swapped": {"": {"project": lambda q, m, Q, K, V: (q @ K.T, m @ Q.T, m @ V.T)}},
    "returns-swapped": {"": {"results": lambda output, weights, head_mask: (weights, output)}},
    "head-mask-on-weights": {"": {"results": _on_weights}},
    "head-mask-after-output": {"": {"weigh": lambda weights, v, head_mask: weights @ v, "end": _after_output}},
    "argument-ignored": {"head-mask": {"weigh": lambda weights, v, head_mask: weights @ v}},
    "detached-graph": {
        "weights": {"weigh": lambda weights, v, head_mask: _gate(weights.detach() @ v, head_mask)},
        "output": {"end": lambda joined, O, head_mask: (joined @ O.T).detach()},
    },
    "": {
        "own-memory": {"project": lambda q, m, Q, K, V: (q @ Q.T, q @ K.T, q @ V.T)},
        "transposed": {"project": lambda q, m, Q, K, V: (q @ Q, m @ K, m @ V)},
        "output-transposed": {"end": lambda joined, O, head_mask: joined @ O},
    },
}


def _screened(scores: Tensor, mask: Tensor | None) -> Tensor:
    return scores if mask is None else scores.masked_fill(~mask[:, None, None, :], -1e30)


VARIANTS: tuple[Variant, ...] = tuple(
    Variant(cause, f"cross-{how}", attention(**parts), frozenset({"CrossAttention", "TinyTranslator"}))
    for cause, table in TABLE.items()
    for how, parts in table.items()
)
