"""Known mistakes of Encoder."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.assignments.seq2seq.hidden.mistakes.models import Part, Parts, cat, encoder, packed, real, whole
from autograder.assignments.seq2seq.hidden.mistakes.whole import variants
from reference.seq2seq.recurrent import Weights

Run = Callable[[Weights, Tensor, Tensor], tuple[Tensor, Tensor]]


def _cleared(states: Tensor, lengths: Tensor) -> Tensor:
    return states * real(lengths, states.shape[1]).unsqueeze(-1)


def _halves(states: Tensor) -> tuple[Tensor, Tensor]:
    forward, backward = states.chunk(2, -1)
    return forward, backward


def _mixed(forward: Run, backward: Run) -> Run:
    """Run each direction in its own way."""

    def run(weights: Weights, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        (one, last), (other, first) = forward(weights, x, lengths), backward(weights, x, lengths)
        return cat(_halves(one)[0], _halves(other)[1]), torch.stack([last[0], first[1]])

    return run


def _uncut(weights: Weights, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    return whole(weights, x)


def _gathered(weights: Weights, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Run without packing. The forward state is that of the last word, the backward state that of the first."""
    states, _ = whole(weights, x)
    forward, backward = _halves(states)
    return states, torch.stack([_at(forward, lengths - 1), backward[:, 0]])


def _longest(weights: Weights, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    top = int(lengths.max())
    states, last = whole(weights, x[:, :top])
    return F.pad(states, (0, 0, 0, x.shape[1] - top)), last


def _at(states: Tensor, places: Tensor) -> Tensor:
    return states[torch.arange(len(states)), places.clamp(min=0)]


def _short(by: int) -> Run:
    return lambda weights, x, lengths: packed(weights, x, (lengths + by).clamp(1, x.shape[1]))


def _mean(states: Tensor, lengths: Tensor) -> Tensor:
    return states.sum(1) / lengths.unsqueeze(1)


def _by_length(again: bool, and_last: bool) -> Run:
    """Leave the sentences in the order of their lengths, or sort them ``again`` in place of undoing it; the states
    alone, or the last ones too."""

    def run(weights: Weights, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        states, last = packed(weights, x, lengths)
        order = lengths.argsort(descending=True, stable=True)
        order = order[order] if again else order
        return states[order], last[:, order] if and_last else last

    return run


CLEARED: Parts = {"states": _cleared}
RUNS: dict[str, dict[str, Parts]] = {
    "padding-changes-state": {
        "whole": {"run": _uncut} | CLEARED,
        "whole-not-cleared": {"run": _uncut},
        "gathered": {"run": _gathered} | CLEARED,
        "gathered-not-cleared": {"run": _gathered},
        "forward": {"run": _mixed(_uncut, packed)} | CLEARED,
        "longest": {"run": _longest} | CLEARED,
        "longest-not-cleared": {"run": _longest},
        "final-only": {"run": lambda w, x, n: (packed(w, x, n)[0], whole(w, x)[1])},
        "states-only": {"run": lambda w, x, n: (whole(w, x)[0], packed(w, x, n)[1])},
        "first-length-for-all": {"run": lambda w, x, n: packed(w, x, n[:1].expand_as(n)[: len(x)])},
    },
    "padding-off-by-one": {"one-less": {"run": _short(-1)}, "one-more": {"run": _short(1)}},
    "ignores-batch": {
        f"sorted{again}{and_last}": {"run": _by_length(bool(again), bool(and_last))}
        for again in ("", "-again")
        for and_last in ("", "-and-last")
    },
    "": {"narrow": {"states": lambda states, n: states[:, : int(n.max())]}},
}
FINALS: dict[str, Part] = {
    "forward-twice": lambda states, last, n: cat(last[0], last[0]),
    "backward-twice": lambda states, last, n: cat(last[1], last[1]),
    "swapped": lambda states, last, n: cat(last[1], last[0]),
    "forward-alone": lambda states, last, n: cat(last[0], 0 * last[0]),
    "backward-alone": lambda states, last, n: cat(0 * last[1], last[1]),
    "view": lambda states, last, n: last.reshape(len(n), -1),
    "interleaved": lambda states, last, n: last.permute(1, 2, 0).reshape(len(n), -1),
    "last-column": lambda states, last, n: states[:, -1],
    "longest-column": lambda states, last, n: states[:, int(n.max()) - 1],
    "last-column-forward": lambda states, last, n: cat(_halves(states)[0][:, -1], last[1]),
    "longest-column-forward": lambda states, last, n: cat(_halves(states)[0][:, int(n.max()) - 1], last[1]),
    "last-word": lambda states, last, n: _at(states, n - 1),
    "last-word-but-one": lambda states, last, n: cat(_halves(_at(states, n - 2))[0], last[1]),
    "first-word": lambda states, last, n: states[:, 0],
    "other-ends": lambda states, last, n: cat(_halves(states)[0][:, 0], _halves(_at(states, n - 1))[1]),
    "mean": lambda states, last, n: _mean(states, n),
    "mean-of-all": lambda states, last, n: states.mean(1),
    "sum": lambda states, last, n: states.sum(1),
    "greatest": lambda states, last, n: states.amax(1),
    "sum-of-both": lambda states, last, n: cat(last[0] + last[1], last[0] + last[1]),
}
ACTIVATIONS: dict[str, Part] = {
    "sigmoid": torch.sigmoid,
    "relu": torch.relu,
    "hardtanh": F.hardtanh,
    "gelu": F.gelu,
    "elu": F.elu,
    "leaky-relu": F.leaky_relu,
    "silu": F.silu,
    "softsign": F.softsign,
    "twice": lambda x: torch.tanh(torch.tanh(x)),
}
FIRSTS: dict[str, dict[str, Part]] = {
    "missing-tanh": {"": lambda final, bridge: bridge(final)},
    "wrong-activation": {
        **{how: (lambda final, bridge, by=by: by(bridge(final))) for how, by in ACTIVATIONS.items()},
        "inside": lambda final, bridge: bridge(torch.tanh(final)),
    },
    "ignores-batch": {"first": lambda final, bridge: torch.tanh(bridge(final[:1])).expand(len(final), -1)},
    "hardcoded-answer": {"zeros": lambda final, bridge: 0 * bridge(final)},
    "detached-graph": {"first": lambda final, bridge: torch.tanh(bridge(final.detach()))},
}
REST: dict[str, dict[str, Parts]] = {
    "wrong-parameters": {"padding-idx": {"words": lambda src, table: F.embedding(src, table, padding_idx=0)}},
    "detached-graph": {
        "words": {"words": lambda src, table: F.embedding(src, table.detach())},
        "states": {"states": lambda states, n: states.detach()},
        "both": {"results": lambda states, first: (states.detach(), first.detach())},
        "result": {"results": lambda states, first: (states, first.detach())},
    },
    "returns-swapped": {"": {"results": lambda states, first: (first, states)}},
    "ignores-batch": {"states": {"states": lambda states, n: states[:1].expand_as(states)}},
}
TABLES = (
    RUNS,
    {"wrong-final-state": {how: {"final": one} for how, one in FINALS.items()}},
    {
        "wrong-final-state": {  # without packing
            f"whole-{how}": {"run": _uncut, "final": FINALS[how]} | CLEARED
            for how in ("view", "forward-twice", "backward-twice", "swapped", "last-column", "last-word")
        }
    },
    {cause: {how: {"first": one} for how, one in all_.items()} for cause, all_ in FIRSTS.items()},
    REST,
)
VARIANTS = variants("Encoder", encoder, *TABLES)
