"""Hidden checks of ``self_attention``: other sizes, other numbers, and what the public checks leave open."""

from __future__ import annotations

from typing import Any

from autograder.assignments.kit.assertions import (
    DTYPES,
    GRADIENTS,
    RIGHT,
    STATELESS,
    UNCHANGED,
    ZEROS,
    Assertions,
    expect,
    only_in,
    right,
)
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import constraint, gradient, interface, invariance, mask, shape, value
from autograder.assignments.kit.observed import watched
from autograder.assignments.kit.programs import with_zero_position
from autograder.assignments.self_attention.checks import OF_POSITIONS, under_masks
from autograder.assignments.self_attention.hidden import programs
from autograder.assignments.self_attention.programs import (
    DOT,
    ENTROPY,
    MANY,
    ONE,
    POSITIONS,
    SELF,
    DotSize,
    ManySize,
    OneSize,
    Shape,
    bare,
    entropy,
    entropy_of,
    many_heads,
    many_masks,
    one_head,
    plain,
    uneven,
)
from autograder.assignments.self_attention.speed import NOT_READY_MADE

DOT_SIZE = DotSize(lead=(3,), queries=7, keys=5, d_k=11, d_v=2)
ONE_SIZE = OneSize(batch=3, length=5, width=7, d_k=11, d_v=2)
MANY_SIZE = ManySize(batch=2, queries=7, keys=5, heads=3, d_h=5)
EQUAL = ManySize(3, 3, 3, 3, 3)
CORNERS = [[1, 0, 0, 0], [0, 0, 1, 0], [0.25] * 4, [0, 0, 0, 0], [0.5, 0, 0.5, 0], [0.7, 0.2, 0.1, 0]]
LENGTHS = ((3, 6), (512, 16), (7, 66), (1, 6), (11, 2), (8, 8), (5, 6))  # none may be kept from an earlier call

DOT_MASKS: list[tuple[Shape, list[Shape]]] = [
    ((), [(7, 5), (5,), (1, 5)]),
    ((2,), [(2, 1, 5), (1, 7, 5), (5,)]),
    ((2, 3), [(7, 5), (3, 7, 5), (2, 1, 1, 5)]),
    ((7,), [(7, 5), (7, 1, 5), (1, 5)]),  # as many sentences as queries
]
ROW_MASKS: list[tuple[Shape, Shape]] = [((), (7, 1)), ((2,), (2, 7, 1)), ((2, 3), (1, 3, 7, 1))]  # hide whole rows
DOT_BLANKS: list[tuple[Shape, Shape, tuple[Any, ...]]] = [
    ((), (7, 5), ((2,),)),
    ((2,), (2, 7, 5), ((0,), (1, 6))),
    ((2,), (2, 1, 5), ((1,),)),
    ((2,), (5,), ((),)),
    ((2, 3), (2, 3, 7, 5), ((1, 2, 0), (0, 1))),
]
ONE_MASKS: list[Shape] = [(5, 5), (3, 1, 5), (1, 5, 5), (5,)]
MANY_MASKS: list[Shape] = [(2, 1, 5), (1, 7, 5), (7, 5), (5,)]
EQUAL_MASKS: list[Shape] = [(3, 3, 3), (3, 1, 3), (3, 3), (3,)]

OUTPUT: dict[str, Any] = {"gradient": True, "back_from": ("output",)}
WEIGHTS: dict[str, Any] = {"gradient": True, "back_from": ("weights",)}
TRACED: dict[str, Any] = {"gradient": True, "trace": True}
KEPT: dict[str, Any] = {"gradient": True, "echo": True}
ROWS = ((1,), (0, 2))

BARE_OUTPUT = case("hidden-bare-output", bare, 3, 5, 2, temperature=1.7, trace=True, **OUTPUT)
DOT_TWO = case("hidden-sdpa-two", plain, DotSize((2, 3), 5, 7, 2, 3), **TRACED)
DOT_MASKED = case("hidden-sdpa-masked", plain, DOT_SIZE, (3, 7, 5), **TRACED, dtype="float32")
ONE_BLANK = case("hidden-one-blank", one_head, ONE_SIZE, (3, 5, 5), ROWS, **TRACED)
ONE_EQUAL = case("hidden-one-equal", one_head, OneSize(5, 5, 5, 5, 5), gradient=True, train=True)
MANY_BLANK = case("hidden-many-blank", many_heads, MANY_SIZE, (2, 7, 5), ROWS, **TRACED)
MANY_EQUAL = case("hidden-many-equal", many_heads, EQUAL, gradient=True, train=True)
ONE_32 = case("hidden-one-float32", one_head, ONE_SIZE, gradient=True, dtype="float32")
MANY_32 = case("hidden-many-float32", many_heads, MANY_SIZE, gradient=True, dtype="float32")
ENTROPY_FOUR = case("hidden-entropy-four", entropy, 2, 3, 5, 7, **KEPT)
# Code that raises on ``meta`` shows nothing there, so each part must also be right in a call on the CPU.
ELSEWHERE = {
    name: case(f"hidden-device-{name}", programs.anywhere, name, device="meta")
    for name in (SELF, DOT, ONE, MANY, ENTROPY)
}


def reordered(**axes: list[int]) -> Assertions:
    """Assert that ``out`` has the results of ``first``, with these axes permuted."""
    return expect("permuted", "first", other="out", order="order", axes=axes)


FOLLOWS = (*reordered(output=[1], weights=[1, 2]), *right("first", "out"))
TWICE = (
    *expect("same", "first", other="out"),
    *right("first", "between", "out"),
    *expect("unchanged", "first", "between", "out"),
)
DOT_CHECKS = part(
    DOT,
    "Shapes",
    shape("sdpa-leading", 1, "Any number of leading axes, none included")
    .on(
        case("hidden-sdpa-none", plain, DotSize((), 3, 5, 7, 2), gradient=True),
        DOT_TWO,
        case("hidden-sdpa-zero-position", with_zero_position, plain, ["key"], DotSize((2,), 3, 5, 7, 2)),
        case("hidden-sdpa-ones", plain, DotSize((1,), 1, 1, 1, 1), gradient=True),
        case("hidden-sdpa-one-query", plain, DotSize((2,), 1, 7, 5, 3)),
        case("hidden-sdpa-one-key", plain, DotSize((1, 2), 5, 1, 3, 2)),
        case("hidden-sdpa-square", plain, DotSize((4, 4), 4, 4, 4, 4), (4, 1, 4), gradient=True),
    )
    .expects(RIGHT, GRADIENTS),
    "Masks",
    mask("sdpa-masks", 1.5, "A mask of any shape that broadcasts")
    .on(*(case(f"hidden-sdpa-masks-{i}", programs.plain_masks, *masks) for i, masks in enumerate(DOT_MASKS)))
    .expects(under_masks(3)),
    mask("sdpa-blanks", 1, "Rows in which nothing may be seen: zeros, no NaN, in value and gradient")
    .on(
        *(
            case(f"hidden-sdpa-blank-{i}", plain, DotSize(lead, 7, 5, 3, 2), shape, blank, **KEPT)
            for i, (lead, shape, blank) in enumerate(DOT_BLANKS)
        ),
        *(
            case(f"hidden-sdpa-rows-{i}", plain, DotSize(one, 7, 5, 3, 2), m, **KEPT)
            for i, (one, m) in enumerate(ROW_MASKS)
        ),
        case("hidden-sdpa-blank-output", plain, DOT_SIZE, (7, 5), ((3,),), **OUTPUT, dtype="float32"),
        case("hidden-sdpa-blank-weights", plain, DOT_SIZE, (7, 5), ((3,),), **WEIGHTS),
    )
    .expects(RIGHT, ZEROS, GRADIENTS, UNCHANGED),
    DOT,
    value("sdpa-extreme", 1.5, "Scores of ±10,000, also where larger ones are masked")
    .on(
        case("hidden-sdpa-extreme", programs.extreme),
        case("hidden-sdpa-extreme-masked", programs.extreme, masked=True),
        case("hidden-sdpa-larger-little", programs.extreme, masked=True, height=0.08),
        case("hidden-sdpa-larger-more", programs.extreme, masked=True, height=0.25),
        case("hidden-sdpa-larger-much", programs.extreme, masked=True, height=5.0),
        case("hidden-sdpa-extreme-float32", programs.extreme, dtype="float32"),
        case("hidden-sdpa-extreme-masked-float32", programs.extreme, masked=True, dtype="float32"),
    )
    .expects(RIGHT, GRADIENTS),
    gradient("sdpa-gradients-hidden", 1, "Gradients through each result, with a mask and without")
    .on(
        case("hidden-sdpa-output", plain, DOT_SIZE, **OUTPUT),
        case("hidden-sdpa-weights", plain, DOT_SIZE, **WEIGHTS),
        DOT_MASKED,
    )
    .expects(GRADIENTS, RIGHT, DTYPES),
    "Rules",
    invariance("sdpa-strides", 0.5, "Inputs with any strides, left as they were")
    .on(
        case("hidden-sdpa-reversed", plain, DOT_SIZE, (3, 7, 5), layout="reversed", **KEPT),
        case("hidden-sdpa-gapped", plain, DOT_SIZE, (7, 5), layout="gapped", **KEPT),
    )
    .expects(RIGHT, GRADIENTS, UNCHANGED),
    DOT,
    invariance("sdpa-shift", 0.5, "A vector added to all keys changes nothing")
    .on(case("hidden-sdpa-shift", programs.shifted))
    .expects(reordered(output=[], weights=[]), right("first", "out")),
    "Rules",
    invariance("sdpa-state", 0.5, "scaled_dot_product_attention keeps no state and leaves its inputs alone")
    .on(case("hidden-twice-sdpa", programs.functions_twice, DOT))
    .expects(STATELESS),
    constraint(
        "sdpa-constraint-hidden", 2.5, "No ready-made attention in scaled_dot_product_attention on other inputs either"
    )
    .on(DOT_TWO, DOT_MASKED)
    .expects(NOT_READY_MADE[DOT], RIGHT),
    constraint("sdpa-device", 0.5, "scaled_dot_product_attention makes new tensors on the device of its inputs")
    .on(ELSEWHERE[DOT], DOT_TWO)
    .expects(only_in([ELSEWHERE[DOT]], expect("device", "out", "masked")), only_in([DOT_TWO], expect("device"))),
)
BARE_CHECKS = part(
    SELF,
    value("bare-temperatures", 1, "Any temperature divides the scores")
    .on(case("hidden-temperatures", programs.temperatures, 0.1, 0.5, 2, 5.0))
    .expects(right("out0", "out1", "out2", "out3")),
    gradient("bare-gradients-hidden", 1, "All gradients, through each of the two results")
    .on(
        BARE_OUTPUT,
        case("hidden-bare-weights", bare, 3, 5, 2, temperature=3, **WEIGHTS),
        case("hidden-bare-float32", bare, 3, 7, 2, gradient=True, dtype="float32"),
    )
    .expects(GRADIENTS, RIGHT, DTYPES),
    "Shapes",
    shape("bare-sizes", 0.5, "Right for one sentence, one position, equal sizes and any strides")
    .on(
        case("hidden-bare-1-1", bare, 1, 1, 1, gradient=True),
        case("hidden-bare-one-word", bare, 3, 1, 2),
        case("hidden-bare-zero-position", with_zero_position, bare, ["x"], 2, 5, 3, **KEPT),
        case("hidden-bare-square", bare, 4, 4, 4, gradient=True),
        case("hidden-bare-reversed", bare, 2, 5, 3, layout="reversed", **KEPT),
        case("hidden-bare-gapped", bare, 1, 5, 3, layout="gapped", temperature=0.7, echo=True),
    )
    .expects(RIGHT, GRADIENTS, UNCHANGED),
    SELF,
    value("bare-extreme", 0.5, "self_attention with scores of ±10,000")
    .on(case("hidden-bare-extreme", programs.bare_extreme, pinned=True))
    .expects(RIGHT, GRADIENTS),
    invariance("bare-permuted", 0.5, "Positions of self_attention in another order: the outputs follow")
    .on(case("hidden-permuted-bare", programs.permuted, SELF))
    .expects(FOLLOWS),
    "Rules",
    invariance("bare-state", 0.5, "self_attention keeps no state and leaves its inputs alone")
    .on(case("hidden-twice-bare", programs.functions_twice, SELF))
    .expects(STATELESS),
    constraint("bare-constraint-hidden", 1, "No ready-made attention in self_attention on other inputs either")
    .on(BARE_OUTPUT)
    .expects(NOT_READY_MADE[SELF], RIGHT),
    constraint("bare-device", 0.5, "self_attention makes new tensors on the device of its inputs")
    .on(ELSEWHERE[SELF], BARE_OUTPUT)
    .expects(only_in([ELSEWHERE[SELF]], expect("device")), only_in([BARE_OUTPUT], expect("device"))),
)
ONE_CHECKS = part(
    ONE,
    "Masks",
    mask("one-head-masks", 1, "SelfAttention under a mask of any shape that broadcasts")
    .on(
        case("hidden-one-masks", programs.one_head_masks, 3, 5, ONE_MASKS),
        case("hidden-one-masks-equal", programs.one_head_masks, 3, 3, EQUAL_MASKS),
    )
    .expects(under_masks(4)),
    mask("one-head-blank", 0.5, "SelfAttention where nothing may be seen")
    .on(
        ONE_BLANK,
        case("hidden-one-blank-weights", one_head, ONE_SIZE, (5, 5), ((4,),), **WEIGHTS),
        case("hidden-one-rows", one_head, ONE_SIZE, (3, 5, 1), gradient=True),
    )
    .expects(RIGHT, ZEROS, GRADIENTS),
    ONE,
    value("one-head-sizes", 1, "SelfAttention in other sizes and strides, float32, train mode and through each result")
    .on(
        case("hidden-one-output", one_head, ONE_SIZE, **OUTPUT, train=True),
        case("hidden-one-weights", one_head, ONE_SIZE, **WEIGHTS),
        ONE_32,
        case("hidden-one-ones", one_head, OneSize(1, 1, 1, 1, 1), gradient=True),
        case("hidden-one-batch-1", one_head, OneSize(1, 5, 3, 2, 4), (1, 5, 5), layout="reversed", gradient=True),
        case("hidden-one-word", one_head, OneSize(3, 1, 5, 1, 2)),
        ONE_EQUAL,
    )
    .expects(RIGHT, GRADIENTS, DTYPES),
    value("one-head-extreme", 0.5, "Scores of ±10,000 inside SelfAttention")
    .on(case("hidden-one-extreme", programs.modules_extreme, ONE))
    .expects(RIGHT),
    invariance("one-head-permuted", 0.5, "Positions of SelfAttention in another order: the outputs follow")
    .on(case("hidden-permuted-one", programs.permuted, ONE))
    .expects(FOLLOWS),
    invariance("one-head-uniform", 0.5, "Equal scores give the mean of what may be seen")
    .on(case("hidden-uniform-one", programs.uniform, ONE))
    .expects(RIGHT),
    "Rules",
    invariance("one-head-state", 0.5, "SelfAttention keeps no state and leaves its inputs alone")
    .on(case("hidden-twice-one", programs.twice, ONE))
    .expects(TWICE, right("masked")),
    constraint("one-head-constraint-hidden", 1, "No ready-made attention in SelfAttention on other inputs either")
    .on(ONE_EQUAL, ONE_32)
    .expects(NOT_READY_MADE[ONE], RIGHT),
    constraint("one-head-device", 0.5, "SelfAttention makes new tensors on the device of its inputs")
    .on(ELSEWHERE[ONE], ONE_EQUAL)
    .expects(only_in([ELSEWHERE[ONE]], expect("device", "out", "masked")), only_in([ONE_EQUAL], expect("device"))),
)
MANY_CHECKS = part(
    MANY,
    "Masks",
    mask("heads-masks", 1.5, "MultiHeadAttention under a mask of any shape that broadcasts")
    .on(
        case("hidden-many-masks", many_masks, MANY_SIZE, MANY_MASKS),
        case("hidden-many-masks-equal", many_masks, EQUAL, EQUAL_MASKS),
    )
    .expects(under_masks(4)),
    mask("heads-blank", 0.5, "MultiHeadAttention where nothing may be seen")
    .on(
        MANY_BLANK,
        case("hidden-many-blank-weights", many_heads, MANY_SIZE, (7, 5), ((4,),), **WEIGHTS),
        case("hidden-many-rows", many_heads, MANY_SIZE, (2, 7, 1), gradient=True),
    )
    .expects(RIGHT, ZEROS, GRADIENTS),
    MANY,
    value("heads-sizes", 1.5, "MultiHeadAttention in other sizes and strides, float32, train mode, each result")
    .on(
        case("hidden-many-output", many_heads, MANY_SIZE, **OUTPUT, layout="reversed", train=True),
        case("hidden-many-weights", many_heads, MANY_SIZE, **WEIGHTS),
        MANY_32,
        case("hidden-many-ones", many_heads, ManySize(1, 1, 1, 1, 1), gradient=True),
        case("hidden-many-batch-1", many_heads, ManySize(1, 5, 7, 2, 3), (1, 5, 7), layout="reversed", gradient=True),
        case("hidden-many-one-key", many_heads, ManySize(3, 2, 1, 2, 5)),
        case("hidden-many-width-1", many_heads, ManySize(2, 3, 5, 7, 1), layout="gapped"),
        MANY_EQUAL,
        case("hidden-many-alone", many_heads, ManySize(2, 7, 7, 3, 2), alone=True, gradient=True),
        case("hidden-many-alone-masked", many_heads, ManySize(2, 5, 5, 2, 3), (5, 5), alone=True, echo=True),
    )
    .expects(RIGHT, GRADIENTS, DTYPES, UNCHANGED),
    interface("heads-error-hidden", 0.5, "Other numbers of heads that do not divide the width")
    .on(case("hidden-error", uneven, [(15, 2), (3, 6), (7, 5)], ManySize(2, 3, 2, 3, 5)))
    .expects(expect("raises", "bad0", "bad1", "bad2", error="ValueError"), RIGHT),
    value("heads-extreme", 0.5, "Scores of ±10,000 inside MultiHeadAttention")
    .on(case("hidden-many-extreme", programs.modules_extreme, MANY))
    .expects(RIGHT),
    invariance("heads-permuted", 0.5, "Several heads follow too")
    .on(case("hidden-permuted-many", programs.permuted, MANY))
    .expects(reordered(output=[1], weights=[2, 3]), right("first", "out")),
    invariance("heads-uniform", 0.5, "Equal scores give the mean of what may be seen; one head is plain attention")
    .on(case("hidden-uniform-many", programs.uniform, MANY), case("hidden-identity", programs.identity))
    .expects(RIGHT),
    "Rules",
    invariance("heads-state", 0.5, "MultiHeadAttention keeps no state and leaves its inputs alone")
    .on(case("hidden-twice-many", programs.twice, MANY))
    .expects(TWICE, right("masked")),
    constraint("heads-constraint-hidden", 2.5, "No ready-made attention in MultiHeadAttention on other inputs either")
    .on(MANY_EQUAL, MANY_32)
    .expects(NOT_READY_MADE[MANY], RIGHT),
    constraint("heads-device", 0.5, "MultiHeadAttention makes new tensors on the device of its inputs")
    .on(ELSEWHERE[MANY], MANY_EQUAL)
    .expects(only_in([ELSEWHERE[MANY]], expect("device", "out", "masked")), only_in([MANY_EQUAL], expect("device"))),
)
POSITION_CHECKS = part(
    POSITIONS,
    value("positions-sizes", 2, "Up to 512 positions, of any even width")
    .on(case("hidden-positions", programs.positions_in_turn, *LENGTHS, dtype="float32", pinned=True))
    .expects(
        *(one for i in range(len(LENGTHS)) for one in (right(f"out{i}", **OF_POSITIONS), expect("dtypes", f"out{i}")))
    ),
)
ENTROPY_CHECKS = part(
    ENTROPY,
    value("entropy-shapes", 1, "attention_entropy for any leading axes")
    .on(
        case("hidden-entropy-vector", entropy, 7, gradient=True),
        ENTROPY_FOUR,
        case("hidden-entropy-reversed", entropy, 1, 5, 7, layout="reversed"),
    )
    .expects(RIGHT, GRADIENTS, DTYPES),
    value("entropy-zeros", 0.5, "Weights of 0 and 1, uniform and fully masked rows")
    .on(
        case("hidden-entropy-corners", entropy_of, CORNERS, **KEPT),
        case("hidden-entropy-zeros", entropy, 2, 3, 7, hidden=0.5, **KEPT, dtype="float32"),
    )
    .expects(RIGHT, UNCHANGED, expect("gradients", finite_at_zero=True)),
    "Rules",
    constraint("entropy-device", 0.5, "attention_entropy makes new tensors on the device of its inputs")
    .on(ELSEWHERE[ENTROPY], ENTROPY_FOUR)
    .expects(only_in([ELSEWHERE[ENTROPY]], expect("device")), only_in([ENTROPY_FOUR], expect("device"))),
)
CHECKS = (*DOT_CHECKS, *BARE_CHECKS, *ONE_CHECKS, *MANY_CHECKS, *POSITION_CHECKS, *ENTROPY_CHECKS)
CHECKS = watched(
    CHECKS,
    "attention",
    {
        "sdpa-constraint-hidden": [DOT],
        "bare-constraint-hidden": [SELF],
        "one-head-constraint-hidden": [ONE],
        "heads-constraint-hidden": [MANY],
    },
    most=2,
)
