"""Hidden checks of ``masking``: other sizes, other numbers, and what the public checks leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.cases import Script
from autograder.specs.masking import (
    all_right,
    attention,
    blanked,
    combine,
    loss,
    padding,
    softmax,
    square,
)
from autograder.specs.vocabulary import case, check, hold, in_turn, right, stateless

LARGEST = 1e8  # a masked score: large enough for any constant, and -1e9 added to it still hides it


def drawn_padding(script: Script, *, batch: int, longest: int, integer: str) -> None:
    """Drawn lengths, 0 and the longest among them, with widths below, at and above it."""
    lengths = script.draw.integers(batch, high=longest)
    lengths[:2] = (longest, 0)
    lengths = lengths[script.draw.permutation(batch)].tolist()
    widths = (None, longest + 2, longest - 2, 1)
    padding(script, calls=[(lengths, width, integer) for width in widths])


def drawn_squares(script: Script, *, name: str, numbers: int) -> None:
    """Drawn lengths and radii or strides."""
    lengths = [*script.draw.integers(3, low=3, high=17).tolist(), 1]
    given = [[length, *script.draw.integers(numbers, low=1, high=6).tolist()] for length in lengths]
    square(script, name, given)


def padding_by_place(script: Script) -> None:
    """max_len by its place, for one sentence, and for empty ones; any strides."""
    for into, lengths, width in (("out0", [3], 5), ("out1", [0, 0], 3), ("out2", [5, 5, 5, 5, 5], 5)):
        given = script.array(f"{into}_lengths", np.array(lengths))
        script.call(into, "padding_mask", given, width, echo=True, layout="gapped")


def padding_turns(script: Script) -> None:
    """padding_mask on lengths in turn."""
    for letter, lengths in (("a", [2, 7, 5]), ("b", [3, 1]), ("c", [7, 1, 0])):
        script.array(f"{letter}_lengths", np.array(lengths))
    in_turn(script, "padding_mask", dict.fromkeys("abc", {"result": None}), "lengths", 5)


def softmax_turns(script: Script) -> None:
    """masked_softmax on inputs in turn."""
    sizes = {"a": (3, 7), "b": (2, 5), "c": (3, 7)}
    for letter, size in sizes.items():
        script.normal(f"{letter}_scores", *size)
        script.array(f"{letter}_mask", blanked(script, size))
    in_turn(script, "masked_softmax", {key: {"result": size} for key, size in sizes.items()}, "scores", "mask")


def attention_turns(script: Script) -> None:
    """masked_attention on inputs in turn."""
    sizes = {"a": (2, 3, 7), "b": (3, 2, 5), "c": (2, 3, 7)}
    for letter, (batch, queries, keys) in sizes.items():
        script.normal(f"{letter}_query", batch, queries, 5)
        script.normal(f"{letter}_key", batch, keys, 5)
        script.normal(f"{letter}_value", batch, keys, 2)
        script.array(f"{letter}_mask", blanked(script, (batch, queries, keys)))
    outputs: Any = dict.fromkeys("abc", {"output": None, "weights": None})
    in_turn(script, "masked_attention", outputs, "query", "key", "value", "mask")


def loss_turns(script: Script) -> None:
    """masked_cross_entropy on inputs in turn."""
    for letter, lengths in (("a", [5, 2]), ("b", [1, 7, 0]), ("c", [3, 5])):
        script.normal(f"{letter}_logits", len(lengths), 7, 5)
        script.array(f"{letter}_targets", script.draw.integers(len(lengths), 7, high=5))
        script.array(f"{letter}_lengths", np.array(lengths))
    outputs: Any = dict.fromkeys("abc", {"result": None})
    in_turn(script, "masked_cross_entropy", outputs, "logits", "targets", "lengths")


def extreme(script: Script, *, largest: float, dim: int = -1) -> None:
    """Rows on levels of ±1e4 with small differences inside, greater scores where masked, one row all masked."""
    mask = blanked(script, (7, 5))
    levels = np.array([1e4, 1e4, -1e4, -1e4, 0.0, 3.0, -1e4])[:, None]
    masked = np.array([-1e4, 1e4, 1e4, largest, largest, 1e4, -1e4])[:, None]
    fine = np.round(script.draw.normal(7, 5) * 256) / 256  # so that adding a level is exact, in float32 too
    values = fine + np.where(mask, levels, masked)
    scores = script.array("scores", values if dim == -1 else values.T)
    seen = script.array("mask", mask if dim == -1 else mask.T)
    shape = values.shape if dim == -1 else values.T.shape
    script.call("out", "masked_softmax", scores, seen, dim, outputs={"result": shape}, wrt=("scores",))


def extreme_attention(script: Script) -> None:
    """A masked key whose score is far greater than those that may be seen, and one query that sees nothing."""
    query = np.abs(script.draw.normal(2, 3, 5)) + 1.0
    key = script.draw.normal(2, 7, 5)
    key[:, 2] += 1e4
    mask = script.draw.mask(2, 3, 7)
    mask[:, :, 2] = False
    mask[:, :, 3] = True
    mask[1, 1] = False
    arrays = [script.array("query", query), script.array("key", key), script.normal("value", 2, 7, 11)]
    script.call("out", "masked_attention", *arrays, script.array("mask", mask),
                outputs={"output": (2, 3, 11), "weights": (2, 3, 7)}, wrt=("query", "key", "value"))  # fmt: skip


def extreme_loss(script: Script) -> None:
    """Logits of ±1e4, at real tokens and at padding; the right class is often far from the greatest."""
    levels = script.draw.generator.choice([1e4, -1e4, 0.0], size=(3, 7, 5))
    logits = script.array("logits", levels + np.round(script.draw.normal(3, 7, 5) * 256) / 256)
    targets = script.array("targets", script.draw.integers(3, 7, high=5))
    lengths = script.array("lengths", np.array([3, 5, 2]))
    script.call("out", "masked_cross_entropy", logits, targets, lengths, outputs={"result": ()}, wrt=("logits",))


def other_padding(script: Script) -> None:
    """The same sentences with other logits and targets at padding: the same loss."""
    lengths = script.array("lengths", np.array([5, 0, 2, 7]))
    script.array("order", np.arange(1))
    real = np.arange(11) < script.arrays["lengths"][:, None]
    first, second = script.draw.normal(4, 11, 3), script.draw.normal(4, 11, 3, scale=1e3)
    targets, others = script.draw.integers(4, 11, high=3), script.draw.integers(4, 11, high=3)
    for into, logits, classes in (
        ("first", first, targets),
        ("out", np.where(real[..., None], first, second), np.where(real, targets, others)),
    ):
        given = script.array(f"{into}_logits", logits), script.array(f"{into}_targets", classes)
        script.call(into, "masked_cross_entropy", *given, lengths, outputs={"result": ()}, wrt=(given[0].name,))


def other_masked(script: Script) -> None:
    """Other scores where masked, and a constant added to each row: the same weights."""
    mask = blanked(script, (5, 7))
    scores = np.round(script.draw.normal(5, 7) * 256) / 256
    shift = np.array([[512.0], [-2048.0], [8.0], [-1.0], [64.0]])
    changed = np.where(mask, scores + shift, script.draw.normal(5, 7, scale=50.0))
    seen = script.array("mask", mask)
    script.array("order", np.arange(7))
    for into, values in (("first", scores), ("out", changed)):
        given = script.array(f"{into}_scores", values)
        script.call(into, "masked_softmax", given, seen, outputs={"result": (5, 7)})


def soft(name: str, shape: tuple[int, ...], mask: tuple[int, ...], **how: Any) -> Any:
    """A case of masked_softmax with its gradient."""
    return case(f"hidden-softmax-{name}", softmax, shape=shape, mask=mask, gradient=True, **how)


def look(name: str, lead: Sequence[int], queries: int, keys: int, mask: tuple[int, ...], **how: Any) -> Any:
    """A case of masked_attention with its gradients."""
    sizes: Any = {"d_k": 5, "d_v": 3} | how
    return case(f"hidden-attention-{name}", attention, lead=tuple(lead), queries=queries, keys=keys, mask=mask,
                gradient=True, **sizes)  # fmt: skip


def losses(name: str, lengths: list[int], width: int, classes: int, **how: Any) -> Any:
    """A case of masked_cross_entropy with its gradient."""
    return case(f"hidden-loss-{name}", loss, lengths=lengths, width=width, classes=classes, gradient=True, **how)


EXTREME = (
    case("hidden-extreme", extreme, largest=LARGEST),
    case("hidden-extreme-dim", extreme, largest=1e4, dim=0),
    case("hidden-extreme-float32", extreme, largest=1e4, dtype="float32"),
)
SOFT_DIMS = (
    soft("first-dim", (7, 5), (7, 5), dim=0),
    soft("middle-dim", (3, 7, 2), (3, 7, 2), dim=1),
    soft("minus-2", (3, 5, 7), (3, 5, 7), dim=-2, dtype="float32"),
    soft("rank-4", (2, 3, 5, 7), (2, 3, 5, 7), dim=None),
    soft("square", (5, 5, 5), (5, 5, 5)),
)
SOFT_BROADCAST = (
    soft("of-keys", (2, 3, 5), (5,)),
    soft("of-sentences", (3, 5, 7), (3, 1, 7)),
    soft("of-queries", (3, 5, 7), (5, 1)),
    soft("of-one", (2, 3, 5, 5), (2, 1, 5, 5)),
    soft("of-columns", (7, 5), (5,), dim=0),
    soft("single", (3, 1), (3, 1)),
)
SOFT_STRIDES = (
    soft("reversed", (3, 5, 7), (3, 5, 7), layout="reversed"),
    soft("gapped", (3, 5), (3, 5), layout="gapped"),
)
LOOKS = (
    look("plain", (), 3, 7, (3, 7)),
    look("heads", (2, 3), 5, 7, (2, 1, 5, 7), d_v=11),
    look("keys", (3,), 5, 7, (3, 1, 7), dtype="float32"),
    look("row", (2,), 3, 11, (11,), layout="reversed"),
    look("square", (5,), 5, 5, (5, 5), d_k=5, d_v=5, layout="gapped"),
)
PATHS = (
    look("through-output", (3,), 5, 7, (3, 5, 7), back_from=("output",)),
    look("through-weights", (3,), 5, 7, (3, 5, 7), back_from=("weights",)),
)
LOOK_ONES = (look("ones", (1,), 1, 1, (1, 1, 1), d_k=1, d_v=1, blank=False), look("one-key", (3,), 2, 1, (3, 2, 1)))
LOSSES = (
    losses("sizes", [7, 2, 13, 5], 13, 3),
    losses("wide", [1, 0, 7], 11, 5, layout="reversed"),
    losses("square", [5, 3, 1, 4, 2], 5, 5),
    losses("one", [1], 1, 7),
    losses("one-sentence", [3], 5, 2, dtype="float32"),
)
SHORT = case("hidden-loss-int32", loss, lengths=[2, 0, 5], width=7, classes=3, integer="int32")
SOFTMAX = "masked_softmax"
ATTENTION = "masked_attention"
LOSS = "masked_cross_entropy"

CHECKS = (
    check("padding-drawn", "padding_mask for other lengths, cut or wider, int32 or int64", "mask", 3, (
        case("hidden-padding-64", drawn_padding, batch=5, longest=11, integer="int64"),
        case("hidden-padding-32", drawn_padding, batch=7, longest=7, integer="int32"),
    ), *all_right(4), section="padding_mask"),
    check("padding-corners", "padding_mask for one sentence, for empty and for equal ones", "mask", 2,
          case("hidden-padding-corners", padding_by_place), *all_right(3), hold("unchanged", "out2"),
          section="padding_mask"),
    check("causal-drawn", "causal_mask for other lengths", "mask", 2,
          case("hidden-causal", drawn_squares, name="causal_mask", numbers=0), *all_right(4), section="causal_mask"),
    check("window-drawn", "window_mask for other lengths and radii", "mask", 2,
          case("hidden-window", drawn_squares, name="window_mask", numbers=1), *all_right(4), section="window_mask"),
    check("strided-drawn", "strided_mask for other lengths and strides", "mask", 2,
          case("hidden-strided", drawn_squares, name="strided_mask", numbers=1), *all_right(4),
          section="strided_mask"),
    check("combine-sizes", "combine_masks for other sizes, equal ones, ones and any strides", "mask", 3, (
        case("hidden-combine", combine, batch=2, queries=3, keys=11, layout="reversed"),
        case("hidden-combine-square", combine, batch=5, queries=5, keys=5, echo=True),
        case("hidden-combine-ones", combine, batch=1, queries=1, keys=7),
    ), *right(), hold("dtypes"), section="combine_masks"),
    check("softmax-dims", "masked_softmax along any dimension, of any rank", "value", 4, SOFT_DIMS,
          *right(), hold("zeros"), hold("dtypes"), hold("gradients"), section=SOFTMAX),
    check("softmax-broadcast", "The mask of masked_softmax may have fewer or shorter axes", "mask", 4,
          SOFT_BROADCAST, *right(), hold("zeros"), hold("gradients"), section=SOFTMAX),
    check("softmax-extreme", "Scores of ±10,000, and far greater ones where masked", "mask", 4, EXTREME,
          *right(), hold("zeros"), hold("gradients"), section=SOFTMAX),
    check("softmax-invariance", "Masked scores and a shift of a row change nothing", "invariance", 2,
          case("hidden-softmax-invariance", other_masked),
          hold("permuted", "first", other="out", order="order", axes={"result": []}), *right(), hold("zeros"),
          section=SOFTMAX),
    check("softmax-strides", "masked_softmax with any strides", "invariance", 1, SOFT_STRIDES,
          *right(), hold("gradients"), section=SOFTMAX),
    check("attention-sizes", "masked_attention for any number of leading axes and any mask", "value", 4, LOOKS,
          *right(), hold("zeros"), hold("dtypes"), hold("gradients"), section=ATTENTION),
    check("attention-paths", "Gradients through each of the two results, rows without a key included", "gradient",
          2, PATHS, hold("gradients"), *right(), section=ATTENTION),
    check("attention-ones", "One query, one key, one sentence", "shape", 1, LOOK_ONES,
          *right(), hold("gradients"), section="Shapes"),
    check("attention-extreme", "A masked key with a great score does not matter", "mask", 2,
          case("hidden-attention-extreme", extreme_attention), *right(), hold("zeros"), hold("gradients"),
          section=ATTENTION),
    check("loss-sizes", "The loss for other sizes, empty sentences and wider tensors", "value", 4,
          (*LOSSES, SHORT), *right(), hold("dtypes"), section=LOSS),
    check("loss-gradients-hidden", "The gradient of the loss for other sizes", "gradient", 2, LOSSES,
          hold("gradients"), *right(), section=LOSS),
    check("loss-extreme", "The loss is right for logits of ±10,000, at padding too", "value", 2,
          case("hidden-loss-extreme", extreme_loss), *right(), hold("gradients"), section=LOSS),
    check("loss-padding", "What stands at padding does not matter", "invariance", 2,
          case("hidden-loss-padding", other_padding),
          hold("permuted", "first", other="out", order="order", axes={"result": []}), *right("first"), *right(),
          hold("gradients", "first"), hold("gradients"), section=LOSS),
    check("masking-state", "No state between calls, no change of the inputs", "invariance", 2, (
        case("hidden-padding-turns", padding_turns),
        case("hidden-softmax-turns", softmax_turns),
        case("hidden-attention-turns", attention_turns),
        case("hidden-loss-turns", loss_turns),
    ), *stateless(), section="Rules"),
)  # fmt: skip
