"""Known mistakes of parts that both decoders have: masked weights, context, cell, words."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.assignments.seq2seq.hidden.mistakes.models import Part, Parts, gru, masked_softmax, weighted


def _filled(fill: float) -> Part:
    return lambda scores, mask: torch.softmax(scores.masked_fill(~mask, fill), -1)


def _added(fill: float) -> Part:
    return lambda scores, mask: torch.softmax(scores + fill * (~mask).to(scores.dtype), -1)


def _cleared(softmax: Part) -> Part:
    return lambda scores, mask: softmax(scores, mask) * mask


def _share(function: Part) -> Part:
    """Return a softmax over the real positions with another function in place of exp."""

    def softmax(scores: Tensor, mask: Tensor) -> Tensor:
        seen = function(scores) * mask
        shares: Tensor = (seen / seen.sum(-1, keepdim=True)).nan_to_num(0.0)
        return shares

    return softmax


def _exponentials(scores: Tensor, mask: Tensor) -> Tensor:
    top = scores.masked_fill(~mask, -1e300).amax(-1, keepdim=True)
    return torch.exp((scores - top).masked_fill(~mask, -1e300)) * mask


def _guarded(small: float) -> Part:
    def softmax(scores: Tensor, mask: Tensor) -> Tensor:
        exponentials = _exponentials(scores, mask)
        return exponentials / (exponentials.sum(-1, keepdim=True) + small)

    return softmax


def _late(scores: Tensor, mask: Tensor) -> Tensor:
    weights = torch.softmax(scores, -1) * mask
    return weights / weights.sum(-1, keepdim=True).clamp_min(1e-12)


def _plain(scores: Tensor, mask: Tensor) -> Tensor:
    powers = torch.exp(scores) * mask
    return powers / powers.sum(-1, keepdim=True).clamp_min(1e-12)


def _whole_maximum(scores: Tensor, mask: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.masked_fill(~mask, -1e300).max()) * mask
    return powers / powers.sum(-1, keepdim=True).clamp_min(1e-12)


def _hard(scores: Tensor, mask: Tensor) -> Tensor:
    best = scores.masked_fill(~mask, -1e300).argmax(-1, keepdim=True)
    return torch.zeros_like(scores).scatter(-1, best, 1.0) * mask + 0 * scores


def _on_axis_0(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores.masked_fill(~mask, -1e300), 0) * mask


def _over_all(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores.masked_fill(~mask, -1e300).flatten(), 0).view(scores.shape) * mask


def _times(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores * mask, -1)


def _turned(mask: Tensor) -> Tensor:
    return mask.mT.reshape(mask.shape)


def _scaled(by: Part) -> Part:
    return lambda scores, mask: masked_softmax(scores * by(scores), mask)


def _by_other_rows(scores: Tensor, mask: Tensor) -> Tensor:
    """Subtract the maximum of another row, and divide by its sum."""
    e = torch.exp(scores - scores.masked_fill(~mask, -torch.inf).amax(-1)) * mask
    return e / e.sum(-1)


FILLS = (-1.0, -5.0, -10.0, -20.0, -30.0, -50.0, -100.0, -1e3, -1e4)
SOFTMAXES: dict[str, dict[str, Part]] = {
    "softmax-wrong-axis": {
        "first": _on_axis_0,
        "first-not-masked": lambda scores, mask: torch.softmax(scores, 0) * mask,
        "all": _over_all,
        "column-shares": lambda scores, mask: (e := _exponentials(scores, mask)) / e.sum(0, keepdim=True),
    },
    "silent-broadcast": {  # without ``keepdim``
        "sums": lambda scores, mask: (e := _exponentials(scores, mask)) / e.sum(-1),
        "maximum-and-sums": _by_other_rows,
    },
    "missing-softmax": {
        "": lambda scores, mask: scores * mask,
        "not-masked": lambda scores, mask: scores,
        "filled": lambda scores, mask: scores.masked_fill(~mask, -1e9),
    },
    "not-softmax": {
        "share": _share(lambda scores: scores),
        "absolute": _share(torch.abs),
        "square": _share(torch.square),
        "relu": _share(torch.relu),
        "softplus": _share(F.softplus),
        "base-2": _share(torch.exp2),
        "sigmoid-share": _share(torch.sigmoid),
        "sigmoid": lambda scores, mask: torch.sigmoid(scores) * mask,
        "tanh": lambda scores, mask: torch.tanh(scores) * mask,
        "length": lambda scores, mask: F.normalize(_exponentials(scores, mask), dim=-1),
        "length-of-scores": lambda scores, mask: F.normalize(scores * mask, dim=-1),
        "exponential": lambda scores, mask: torch.exp(scores) * mask,
        "shifted-exponential": _exponentials,
        "log": lambda scores, mask: torch.where(mask, torch.log_softmax(scores.masked_fill(~mask, -1e300), -1), 0.0),
        "negated": lambda scores, mask: masked_softmax(-scores, mask),
        "twice": lambda scores, mask: masked_softmax(masked_softmax(scores, mask), mask),
        "mean": lambda scores, mask: masked_softmax(scores, mask) / mask.sum(-1, keepdim=True).clamp_min(1),
    },
    "softmax-unstable": {"plain": _plain, "one-maximum": _whole_maximum, "late": _late},
    "epsilon-too-large": {f"{small:g}": _guarded(small) for small in (1e-2, 1e-3, 1e-4, 1e-5)},
    "hard-attention": {"": _hard},
    "wrong-scale": {
        "root-of-length": _scaled(lambda scores: scores.shape[-1] ** -0.5),
        "twice": _scaled(lambda scores: 2.0),
        "half": _scaled(lambda scores: 0.5),
        "tenth": _scaled(lambda scores: 0.1),
    },
    "mean-not-sum": {"length": _scaled(lambda scores: 1 / scores.shape[-1])},
    "mask-inverted": {
        "": lambda scores, mask: masked_softmax(scores, ~mask),
        "left": lambda scores, mask: torch.softmax(scores.masked_fill(mask, -1e300), -1),
        "cleared": lambda scores, mask: masked_softmax(scores, ~mask) * mask,
        "added-cleared": lambda scores, mask: torch.softmax(scores - 1e30 * mask, -1) * mask,
        "only-cleared": lambda scores, mask: masked_softmax(scores, torch.ones_like(mask)) * ~mask,
    },
    "mask-not-used": {"": lambda scores, mask: torch.softmax(scores, -1)},
    "mask-after-softmax": {"": lambda scores, mask: torch.softmax(scores, -1) * mask},
    "mask-multiplies-scores": {"": _times, "cleared": _cleared(_times)},
    "mask-leaks": {
        **{f"fill{fill:g}": _filled(fill) for fill in FILLS},
        **{f"fill{fill:g}-cleared": _cleared(_filled(fill)) for fill in FILLS},
        **{f"add{fill:g}": _added(fill) for fill in FILLS},
    },
    "mask-wrong-axis": {
        "": lambda scores, mask: masked_softmax(scores, _turned(mask)),
        "transposed": lambda scores, mask: masked_softmax(scores, mask.mT),
    },
    "nan-on-masked-row": {"": _filled(float("-inf"))},
    "uniform-on-masked-row": {
        "": _filled(-1e300),
        "ones": lambda scores, mask: masked_softmax(scores, mask) + ~mask.any(-1, keepdim=True),
    },
    "ignores-batch": {
        "mask": lambda scores, mask: masked_softmax(scores, mask[:1].expand_as(mask)),
        "scores": lambda scores, mask: masked_softmax(scores[:1].expand_as(scores), mask),
        "weights": lambda scores, mask: masked_softmax(scores, mask)[:1].expand_as(scores),
    },
    "detached-graph": {
        "weights": lambda scores, mask: masked_softmax(scores.detach(), mask),
        "sum": lambda scores, mask: (e := _exponentials(scores, mask)) / (e.sum(-1, keepdim=True).detach() + 1e-30),
    },
    "padding-off-by-one": {
        "one-less": lambda scores, mask: masked_softmax(scores, F.pad(mask[:, 1:], (0, 1))),
        "one-more": lambda scores, mask: masked_softmax(scores, F.pad(mask[:, :-1], (1, 0), value=True)),
    },
}
CONTEXTS: dict[str, dict[str, Part]] = {
    "hard-attention": {"context": lambda alpha, states, keys: states[torch.arange(len(alpha)), alpha.argmax(-1)]},
    "mean-not-sum": {
        "context": lambda alpha, states, keys: weighted(alpha, states, keys) / states.shape[1],
        "plain": lambda alpha, states, keys: states.mean(1) + 0 * weighted(alpha, states, keys),
    },
    "context-from-projections": {"": lambda alpha, states, keys: weighted(alpha, keys(), keys)},
    "detached-graph": {
        "context": lambda alpha, states, keys: weighted(alpha, states, keys).detach(),
        "states": lambda alpha, states, keys: weighted(alpha, states.detach(), keys),
        "alpha": lambda alpha, states, keys: weighted(alpha.detach(), states, keys),
    },
    "ignores-batch": {"values": lambda alpha, states, keys: weighted(alpha, states[:1].expand_as(states), keys)},
}


CELLS: dict[str, dict[str, Part]] = {
    "detached-graph": {
        "state": lambda w, x, state: gru(w, x, state.detach()),
        "input": lambda w, x, state: gru(w, x.detach(), state),
        "new": lambda w, x, state: gru(w, x, state).detach(),
    },
    "ignores-batch": {"state": lambda w, x, state: gru(w, x, state[:1].expand_as(state))},
}
WORDS: dict[str, dict[str, Part]] = {
    "wrong-parameters": {"padding-idx": lambda token, table: F.embedding(token, table, padding_idx=0)},
    "detached-graph": {"word": lambda token, table: F.embedding(token, table.detach())},
    "ignores-batch": {"word": lambda token, table: F.embedding(token[:1].expand_as(token), table)},
}


def of_part(part: str, table: dict[str, dict[str, Part]]) -> dict[str, dict[str, Parts]]:
    return {
        cause: {f"{part}-{how}" if how else part: {part: one} for how, one in all_.items()}
        for cause, all_ in table.items()
    }


BOTH = (of_part("softmax", SOFTMAXES), of_part("context", CONTEXTS), of_part("cell", CELLS), of_part("word", WORDS))
