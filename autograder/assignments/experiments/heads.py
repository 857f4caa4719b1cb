"""The programs of the cases of heads: one that splits a projection, cross-attention, and the trained model."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from autograder.assignments.experiments.programs import HERE, Shapes, inspect
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.protocol import Inspect, Ref, State


class Heads(NamedTuple):
    """Sizes of a CrossAttention."""

    batch: int = 2
    queries: int = 3
    keys: int = 5
    heads: int = 2
    width: int = 3

    @property
    def d_model(self) -> int:
        """The width of the model."""
        return self.heads * self.width

    @property
    def results(self) -> Shapes:
        """What a call returns."""
        weights = (self.batch, self.heads, self.queries, self.keys)
        return {"output": (self.batch, self.queries, self.d_model), "weights": weights}


HEADS = Heads()
LAYERS = ("W_Q", "W_K", "W_V", "W_O")


def split(builder: ProgramBuilder, d: int, **call: Any) -> None:
    """Call split_projection."""
    outputs: Shapes = dict.fromkeys(LAYERS[:3], (d, d))
    builder.call("out", "split_projection", builder.normal("in_proj_weight", 3 * d, d), outputs=outputs, **call)
    inspect(builder, "split_projection")


def attend(
    builder: ProgramBuilder,
    size: Heads = HEADS,
    *,
    mask: bool = False,
    dark: Sequence[int] = (),
    heads: Sequence[float] = (),
    scale: float = 0.7,
    **call: Any,
) -> None:
    """Call a CrossAttention. ``dark`` rows of the mask are all False. ``heads`` is the mask of heads."""
    d = size.d_model
    builder.make("cross", "CrossAttention", d, size.heads, weights={f"{n}.weight": (d, d) for n in LAYERS}, scale=scale)
    inputs = [builder.normal("query", size.batch, size.queries, d), builder.normal("memory", size.batch, size.keys, d)]
    options: dict[str, Any] = {}
    if mask:
        keep = builder.generator.mask(size.batch, size.keys)
        keep[list(dark)] = False
        options["mask"] = builder.array("mask", keep)
    if heads:
        options["head_mask"] = builder.array("head_mask", np.array(heads))
    builder.call("out", "cross", *inputs, outputs=size.results, **options, **call)
    inspect(builder, "CrossAttention", "CrossAttention.forward")
    builder.add(Inspect("parameters", "cross"))


@functools.cache
def checkpoint() -> dict[str, np.ndarray]:
    """Return the weights of the trained model, with torch's fused projection split into its three parts."""
    with np.load(HERE / "checkpoint.npz") as file:
        stored = {name: file[name] for name in file.files}
    fused, last = stored.pop("cross.in_proj_weight"), stored.pop("cross.out_proj.weight")
    split_up = zip(LAYERS, np.split(fused, 3, axis=0), strict=False)
    weights = {f"cross.{name}.weight": values for name, values in split_up}
    return stored | weights | {"cross.W_O.weight": last}


def trained(builder: ProgramBuilder) -> tuple[int, int]:
    """Build the trained model, as ``model``. Return its number of words and of heads."""
    weights = checkpoint()
    words, d_model = weights["embedding.weight"].shape
    builder.make("model", "TinyTranslator", words, d_model, 4, weights=weights)
    return words, 4


def loaded(builder: ProgramBuilder, length: int = 8) -> None:
    """Let the trained model copy rows, with all heads, and without one."""
    words, heads = trained(builder)
    src = builder.generator.integers(3, length, low=3, high=words)
    src[1, length - 2 :] = 0
    said = np.concatenate([np.ones((3, 1), np.int64), src], axis=1)
    given = builder.array("src", src), builder.array("tgt_in", said)
    shapes: Shapes = {"logits": (3, length + 1, words)}
    builder.call("out", "model", *given, outputs=shapes)
    one_off = np.ones(heads)
    one_off[int(builder.generator.integers(high=heads))] = 0.0
    builder.call("without", "model", *given, outputs=shapes, head_mask=builder.array("head_mask", one_off))


def ablation(
    builder: ProgramBuilder, *, batch: int = 6, length: int = 7, noise: float = 0.0, echo: bool = False
) -> None:
    """Ask what each head of the trained model is worth, then look at the model. ``noise`` is added to its weights."""
    words, heads = trained(builder)
    for name in [name for name in builder.arrays if noise and name.startswith("model.")]:
        values = builder.arrays[name]
        builder.arrays[name] = values + builder.generator.normal(*values.shape, scale=noise).astype(values.dtype)
    src = builder.generator.integers(batch, length, low=3, high=words)
    ends = np.full((batch, 1), 2)
    given = (
        builder.array("src", src),
        builder.array("tgt_in", np.concatenate([ends - 1, src], axis=1)),
        builder.array("tgt_out", np.concatenate([src, ends], axis=1)),
    )
    outputs: Shapes = {"drops": (heads,)}
    for into in ("out", "again"):
        builder.call(into, "head_ablation", Ref("model"), *given, outputs=outputs, echo=echo)
    builder.add(State("after", "model"))
    inspect(builder, "head_ablation")


def mean_map(
    builder: ProgramBuilder,
    shape: tuple[int, int, int, int, int],
    src_lengths: Sequence[int],
    tgt_lengths: Sequence[int],
    **call: Any,
) -> None:
    """Call mean_attention_map for weights (layers, B, heads, T_t, T_s)."""
    _, batch, _, targets, sources = shape
    given = (
        builder.array("attention", builder.generator.uniform(*shape, low=0.1)),
        builder.array("src_lengths", np.array(src_lengths)),
        builder.array("tgt_lengths", np.array(tgt_lengths)),
    )
    builder.call("out", "mean_attention_map", *given, outputs={"map": (batch, targets, sources)}, **call)
    inspect(builder, "mean_attention_map")
