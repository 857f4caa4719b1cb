"""Hidden checks of ``self_attention``: other sizes, other numbers, and what the public checks leave open."""

from __future__ import annotations

from typing import Any

from autograder.model import Check
from autograder.specs.hidden.self_attention_calls import (
    EVERYTHING,
    bare_extreme,
    everything,
    extreme,
    functions_twice,
    identity,
    modules_extreme,
    permuted,
    positions_in_turn,
    shifted,
    temperatures,
    twice,
    uniform,
)
from autograder.specs.self_attention import ENTROPY, POSITIONS, each
from autograder.specs.self_attention_calls import (
    FUNCTIONS,
    MODULES,
    NOT_READY_MADE,
    Shape,
    bare,
    entropy,
    entropy_of,
    heads,
    heads_masks,
    one_head,
    one_head_masks,
    plain,
    plain_masks,
    uneven,
)
from autograder.specs.vocabulary import case, check, hold, only_in, right, watched

SDPA: dict[str, Any] = {"lead": (3,), "queries": 7, "keys": 5, "d_k": 11, "d_v": 2}
ONE: dict[str, Any] = {"batch": 3, "length": 5, "width": 7, "d_k": 11, "d_v": 2}
MANY: dict[str, Any] = {"batch": 2, "queries": 7, "keys": 5, "heads": 3, "d_h": 5}
EQUAL: dict[str, Any] = {"batch": 3, "queries": 3, "keys": 3, "heads": 3, "d_h": 3}

SDPA_MASKS: list[tuple[Shape, list[Shape]]] = [
    ((), [(7, 5), (5,), (1, 5), (7, 1)]),
    ((2,), [(2, 1, 5), (1, 7, 5), (5,), (2, 7, 1)]),
    ((2, 3), [(7, 5), (3, 7, 5), (2, 1, 1, 5), (1, 3, 7, 1)]),
]
SDPA_BLANKS: list[tuple[Shape, Shape, tuple[Any, ...]]] = [
    ((), (7, 5), ((2,),)), ((2,), (2, 7, 5), ((0,), (1, 6))), ((2,), (2, 1, 5), ((1,),)), ((2,), (5,), ((),)),
    ((2, 3), (2, 3, 7, 5), ((1, 2, 0), (0, 1))),
]  # fmt: skip
ONE_MASKS: list[Shape] = [(5, 5), (3, 1, 5), (1, 5, 5), (5,), (3, 5, 1)]
MANY_MASKS: list[Shape] = [(2, 1, 5), (1, 7, 5), (2, 7, 1), (7, 1), (5,)]
EQUAL_MASKS: list[Shape] = [(3, 3, 3), (3, 1, 3), (3, 3), (3,), (3, 3, 1)]

OUTPUT: dict[str, Any] = {"gradient": True, "back_from": ("output",)}
WEIGHTS: dict[str, Any] = {"gradient": True, "back_from": ("weights",)}
BARE_NAME, SDPA_NAME = "self_attention", "scaled_dot_product_attention"
ONE_NAME, MANY_NAME = "SelfAttention", "MultiHeadAttention"


BARE_OUTPUT = case(
    "hidden-bare-output", bare, batch=3, length=5, width=2, temperature=1.7, trace=True, **OUTPUT
)
SDPA_TWO = case(
    "hidden-sdpa-two", plain, lead=(2, 3), queries=5, keys=7, d_k=2, d_v=3, gradient=True, trace=True
)
SDPA_MASKED = case(
    "hidden-sdpa-masked", plain, **SDPA, mask=(3, 7, 5), gradient=True, trace=True, dtype="float32"
)
ONE_BLANK = case(
    "hidden-one-blank", one_head, **ONE, mask=(3, 5, 5), blank=((1,), (0, 2)), gradient=True, trace=True
)
ONE_EQUAL = case(
    "hidden-one-equal", one_head, batch=5, length=5, width=5, d_k=5, d_v=5, gradient=True, train=True
)  # fmt: skip
MANY_BLANK = case(
    "hidden-many-blank", heads, **MANY, mask=(2, 7, 5), blank=((1,), (0, 2)), gradient=True, trace=True
)
MANY_EQUAL = case("hidden-many-equal", heads, **EQUAL, gradient=True, train=True)
ONE_32 = case("hidden-one-float32", one_head, **ONE, gradient=True, dtype="float32")
MANY_32 = case("hidden-many-float32", heads, **MANY, gradient=True, dtype="float32")
ENTROPY_FOUR = case("hidden-entropy-four", entropy, shape=(2, 3, 5, 7), gradient=True, echo=True)
ELSEWHERE = case("hidden-device", everything, device="meta")
# Of each name one call on the CPU: what raises on ``meta`` has shown nothing, and must be right here.
HERE = (BARE_OUTPUT, SDPA_TWO, SDPA_MASKED, ONE_EQUAL, ONE_BLANK, MANY_EQUAL, MANY_BLANK, ENTROPY_FOUR)
# Widths and lengths in turn: none may be remembered from a call before.
LENGTHS = [(3, 6), (512, 16), (7, 66), (1, 6), (11, 2), (8, 8), (5, 6)]

CHECKS: tuple[Check, ...] = (
    check("bare-temperatures", "Any temperature divides the scores", "value", 1,
          case("hidden-temperatures", temperatures, values=[0.1, 0.5, 2, 5.0]), *right("out0"), *right("out1"),
          *right("out2"), *right("out3"), section=BARE_NAME),
    check("bare-gradients-hidden", "All gradients, through each of the two results", "gradient", 2, (
        BARE_OUTPUT,
        case("hidden-bare-weights", bare, batch=3, length=5, width=2, temperature=3, **WEIGHTS),
        case("hidden-bare-float32", bare, batch=3, length=7, width=2, gradient=True, dtype="float32"),
    ), hold("gradients"), *right(), hold("dtypes"), section=BARE_NAME),
    check("bare-sizes", "Right for one sentence, one position, equal sizes and any strides", "shape", 2, (
        case("hidden-bare-1-1", bare, batch=1, length=1, width=1, gradient=True),
        case("hidden-bare-one-word", bare, batch=3, length=1, width=2),
        case("hidden-bare-square", bare, batch=4, length=4, width=4, gradient=True),
        case("hidden-bare-reversed", bare, batch=2, length=5, width=3, layout="reversed", gradient=True,
             echo=True),
        case("hidden-bare-gapped", bare, batch=1, length=5, width=3, layout="gapped", temperature=0.7,
             echo=True),
    ), *right(), hold("gradients"), hold("unchanged"), section="Shapes"),
    check("bare-extreme", "self_attention with scores of ±10,000", "value", 2,
          case("hidden-bare-extreme", bare_extreme, pinned=True), *right(), hold("gradients"), section=BARE_NAME),
    check("sdpa-leading", "Any number of leading axes, none included", "shape", 2, (
        case("hidden-sdpa-none", plain, lead=(), queries=3, keys=5, d_k=7, d_v=2, gradient=True),
        SDPA_TWO,
        case("hidden-sdpa-ones", plain, lead=(1,), queries=1, keys=1, d_k=1, d_v=1, gradient=True),
        case("hidden-sdpa-one-query", plain, lead=(2,), queries=1, keys=7, d_k=5, d_v=3),
        case("hidden-sdpa-one-key", plain, lead=(1, 2), queries=5, keys=1, d_k=3, d_v=2),
        case("hidden-sdpa-square", plain, lead=(4, 4), queries=4, keys=4, d_k=4, d_v=4, mask=(4, 1, 4),
             gradient=True),
    ), *right(), hold("gradients"), section="Shapes"),
    check("sdpa-masks", "A mask of any shape that broadcasts", "mask", 3, tuple(
        case(f"hidden-sdpa-masks-{len(lead)}", plain_masks, lead=lead, queries=7, keys=5, masks=masks)
        for lead, masks in SDPA_MASKS
    ), *each(4), section="Masks"),
    check("sdpa-blanks", "Rows in which nothing may be seen: zeros, no NaN, in value and gradient", "mask",
          3, (
        *(case(f"hidden-sdpa-blank-{i}", plain, lead=lead, queries=7, keys=5, d_k=3, d_v=2, mask=shape,
               blank=blank, gradient=True, echo=True) for i, (lead, shape, blank) in enumerate(SDPA_BLANKS)),
        *(case(f"hidden-sdpa-blank-{name}", plain, **SDPA, mask=(7, 5), blank=((3,),), gradient=True,
               back_from=(name,), dtype=dtype) for name, dtype in (("output", "float32"), ("weights",
               "float64"))),
    ), *right(), hold("zeros"), hold("gradients"), hold("unchanged"), section="Masks"),
    check("sdpa-extreme", "Scores of ±10,000, also where larger ones are masked", "value", 3, (
        case("hidden-sdpa-extreme", extreme),
        case("hidden-sdpa-extreme-masked", extreme, masked=True),
        *(case(f"hidden-sdpa-larger-{name}", extreme, masked=True, height=height)
          for name, height in (("little", 0.08), ("more", 0.25), ("much", 5.0))),
        case("hidden-sdpa-extreme-float32", extreme, dtype="float32"),
        case("hidden-sdpa-extreme-masked-float32", extreme, masked=True, dtype="float32"),
    ), *right(), hold("gradients"), section=SDPA_NAME),
    check("sdpa-gradients-hidden", "Gradients through each result, with a mask and without", "gradient", 2, (
        case("hidden-sdpa-output", plain, **SDPA, **OUTPUT),
        case("hidden-sdpa-weights", plain, **SDPA, **WEIGHTS),
        SDPA_MASKED,
    ), hold("gradients"), *right(), hold("dtypes"), section=SDPA_NAME),
    check("sdpa-strides", "Inputs with any strides, left as they were", "invariance", 1, (
        case("hidden-sdpa-reversed", plain, **SDPA, mask=(3, 7, 5), layout="reversed", gradient=True,
             echo=True),
        case("hidden-sdpa-gapped", plain, **SDPA, mask=(7, 5), layout="gapped", gradient=True, echo=True),
    ), *right(), hold("gradients"), hold("unchanged"), section="Rules"),
    check("sdpa-shift", "A vector added to all keys changes nothing", "invariance", 1,
          case("hidden-sdpa-shift", shifted),
          hold("permuted", "first", other="out", order="order", axes={"output": [], "weights": []}),
          *right("first"), *right(), section=SDPA_NAME),
    check("constraint-everywhere", "No ready-made attention in any of the names", "constraint", 2, (
        BARE_OUTPUT, SDPA_TWO, SDPA_MASKED, ONE_EQUAL, ONE_BLANK, ONE_32, MANY_EQUAL, MANY_BLANK, MANY_32,
    ), NOT_READY_MADE, *right(), section="Rules"),
    check("self-attention-device", "New tensors are made on the device of the inputs", "constraint", 1, (
        ELSEWHERE, *HERE,
    ), *only_in([ELSEWHERE], *(hold("device", step) for step in EVERYTHING)), *only_in(HERE, hold("device")),
        section="Rules"),
    check("one-head-masks", "SelfAttention under a mask of any shape that broadcasts", "mask", 2, (
        case("hidden-one-masks", one_head_masks, batch=3, length=5, masks=ONE_MASKS),
        case("hidden-one-masks-equal", one_head_masks, batch=3, length=3, masks=EQUAL_MASKS),
    ), *each(5), section="Masks"),
    check("one-head-blank", "SelfAttention where nothing may be seen", "mask", 1, (
        ONE_BLANK,
        case("hidden-one-blank-weights", one_head, **ONE, mask=(5, 5), blank=((4,),), **WEIGHTS),
    ), *right(), hold("zeros"), hold("gradients"), section="Masks"),
    check("one-head-sizes", "SelfAttention in other sizes, float32, train mode and through each result",
          "value", 2, (
        case("hidden-one-output", one_head, **ONE, **OUTPUT, train=True),
        case("hidden-one-weights", one_head, **ONE, **WEIGHTS),
        ONE_32,
        case("hidden-one-ones", one_head, batch=1, length=1, width=1, d_k=1, d_v=1, gradient=True),
        case("hidden-one-batch-1", one_head, batch=1, length=5, width=3, d_k=2, d_v=4, mask=(1, 5, 5),
             layout="reversed", gradient=True),
        case("hidden-one-word", one_head, batch=3, length=1, width=5, d_k=1, d_v=2),
        ONE_EQUAL,
    ), *right(), hold("gradients"), hold("dtypes"), section=ONE_NAME),
    check("heads-masks", "MultiHeadAttention under a mask of any shape that broadcasts", "mask", 3, (
        case("hidden-many-masks", heads_masks, **MANY, masks=MANY_MASKS),
        case("hidden-many-masks-equal", heads_masks, **EQUAL, masks=EQUAL_MASKS),
    ), *each(5), section="Masks"),
    check("heads-blank", "MultiHeadAttention where nothing may be seen", "mask", 1, (
        MANY_BLANK,
        case("hidden-many-blank-weights", heads, **MANY, mask=(7, 5), blank=((4,),), **WEIGHTS),
    ), *right(), hold("zeros"), hold("gradients"), section="Masks"),
    check("heads-sizes", "MultiHeadAttention in other sizes, float32, train mode and through each result",
          "value", 3, (
        case("hidden-many-output", heads, **MANY, **OUTPUT, layout="reversed", train=True),
        case("hidden-many-weights", heads, **MANY, **WEIGHTS),
        MANY_32,
        case("hidden-many-ones", heads, batch=1, queries=1, keys=1, heads=1, d_h=1, gradient=True),
        case("hidden-many-batch-1", heads, batch=1, queries=5, keys=7, heads=2, d_h=3, mask=(1, 5, 7),
             layout="reversed", gradient=True),
        case("hidden-many-one-key", heads, batch=3, queries=2, keys=1, heads=2, d_h=5),
        case("hidden-many-width-1", heads, batch=2, queries=3, keys=5, heads=7, d_h=1, layout="gapped"),
        MANY_EQUAL,
        case("hidden-many-alone", heads, batch=2, queries=7, keys=7, heads=3, d_h=2, alone=True,
             gradient=True),
        case("hidden-many-alone-masked", heads, batch=2, queries=5, keys=5, heads=2, d_h=3, alone=True,
             mask=(5, 5), echo=True),
    ), *right(), hold("gradients"), hold("dtypes"), hold("unchanged"), section=MANY_NAME),
    check("heads-error-hidden", "Other numbers of heads that do not divide the width", "interface", 1,
          case("hidden-error", uneven, bad=[(15, 2), (3, 6), (7, 5)],
               sizes={"batch": 2, "queries": 3, "keys": 2, "heads": 3, "d_h": 5}),
          *(hold("raises", f"bad{i}", error="ValueError") for i in range(3)), *right(), section=MANY_NAME),
    check("modules-extreme", "Scores of ±10,000 inside the layers", "value", 1, (
        case("hidden-one-extreme", modules_extreme, name=ONE_NAME),
        case("hidden-many-extreme", modules_extreme, name=MANY_NAME),
    ), *right(), section=MANY_NAME),
    check("one-head-permuted", "Positions in another order: the outputs follow", "invariance", 2, (
        case("hidden-permuted-bare", permuted, name=BARE_NAME),
        case("hidden-permuted-one", permuted, name=ONE_NAME),
    ), hold("permuted", "first", other="out", order="order", axes={"output": [1], "weights": [1, 2]}),
        *right("first"), *right(), section="sinusoidal_positions"),
    check("heads-permuted", "Several heads follow too", "invariance", 1,
          case("hidden-permuted-many", permuted, name=MANY_NAME),
          hold("permuted", "first", other="out", order="order", axes={"output": [1], "weights": [2, 3]}),
          *right("first"), *right(), section="sinusoidal_positions"),
    check("modules-uniform", "Equal scores give the mean of what may be seen; one head is plain attention",
          "invariance", 1, (
        case("hidden-uniform-one", uniform, name=ONE_NAME),
        case("hidden-uniform-many", uniform, name=MANY_NAME),
        case("hidden-identity", identity),
    ), *right(), section=MANY_NAME),
    check("modules-state", "No state between calls, no change of the inputs", "invariance", 1, (
        case("hidden-twice-one", twice, name=ONE_NAME),
        case("hidden-twice-many", twice, name=MANY_NAME),
    ), hold("same", "first", other="out"), *right("first"), *right("between"), *right("masked"), *right(),
        hold("unchanged"), hold("unchanged", "between"), section="Rules"),
    check("functions-state", "The functions keep nothing either", "invariance", 1,
          case("hidden-twice-functions", functions_twice), hold("same", "first", other="out"),
          hold("same", "first.sdpa", other="out.sdpa"), *right("first"), *right("first.sdpa"),
                *right("between"),
          *right("between.sdpa"), *right(), hold("unchanged", "first"), hold("unchanged", "first.sdpa"),
                section="Rules"),
    check("positions-sizes", "Up to 512 positions, of any even width", "value", 2,
          case("hidden-positions", positions_in_turn, sizes=LENGTHS, dtype="float32", pinned=True),
          *(one for i in range(len(LENGTHS)) for one in (*right(f"out{i}", **POSITIONS), hold("dtypes", f"out{i}"))),
          section="sinusoidal_positions"),
    check("entropy-shapes", "attention_entropy for any leading axes", "value", 2, (
        case("hidden-entropy-vector", entropy, shape=(7,), gradient=True),
        ENTROPY_FOUR,
        case("hidden-entropy-reversed", entropy, shape=(1, 5, 7), layout="reversed"),
    ), *right(**ENTROPY), hold("gradients", **ENTROPY), hold("dtypes"), section="attention_entropy"),
    check("entropy-zeros", "Weights of 0 and 1, uniform and fully masked rows", "value", 1, (
        case("hidden-entropy-corners", entropy_of, gradient=True, echo=True, values=[
            [1, 0, 0, 0], [0, 0, 1, 0], [0.25, 0.25, 0.25, 0.25], [0, 0, 0, 0], [0.5, 0, 0.5, 0], [0.7, 0.2,
                  0.1, 0]]),
        case("hidden-entropy-zeros", entropy, shape=(2, 3, 7), hidden=0.5, gradient=True, echo=True, dtype="float32"),
    ), *right(**ENTROPY), hold("unchanged"), hold("gradients", finite_at_zero=True, **ENTROPY),
       section="attention_entropy"),
)  # fmt: skip
CHECKS = watched(CHECKS, "constraint-everywhere", [*FUNCTIONS, *MODULES], "attention", most=2)
