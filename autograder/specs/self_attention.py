"""Public checks of ``self_attention`` (Vaswani et al. 2017, sections 3.2 and 3.5)."""

from __future__ import annotations

from typing import Any

from autograder.model import Check, Hold
from autograder.specs.self_attention_calls import (
    FUNCTIONS,
    MODULES,
    NOT_READY_MADE,
    bare,
    entropy,
    heads,
    heads_masks,
    looked_at,
    module_looked_at,
    one_head,
    plain,
    uneven,
    worked_example,
)
from autograder.specs.speed import speed
from autograder.specs.vocabulary import case, check, hold, right, watched

TITLE = "Self-attention"

POSITIONS: dict[str, Any] = {"of_largest": 1e-4}  # the largest entry is 1
ENTROPY: dict[str, Any] = {"relative": 5e-8, "of_largest": 5e-8}  # room for log(w + 1e-9)

BARE_NAME, SDPA_NAME, POSITIONS_NAME, ENTROPY_NAME = FUNCTIONS
MODULE, MULTI = MODULES

BARE = case("bare", looked_at, name=BARE_NAME, batch=2, length=7, width=5, gradient=True, echo=True)
PLAIN: dict[str, Any] = {"lead": (2,), "queries": 5, "keys": 7, "d_k": 3, "d_v": 11}
SDPA = case("sdpa", looked_at, name=SDPA_NAME, **PLAIN, gradient=True, echo=True, trace=True)
SDPA_MASKED = case("sdpa-masked", plain, **PLAIN, mask=(5, 7), gradient=True, echo=True, trace=True)
SDPA_BLANK = case(
    "sdpa-blank", plain, **PLAIN, mask=(2, 5, 7), blank=((1, 3), (0, 0)), by_name=True, gradient=True
)
HEAD: dict[str, Any] = {"batch": 2, "length": 7, "width": 5, "d_k": 3, "d_v": 11}
ONE_HEAD = case("one-head", module_looked_at, name=MODULE, **HEAD, gradient=True)
HEADS: dict[str, Any] = {"batch": 2, "queries": 5, "keys": 7, "heads": 3, "d_h": 2}
MANY = case("heads", module_looked_at, name=MULTI, **HEADS, gradient=True, trace=True)
MANY_32 = case("heads-float32", heads, **HEADS, dtype="float32")
MANY_MASKS = case("heads-masked", heads_masks, **HEADS, masks=[(2, 5, 7), (5, 7), (7,)])


def each(count: int) -> tuple[Hold, ...]:
    """What is due of calls ``out0``, ``out1`` and so on, each under a mask."""
    steps = [f"out{i}" for i in range(count)]
    return tuple(one for of in steps for one in (*right(of), hold("zeros", of, only=["weights"])))


CHECKS: tuple[Check, ...] = (
    check("bare-interface", "self_attention takes (x, temperature=1.0)", "interface", 1,
          BARE, hold("signature", "interface"), *right(),
          section=BARE_NAME),
    check("bare-values", "self_attention gives the right output and weights", "value", 2, (
        BARE,
        case("bare-temperature", bare, batch=2, length=7, width=5, temperature=2.5),
        case("bare-float32", bare, batch=3, length=5, width=7, dtype="float32"),
    ), *right(), hold("dtypes"), section=BARE_NAME),
    check("bare-sums", "Every row of its weights sums to 1", "weight_sum", 1, BARE,
          hold("sums", output="weights"), *right(only=["weights"]), section=BARE_NAME),
    check("bare-gradients", "The gradient reaches x", "gradient", 2, BARE, hold("gradients"), *right(),
          section=BARE_NAME),
    check("sdpa-interface", "scaled_dot_product_attention takes (query, key, value, mask=None)",
          "interface", 1,
          SDPA, hold("signature", "interface"), *right(),
          section=SDPA_NAME),
    check("sdpa-values", "scaled_dot_product_attention gives the right output and weights", "value", 3, (
        SDPA,
        case("sdpa-float32", plain, **PLAIN, dtype="float32"),
    ), *right(), hold("dtypes"), section=SDPA_NAME),
    check("sdpa-mask", "A mask hides keys: their weights are exactly 0", "mask", 3, SDPA_MASKED,
          *right(), hold("zeros", only=["weights"]), hold("sums", output="weights"), section="Masks"),
    check("sdpa-blank", "A query that may see nothing gets zeros, and no gradient is NaN", "mask", 2,
          SDPA_BLANK,
          *right(), hold("zeros"), hold("gradients"), section="Masks"),
    check("sdpa-gradients", "Gradients reach query, key and value", "gradient", 2, (SDPA, SDPA_MASKED),
          hold("gradients"), *right(), section=SDPA_NAME),
    check("sdpa-inputs", "The inputs are left as they were", "invariance", 1, (SDPA, SDPA_MASKED, BARE),
          hold("unchanged"), *right(), section="Rules"),
    check("sdpa-constraint", "No ready-made attention is used", "constraint", 3, (SDPA, SDPA_MASKED, MANY),
          NOT_READY_MADE, *right(), section="Rules"),
    check("one-head-interface", "SelfAttention has its arguments and parameters", "interface", 2,
          ONE_HEAD, hold("signature", "arguments"),
          hold("signature", "arguments.forward"), hold("parameters", "parameters"), *right(), section=MODULE),
    check("one-head-values", "SelfAttention gives the right output and weights", "value", 2, (
        ONE_HEAD,
        case("one-head-masked", one_head, **HEAD, mask=(7, 7)),
    ), *right(), hold("dtypes"), section=MODULE),
    check("one-head-gradients", "Gradients reach x, W_Q, W_K and W_V", "gradient", 2, ONE_HEAD,
          hold("gradients"), *right(), section=MODULE),
    check("heads-interface", "MultiHeadAttention has its arguments and parameters", "interface", 2,
          MANY, hold("signature", "arguments"),
          hold("signature", "arguments.forward"), hold("parameters", "parameters"), *right(), section=MULTI),
    check("heads-error", "num_heads that does not divide d_model raises ValueError", "interface", 1,
          case("heads-error", uneven, bad=[(10, 4)],
               sizes={"batch": 2, "queries": 3, "keys": 5, "heads": 2, "d_h": 5}),
          hold("raises", "bad0", error="ValueError"), *right(), section=MULTI),
    check("heads-values", "MultiHeadAttention gives the right output and weights", "value", 3, (MANY,
          MANY_32),
          *right(), hold("dtypes"), section=MULTI),
    check("heads-mask", "A mask of one, two or three axes holds for every head", "mask", 2, MANY_MASKS,
          *each(3), section="Masks"),
    check("heads-gradients", "Gradients reach query, key, value and all four layers", "gradient", 2, MANY,
          hold("gradients"), *right(), section=MULTI),
    check("positions-values", "sinusoidal_positions alternates sines and cosines of the right angles",
          "value", 2,
          case("positions", looked_at, name=POSITIONS_NAME, length=13, dim=10, dtype="float32", pinned=True),
          *right(**POSITIONS), hold("dtypes"), section=POSITIONS_NAME),
    check("entropy-values", "attention_entropy is right, in nats", "value", 2, (
        case("entropy", entropy, shape=(2, 5, 7)),
        case("entropy-float32", entropy, shape=(3, 7), dtype="float32"),
    ), *right(**ENTROPY), hold("dtypes"), section=ENTROPY_NAME),
    check("entropy-zero", "A weight of 0 adds nothing, and its gradient is finite", "gradient", 2,
          case("entropy-zero", entropy, shape=(3, 5, 7), hidden=0.4, gradient=True, echo=True),
          *right(**ENTROPY), hold("unchanged"), hold("gradients", finite_at_zero=True, **ENTROPY),
          section=ENTROPY_NAME),
    check("example", "The worked example comes out", "value", 2,
          case("worked-example", worked_example, dtype="float32", pinned=True), *right("out"), *right("sharp"),
               *right("flat"),
          *right("entropy.out"), *right("entropy.sharp"), *right("entropy.flat"), *right("masked"),
          hold("zeros", "masked", only=["weights"]), *right("positions", **POSITIONS),
                section="Worked example"),
    speed("self_attention"),
)  # fmt: skip
CHECKS = watched(CHECKS, "sdpa-constraint", [*FUNCTIONS, *MODULES], "attention", most=2)
