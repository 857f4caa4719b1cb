"""Known mistakes of Luong's score with heads, and of retrieval."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.softmaxes import OF_LAST_AXIS
from autograder.assignments.kit.hidden.variant import Variant, from_table
from autograder.assignments.variations.hidden.mistakes.shared import Part
from reference.variations import modules as right
from reference.variations.memories import unit

# ---- Luong's general score with heads


def split(x: Tensor, heads: int) -> Tensor:
    """Return neighbouring columns as heads: (B, T, heads * k) -> (B, heads, T, k)."""
    return x.reshape(*x.shape[:2], heads, -1).transpose(1, 2)


def in_turn(x: Tensor, heads: int) -> Tensor:
    """Return heads whose columns are i, i + heads..."""
    return x.reshape(*x.shape[:2], -1, heads).permute(0, 3, 1, 2)


def viewed(x: Tensor, heads: int) -> Tensor:
    """Return heads that mix positions and columns."""
    return x.reshape(len(x), heads, x.shape[1], -1)


def luong(
    of_query: Part = split,
    of_key: Part = split,
    of_value: Part = split,
    asked: Part = lambda s, h, W: s,
    project: Part = lambda h, W: h @ W.T,
    score: Part = lambda q, k, heads: q @ k.mT,
    softmax: Part = torch.softmax,
    summed: Part = lambda weights, value: weights @ value,
    values: Part = lambda h, W: h,
    join: Part = lambda heads: heads.transpose(1, 2).flatten(2),
    out: Part = lambda joined, W: joined @ W.T,
    results: Part = lambda context, weights: (context, weights),
) -> dict[str, Any]:
    """Build a MultiHeadLuong with some parts replaced by wrong ones."""

    class MultiHeadLuong(right.MultiHeadLuong):
        def forward(self, decoder_states: Tensor, encoder_states: Tensor) -> Any:
            W_a, W_o, heads = self.weights["W_a.weight"], self.weights["W_o.weight"], self.num_heads
            states = asked(decoder_states, encoder_states, W_a)
            query, key = of_query(states, heads), of_key(project(encoder_states, W_a), heads)
            weights = softmax(score(query, key, heads), -1)
            contexts = summed(weights, of_value(values(encoder_states, W_a), heads))
            return results(out(join(contexts), W_o), weights)

    return {"MultiHeadLuong": MultiHeadLuong}


def _mean_of_weights(weights: Tensor, value: Tensor) -> Tensor:
    return weights.mean(1, keepdim=True).expand(weights.shape) @ value


LUONG: dict[str, dict[str, dict[str, Any]]] = {
    "heads-of-states-only": {
        "first": luong(of_key=lambda x, heads: split(x, heads)[:, :1].expand(-1, heads, -1, -1)),
        "last": luong(of_key=lambda x, heads: split(x, heads)[:, -1:].expand(-1, heads, -1, -1)),
        "sum": luong(of_key=lambda x, heads: split(x, heads).sum(1, keepdim=True).expand(-1, heads, -1, -1)),
        "mean": luong(of_key=lambda x, heads: split(x, heads).mean(1, keepdim=True).expand(-1, heads, -1, -1)),
        "reversed": luong(of_key=lambda x, heads: split(x, heads).flip(1)),
        "in-turn": luong(of_key=in_turn),
        "view": luong(of_key=viewed),
    },
    "heads-averaged": {
        "repeated": luong(join=lambda heads: heads.mean(1).repeat(1, 1, heads.shape[1])),
        "sum-repeated": luong(join=lambda heads: heads.sum(1).repeat(1, 1, heads.shape[1])),
        "weights": luong(summed=_mean_of_weights),
        "returned-too": luong(softmax=lambda s, dim: torch.softmax(s, dim).mean(1, keepdim=True).expand(s.shape)),
        "narrow": luong(join=lambda heads: heads.mean(1), out=lambda joined, W: joined @ W.T[: joined.shape[2]]),
        "whole": luong(of_value=lambda x, heads: x.unsqueeze(1), join=lambda heads: heads.mean(1)),
        "whole-sum": luong(of_value=lambda x, heads: x.unsqueeze(1), join=lambda heads: heads.sum(1)),
    },
    "heads-mixed": {
        "all": luong(in_turn, in_turn, in_turn),
        "scores": luong(in_turn, in_turn),
        "query": luong(in_turn),
        "value": luong(of_value=in_turn),
        "view": luong(viewed, viewed, viewed),
        "view-scores": luong(viewed, viewed),
        "view-query": luong(viewed),
        "view-value": luong(of_value=viewed),
        "join": luong(join=lambda heads: heads.reshape(len(heads), heads.shape[2], -1)),
        "join-columns": luong(join=lambda heads: heads.permute(0, 2, 3, 1).flatten(2)),
        "all-joined": luong(in_turn, in_turn, in_turn, join=lambda heads: heads.permute(0, 2, 3, 1).flatten(2)),
    },
    "missing-output-projection": {"": luong(out=lambda joined, W: joined + 0 * (joined @ W.T))},
    "general-transposed": {
        "": luong(project=lambda h, W: h @ W),
        "where-it-fits": luong(project=lambda h, W: h @ (W if W.shape[0] == W.shape[1] else W.T)),
        "states-where-it-fits": luong(
            asked=lambda s, h, W: s @ W.T if W.shape[0] == W.shape[1] else s,
            project=lambda h, W: h if W.shape[0] == W.shape[1] else h @ W.T,
        ),
    },
    "wrong-scale": {
        "luong-head": luong(score=lambda q, k, heads: q @ k.mT / q.shape[3] ** 0.5),
        "luong-width": luong(score=lambda q, k, heads: q @ k.mT / (heads * q.shape[3]) ** 0.5),
        "luong-heads": luong(score=lambda q, k, heads: q @ k.mT / heads),
        "luong-root": luong(score=lambda q, k, heads: q @ k.mT / heads**0.5),
        "luong-columns": luong(score=lambda q, k, heads: q @ k.mT / q.shape[3]),
    },
    "context-from-projections": {
        "luong": luong(values=lambda h, W: h @ W.T),
        "luong-where-it-fits": luong(values=lambda h, W: h @ W.T if W.shape[0] == W.shape[1] else h),
    },
    "argument-ignored": {
        "heads": luong(
            of_query=lambda x, heads: x.unsqueeze(1),
            of_key=lambda x, heads: x.unsqueeze(1),
            of_value=lambda x, heads: x.unsqueeze(1),
        )
    },
    "cosine-not-dot": {"luong": luong(score=lambda q, k, heads: unit(q) @ unit(k).mT)},
    "mean-not-sum": {"luong": luong(summed=lambda weights, value: weights @ value / value.shape[2])},
    "ignores-batch": {"luong": luong(summed=lambda weights, value: weights @ value[:1])},
    "detached-graph": {
        "luong-weights": luong(summed=lambda weights, value: weights.detach() @ value),
        "luong-key": luong(project=lambda h, W: (h @ W.T).detach()),
        "luong-out": luong(out=lambda joined, W: joined.detach() @ W.T),
    },
    "returns-swapped": {"luong": luong(results=lambda context, weights: (weights, context))},
    "": {
        "one-head": luong(
            of_query=lambda x, heads: x.unsqueeze(1).expand(-1, heads, -1, -1),
            of_key=lambda x, heads: x.unsqueeze(1).expand(-1, heads, -1, -1),
        ),
        "out-transposed": luong(out=lambda joined, W: joined @ W),
        "out-added": luong(out=lambda joined, W: joined @ W.T + joined),
        "tanh": luong(project=lambda h, W: torch.tanh(h @ W.T)),
        "values-reversed": luong(of_value=lambda x, heads: split(x, heads).flip(1)),
    },
}

# ---- retrieval


def top_k(
    rank: Part = lambda scores, k: scores.topk(k, -1),
    wide: Part = lambda query, values: query.shape[2],
    weigh: Part = lambda scores, chosen, width: torch.softmax(chosen / width**0.5, -1),
    score: Part = lambda query, keys: query @ keys.mT,
    taken: Part = lambda keys, values: values,
    gather: Part = lambda values, places: values[torch.arange(len(values)).view(-1, 1, 1), places],
    returned: Part = lambda indices: indices,
    results: Part = lambda output, indices: (output, indices),
) -> dict[str, Any]:
    """Build a top_k_retrieval with some parts replaced by wrong ones."""

    def top_k_retrieval(query: Tensor, keys: Tensor, values: Tensor, k: int) -> Any:
        if not 1 <= k <= keys.shape[1]:
            raise ValueError(k)
        scores = score(query, keys)
        chosen, indices = rank(scores, k)
        weights = weigh(scores, chosen, wide(query, values))
        found = (weights.unsqueeze(2) @ gather(taken(keys, values), indices)).squeeze(2)
        return results(found, returned(indices))

    return {"top_k_retrieval": top_k_retrieval}


def _by_place(scores: Tensor, k: int) -> tuple[Tensor, Tensor]:
    indices = scores.topk(k, -1).indices.sort(-1).values
    return scores.gather(-1, indices), indices


def _of_sums(scores: Tensor, k: int) -> tuple[Tensor, Tensor]:
    indices = scores.sum(1, keepdim=True).topk(k, -1).indices.expand(-1, scores.shape[1], -1)
    return scores.gather(-1, indices), indices


def _first(scores: Tensor, k: int) -> tuple[Tensor, Tensor]:
    indices = torch.arange(k).expand(*scores.shape[:2], k)
    return scores[..., :k], indices


def _cut(scores: Tensor, chosen: Tensor, width: int, scale: bool = True) -> Tensor:
    """Return the weights of a softmax over all keys, of those that are chosen."""
    factor = width**-0.5 if scale else 1.0
    return torch.exp(chosen * factor - torch.logsumexp(scores * factor, -1, keepdim=True))


TOP_K: dict[str, dict[str, dict[str, Any]]] = {
    "softmax-over-all": {
        "": top_k(weigh=_cut),
        "unscaled": top_k(weigh=lambda scores, chosen, width: _cut(scores, chosen, width, False)),
        "again": top_k(weigh=lambda scores, chosen, width: torch.softmax(_cut(scores, chosen, width), -1)),
    },
    "keys-as-values": {
        "": top_k(taken=lambda keys, values: keys),
        "unscaled": top_k(taken=lambda keys, values: keys, weigh=lambda s, chosen, width: torch.softmax(chosen, -1)),
    },
    "argument-ignored": {"k": top_k(lambda scores, k: scores.sort(-1, descending=True))},
    "smallest-not-largest": {
        "": top_k(lambda scores, k: scores.topk(k, -1, largest=False)),
        "sorted": top_k(lambda scores, k: tuple(one.flip(-1) for one in scores.topk(k, -1, largest=False))),
    },
    "indices-not-sorted": {
        "": top_k(lambda scores, k: tuple(one.flip(-1) for one in scores.topk(k, -1))),
        "by-place": top_k(_by_place),
        "returned-by-place": top_k(returned=lambda indices: indices.sort(-1).values),
        "returned-reversed": top_k(returned=lambda indices: indices.flip(-1)),
    },
    "missing-scale": {"top-k": top_k(weigh=lambda scores, chosen, width: torch.softmax(chosen, -1))},
    "wrong-scale": {
        "top-k-values": top_k(wide=lambda query, values: values.shape[2]),
        "top-k-keys": top_k(weigh=lambda s, chosen, width: torch.softmax(chosen / s.shape[-1] ** 0.5, -1)),
        "top-k-width": top_k(weigh=lambda scores, chosen, width: torch.softmax(chosen / width, -1)),
        "top-k-times": top_k(weigh=lambda scores, chosen, width: torch.softmax(chosen * width**0.5, -1)),
        "top-k-k": top_k(weigh=lambda scores, chosen, width: torch.softmax(chosen / chosen.shape[-1] ** 0.5, -1)),
    },
    "missing-softmax": {"top-k": top_k(weigh=lambda scores, chosen, width: chosen / width**0.5)},
    "mean-not-sum": {
        "top-k": top_k(weigh=lambda s, chosen, width: torch.softmax(chosen / width**0.5, -1) / chosen.shape[-1])
    },
    "cosine-not-dot": {"top-k": top_k(score=lambda query, keys: unit(query) @ unit(keys).mT)},
    "ignores-batch": {
        "top-k-values": top_k(gather=lambda values, places: values[0][places]),
        "top-k-keys": top_k(score=lambda query, keys: query @ keys[0].T),
    },
    "detached-graph": {
        "top-k-weights": top_k(weigh=lambda s, chosen, width: torch.softmax(chosen / width**0.5, -1).detach()),
        "top-k-values": top_k(taken=lambda keys, values: values.detach()),
    },
    "returns-swapped": {"top-k": top_k(results=lambda output, indices: (indices, output))},
    "": {
        "first-keys": top_k(_first),
        "of-all-queries": top_k(_of_sums),
        "absolute": top_k(lambda scores, k: (scores.gather(-1, i := scores.abs().topk(k, -1).indices), i)),
        "mean": top_k(weigh=lambda s, chosen, width: torch.full_like(chosen, 1 / chosen.shape[-1]) + 0 * chosen),
        "best-alone": top_k(
            weigh=lambda s, chosen, width: torch.softmax(chosen / width**0.5, -1) * (chosen == chosen[..., :1])
        ),
    },
}


def _variants() -> Iterator[Variant]:
    yield from from_table(LUONG, lambda one: one, "luong-{}")
    yield from from_table(OF_LAST_AXIS, lambda one: luong(softmax=one), "luong-softmax-{}")
    yield from from_table(TOP_K, lambda one: one, "top-k-{}")
    for cause, parts in OF_LAST_AXIS.items():
        for how, one in parts.items():
            if how == "first-score":  # it is the largest
                continue
            weighed = top_k(weigh=lambda scores, chosen, width, one=one: one(chosen / width**0.5, -1))
            yield Variant(cause, f"top-k-softmax-{how}", weighed)


VARIANTS = tuple(_variants())
