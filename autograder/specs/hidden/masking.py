"""Hidden checks of ``masking``: other sizes, other numbers, and what the public checks leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograder.specs.hidden.masking_cases import (
    attention_turns,
    drawn_padding,
    drawn_squares,
    extreme,
    extreme_attention,
    extreme_loss,
    loss_turns,
    low_attention,
    other_masked,
    other_padding,
    padding_by_place,
    padding_on_device,
    padding_turns,
    softmax_turns,
)
from autograder.specs.masking import (
    all_right,
    attention,
    combine,
    loss,
    softmax,
)
from autograder.specs.vocabulary import case, check, hold, right, stateless

LARGEST = 1e8  # a masked score: large enough for any constant, and -1e9 added to it still hides it


def soft(name: str, shape: tuple[int, ...], mask: tuple[int, ...], **how: Any) -> Any:
    """A case of masked_softmax with its gradient."""
    return case(f"hidden-softmax-{name}", softmax, shape=shape, mask=mask, gradient=True, **how)


def look(name: str, lead: Sequence[int], queries: int, keys: int, mask: tuple[int, ...], **how: Any) -> Any:
    """A case of masked_attention with its gradients."""
    sizes: Any = {"d_k": 5, "d_v": 3} | how
    sizes |= {"lead": tuple(lead), "queries": queries, "keys": keys, "mask": mask}
    return case(f"hidden-attention-{name}", attention, gradient=True, **sizes)


def losses(name: str, lengths: list[int], width: int, classes: int, **how: Any) -> Any:
    """A case of masked_cross_entropy with its gradient."""
    return case(
        f"hidden-loss-{name}", loss, lengths=lengths, width=width, classes=classes, gradient=True, **how
    )


EXTREME = (
    case("hidden-extreme", extreme, pinned=True, largest=LARGEST),
    case("hidden-extreme-dim", extreme, pinned=True, largest=1e4, dim=0),
)
EXTREME_32 = case("hidden-extreme-float32", extreme, largest=1e4, low=(-60.0, -106.0), dtype="float32")
ROUGH: Any = {
    "relative": 5e-3,
    "of_largest": 5e-3,
}  # of 10,000, float32 keeps steps of 1e-3: s - logsumexp(s) has them
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
LOOK_ONES = (
    look("ones", (1,), 1, 1, (1, 1, 1), d_k=1, d_v=1, blank=False),
    look("one-key", (3,), 2, 1, (3, 2, 1)),
)
LOOK_FAR = (
    case("hidden-attention-extreme", extreme_attention),
    case("hidden-attention-low", low_attention, pinned=True, levels=(-300.0, -30.0, 100.0, -150.0, -300.0)),
    case("hidden-attention-lowest", low_attention, pinned=True, levels=(-1e4, 3.0, 5e3, -600.0, -800.0)),
)
LOSSES = (
    losses("sizes", [7, 2, 13, 5], 13, 3),
    losses("wide", [1, 0, 7], 11, 5, layout="reversed"),
    losses("square", [5, 3, 1, 4, 2], 5, 5),
    losses("one", [1], 1, 7),
    losses("one-sentence", [3], 5, 2, dtype="float32"),
    losses("one-token", [1, 1, 0], 1, 5),
)
SHORT = case("hidden-loss-int32", loss, lengths=[2, 0, 5], width=7, classes=3, integer="int32")
LOOK: dict[str, Any] = {"lead": (4,), "d_k": 7, "d_v": 2}
ELSEWHERE = (  # sizes that no other case has, so that what is kept by size from call to call does not show here
    case("hidden-device-padding", padding_on_device, device="meta"),
    case("hidden-device-combine", combine, device="meta", batch=4, queries=2, keys=9),
    case("hidden-device-softmax", softmax, device="meta", shape=(4, 2, 9), mask=(4, 2, 9)),
    case("hidden-device-attention", attention, device="meta", **LOOK, queries=2, keys=9, mask=(4, 2, 9)),
    case("hidden-device-loss", loss, device="meta", lengths=[3, 5, 2, 1], width=9, classes=7),
    case("hidden-device-cpu", attention, **LOOK, queries=3, keys=9, mask=(4, 3, 9)),
)
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
          case("hidden-causal", drawn_squares, name="causal_mask", numbers=0), *all_right(4),
          section="causal_mask"),
    check("window-drawn", "window_mask for other lengths and radii", "mask", 2,
          case("hidden-window", drawn_squares, name="window_mask", numbers=1), *all_right(4),
          section="window_mask"),
    check("strided-drawn", "strided_mask for other lengths and strides", "mask", 2,
          case("hidden-strided", drawn_squares, name="strided_mask", numbers=1), *all_right(4),
          section="strided_mask"),
    check("combine-sizes", "combine_masks for other sizes, equal ones, ones and any strides", "mask", 3, (
        case("hidden-combine", combine, batch=2, queries=3, keys=11, layout="reversed"),
        case("hidden-combine-square", combine, batch=5, queries=5, keys=5, echo=True),
        case("hidden-combine-ones", combine, batch=1, queries=1, keys=7),
    ), *right(), hold("dtypes"), section="combine_masks"),
    check("softmax-dims", "masked_softmax along any dimension, of any rank", "value", 3, SOFT_DIMS,
          *right(), hold("zeros"), hold("dtypes"), hold("gradients"), section=SOFTMAX),
    check("softmax-broadcast", "The mask of masked_softmax may have fewer or shorter axes", "mask", 4,
          SOFT_BROADCAST, *right(), hold("zeros"), hold("gradients"), section=SOFTMAX),
    check("softmax-extreme", "Scores of ±10,000, and far greater ones where masked", "mask", 3, EXTREME,
          *right(), hold("zeros"), hold("gradients"), section=SOFTMAX),
    check("softmax-extreme-float32", "Scores of ±10,000 in single precision", "mask", 1, EXTREME_32,
          *right(**ROUGH), hold("zeros"), hold("gradients", **ROUGH), hold("dtypes"), section=SOFTMAX),
    check("softmax-invariance", "Masked scores and a shift of a row change nothing", "invariance", 2,
          case("hidden-softmax-invariance", other_masked),
          hold("permuted", "first", other="out", order="order", axes={"result": []}), *right(), hold("zeros"),
          section=SOFTMAX),
    check("softmax-strides", "masked_softmax with any strides", "invariance", 1, SOFT_STRIDES,
          *right(), hold("gradients"), section=SOFTMAX),
    check("attention-sizes", "masked_attention for any number of leading axes and any mask", "value", 4,
          LOOKS, *right(), hold("zeros"), hold("dtypes"), hold("gradients"), section=ATTENTION),
    check("attention-paths", "Gradients through each result, rows without a key included", "gradient", 2,
          PATHS, hold("gradients"), *right(), section=ATTENTION),
    check("attention-ones", "One query, one key, one sentence", "shape", 1, LOOK_ONES,
          *right(), hold("gradients"), section="Shapes"),
    check("attention-extreme", "A masked key does not matter, whatever the scores are", "mask", 2, LOOK_FAR,
          *right(), hold("zeros"), hold("gradients"), section=ATTENTION),
    check("loss-sizes", "The loss for other sizes, empty sentences and wider tensors", "value", 4,
          (*LOSSES, SHORT), *right(), hold("dtypes"), section=LOSS),
    check("loss-gradients-hidden", "The gradient of the loss for other sizes", "gradient", 2, LOSSES,
          hold("gradients"), *right(), section=LOSS),
    check("loss-extreme", "The loss is right for logits of ±10,000, at padding too", "value", 2,
          case("hidden-loss-extreme", extreme_loss, pinned=True), *right(), hold("gradients"), section=LOSS),
    check("loss-padding", "What stands at padding does not matter", "invariance", 2,
          case("hidden-loss-padding", other_padding),
          hold("permuted", "first", other="out", order="order", axes={"result": []}), *right("first"),
          *right(), hold("gradients", "first"), hold("gradients"), section=LOSS),
    check("masking-state", "No state between calls, no change of the inputs", "invariance", 2, (
        case("hidden-padding-turns", padding_turns),
        case("hidden-softmax-turns", softmax_turns),
        case("hidden-attention-turns", attention_turns),
        case("hidden-loss-turns", loss_turns),
    ), *stateless(), section="Rules"),
    check("masking-device", "New tensors are made on the device of the inputs", "constraint", 1, ELSEWHERE,
          hold("device"), section="Rules"),
)  # fmt: skip
