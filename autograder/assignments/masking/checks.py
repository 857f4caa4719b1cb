"""Public checks of ``masking``: masks, the softmax under them, and a loss without padding."""

from __future__ import annotations

from autograder import model
from autograder.assignments.kit import kinds
from autograder.assignments.kit.assertions import (
    DTYPES,
    GRADIENTS,
    RIGHT,
    UNCHANGED,
    ZEROS,
    Assertions,
    each,
    expect,
    right,
)
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import gradient, mask, value, weight_sum
from autograder.assignments.kit.programs import inspected
from autograder.assignments.masking import programs
from autograder.assignments.masking.programs import Size, attention, combine, loss, padding, softmax, square
from autograder.assignments.masking.speed import SPEED

PADDING = case(
    "padding",
    padding,
    ([3, 0, 7, 1, 5], None, "int64"),
    ([2, 5, 3], 11, "int64"),
    ([2, 7, 0, 5], 3, "int64"),
    ([4, 2, 6], None, "int32"),
)
CAUSAL = case("causal", square, "causal_mask", (5,), (1,), (7,))
WINDOW = case("window", square, "window_mask", (7, 2), (5, 0), (3, 5), (11, 1))
STRIDED = case("strided", square, "strided_mask", (7, 3), (5, 1), (5, 7), (11, 2))
COMBINE = case("combine", inspected, "arguments", "combine_masks", combine, batch=3, queries=5, keys=7, echo=True)
SOFTMAX = case("softmax", inspected, "arguments", "masked_softmax", softmax, (3, 5, 7), mask=(3, 5, 7), gradient=True)
SOFTMAX_ROW = case("softmax-key-mask", softmax, (2, 5, 7), mask=(7,), dtype="float32")
SOFTMAX_UNMASKED = case("softmax-unmasked", softmax, (3, 5), mask=(3, 5), unmasked=True)
SOFTMAX_BLANK = case("softmax-blank", softmax, (2, 3, 7), mask=(2, 3, 7), blank=True, gradient=True)
SIZE = Size(lead=(2,), queries=5, keys=7, mask=(2, 5, 7), d_k=3, d_v=11)
ATTENTION = case("attention", inspected, "arguments", "masked_attention", attention, SIZE, gradient=True)
ATTENTION_32 = case("attention-float32", attention, SIZE._replace(mask=(5, 7)), dtype="float32")
ATTENTION_BLANK = case("attention-blank", attention, SIZE, blank=True, gradient=True)
LOSS = case("loss", inspected, "arguments", "masked_cross_entropy", loss, [5, 2, 7], width=7, classes=3, gradient=True)
LOSS_WIDE = case("loss-wide", loss, [3, 0, 1, 5], width=11, classes=7, gradient=True, dtype="float32")


def interface(id: str, name: str, arguments: str, one: model.Case, results: Assertions = RIGHT) -> model.Check:
    """Return the check of a function's arguments. The function must also give the right result."""
    draft = kinds.interface(id, 1, f"{name} takes {arguments}").on(one)
    return draft.expects(expect("signature", "arguments"), results)


def masks(count: int) -> Assertions:
    """Assert that shapes, values and dtypes of ``out0``, ``out1``... are right."""
    return each([f"out{i}" for i in range(count)], "shapes", "values", "dtypes")


FIRST = right("out0")
MASK_CHECKS = (
    *part(
        "padding_mask",
        interface("padding-interface", "padding_mask", "(lengths, max_len=None)", PADDING, FIRST),
        mask("padding-values", 4, "padding_mask marks the first lengths[b] positions").on(PADDING).expects(masks(4)),
        "Worked example",
        mask("padding-example", 1, "The worked example of padding_mask comes out")
        .on(case("padding-example", programs.padding_example))
        .expects(RIGHT, DTYPES),
        "Speed",
        SPEED["padding_mask"],
    ),
    *part(
        "causal_mask",
        interface("causal-interface", "causal_mask", "(length)", CAUSAL, FIRST),
        mask("causal-values", 4, "causal_mask: position i sees j <= i").on(CAUSAL).expects(masks(3)),
        "Speed",
        SPEED["causal_mask"],
    ),
    *part(
        "window_mask",
        interface("window-interface", "window_mask", "(length, radius)", WINDOW, FIRST),
        mask("window-values", 4, "window_mask: i sees j when |i - j| <= radius").on(WINDOW).expects(masks(4)),
        "Speed",
        SPEED["window_mask"],
    ),
    *part(
        "strided_mask",
        interface("strided-interface", "strided_mask", "(length, stride)", STRIDED, FIRST),
        mask("strided-values", 4, "strided_mask: multiples of stride, and itself").on(STRIDED).expects(masks(4)),
        "Speed",
        SPEED["strided_mask"],
    ),
    *part(
        "combine_masks",
        interface("combine-interface", "combine_masks", "(key_padding, attention)", COMBINE),
        mask("combine-values", 4, "combine_masks: a key that is real and allowed")
        .on(COMBINE)
        .expects(RIGHT, DTYPES, UNCHANGED),
        "Worked example",
        mask("combine-example", 1, "The worked example of combine_masks comes out")
        .on(case("combine-example", programs.combine_example))
        .expects(RIGHT, DTYPES),
        "Speed",
        SPEED["combine_masks"],
    ),
)
SOFTMAX_CHECKS = part(
    "masked_softmax",
    interface("softmax-interface", "masked_softmax", "(scores, mask, dim=-1)", SOFTMAX),
    value("softmax-values", 4, "masked_softmax gives the right weights, and zeros where masked")
    .on(
        SOFTMAX,
        SOFTMAX_ROW,
        SOFTMAX_UNMASKED,
        case("softmax-far", programs.far),
        case("softmax-columns", softmax, (5, 3), mask=(5, 3), dim=0),
    )
    .expects(RIGHT, ZEROS, DTYPES),
    weight_sum("softmax-sums", 2, "The rows of masked_softmax sum to 1")
    .on(SOFTMAX, SOFTMAX_ROW, SOFTMAX_UNMASKED)
    .expects(expect("sums", output="result"), RIGHT),
    gradient("softmax-gradients", 3, "The gradient of masked_softmax is right").on(SOFTMAX).expects(GRADIENTS, RIGHT),
    mask("softmax-blank", 3, "A row in which all is masked gets zeros, and no gradient is NaN")
    .on(SOFTMAX_BLANK, case("softmax-example", programs.softmax_example))
    .expects(RIGHT, ZEROS, GRADIENTS),
    "Speed",
    SPEED["masked_softmax"],
)
ATTENTION_CHECKS = part(
    "masked_attention",
    interface("attention-interface", "masked_attention", "(query, key, value, mask)", ATTENTION),
    value("attention-values", 3, "masked_attention gives the right output and weights")
    .on(ATTENTION, ATTENTION_32)
    .expects(RIGHT, ZEROS, DTYPES),
    gradient("attention-gradients", 2, "The gradients of query, key and value").on(ATTENTION).expects(GRADIENTS, RIGHT),
    mask("attention-blank", 1, "A query that may attend to nothing gets zeros, and no gradient is NaN")
    .on(ATTENTION_BLANK)
    .expects(RIGHT, ZEROS, GRADIENTS),
    "Speed",
    SPEED["masked_attention"],
)
LOSS_CHECKS = part(
    "masked_cross_entropy",
    interface("loss-interface", "masked_cross_entropy", "(logits, targets, lengths)", LOSS),
    value("loss-values", 5, "masked_cross_entropy over all real tokens of a batch")
    .on(LOSS, LOSS_WIDE)
    .expects(RIGHT, DTYPES),
    gradient("loss-gradients", 1, "The loss has the right gradient, and none at padding")
    .on(LOSS, LOSS_WIDE)
    .expects(GRADIENTS, RIGHT),
    "Worked example",
    value("loss-example", 1, "The worked example of masked_cross_entropy comes out")
    .on(case("loss-example", programs.loss_example))
    .expects(RIGHT),
    "Speed",
    SPEED["masked_cross_entropy"],
)
CHECKS = (*MASK_CHECKS, *SOFTMAX_CHECKS, *ATTENTION_CHECKS, *LOSS_CHECKS)
