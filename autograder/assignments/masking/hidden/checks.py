"""Hidden checks of ``masking``: other sizes, other numbers, and what the public checks leave open."""

from __future__ import annotations

from typing import Any

from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, STATELESS, UNCHANGED, ZEROS, expect, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import constraint, gradient, invariance, mask, shape, value
from autograder.assignments.masking.checks import masks
from autograder.assignments.masking.hidden import programs
from autograder.assignments.masking.programs import Size, attention, combine, loss, softmax

LARGEST = 1e8  # a masked score: above any constant, and still hidden after adding -1e9
ROUGH: Any = {
    "relative": 5e-3,
    "of_largest": 5e-3,
}  # float32 keeps steps of 1e-3 of 10,000, so s - logsumexp(s) has them
DEVICE = expect("device")
SAME = expect("permuted", "first", other="out", order="order", axes={"result": []})

EXTREME = (
    case("hidden-extreme", programs.extreme, pinned=True, largest=LARGEST),
    case("hidden-extreme-dim", programs.extreme, pinned=True, largest=1e4, dim=0),
)
EXTREME_32 = case("hidden-extreme-float32", programs.extreme, largest=1e4, low=(-60.0, -106.0), dtype="float32")
SOFT_DIMS = (
    case("hidden-softmax-first-dim", softmax, (7, 5), (7, 5), dim=0, gradient=True),
    case("hidden-softmax-middle-dim", softmax, (3, 7, 2), (3, 7, 2), dim=1, gradient=True),
    case("hidden-softmax-minus-2", softmax, (3, 5, 7), (3, 5, 7), dim=-2, gradient=True, dtype="float32"),
    case("hidden-softmax-rank-4", softmax, (2, 3, 5, 7), (2, 3, 5, 7), dim=None, gradient=True),
    case("hidden-softmax-square", softmax, (5, 5, 5), (5, 5, 5), gradient=True),
)
SOFT_BROADCAST = (
    case("hidden-softmax-of-keys", softmax, (2, 3, 5), (5,), gradient=True),
    case("hidden-softmax-of-sentences", softmax, (3, 5, 7), (3, 1, 7), gradient=True),
    case("hidden-softmax-of-one", softmax, (2, 3, 5, 5), (2, 1, 5, 5), gradient=True),
    case("hidden-softmax-of-columns", softmax, (7, 5), (5,), dim=0, gradient=True),
    case("hidden-softmax-of-all", softmax, (4, 3, 5), (4, 3, 5), unmasked=True, gradient=True),
    case("hidden-softmax-unmasked-dim", softmax, (4, 5), (4, 5), dim=0, unmasked=True),
)
SOFT_BLANK = (
    case("hidden-softmax-blank", softmax, (3, 5, 7), (3, 5, 7), blank=True, gradient=True),
    case("hidden-softmax-blank-dim", softmax, (3, 7, 2), (3, 7, 2), dim=1, blank=True, gradient=True),
    case("hidden-softmax-of-queries", softmax, (3, 5, 7), (5, 1), blank=True, gradient=True),
    case("hidden-softmax-single", softmax, (3, 1), (3, 1), blank=True, gradient=True, dtype="float32"),
    case("hidden-softmax-blank-extreme", programs.extreme, pinned=True, largest=LARGEST, blank=True),
)
SOFT_STRIDES = (
    case("hidden-softmax-reversed", softmax, (3, 5, 7), (3, 5, 7), layout="reversed", gradient=True),
    case("hidden-softmax-gapped", softmax, (3, 5), (3, 5), layout="gapped", gradient=True),
)
HEADS = Size((2, 3), 5, 7, (2, 3, 5, 7), d_v=11)
ATTENTION = (
    case("hidden-attention-plain", attention, Size((), 3, 7, (3, 7)), gradient=True),
    case("hidden-attention-heads", attention, Size((2, 3), 5, 7, (2, 1, 5, 7), d_v=11), gradient=True),
    case("hidden-attention-keys", attention, Size((3,), 5, 7, (3, 1, 7)), gradient=True, dtype="float32"),
    case("hidden-attention-row", attention, Size((2,), 3, 11, (11,)), gradient=True, layout="reversed"),
    case("hidden-attention-square", attention, Size((5,), 5, 5, (5, 5), 5, 5), gradient=True, layout="gapped"),
)
PATHS = [
    case(f"hidden-attention-through-{name}", attention, Size((3,), 5, 7, (3, 5, 7)), gradient=True, back_from=(name,))
    for name in ("output", "weights")
]
ONES = (
    case("hidden-attention-ones", attention, Size((1,), 1, 1, (1, 1, 1), d_k=1, d_v=1), gradient=True),
    case("hidden-attention-one-key", attention, Size((3,), 2, 1, (3, 2, 1)), gradient=True),
)
FAR = (
    case("hidden-attention-extreme", programs.extreme_attention),
    case("hidden-attention-low", programs.low_attention, pinned=True, levels=(-300.0, -30.0, 100.0, -150.0, -300.0)),
    case("hidden-attention-lowest", programs.low_attention, pinned=True, levels=(-1e4, 3.0, 5e3, -600.0, -800.0)),
)
LOSSES = (
    case("hidden-loss-sizes", loss, [7, 2, 13, 5], 13, 3, gradient=True),
    case("hidden-loss-wide", loss, [1, 0, 7], 11, 5, gradient=True, layout="reversed"),
    case("hidden-loss-square", loss, [5, 3, 1, 4, 2], 5, 5, gradient=True),
    case("hidden-loss-one", loss, [1], 1, 7, gradient=True),
    case("hidden-loss-one-sentence", loss, [3], 5, 2, gradient=True, dtype="float32"),
    case("hidden-loss-one-token", loss, [1, 1, 0], 1, 5, gradient=True),
)
BLANK = (
    case("hidden-attention-blank", attention, Size((), 3, 7, (3, 7)), blank=True, gradient=True),
    *(
        case(f"hidden-attention-blank-{name}", attention, HEADS, blank=True, gradient=True, back_from=(name,))
        for name in ("output", "weights")
    ),
    case("hidden-attention-blank-extreme", programs.extreme_attention, blank=True),
)
# no other case has these sizes, so a result that is kept by size from an earlier call cannot help here
LOOK = Size(lead=(4,), queries=2, keys=9, mask=(4, 2, 9), d_k=7, d_v=2)

MASK_CHECKS = (
    *part(
        "padding_mask",
        mask("padding-drawn", 2, "padding_mask for other lengths, cut or wider, int32 or int64")
        .on(
            case("hidden-padding-64", programs.drawn_padding, batch=5, longest=11, integer="int64"),
            case("hidden-padding-32", programs.drawn_padding, batch=7, longest=7, integer="int32"),
        )
        .expects(masks(4)),
        mask("padding-corners", 1, "padding_mask for one sentence, for empty and for equal ones")
        .on(
            case("hidden-padding-one-sentence", programs.padding_by_place, [3], 5),
            case("hidden-padding-empty", programs.padding_by_place, [0, 0], 3),
            case("hidden-padding-equal", programs.padding_by_place, [5, 5, 5, 5, 5], 5),
        )
        .expects(RIGHT, DTYPES, UNCHANGED),
        "Rules",
        invariance("padding-state", 0.5, "padding_mask keeps no state and leaves its inputs alone")
        .on(case("hidden-padding-turns", programs.padding_turns))
        .expects(STATELESS),
        constraint("padding-device", 0.5, "padding_mask makes new tensors on the device of its inputs")
        .on(
            case("hidden-device-padding", programs.padding_on_device, width=9, device="meta"),
            case("hidden-padding-here", programs.padding_on_device, width=8),
        )
        .expects(DEVICE),
    ),
    *part(
        "causal_mask",
        mask("causal-drawn", 2, "causal_mask for other lengths")
        .on(case("hidden-causal", programs.drawn_squares, "causal_mask", 0))
        .expects(masks(4)),
    ),
    *part(
        "window_mask",
        mask("window-drawn", 2, "window_mask for other lengths and radii")
        .on(case("hidden-window", programs.drawn_squares, "window_mask", 1))
        .expects(masks(4)),
    ),
    *part(
        "strided_mask",
        mask("strided-drawn", 2, "strided_mask for other lengths and strides")
        .on(case("hidden-strided", programs.drawn_squares, "strided_mask", 1))
        .expects(masks(4)),
    ),
    *part(
        "combine_masks",
        mask("combine-sizes", 2, "combine_masks for other sizes, equal ones, ones and any strides")
        .on(
            case("hidden-combine", combine, 2, 3, 11, layout="reversed"),
            case("hidden-combine-square", combine, 5, 5, 5, echo=True),
            case("hidden-combine-ones", combine, 1, 1, 7),
        )
        .expects(RIGHT, DTYPES),
        "Rules",
        constraint("combine-device", 0.5, "combine_masks makes new tensors on the device of its inputs")
        .on(
            case("hidden-device-combine", combine, 4, 2, 9, device="meta"),
            case("hidden-combine-here", combine, 4, 3, 9),
        )
        .expects(DEVICE),
    ),
)
SOFTMAX_CHECKS = part(
    "masked_softmax",
    value("softmax-dims", 2, "masked_softmax along any dimension, of any rank")
    .on(*SOFT_DIMS)
    .expects(RIGHT, ZEROS, DTYPES, GRADIENTS),
    mask("softmax-broadcast", 2, "masked_softmax with masks of fewer or shorter axes")
    .on(*SOFT_BROADCAST)
    .expects(RIGHT, ZEROS, GRADIENTS),
    mask("softmax-extreme", 2, "Scores of ±10,000, and far greater ones where masked")
    .on(*EXTREME)
    .expects(RIGHT, ZEROS, GRADIENTS),
    mask("softmax-extreme-float32", 1, "Scores of ±10,000 in single precision")
    .on(EXTREME_32)
    .expects(right(**ROUGH), ZEROS, expect("gradients", **ROUGH), DTYPES),
    invariance("softmax-invariance", 1, "Masked scores and a shift of a row change nothing")
    .on(case("hidden-softmax-invariance", programs.other_masked))
    .expects(SAME, RIGHT, ZEROS),
    invariance("softmax-strides", 0.5, "masked_softmax with any strides").on(*SOFT_STRIDES).expects(RIGHT, GRADIENTS),
    "masked_softmax",
    mask("softmax-blanks", 0.5, "Fully masked rows along any dimension, under any mask, beside extreme scores")
    .on(*SOFT_BLANK)
    .expects(RIGHT, ZEROS, GRADIENTS),
    "Rules",
    invariance("softmax-state", 0.5, "masked_softmax keeps no state and leaves its inputs alone")
    .on(case("hidden-softmax-turns", programs.softmax_turns))
    .expects(STATELESS),
    constraint("softmax-device", 0.5, "masked_softmax makes new tensors on the device of its inputs")
    .on(
        case("hidden-device-softmax", softmax, (4, 2, 9), (4, 2, 9), device="meta"),
        case("hidden-softmax-here", softmax, (4, 3, 9), (4, 3, 9)),
    )
    .expects(DEVICE),
)
ATTENTION_CHECKS = part(
    "masked_attention",
    value("attention-sizes", 2, "masked_attention in other sizes and equal ones, under any mask")
    .on(*ATTENTION)
    .expects(RIGHT, ZEROS, DTYPES, GRADIENTS),
    gradient("attention-paths", 1, "Gradients through each result").on(*PATHS).expects(GRADIENTS, RIGHT),
    "Shapes",
    shape("attention-ones", 1, "One query, one key, one sentence").on(*ONES).expects(RIGHT, GRADIENTS),
    "masked_attention",
    mask("attention-extreme", 1, "A masked key does not matter, whatever the scores are")
    .on(*FAR)
    .expects(RIGHT, ZEROS, GRADIENTS),
    "Masks",
    mask("attention-blanks", 1, "Queries that may attend to nothing, through each result")
    .on(*BLANK)
    .expects(RIGHT, ZEROS, GRADIENTS),
    "Rules",
    invariance("attention-state", 0.5, "masked_attention keeps no state and leaves its inputs alone")
    .on(case("hidden-attention-turns", programs.attention_turns))
    .expects(STATELESS),
    constraint("attention-device", 0.5, "masked_attention makes new tensors on the device of its inputs")
    .on(
        case("hidden-device-attention", attention, LOOK, device="meta"),
        case("hidden-attention-here", attention, LOOK._replace(queries=3, mask=(4, 3, 9))),
    )
    .expects(DEVICE),
)
LOSS_CHECKS = part(
    "masked_cross_entropy",
    value("loss-sizes", 2, "The loss for other sizes, empty sentences and wider tensors")
    .on(*LOSSES, case("hidden-loss-int32", loss, [2, 0, 5], 7, 3, integer="int32"))
    .expects(RIGHT, DTYPES),
    gradient("loss-gradients-hidden", 1, "The gradient of the loss for other sizes")
    .on(*LOSSES)
    .expects(GRADIENTS, RIGHT),
    value("loss-extreme", 2, "The loss is right for logits of ±10,000, at padding too")
    .on(case("hidden-loss-extreme", programs.extreme_loss, pinned=True))
    .expects(RIGHT, GRADIENTS),
    invariance("loss-padding", 1, "What stands at padding does not matter")
    .on(case("hidden-loss-padding", programs.other_padding))
    .expects(SAME, right("first", "out"), expect("gradients", "first", "out")),
    "Rules",
    invariance("loss-state", 0.5, "masked_cross_entropy keeps no state and leaves its inputs alone")
    .on(case("hidden-loss-turns", programs.loss_turns))
    .expects(STATELESS),
    constraint("loss-device", 0.5, "masked_cross_entropy makes new tensors on the device of its inputs")
    .on(
        case("hidden-device-loss", loss, [3, 5, 2, 1], 9, 7, device="meta"),
        case("hidden-loss-here", loss, [3, 5, 2, 1], 8, 7),
    )
    .expects(DEVICE),
)
CHECKS = (*MASK_CHECKS, *SOFTMAX_CHECKS, *ATTENTION_CHECKS, *LOSS_CHECKS)
