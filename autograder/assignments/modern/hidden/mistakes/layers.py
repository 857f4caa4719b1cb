"""Known mistakes of GroupedQueryAttention and TransformerBlock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant, from_table
from autograder.assignments.modern.hidden.mistakes import grouped as of_groups
from autograder.assignments.modern.hidden.mistakes import rotary as of_rotary
from reference.modern import heads as right
from reference.modern import modules

Part = Callable[..., Any]


def columns_in_turn(x: Tensor, heads: int) -> Tensor:
    """Return heads whose columns are h, h + heads..."""
    return x.reshape(*x.shape[:2], -1, heads).permute(0, 3, 1, 2)


def layer(
    split: Part = right.split_heads,
    place: Part = lambda before, new: torch.arange(before, before + new),
    turn_query: Part = right.apply_rotary,
    turn_key: Part = right.apply_rotary,
    turn_value: Part = lambda x, positions: x,
    longer: Part = lambda old, new: torch.cat([old, new], 2),
    returned: Part = lambda old, new, both: both,
    cached: Part = lambda keys: keys,
    attend: Part = right.grouped_attention,
    join: Part = lambda heads: heads.transpose(1, 2).flatten(2),
    out: Part = lambda joined, W_O: joined @ W_O.T,
) -> dict[str, Any]:
    """Build a GroupedQueryAttention with some parts replaced by wrong ones."""

    class GroupedQueryAttention(modules.GroupedQueryAttention):
        def extend(self, x: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            W_Q, W_K, W_V, W_O = (self.weights[f"W_{name}.weight"] for name in "QKVO")
            places = place(keys.shape[2], x.shape[1])
            query = turn_query(split(x @ W_Q.T, self.num_heads), places)
            key = turn_key(split(x @ W_K.T, self.num_groups), places)
            value = turn_value(split(x @ W_V.T, self.num_groups), places)
            all_keys, all_values = longer(cached(keys), key), longer(values, value)
            found = out(join(attend(query, all_keys, all_values)), W_O)
            return found, returned(keys, key, all_keys), returned(values, value, all_values)

    return {"GroupedQueryAttention": GroupedQueryAttention}


def alone(x: Tensor, positions: Tensor) -> Tensor:
    """Return that nothing is turned."""
    return x


def _turned_again(keys: Tensor) -> Tensor:
    return right.apply_rotary(keys, torch.arange(keys.shape[2]))


LAYERS: dict[str, dict[str, dict[str, Any]]] = {
    "rotary-on-values": {"": layer(turn_value=right.apply_rotary)},
    "rotary-missing": {
        "both": layer(turn_query=alone, turn_key=alone),
        "queries": layer(turn_query=alone),
        "keys": layer(turn_key=alone),
    },
    "new-positions-from-zero": {"": layer(place=lambda before, new: torch.arange(new))},
    "cache-rotated-twice": {
        "": layer(cached=_turned_again),
        "returned": layer(cached=_turned_again, returned=lambda old, new, both: both),
        "kept": layer(cached=_turned_again, returned=lambda old, new, both: torch.cat([old, new], 2)),
    },
    "cache-order-reversed": {
        "": layer(longer=lambda old, new: torch.cat([new, old], 2)),
        "returned": layer(returned=lambda old, new, both: torch.cat([new, old], 2)),
    },
    "cache-without-new": {"": layer(returned=lambda old, new, both: old)},
    "cache-only-new": {"": layer(returned=lambda old, new, both: new)},
    "heads-mixed": {
        "split": layer(split=columns_in_turn),
        "view": layer(split=lambda x, heads: x.reshape(len(x), heads, x.shape[1], -1)),
        "join": layer(join=lambda heads: heads.reshape(len(heads), heads.shape[2], -1)),
        "join-columns": layer(join=lambda heads: heads.permute(0, 2, 3, 1).flatten(2)),
    },
    "missing-output-projection": {"": layer(out=lambda joined, W_O: joined + 0 * (joined @ W_O.T))},
    "": {
        "own-base": layer(
            turn_query=lambda x, p: right.apply_rotary(x, p, 100.0),
            turn_key=lambda x, p: right.apply_rotary(x, p, 100.0),
        ),
        "from-one": layer(place=lambda before, new: torch.arange(before, before + new) + 1),
        "out-transposed": layer(out=lambda joined, W_O: joined @ W_O),
        "out-added": layer(out=lambda joined, W_O: joined @ W_O.T + joined),
        "only-new-used": layer(longer=lambda old, new: new, returned=lambda old, new, both: torch.cat([old, new], 2)),
    },
    "detached-graph": {
        "cache": layer(cached=lambda keys: keys.detach()),
        "out": layer(out=lambda joined, W_O: joined.detach() @ W_O.T),
    },
}


def _only_with_heads(table: Mapping[str, Mapping[str, Part]], causes: tuple[str, ...]) -> dict[str, dict[str, Part]]:
    return {cause: dict(all_) for cause, all_ in table.items() if cause in causes}


ATTENTIONS = {
    part: _only_with_heads(table, ("groups-interleaved", "future-visible", "queries-at-the-start", "one-group-for-all"))
    | _only_with_heads(table, ("own-position-hidden", "missing-scale", "wrong-scale", "causal-reversed"))
    for part, table in of_groups.TABLES.items()
}
OF_ROTARY = ("rotary-neighbours", "rotary-exponent", "rotary-one-angle", "rotary-pairs-from-one", "rotary-not-joined")

Norm = Callable[[Any, Tensor, int], Tensor]


def block(
    attention: Part = lambda self, x: x + self.get_submodule("attention")(self._norm(x, 1)),
    layers: Part = lambda self, x, hidden: x + self._linear(hidden(self._linear(self._norm(x, 2), 1)), 2),
    hidden: Part = F.gelu,
) -> dict[str, Any]:
    """Build a TransformerBlock with some parts replaced by wrong ones."""

    class TransformerBlock(modules.TransformerBlock):
        def forward(self, x: Tensor) -> Tensor:
            found: Tensor = layers(self, attention(self, x), hidden)
            return found

    return {"TransformerBlock": TransformerBlock}


def feed(self: Any, x: Tensor, hidden: Part) -> Tensor:
    """Return both layers without norm and sum."""
    found: Tensor = self._linear(hidden(self._linear(x, 1)), 2)
    return found


BLOCKS: dict[str, dict[str, dict[str, Any]]] = {
    "post-norm": {
        "": block(
            lambda self, x: self._norm(x + self.get_submodule("attention")(x), 1),
            lambda self, x, hidden: self._norm(x + feed(self, x, hidden), 2),
        ),
        "attention": block(lambda self, x: self._norm(x + self.get_submodule("attention")(x), 1)),
        "layers": block(layers=lambda self, x, hidden: self._norm(x + feed(self, x, hidden), 2)),
        "of-results": block(
            lambda self, x: x + self._norm(self.get_submodule("attention")(x), 1),
            lambda self, x, hidden: x + self._norm(feed(self, x, hidden), 2),
        ),
    },
    "norm-missing": {
        "first": block(lambda self, x: x + self.get_submodule("attention")(x)),
        "second": block(layers=lambda self, x, hidden: x + feed(self, x, hidden)),
        "both": block(
            lambda self, x: x + self.get_submodule("attention")(x), lambda self, x, hidden: x + feed(self, x, hidden)
        ),
    },
    "norm-shared": {
        "": block(layers=lambda self, x, hidden: x + feed(self, self._norm(x, 1), hidden)),
        "second": block(lambda self, x: x + self.get_submodule("attention")(self._norm(x, 2))),
        "swapped": block(
            lambda self, x: x + self.get_submodule("attention")(self._norm(x, 2)),
            lambda self, x, hidden: x + feed(self, self._norm(x, 1), hidden),
        ),
    },
    "residual-missing": {
        "first": block(lambda self, x: self.get_submodule("attention")(self._norm(x, 1))),
        "second": block(layers=lambda self, x, hidden: feed(self, self._norm(x, 2), hidden)),
        "both": block(
            lambda self, x: self.get_submodule("attention")(self._norm(x, 1)),
            lambda self, x, hidden: feed(self, self._norm(x, 2), hidden),
        ),
    },
    "residual-of-norm": {
        "both": block(
            lambda self, x: (n := self._norm(x, 1)) + self.get_submodule("attention")(n),
            lambda self, x, hidden: (n := self._norm(x, 2)) + feed(self, n, hidden),
        ),
        "first": block(lambda self, x: (n := self._norm(x, 1)) + self.get_submodule("attention")(n)),
        "second": block(layers=lambda self, x, hidden: (n := self._norm(x, 2)) + feed(self, n, hidden)),
    },
    "": {
        "relu": block(hidden=F.relu),
        "silu": block(hidden=F.silu),
        "tanh-gelu": block(hidden=lambda x: F.gelu(x, approximate="tanh")),
        "no-activation": block(hidden=lambda x: x),
        "tanh": block(hidden=torch.tanh),
        "activation-last": block(
            layers=lambda self, x, hidden: x + hidden(self._linear(self._linear(self._norm(x, 2), 1), 2))
        ),
        "without-layers": block(layers=lambda self, x, hidden: x + 0 * feed(self, self._norm(x, 2), hidden)),
    },
    "detached-graph": {"": block(lambda self, x: x + self.get_submodule("attention")(self._norm(x, 1)).detach())},
}


def _parallel() -> dict[str, Any]:
    """Build a block whose two halves both read the input."""

    class TransformerBlock(modules.TransformerBlock):
        def forward(self, x: Tensor) -> Tensor:
            both: Tensor = self.get_submodule("attention")(self._norm(x, 1)) + feed(self, self._norm(x, 2), F.gelu)
            return x + both

    return {"TransformerBlock": TransformerBlock}


def _variants() -> Iterator[Variant]:
    yield from from_table(LAYERS, lambda one: one, "layer-{}")
    for part, table in ATTENTIONS.items():
        attentions = {c: {how: of_groups.grouped(**{part: one}) for how, one in t.items()} for c, t in table.items()}
        yield from from_table(attentions, lambda one: layer(attend=one), "layer-{}")
    turns = {cause: of_rotary.TABLES[cause] for cause in OF_ROTARY}
    yield from from_table(turns, lambda one: layer(turn_query=one, turn_key=one), "layer-{}")
    yield from from_table(BLOCKS, lambda one: one, "block-{}")
    yield Variant("", "block-parallel", _parallel())


VARIANTS = tuple(_variants())
