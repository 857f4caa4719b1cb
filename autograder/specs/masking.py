"""Public checks of ``masking``: masks, the softmax under them, and a loss without padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder import model
from autograder.cases import Script
from autograder.specs.speed import speed
from autograder.specs.vocabulary import case, check, hold, right

TITLE = "Masks"
Shape = tuple[int, ...]


def padding(script: Script, *, calls: Sequence[Any]) -> None:
    """Calls of padding_mask, each of (lengths, max_len or None, dtype), as ``out0``, ``out1``..."""
    script.add(model.Inspect("arguments", "padding_mask"))
    for i, (lengths, max_len, dtype) in enumerate(calls):
        given = script.array(f"lengths{i}", np.array(lengths, dtype=dtype))
        how = {} if max_len is None else {"max_len": max_len}
        script.call(f"out{i}", "padding_mask", given, echo=True, **how)


def square(script: Script, name: str, calls: Sequence[Sequence[int]]) -> None:
    """Calls of causal_mask, window_mask or strided_mask with the given numbers, as ``out0``, ``out1``..."""
    script.add(model.Inspect("arguments", name))
    for i, numbers in enumerate(calls):
        script.call(f"out{i}", name, *numbers)


def combine(
    script: Script, *, batch: int, queries: int, keys: int, interface: bool = False, **call: Any
) -> None:
    """One call of combine_masks on random masks."""
    if interface:
        script.add(model.Inspect("arguments", "combine_masks"))
    real = script.array("key_padding", script.draw.mask(batch, keys))
    seen = script.array("attention", script.draw.mask(queries, keys))
    script.call("out", "combine_masks", real, seen, **call)


def blanked(script: Script, shape: Shape, axis: int = -1) -> np.ndarray:
    """A random mask; along ``axis``, the second row is all False and the third all True, if there are any."""
    mask = np.moveaxis(script.draw.mask(*np.moveaxis(np.empty(shape), axis, -1).shape), -1, axis)
    rows = np.moveaxis(mask, axis, -1).reshape(-1, shape[axis])
    if len(rows) > 1:
        rows[1] = False
    if len(rows) > 2:
        rows[2] = True
    moved = np.moveaxis(np.empty(shape), axis, -1).shape
    return np.moveaxis(rows.reshape(moved), -1, axis)


def softmax(
    script: Script, *, shape: Shape, mask: Shape, dim: int | None = -1, gradient: bool = False,
    blank: bool = True, interface: bool = False, **call: Any,
) -> None:  # fmt: skip
    """One call of masked_softmax; ``dim`` None leaves it to the default."""
    if interface:
        script.add(model.Inspect("arguments", "masked_softmax"))
    scores = script.normal("scores", *shape, scale=1.5)
    axis = (-1 if dim is None else dim) if len(mask) == len(shape) else -1
    seen = script.array("mask", blanked(script, mask, axis) if blank else script.draw.mask(*mask))
    along: dict[str, Any] = {} if dim is None else {"dim": dim}
    wrt = ("scores",) if gradient else ()
    script.call("out", "masked_softmax", scores, seen, outputs={"result": shape}, wrt=wrt, **along, **call)


def attention(
    script: Script, *, lead: Shape, queries: int, keys: int, d_k: int, d_v: int, mask: Shape,
    blank: bool = True, gradient: bool = False, back_from: tuple[str, ...] | None = None,
    interface: bool = False, **call: Any,
) -> None:  # fmt: skip
    """One call of masked_attention."""
    if interface:
        script.add(model.Inspect("arguments", "masked_attention"))
    query = script.normal("query", *lead, queries, d_k, scale=1.5)
    key = script.normal("key", *lead, keys, d_k)
    value = script.normal("value", *lead, keys, d_v)
    seen = script.array("mask", blanked(script, mask) if blank else script.draw.mask(*mask))
    script.call(
        "out", "masked_attention", query, key, value, seen,
        outputs={"output": (*lead, queries, d_v), "weights": (*lead, queries, keys)},
        wrt=("query", "key", "value") if gradient else (), back_from=back_from, **call,
    )  # fmt: skip


def loss(
    script: Script, *, lengths: Sequence[int], width: int, classes: int, scale: float = 2.0,
    gradient: bool = False, integer: str = "int64", interface: bool = False, **call: Any,
) -> None:  # fmt: skip
    """One call of masked_cross_entropy; every position, padding too, has a target of its own."""
    if interface:
        script.add(model.Inspect("arguments", "masked_cross_entropy"))
    logits = script.normal("logits", len(lengths), width, classes, scale=scale)
    targets = script.array("targets", script.draw.integers(len(lengths), width, high=classes))
    given = script.array("lengths", np.array(lengths, dtype=integer))
    wrt = ("logits",) if gradient else ()
    script.call(
        "out", "masked_cross_entropy", logits, targets, given, outputs={"result": ()}, wrt=wrt, **call
    )


def worked_example(script: Script) -> None:
    """The handout's example: masks of two sentences, a softmax of three rows, a loss of ln 4."""
    lengths = script.array("lengths", np.array([1, 3]))
    real = script.call("real", "padding_mask", lengths)
    seen = script.call("seen", "causal_mask", 3)
    script.call("both", "combine_masks", real, seen)
    scores = script.array("scores", np.tile([1.0, 2.0, 3.0], (3, 1)))
    mask = script.array("mask", np.array([[True, True, False], [False, True, False], [False] * 3]))
    script.call("alpha", "masked_softmax", scores, mask, outputs={"result": (3, 3)}, wrt=("scores",))
    logits, targets = (
        script.array("logits", np.zeros((2, 3, 4))),
        script.array("targets", np.zeros((2, 3), int)),
    )
    script.call("loss", "masked_cross_entropy", logits, targets, lengths)


def all_right(count: int) -> tuple[model.Hold, ...]:
    """Shapes, values and dtype of ``out0``, ``out1``..."""
    return tuple(one for i in range(count) for one in (*right(f"out{i}"), hold("dtypes", f"out{i}")))


PADDING_CALLS: tuple[Any, ...] = (
    ([3, 0, 7, 1, 5], None, "int64"), ([2, 5, 3], 11, "int64"), ([2, 7, 0, 5], 3, "int64"),
    ([4, 2, 6], None, "int32"),
)  # fmt: skip
PADDING = case("padding", padding, calls=PADDING_CALLS)
CAUSAL = case("causal", square, name="causal_mask", calls=[(5,), (1,), (7,)])
WINDOW = case("window", square, name="window_mask", calls=[(7, 2), (5, 0), (3, 5), (11, 1)])
STRIDED = case("strided", square, name="strided_mask", calls=[(7, 3), (5, 1), (5, 7), (11, 2)])
COMBINE = case("combine", combine, batch=3, queries=5, keys=7, interface=True, echo=True)
SOFTMAX = case("softmax", softmax, shape=(3, 5, 7), mask=(3, 5, 7), gradient=True, interface=True)
SOFTMAX_ROW = case("softmax-key-mask", softmax, shape=(2, 5, 7), mask=(7,), blank=False, dtype="float32")
SIZES: dict[str, Any] = {"lead": (2,), "queries": 5, "keys": 7, "d_k": 3, "d_v": 11}
ATTENTION = case("attention", attention, **SIZES, mask=(2, 5, 7), gradient=True, interface=True)
ATTENTION_32 = case("attention-float32", attention, **SIZES, mask=(5, 7), blank=False, dtype="float32")
LOSS = case("loss", loss, lengths=[5, 2, 7], width=7, classes=3, gradient=True, interface=True)
LOSS_WIDE = case("loss-wide", loss, lengths=[3, 0, 1, 5], width=11, classes=7, gradient=True, dtype="float32")


def interface(name: str, arguments: str, one: model.Case, *holds: model.Hold) -> model.Check:
    """The check of a function's arguments, which must also give the right result."""
    short = one.id
    return check(f"{short}-interface", f"{name} takes {arguments}", "interface", 1, one,
                 hold("signature", "arguments"), *(holds or right()), section=name)  # fmt: skip


CHECKS = (
    interface("padding_mask", "(lengths, max_len=None)", PADDING, *right("out0")),
    check("padding-values", "padding_mask marks the first lengths[b] positions", "mask", 3, PADDING,
          *all_right(4), section="padding_mask"),
    interface("causal_mask", "(length)", CAUSAL, *right("out0")),
    check("causal-values", "causal_mask: position i sees j <= i", "mask", 3, CAUSAL,
          *all_right(3), section="causal_mask"),
    interface("window_mask", "(length, radius)", WINDOW, *right("out0")),
    check("window-values", "window_mask: i sees j when |i - j| <= radius", "mask", 3, WINDOW,
          *all_right(4), section="window_mask"),
    interface("strided_mask", "(length, stride)", STRIDED, *right("out0")),
    check("strided-values", "strided_mask: multiples of stride, and itself", "mask", 3, STRIDED,
          *all_right(4), section="strided_mask"),
    interface("combine_masks", "(key_padding, attention)", COMBINE),
    check("combine-values", "combine_masks: a key that is real and allowed", "mask", 3, COMBINE,
          *right(), hold("dtypes"), hold("unchanged"), section="combine_masks"),
    interface("masked_softmax", "(scores, mask, dim=-1)", SOFTMAX),
    check("softmax-values", "masked_softmax gives the right weights, and zeros where masked", "value", 4,
          (SOFTMAX, SOFTMAX_ROW), *right(), hold("zeros"), hold("dtypes"), section="masked_softmax"),
    check("softmax-sums", "The rows of masked_softmax sum to 1, or to 0 where all is masked", "weight_sum", 2,
          (SOFTMAX, SOFTMAX_ROW), hold("sums", output="result"), *right(), section="masked_softmax"),
    check("softmax-gradients", "The gradient of masked_softmax is right, and never NaN", "gradient", 3,
          SOFTMAX, hold("gradients"), *right(), section="masked_softmax"),
    interface("masked_attention", "(query, key, value, mask)", ATTENTION),
    check("attention-values", "masked_attention gives the right output and weights", "value", 4,
          (ATTENTION, ATTENTION_32), *right(), hold("zeros"), hold("dtypes"),
          section="masked_attention"),
    check("attention-gradients", "Gradients reach query, key and value", "gradient", 2, ATTENTION,
          hold("gradients"), *right(), section="masked_attention"),
    interface("masked_cross_entropy", "(logits, targets, lengths)", LOSS),
    check("loss-values", "masked_cross_entropy is the mean over all real tokens", "value", 4,
          (LOSS, LOSS_WIDE), *right(), hold("dtypes"), section="masked_cross_entropy"),
    check("loss-gradients", "The loss has the right gradient, and none at padding", "gradient", 1,
          (LOSS, LOSS_WIDE), hold("gradients"), *right(), section="masked_cross_entropy"),
    check("example", "The worked example comes out", "value", 2, case("worked-example", worked_example),
          *right("real"), *right("both"), *right("alpha"), hold("zeros", "alpha"), hold("gradients", "alpha"),
          *right("loss"), section="Worked example"),
    speed("masking"),
)  # fmt: skip
