"""Known mistakes of copy_accuracy, split_projection, head_ablation and mean_attention_map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant, from_table

Part = Callable[..., Any]


def _share(hits: Tensor) -> float:
    return hits.double().mean().item()


def _cut(predicted: Tensor, src: Tensor) -> tuple[Tensor, Tensor]:
    width = min(predicted.shape[1], src.shape[1])
    return predicted[:, :width], src[:, :width]


def _hits(predicted: Tensor, src: Tensor) -> float:
    one, other = _cut(predicted, src)
    return float((one == other).sum())


def _whole_rows(predicted: Tensor, src: Tensor) -> float:
    if predicted.shape[1] < src.shape[1]:
        return 0.0
    return _share((predicted[:, : src.shape[1]] == src).all(1))


def _with_further(predicted: Tensor, src: Tensor) -> float:
    return _hits(predicted, src) / (len(src) * max(predicted.shape[1], src.shape[1]))


def _up_to_first_error(predicted: Tensor, src: Tensor) -> float:
    one, other = _cut(predicted, src)
    return float((one == other).long().cumprod(1).sum()) / src.numel()


ACCURACY: dict[str, dict[str, Part]] = {
    "accuracy-by-sentence": {"": _whole_rows, "cut": lambda p, s: _share((_cut(p, s)[0] == _cut(p, s)[1]).all(1))},
    "counts-eos": {
        "": _with_further,
        "predicted": lambda p, s: float((_cut(p, s)[0] == _cut(p, s)[1]).sum()) / p.numel(),
    },
    "cut-to-shorter": {"": lambda p, s: _share(_cut(p, s)[0] == _cut(p, s)[1])},
    "mean-of-batches": {
        "rows": lambda p, s: _hits(p, s) / len(s),
        "columns": lambda p, s: _hits(p, s) / s.shape[1],
        "sum": _hits,
    },
    "": {"first-error": _up_to_first_error, "wrong": lambda p, s: 1 - _with_further(p, s)},
}


def _chunks(weight: Tensor, order: tuple[int, ...]) -> tuple[Tensor, ...]:
    parts = weight.clone().chunk(3)
    return tuple(parts[i] for i in order)


def _columns(weight: Tensor) -> tuple[Tensor, ...]:
    d = weight.shape[1]
    return tuple(weight.clone().reshape(d, 3 * d)[:, i * d : (i + 1) * d] for i in range(3))


SPLIT: dict[str, dict[str, Part]] = {
    "columns-not-rows": {
        "": _columns,
        "transposed": lambda w: tuple(one.T.clone() for one in w.chunk(3)),
        "interleaved": lambda w: tuple(w[i::3].clone() for i in range(3)),
    },
    "projections-reordered": {
        "".join(map(str, order)): lambda w, order=order: _chunks(w, order)
        for order in ((0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
    },
    "modifies-input": {"shared": lambda w: tuple(w.chunk(3))},
}


def _accuracy(model: Any, src: Tensor, tgt_in: Tensor, tgt_out: Tensor, mask: Tensor | None) -> Tensor:
    with torch.no_grad():
        logits = model(src, tgt_in, mask)
        right: Tensor = (logits.argmax(-1) == tgt_out).to(logits.dtype)
        return right.mean()


def _drops(masks: Part, drop: Part = lambda whole, one: whole - one) -> Part:
    """Build a ``head_ablation`` with other masks (of the number of heads), or with another difference."""

    def head_ablation(model: Any, src: Tensor, tgt_in: Tensor, tgt_out: Tensor) -> Tensor:
        like = model.out.weight
        whole = _accuracy(model, src, tgt_in, tgt_out, None)
        given = masks(model.num_heads).to(like)
        return torch.stack([drop(whole, _accuracy(model, src, tgt_in, tgt_out, mask)) for mask in given])

    return head_ablation


def _one_off(count: int) -> Tensor:
    return 1 - torch.eye(count)


ABLATION: dict[str, dict[str, Part]] = {
    "ablation-inverted": {"": _drops(torch.eye)},
    "drop-has-wrong-sign": {"": _drops(_one_off, lambda whole, one: one - whole)},
    "head-stays-masked": {"": _drops(lambda count: 1 - torch.ones(count, count).tril())},
    "hardcoded-answer": {"zero": _drops(lambda count: torch.ones(count, count))},
    "": {
        "not-a-drop": _drops(_one_off, lambda whole, one: one),
        "relative": _drops(_one_off, lambda whole, one: (whole - one) / whole),
    },
}


def _real(shape: torch.Size, src: Tensor, tgt: Tensor) -> Tensor:
    rows, columns = torch.arange(shape[-2]), torch.arange(shape[-1])
    return (rows < tgt[:, None]).unsqueeze(2) & (columns < src[:, None]).unsqueeze(1)


def _masked(mean: Tensor, src: Tensor, tgt: Tensor) -> Tensor:
    return mean * _real(mean.shape, src, tgt)


def _normalised(a: Tensor, src: Tensor, tgt: Tensor) -> Tensor:
    kept = _masked(a.mean((0, 2)), src, tgt)
    return kept / kept.sum(-1, keepdim=True).clamp(min=1e-12)


MAP: dict[str, dict[str, Part]] = {
    "rows-renormalised": {"": _normalised},
    "layers-only": {
        "first-head": lambda a, s, t: _masked(a.mean(0)[:, 0], s, t),
        "last-head": lambda a, s, t: _masked(a.mean(0)[:, -1], s, t),
        "first-layer": lambda a, s, t: _masked(a[0].mean(1), s, t),
        "last-layer": lambda a, s, t: _masked(a[-1].mean(1), s, t),
        "last-of-both": lambda a, s, t: _masked(a[-1][:, -1], s, t),
        "first-of-both": lambda a, s, t: _masked(a[0][:, 0], s, t),
    },
    "padding-kept": {
        "": lambda a, s, t: a.mean((0, 2)),
        "rows": lambda a, s, t: _masked(a.mean((0, 2)), s, torch.full_like(t, a.shape[3])),
        "columns": lambda a, s, t: _masked(a.mean((0, 2)), torch.full_like(s, a.shape[4]), t),
    },
    "mean-not-sum": {},
    "": {
        "sum": lambda a, s, t: _masked(a.sum((0, 2)), s, t),
        "sum-heads": lambda a, s, t: _masked(a.mean(0).sum(1), s, t),
        "sum-layers": lambda a, s, t: _masked(a.sum(0).mean(1), s, t),
        "maximum": lambda a, s, t: _masked(a.amax((0, 2)), s, t),
    },
}


def _of(name: str) -> Callable[[Part], dict[str, Part]]:
    return lambda part: {name: part}


VARIANTS: tuple[Variant, ...] = (
    *from_table(ACCURACY, _of("copy_accuracy"), "accuracy-{}"),
    *from_table(SPLIT, _of("split_projection"), "split-{}"),
    *from_table(ABLATION, _of("head_ablation"), "ablation-{}"),
    *from_table(MAP, _of("mean_attention_map"), "map-{}"),
)
