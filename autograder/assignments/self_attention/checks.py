"""Public checks of ``self_attention`` (Vaswani et al. 2017, sections 3.2 and 3.5)."""

from __future__ import annotations

from typing import Any

from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, UNCHANGED, ZEROS, Assertions, expect, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import constraint, gradient, interface, invariance, mask, value, weight_sum
from autograder.assignments.kit.observed import watched
from autograder.assignments.kit.programs import inspected
from autograder.assignments.self_attention import programs
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
    bare,
    entropy,
    many_heads,
    one_head,
    plain,
    positions,
)
from autograder.assignments.self_attention.speed import NOT_READY_MADE, SPEED

OF_POSITIONS: dict[str, Any] = {"of_largest": 1e-4}  # the largest entry is 1

MODULE: dict[str, Any] = {"methods": [".forward"], "made": "attention"}
BARE = case("bare", inspected, "interface", SELF, bare, 2, 7, 5, gradient=True, echo=True)
DOT_SIZE = DotSize(lead=(2,), queries=5, keys=7, d_k=3, d_v=11)
PLAIN = case("sdpa", inspected, "interface", DOT, plain, DOT_SIZE, gradient=True, echo=True, trace=True)
MASKED = case("sdpa-masked", plain, DOT_SIZE, mask=(5, 7), gradient=True, echo=True, trace=True)
BLANK = case("sdpa-blank", plain, DOT_SIZE, mask=(2, 5, 7), blank=((1, 3), (0, 0)), by_name=True, gradient=True)
ONE_SIZE = OneSize(batch=2, length=7, width=5, d_k=3, d_v=11)
ONE_HEAD = case("one-head", inspected, "arguments", ONE, one_head, ONE_SIZE, gradient=True, **MODULE)
MANY_SIZE = ManySize(batch=2, queries=5, keys=7, heads=3, d_h=2)
HEADS = case("heads", inspected, "arguments", MANY, many_heads, MANY_SIZE, gradient=True, trace=True, **MODULE)
POSITION = case("positions", inspected, "interface", POSITIONS, positions, 13, 10, dtype="float32", pinned=True)


def under_masks(count: int) -> Assertions:
    """Assert that calls ``out0``, ``out1``... are right, with weights of 0 where masked."""
    steps = [f"out{i}" for i in range(count)]
    return tuple(one for of in steps for one in (*right(of), *expect("zeros", of, only=["weights"])))


SIGNATURE, PARAMETERS = expect("signature", "interface"), expect("parameters", "parameters")
MODULE_SIGNATURE = expect("signature", "arguments", "arguments.forward")
WEIGHT_SUMS = expect("sums", output="weights")
DOT_CHECKS = part(
    DOT,
    interface("sdpa-interface", 1, "scaled_dot_product_attention takes (query, key, value, mask=None)")
    .on(PLAIN)
    .expects(SIGNATURE, RIGHT),
    value("sdpa-values", 3, "scaled_dot_product_attention gives the right output and weights")
    .on(PLAIN, case("sdpa-float32", plain, DOT_SIZE, dtype="float32"))
    .expects(RIGHT, DTYPES),
    "Masks",
    mask("sdpa-mask", 2, "Keys under a mask: output and weights")
    .on(MASKED)
    .expects(RIGHT, expect("zeros", only=["weights"]), WEIGHT_SUMS),
    mask("sdpa-blank", 2.5, "A query that may see nothing gets zeros, and no gradient is NaN")
    .on(BLANK, case("sdpa-example", programs.plain_example))
    .expects(RIGHT, ZEROS, GRADIENTS),
    DOT,
    gradient("sdpa-gradients", 1.5, "The gradients of query, key and value")
    .on(PLAIN, MASKED)
    .expects(GRADIENTS, RIGHT),
    "Rules",
    invariance("sdpa-inputs", 0.5, "The inputs are left as they were").on(PLAIN, MASKED).expects(UNCHANGED, RIGHT),
    constraint("sdpa-constraint", 3, "scaled_dot_product_attention does without ready-made attention")
    .on(PLAIN, MASKED)
    .expects(NOT_READY_MADE[DOT], RIGHT),
    "Speed",
    SPEED[DOT],
)
BARE_CHECKS = part(
    SELF,
    interface("bare-interface", 1, "self_attention takes (x, temperature=1.0)").on(BARE).expects(SIGNATURE, RIGHT),
    value("bare-values", 3, "self_attention gives the right output and weights")
    .on(
        BARE,
        case("bare-temperature", bare, 2, 7, 5, temperature=2.5),
        case("bare-float32", bare, 3, 5, 7, dtype="float32"),
    )
    .expects(RIGHT, DTYPES),
    weight_sum("bare-sums", 1, "Every row of its weights sums to 1")
    .on(BARE)
    .expects(WEIGHT_SUMS, right(only=["weights"])),
    gradient("bare-gradients", 1.5, "The gradient of x").on(BARE).expects(GRADIENTS, RIGHT),
    "Rules",
    constraint("bare-constraint", 1.5, "self_attention does without ready-made attention")
    .on(BARE)
    .expects(NOT_READY_MADE["self_attention"], RIGHT),
    "Worked example",
    value("bare-example", 1, "The worked example of self_attention comes out")
    .on(case("bare-example", programs.bare_example))
    .expects(right("out", "sharp", "flat")),
    "Speed",
    SPEED[SELF],
)
ONE_CHECKS = part(
    ONE,
    interface("one-head-interface", 2, "SelfAttention has its arguments and parameters")
    .on(ONE_HEAD)
    .expects(MODULE_SIGNATURE, PARAMETERS, RIGHT),
    value("one-head-values", 2, "SelfAttention gives the right output and weights")
    .on(ONE_HEAD, case("one-head-masked", one_head, ONE_SIZE, mask=(7, 7)))
    .expects(RIGHT, DTYPES),
    gradient("one-head-gradients", 1.5, "The gradients of x, W_Q, W_K and W_V").on(ONE_HEAD).expects(GRADIENTS, RIGHT),
    "Rules",
    constraint("one-head-constraint", 1.5, "SelfAttention does without ready-made attention")
    .on(ONE_HEAD)
    .expects(NOT_READY_MADE["SelfAttention"], RIGHT),
    "Speed",
    SPEED[ONE],
)
MANY_CHECKS = part(
    MANY,
    interface("heads-interface", 2, "MultiHeadAttention has its arguments and parameters")
    .on(HEADS)
    .expects(MODULE_SIGNATURE, PARAMETERS, RIGHT),
    interface("heads-error", 2, "num_heads that does not divide d_model raises ValueError")
    .on(case("heads-error", programs.uneven, [(10, 4)], ManySize(2, 3, 5, 2, 5)))
    .expects(expect("raises", "bad0", error="ValueError"), RIGHT),
    value("heads-values", 4, "MultiHeadAttention gives the right output and weights")
    .on(HEADS, case("heads-float32", many_heads, MANY_SIZE, dtype="float32"))
    .expects(RIGHT, DTYPES),
    "Masks",
    mask("heads-mask", 2, "A mask of one, two or three axes holds for every head")
    .on(
        case("heads-masked", programs.many_masks, MANY_SIZE, [(2, 5, 7), (5, 7), (7,)]),
        case("heads-masked-square", programs.many_masks, MANY_SIZE._replace(batch=3), [(3, 5, 7), (5, 7), (7,)]),
    )
    .expects(under_masks(3)),
    MANY,
    gradient("heads-gradients", 2, "The gradients of query, key, value and all four layers")
    .on(HEADS)
    .expects(GRADIENTS, RIGHT),
    "Rules",
    constraint("heads-constraint", 3, "MultiHeadAttention does without ready-made attention")
    .on(HEADS)
    .expects(NOT_READY_MADE["MultiHeadAttention"], RIGHT),
    "Speed",
    SPEED[MANY],
)
POSITION_CHECKS = part(
    POSITIONS,
    interface("positions-interface", 1, "sinusoidal_positions takes (length, dim)")
    .on(POSITION)
    .expects(SIGNATURE, right(**OF_POSITIONS)),
    value("positions-values", 5, "sinusoidal_positions alternates sines and cosines of the right angles")
    .on(POSITION)
    .expects(right(**OF_POSITIONS), DTYPES),
    "Worked example",
    value("positions-example", 1, "The worked example of sinusoidal_positions comes out")
    .on(case("positions-example", positions, 3, 4, dtype="float32", pinned=True))
    .expects(right(**OF_POSITIONS)),
    "Speed",
    SPEED[POSITIONS],
)
ENTROPY_CHECKS = part(
    ENTROPY,
    interface("entropy-interface", 1, "attention_entropy takes (weights)")
    .on(case("entropy-interface", inspected, "interface", ENTROPY, entropy, 3, 5))
    .expects(SIGNATURE, RIGHT),
    value("entropy-values", 3, "attention_entropy is right, in nats")
    .on(case("entropy", entropy, 2, 5, 7), case("entropy-float32", entropy, 3, 7, dtype="float32"))
    .expects(RIGHT, DTYPES),
    gradient("entropy-zero", 2, "Rows with weights of 0, and their gradients")
    .on(case("entropy-zero", entropy, 3, 5, 7, hidden=0.4, gradient=True, echo=True))
    .expects(RIGHT, UNCHANGED, expect("gradients", finite_at_zero=True)),
    "Worked example",
    value("entropy-example", 1, "The worked example of attention_entropy comes out")
    .on(case("entropy-example", programs.entropy_example))
    .expects(RIGHT),
    "Speed",
    SPEED[ENTROPY],
)
CHECKS = (*DOT_CHECKS, *BARE_CHECKS, *ONE_CHECKS, *MANY_CHECKS, *POSITION_CHECKS, *ENTROPY_CHECKS)
CHECKS = watched(
    CHECKS,
    "attention",
    {"sdpa-constraint": [DOT], "bare-constraint": [SELF], "one-head-constraint": [ONE], "heads-constraint": [MANY]},
    most=2,
)
