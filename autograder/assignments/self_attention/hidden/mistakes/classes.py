"""Wrong classes of ``self_attention``. Classes with a wrong function are in ``functions``."""

from __future__ import annotations

import torch
from torch import Tensor

from autograder.assignments.self_attention.hidden.mistakes.functions import RESULTS
from autograder.assignments.self_attention.hidden.mistakes.parts import (
    Part,
    Table,
    attention,
    join,
    many_heads,
    one_head,
    products,
    shared,
    spelled,
)
from reference.self_attention.functions import split_heads

ONE_INPUTS: Table = {  # functions of x and the layers
    "values-not-projected": {
        "": lambda x, Q, K, V: (x @ Q.T, x @ K.T, x),
        "cut": lambda x, Q, K, V: (x @ Q.T, x @ K.T, x[..., : len(V)]),
        "where-equal": lambda x, Q, K, V: (x @ Q.T, x @ K.T, x if x.shape[-1] == len(V) else x @ V.T),
    },
    "context-from-projections": {
        "keys": lambda x, Q, K, V: (x @ Q.T, x @ K.T, x @ K.T),
        "queries": lambda x, Q, K, V: (x @ Q.T, x @ K.T, x @ Q.T),
    },
    "query-key-swapped": {"": lambda x, Q, K, V: (x @ K.T, x @ Q.T, x @ V.T)},
    "projection-reused": {
        "queries": lambda x, Q, K, V: (x @ Q.T, x @ Q.T, x @ V.T),
        "keys": lambda x, Q, K, V: (x @ K.T, x @ K.T, x @ V.T),
    },
    "wrong-activation": {
        **{
            name: lambda x, Q, K, V, f=f: (f(x @ Q.T), f(x @ K.T), f(x @ V.T))
            for name, f in (
                ("tanh", torch.tanh),
                ("relu", torch.relu),
                ("gelu", torch.nn.functional.gelu),
                ("sigmoid", torch.sigmoid),
            )
        },
        **{
            f"{name}-queries-keys": lambda x, Q, K, V, f=f: (f(x @ Q.T), f(x @ K.T), x @ V.T)
            for name, f in (("tanh", torch.tanh), ("relu", torch.relu))
        },
        **{
            f"{name}-queries": lambda x, Q, K, V, f=f: (f(x @ Q.T), x @ K.T, x @ V.T)
            for name, f in (("tanh", torch.tanh), ("relu", torch.relu))
        },
        **{
            f"{name}-values": lambda x, Q, K, V, f=f: (x @ Q.T, x @ K.T, f(x @ V.T))
            for name, f in (("tanh", torch.tanh), ("relu", torch.relu))
        },
    },
    "detached-graph": {
        "queries-from-x": lambda x, Q, K, V: (x.detach() @ Q.T, x @ K.T, x @ V.T),
        "keys-from-x": lambda x, Q, K, V: (x @ Q.T, x.detach() @ K.T, x @ V.T),
        "values-from-x": lambda x, Q, K, V: (x @ Q.T, x @ K.T, x.detach() @ V.T),
        "x": lambda x, Q, K, V: (x.detach() @ Q.T, x.detach() @ K.T, x.detach() @ V.T),
        "W_Q": lambda x, Q, K, V: (x @ Q.detach().T, x @ K.T, x @ V.T),
        "W_K": lambda x, Q, K, V: (x @ Q.T, x @ K.detach().T, x @ V.T),
        "W_V": lambda x, Q, K, V: (x @ Q.T, x @ K.T, x @ V.detach().T),
    },
    "wrong-scale": {
        "d-model": lambda x, Q, K, V: (x @ Q.T * (len(Q) / Q.shape[1]) ** 0.5, x @ K.T, x @ V.T),
        "d-v": lambda x, Q, K, V: (x @ Q.T * (len(Q) / len(V)) ** 0.5, x @ K.T, x @ V.T),
    },
    "ignores-batch": {"": lambda x, Q, K, V: (x @ Q.T, x[:1].expand_as(x) @ K.T, x[:1].expand_as(x) @ V.T)},
    "hardcoded-answer": {"": lambda x, Q, K, V: (0 * x @ Q.T, x @ K.T, x @ V.T)},
}
CLASS_RESULTS: Table = {  # in both classes
    "wrong-activation": {
        "tanh-output": lambda output, weights: (torch.tanh(output), weights),
        "relu-output": lambda output, weights: (torch.relu(output), weights),
    },
    "detached-graph": {
        "output": lambda output, weights: (output.detach(), weights),
        "weights": lambda output, weights: (output, weights.detach()),
    },
    "returns-swapped": {"": lambda output, weights: (weights, output)},
    "squeeze-drops-dim": {
        "": lambda output, weights: (output.squeeze(), weights.squeeze()),
        "output": lambda output, weights: (output.squeeze(), weights),
        "batch": lambda output, weights: (output.squeeze(0), weights.squeeze(0)),
        "heads": lambda output, weights: (output, weights.squeeze(1)),
    },
    "mean-not-sum": {"axis-1": lambda output, weights: (output / weights.shape[1], weights)},  # heads, or positions
    "ignores-batch": {"results": lambda output, weights: (output[:1].expand_as(output), weights)},
}
ATTENDED: Table = {  # functions of weights, query, key and value, where a class computes its own attention
    cause: {"own": RESULTS[cause][how]} for cause, how in (("mean-not-sum", ""), ("detached-graph", "output"))
}
INPUTS: Table = {  # functions of query, key, value and the layers
    "values-not-projected": {"": lambda q, k, v, Q, K, V: (q @ Q.T, k @ K.T, v)},
    "context-from-projections": {
        "keys": lambda q, k, v, Q, K, V: (q @ Q.T, k @ K.T, k @ K.T),
        "layer": lambda q, k, v, Q, K, V: (q @ Q.T, k @ K.T, v @ K.T),
    },
    "projection-reused": {
        "queries": lambda q, k, v, Q, K, V: (q @ Q.T, k @ Q.T, v @ V.T),
        "keys": lambda q, k, v, Q, K, V: (q @ K.T, k @ K.T, v @ V.T),
    },
    "query-key-swapped": {
        "layers": lambda q, k, v, Q, K, V: (q @ K.T, k @ Q.T, v @ V.T),
        "arguments": lambda q, k, v, Q, K, V: (k @ Q.T, q @ K.T, v @ V.T),
        "both": lambda q, k, v, Q, K, V: (k @ K.T, q @ Q.T, v @ V.T),
    },
    "wrong-activation": {
        **{
            name: lambda q, k, v, Q, K, V, f=f: (f(q @ Q.T), f(k @ K.T), f(v @ V.T))
            for name, f in (("tanh", torch.tanh), ("relu", torch.relu))
        },
        **{
            f"{name}-queries-keys": lambda q, k, v, Q, K, V, f=f: (f(q @ Q.T), f(k @ K.T), v @ V.T)
            for name, f in (("tanh", torch.tanh), ("relu", torch.relu))
        },
        **{
            f"{name}-queries": lambda q, k, v, Q, K, V, f=f: (f(q @ Q.T), k @ K.T, v @ V.T)
            for name, f in (("tanh", torch.tanh), ("relu", torch.relu))
        },
        **{
            f"{name}-values": lambda q, k, v, Q, K, V, f=f: (q @ Q.T, k @ K.T, f(v @ V.T))
            for name, f in (("tanh", torch.tanh), ("relu", torch.relu))
        },
    },
    "detached-graph": {
        "query": lambda q, k, v, Q, K, V: (q.detach() @ Q.T, k @ K.T, v @ V.T),
        "key": lambda q, k, v, Q, K, V: (q @ Q.T, k.detach() @ K.T, v @ V.T),
        "value": lambda q, k, v, Q, K, V: (q @ Q.T, k @ K.T, v.detach() @ V.T),
        "W_Q": lambda q, k, v, Q, K, V: (q @ Q.detach().T, k @ K.T, v @ V.T),
        "W_K": lambda q, k, v, Q, K, V: (q @ Q.T, k @ K.detach().T, v @ V.T),
        "W_V": lambda q, k, v, Q, K, V: (q @ Q.T, k @ K.T, v @ V.detach().T),
    },
    "argument-ignored": {
        "value": lambda q, k, v, Q, K, V: (q @ Q.T, k @ K.T, k @ V.T),
        "key": lambda q, k, v, Q, K, V: (q @ Q.T, v @ K.T, v @ V.T),
        "key-as-query": lambda q, k, v, Q, K, V: (q @ Q.T, q @ K.T, v @ V.T),
        "key-where-equal": lambda q, k, v, Q, K, V: (q @ Q.T, (q if q.shape == k.shape else k) @ K.T, v @ V.T),
        "key-and-value": lambda q, k, v, Q, K, V: (q @ Q.T, q @ K.T, q @ V.T),
    },
    "ignores-batch": {
        "": lambda q, k, v, Q, K, V: (q @ Q.T, k[:1].expand_as(k) @ K.T, v[:1].expand_as(v) @ V.T),
        "keys": lambda q, k, v, Q, K, V: (q @ Q.T, k[:1].expand_as(k) @ K.T, v @ V.T),
    },
    "hardcoded-answer": {"": lambda q, k, v, Q, K, V: (0 * q @ Q.T, k @ K.T, v @ V.T)},
}


def _reshaped(x: Tensor, heads: int) -> Tensor:
    return x.reshape(x.shape[0], heads, x.shape[1], -1)


def _interleaved(x: Tensor, heads: int) -> Tensor:
    return x.reshape(*x.shape[:2], -1, heads).permute(0, 3, 1, 2)


def _flat(heads: Tensor) -> Tensor:
    return heads.reshape(heads.shape[0], heads.shape[2], -1)


def _one_by_one(heads: Tensor) -> Tensor:
    return heads.permute(0, 2, 3, 1).flatten(2)


def _backwards(heads: Tensor) -> Tensor:
    return join(heads.flip(1))


MIXED: tuple[tuple[str, Part, Part], ...] = (
    ("reshaped", _reshaped, join),
    ("reshaped-and-back", _reshaped, _flat),
    ("interleaved", _interleaved, join),
    ("interleaved-and-back", _interleaved, _one_by_one),
    ("joined-flat", split_heads, _flat),
    ("joined-interleaved", split_heads, _one_by_one),
    ("joined-backwards", split_heads, _backwards),
    ("joined-averaged", split_heads, lambda heads: heads.mean(1).repeat(1, 1, heads.shape[1])),
    ("interleaved-flat", _interleaved, _flat),
    ("reshaped-interleaved", _reshaped, _one_by_one),
)
MASKS: Table = {  # functions of the mask and the numbers of sentences and heads
    "mask-wrong-axis": {
        "transposed": lambda m, b, h: shared(m.mT if m.dim() > 1 else m),
        "transposed-if-square": lambda m, b, h: shared(m.mT if m.dim() > 1 and m.shape[-1] == m.shape[-2] else m),
        "rows": lambda m, b, h: shared(m if m.dim() != 1 else m.unsqueeze(-1)),
        "batch-as-heads": lambda m, b, h: m,
        "batch-as-heads-where-equal": lambda m, b, h: m if m.dim() == 3 and len(m) == h else shared(m),
        "head-by-head": lambda m, b, h: m.expand(b, -1, -1).repeat(h, 1, 1).unflatten(0, (b, h)) if m.dim() == 3 else m,
        "axes-at-the-end": lambda m, b, h: m[(..., *[None] * (3 - m.dim()))].unsqueeze(1),
        "two-axes-of-sentences-where-equal": lambda m, b, h: (
            m[:, None, None] if m.dim() == 2 and len(m) == b else shared(m)
        ),
        "two-axes-of-sentences": lambda m, b, h: m[:, None, None] if m.dim() == 2 else shared(m),
    },
    "mask-not-used": {
        "but-in-the-first-head": lambda m, b, h: (
            torch.cat([m.unsqueeze(1), torch.ones_like(m).unsqueeze(1).repeat(1, h - 1, 1, 1)], 1)
            if m.dim() == 3
            else m
        )
    },
    "ignores-batch": {"mask": lambda m, b, h: m[0] if m.dim() == 3 else m},
    "mask-inverted": {
        "class": lambda m, b, h: ~shared(m),
        "three-axes": lambda m, b, h: ~m.unsqueeze(1) if m.dim() == 3 else m,
    },
}
OUTS: Table = {  # functions of the joined heads and W_O
    "missing-output-projection": {"": lambda joined, O: joined},
    "projection-transposed": {"": lambda joined, O: joined @ O},
    "wrong-activation": {
        "relu-joined": lambda joined, O: torch.relu(joined) @ O.T,
        "tanh-joined": lambda joined, O: torch.tanh(joined) @ O.T,
    },
    "detached-graph": {
        "joined": lambda joined, O: joined.detach() @ O.T,
        "W_O": lambda joined, O: joined @ O.detach().T,
    },
}


MANY_SCORES: Table = {
    "wrong-scale": {
        "d-model": lambda q, k, v: products(q, k) / (q.shape[1] * q.shape[-1]) ** 0.5,
        "num-heads": lambda q, k, v: products(q, k) / q.shape[1] ** 0.5,
    }
}


VARIANTS = (
    *spelled("one-inputs", ONE_INPUTS, lambda one: {"SelfAttention": one_head(inputs=one)}),
    *spelled("one-results", CLASS_RESULTS, lambda one: {"SelfAttention": one_head(results=one)}),
    *spelled("one", ATTENDED, lambda one: {"SelfAttention": one_head(attention(results=one))}),
    *spelled("many", ATTENDED, lambda one: {"MultiHeadAttention": many_heads(attention(results=one))}),
    *spelled("many-results", CLASS_RESULTS, lambda one: {"MultiHeadAttention": many_heads(results=one)}),
    *spelled("many-inputs", INPUTS, lambda one: {"MultiHeadAttention": many_heads(inputs=one)}),
    *spelled("many-out", OUTS, lambda one: {"MultiHeadAttention": many_heads(out=one)}),
    *spelled("many-mask", MASKS, lambda one: {"MultiHeadAttention": many_heads(visible=one)}),
    *spelled("many-scores", MANY_SCORES, lambda one: {"MultiHeadAttention": many_heads(attention(scores=one))}),
    *spelled(
        "many",
        {
            "heads-mixed": {
                how: (lambda split=split, join=join: many_heads(split=split, join=join)) for how, split, join in MIXED
            }
        },
        lambda one: {"MultiHeadAttention": one()},
    ),
)
