"""Hidden checks of ``luong``: other sizes, other numbers, and what the public checks leave open."""

from __future__ import annotations

from typing import Any

from autograder import model
from autograder.assignments.kit.assertions import (
    DTYPES,
    GRADIENTS,
    RIGHT,
    STATELESS,
    ZEROS,
    Assertions,
    each,
    expect,
    right,
)
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import constraint, gradient, invariance, mask, shape, value
from autograder.assignments.kit.programs import with_zero_position
from autograder.assignments.luong.hidden import programs
from autograder.assignments.luong.programs import HIDDEN_STATE, LOCAL, METHODS, MODULE, Size, attention, joined, local

ROUGH: Any = {"relative": 5e-3, "of_largest": 5e-3}  # float32 keeps steps of 1e-3 of a score of 10,000
WHOLE: tuple[model.AssertionName, ...] = ("shapes", "values", "gradients")
LARGEST = 1e8  # a score outside the window: above any constant, and still large after adding -1e9

SIZE = Size(batch=3, target=5, source=13, enc=7, dec=11, attn=2)
LAYOUTS = {"dot": ("reversed",), "general": ("gapped", "reversed"), "concat": ("reversed",)}
DOT, GENERAL, CONCAT = FORWARD = [
    case(f"hidden-forward-{name}", attention, name, SIZE, gradient=True, ways=("context", "weights", *layouts, "score"))
    for name, layouts in LAYOUTS.items()
]
SINGLE = (
    case("hidden-forward-float32", attention, "concat", SIZE, gradient=True, dtype="float32", train=True),
    case("hidden-dot-float32", attention, "dot", Size(2, 3, 7, 5, 5), dtype="float32"),
)
ZERO_POSITION = case("hidden-zero-position", with_zero_position, attention, ["encoder_states"], "general", SIZE)
SQUARE = {method: (method, Size(5, 5, 5, 5, 5, 5)) for method in METHODS}
ONES = {
    "concat": ("concat", Size(1, 1, 1, 1, 1, 1)),
    "dot": ("dot", Size(1, 3, 7, 5, 5)),
    "general": ("general", Size(2, 1, 7, 5, 3)),
    "concat_word": ("concat", Size(2, 3, 1, 5, 7, 1)),
    "dot_word": ("dot", Size(2, 3, 1, 5, 5)),
    "general_word": ("general", Size(3, 2, 1, 5, 7)),
}
JOINED = (
    case("hidden-joined", joined, 3, 7, 5, 11, gradient=True, layout="reversed"),
    case("hidden-joined-square", joined, 5, 5, 5, 5, gradient=True, train=True),
    case("hidden-joined-ones", joined, 1, 1, 1, 3, gradient=True, layout="gapped", dtype="float32"),
    case("hidden-joined-float32", joined, 2, 3, 7, 5, dtype="float32"),
)
WINDOWS = {  # source positions, half width, centers
    "out": (13, 3, [6.0, 0.0, 12.0, 2.0, 10.0, 6.25, 5.75]),
    "narrow": (11, 1, [5.0, 4.5, 0.25, 9.75, -1.0, 11.0]),
    "wide": (7, 11, [3.0, 6.5, -4.0, 0.0, 17.25, 2.0, 5.0]),
    "word": (1, 2, [0.0, 2.0, -1.25, 2.25]),
}
EDGES = case("hidden-local-edges", programs.windows, WINDOWS)
STRIPES = (11, 2, [3.0, 5.25, 0.0])
PERMUTED = case("hidden-permuted", programs.permuted)
ELSEWHERE = Size(2, 3, 7, 5, 3, 11)


def whole(step: str) -> Assertions:
    """Assert that a step and its gradients are right."""
    return each([step], *WHOLE)


def reordered(step: str, **axes: list[int]) -> Assertions:
    """Assert that a step has the results of ``first``, with these axes permuted."""
    return expect("permuted", "first", other=step, order="order", axes=axes)


ATTENTION_CHECKS = part(
    MODULE,
    value("attention-sizes", 4, "All three methods for other sizes")
    .on(*FORWARD, *SINGLE, ZERO_POSITION)
    .expects(RIGHT, DTYPES),
    value("attention-square", 2, "Right when all sizes are equal, in train mode too")
    .on(case("hidden-square", programs.several, SQUARE, train="dot"))
    .expects(each(SQUARE, *WHOLE)),
    "Shapes",
    shape("attention-ones", 2, "Right for batches of one and sentences of one word")
    .on(case("hidden-ones", programs.several, ONES, train="general"))
    .expects(each(ONES, *WHOLE)),
    MODULE,
    gradient("attention-gradients-hidden", 2, "All gradients, through each of the two results")
    .on(*FORWARD)
    .expects(expect("gradients", "out", "context", "weights"), RIGHT),
    value("attention-scores", 1, "The scores and their gradients for other sizes").on(*FORWARD).expects(whole("score")),
    "Shapes",
    invariance("attention-strides-dot", 0.5, "dot with inputs of any strides").on(DOT).expects(whole("reversed")),
    invariance("attention-strides-general", 0.5, "general with inputs of any strides")
    .on(GENERAL)
    .expects(whole("gapped"), whole("reversed")),
    invariance("attention-strides-concat", 0.5, "concat with inputs of any strides")
    .on(CONCAT)
    .expects(whole("reversed")),
    MODULE,
    invariance("attention-as-dot", 1, "general with W_a = I is dot")
    .on(case("hidden-as-dot", programs.as_dot))
    .expects(expect("same", "first", other="out"), right("first", "out")),
    invariance("attention-permuted", 0.5, "Source positions in another order")
    .on(PERMUTED)
    .expects(reordered("out", context=[], weights=[2]), RIGHT),
    invariance("attention-permuted-target", 0.5, "Target positions in another order")
    .on(PERMUTED)
    .expects(reordered("target", context=[1], weights=[1]), right("target")),
    invariance("attention-batch", 1, "A batch of sentences, each as if it were alone")
    .on(case("hidden-batch", programs.batch_alone))
    .expects(right("first", "out")),
    invariance("attention-uniform", 0.5, "Equal scores give the mean")
    .on(case("hidden-uniform", programs.uniform))
    .expects(RIGHT),
    value("attention-extreme", 2, "Scores of ±10,000 give the right weights")
    .on(case("hidden-extreme", programs.extreme, pinned=True))
    .expects(each(METHODS, *WHOLE)),
    "Rules",
    invariance("attention-state", 1, "No state between calls, no change of the inputs")
    .on(*(case(f"hidden-twice-{method}", programs.twice, method) for method in METHODS))
    .expects(STATELESS),
    "Rules",
    constraint("attention-device", 1, "LuongAttention makes new tensors on the device of its inputs")
    .on(
        case("hidden-device-general", attention, "general", ELSEWHERE, device="meta"),
        case("hidden-device-concat", attention, "concat", ELSEWHERE, device="meta"),
        GENERAL,
    )
    .expects(expect("device")),
)
HIDDEN_CHECKS = part(
    HIDDEN_STATE,
    value("attentional-sizes", 4, "AttentionalHidden for other sizes and strides")
    .on(*JOINED)
    .expects(RIGHT, DTYPES, GRADIENTS),
    "Rules",
    invariance("attentional-state", 1, "AttentionalHidden keeps no state and leaves its inputs alone")
    .on(case("hidden-joined-twice", programs.joined_twice))
    .expects(STATELESS),
    "Rules",
    constraint("attentional-device", 1, "AttentionalHidden makes new tensors on the device of its inputs")
    .on(case("hidden-device-joined", joined, 2, 3, 5, 7, device="meta"), JOINED[0])
    .expects(expect("device")),
)
LOCAL_CHECKS = part(
    LOCAL,
    value("local-edges", 6, "Windows cut by the sentence, fractional centers, one word, other widths")
    .on(EDGES)
    .expects(each([*WINDOWS, "drawn"], "shapes", "values", "zeros", "dtypes")),
    gradient("local-gradients", 4, "The gradients of local_weights at scores and center")
    .on(EDGES)
    .expects(each([*WINDOWS, "drawn"], "gradients", "shapes", "values")),
    mask("local-empty", 3, "An empty window gives zeros, in the gradients too")
    .on(case("hidden-local-empty", programs.empty))
    .expects(RIGHT, ZEROS, GRADIENTS, right("all"), expect("zeros", "all")),
    mask("local-extreme", 2, "Scores of ±10,000, and far greater ones outside the window")
    .on(case("hidden-local-extreme", programs.local_extreme, scale=LARGEST))
    .expects(RIGHT, ZEROS, GRADIENTS),
    mask("local-extreme-float32", 1, "Scores of ±10,000 in single precision")
    .on(case("hidden-local-extreme-float32", programs.local_extreme, scale=1e4, dtype="float32"))
    .expects(right(**ROUGH), ZEROS, expect("gradients", **ROUGH)),
    invariance("local-strides", 1, "local_weights with any strides, and in a square")
    .on(
        case("hidden-local-square", local, 5, 2, [1.0, 2.5, 0.25, 4.0, 3.0], gradient=True),
        case("hidden-local-reversed", local, *STRIPES, gradient=True, layout="reversed"),
        case("hidden-local-gapped", local, *STRIPES, gradient=True, layout="gapped", dtype="float32"),
    )
    .expects(RIGHT, GRADIENTS, DTYPES),
    "Rules",
    invariance("local-state", 1, "local_weights keeps no state and leaves its inputs alone")
    .on(case("hidden-local-twice", programs.local_twice))
    .expects(STATELESS),
    LOCAL,
    invariance("local-mirrored", 1, "A sentence read backwards has its weights backwards")
    .on(case("hidden-local-mirrored", programs.local_mirrored))
    .expects(reordered("out", result=[1]), right("first", "out")),
    "Rules",
    constraint("local-device", 1, "local_weights makes new tensors on the device of its inputs")
    .on(
        case("hidden-device-local", local, 7, 2, [3.0, 5.25, 0.0], device="meta"),
        case("hidden-device-here", local, 11, 2, [3.0, 5.25, 0.0]),
    )
    .expects(expect("device")),
)
CHECKS = (*ATTENTION_CHECKS, *HIDDEN_CHECKS, *LOCAL_CHECKS)
