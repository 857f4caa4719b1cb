"""Hidden checks of ``self_attention``: other sizes, other numbers, and what the public checks leave open."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.cases import Script
from autograder.model import Hold, Ref
from autograder.specs.self_attention import ENTROPY, POSITIONS, READY_MADE
from autograder.specs.self_attention_calls import (
    Shape,
    bare,
    build_heads,
    build_one_head,
    drawn_mask,
    entropy,
    entropy_of,
    heads,
    heads_masks,
    one_head,
    one_head_masks,
    plain,
    plain_masks,
    positions,
    uneven,
)
from autograder.specs.vocabulary import case, check, hold, right


def bare_extreme(script: Script) -> None:
    """Scores of ±1e4 beside small ones, with ordinary differences inside each row."""
    x = np.round(script.draw.normal(2, 7, 3) * 64) / 64
    x[..., 0] = np.array([100.0, -100.0, 0.25, 100.0, -100.0, -0.5, 100.0])
    script.array("x", x)
    results = {"output": (2, 7, 3), "weights": (2, 7, 7)}
    script.call("out", "self_attention", Ref("x"), outputs=results, wrt=("x",))


def extreme(script: Script, *, masked: bool = False) -> None:
    """Scores near 1e4, near -1e4 and small ones; masked: in each row larger ones are hidden than are seen.
    All numbers are such that float32 makes no rounding error in a score."""
    query = np.round(script.draw.normal(2, 3, 16) * 8) / 8
    key = np.round(script.draw.normal(2, 6, 16) * 8) / 8
    query[..., 0] = np.array([256.0, -256.0, 0.0])
    key[..., 0] = np.array([160.0, 160.0, 0.0, 0.0, -160.0, -160.0]) + key[..., 0] / 64
    script.array("query", query)
    script.array("key", key)
    script.normal("value", 2, 6, 5)
    named: dict[str, Any] = {}
    if masked:  # the first query has the first keys as its best, the second one the last
        seen = np.array([[0, 0, 0, 0, 1, 1], [1, 1, 0, 0, 0, 0], [0, 1, 1, 0, 1, 0]], dtype=bool)
        named["mask"] = script.array("mask", seen)
    script.call(
        "out", "scaled_dot_product_attention", Ref("query"), Ref("key"), Ref("value"),
        outputs={"output": (2, 3, 5), "weights": (2, 3, 6)}, wrt=("query", "key", "value"), **named,
    )  # fmt: skip


def modules_extreme(script: Script, name: str) -> None:
    """Layers so large that scores reach ±1e4."""
    width = 6
    large: dict[str, Any] = {f"W_{key}": np.round(script.draw.normal(width, width) * 64) for key in "QK"}
    many = name == "MultiHeadAttention"
    if many:
        build_heads(script, width, 2, **large)
    else:
        build_one_head(script, width, width, 5, **large)
    x = [script.normal("x", 2, 5, width)] * (3 if many else 1)
    results = {"output": (2, 5, 6 if many else 5), "weights": (2, 2, 5, 5) if many else (2, 5, 5)}
    mask = drawn_mask(script, (2, 5, 5), ((0, 1),))
    script.call("out", "attention", *x, mask, outputs=results)


def shifted(script: Script) -> None:
    """One vector added to all keys adds a constant to every row of scores, and changes nothing."""
    query, key = script.normal("query", 2, 5, 3), script.normal("key", 2, 7, 3)
    other = script.array("shifted_key", script.arrays["key"] + script.draw.normal(2, 1, 3) * 30)
    value = script.normal("value", 2, 7, 2)
    script.array("order", np.arange(7))
    results = {"output": (2, 5, 2), "weights": (2, 5, 7)}
    script.call("first", "scaled_dot_product_attention", query, key, value, outputs=results)
    script.call("out", "scaled_dot_product_attention", query, other, value, outputs=results)


def permuted(script: Script, name: str) -> None:
    """The same sentence in another order: the outputs follow, and the weights on both sides."""
    order = script.draw.permutation(7)
    script.array("order", order)
    many = name == "MultiHeadAttention"
    if many:
        build_heads(script, 6, 3)
    elif name == "SelfAttention":
        build_one_head(script, 6, 3, 5)
    results = {
        "output": (2, 7, 5 if name == "SelfAttention" else 6),
        "weights": (2, 3, 7, 7) if many else (2, 7, 7),
    }
    x = script.normal("x", 2, 7, 6, scale=0.8)
    other = script.array("permuted_x", script.arrays["x"][:, order])
    callee = name if name == "self_attention" else "attention"
    for into, given in (("first", x), ("out", other)):
        script.call(into, callee, *[given] * (3 if many else 1), outputs=results)


def uniform(script: Script, name: str) -> None:
    """Without queries all scores are equal: every row of weights is uniform over what may be seen."""
    zeros = np.zeros((6, 6))
    if name == "SelfAttention":
        build_one_head(script, 6, 3, 5, W_Q=zeros[:3])
    else:
        build_heads(script, 6, 2, W_Q=zeros)
    x = script.normal("x", 2, 7, 6)
    mask = drawn_mask(script, (7, 7))
    many = name == "MultiHeadAttention"
    results = {"output": (2, 7, 6 if many else 5), "weights": (2, 2, 7, 7) if many else (2, 7, 7)}
    script.call("out", "attention", *[x] * (3 if many else 1), mask, outputs=results)


def identity(script: Script) -> None:
    """One head with identity layers is plain attention."""
    build_heads(script, 5, 1, W_Q=np.eye(5), W_K=np.eye(5), W_V=np.eye(5), W_O=np.eye(5))
    query = script.normal("query", 2, 3, 5)
    key, value = script.normal("key", 2, 7, 5), script.normal("value", 2, 7, 5)
    results = {"output": (2, 3, 5), "weights": (2, 1, 3, 7)}
    script.call("out", "attention", query, key, value, outputs=results)


def twice(script: Script, name: str) -> None:
    """Two inputs in turn through one object, with and without a mask: A, B of other sizes, A again."""
    if name == "MultiHeadAttention":
        build_heads(script, 6, 3)
    else:
        build_one_head(script, 6, 3, 5)
    for label, batch, length in (("a", 2, 7), ("b", 3, 5)):
        script.normal(f"{label}_x", batch, length, 6)
    drawn_mask(script, (3, 5, 5), name="b_mask")
    drawn_mask(script, (2, 7, 7), name="a_mask")
    order = (("first", "a", ""), ("between", "b", "b_mask"), ("masked", "a", "a_mask"), ("out", "a", ""))
    for into, label, mask in order:
        batch, length = (2, 7) if label == "a" else (3, 5)
        given = [Ref(f"{label}_x")] * (3 if name == "MultiHeadAttention" else 1)
        shape = (batch, 3, length, length) if name == "MultiHeadAttention" else (batch, length, length)
        results = {"output": (batch, length, 6 if name == "MultiHeadAttention" else 5), "weights": shape}
        script.call(into, "attention", *given, *([Ref(mask)] if mask else []), outputs=results, echo=True)


def functions_twice(script: Script) -> None:
    """The functions with A, B and A again."""
    for into, label, batch, length in (("first", "a", 2, 7), ("between", "b", 3, 7), ("out", "a", 2, 7)):
        if into != "out":
            script.normal(f"{label}_x", batch, length, 5)
        results = {"output": (batch, length, 5), "weights": (batch, length, length)}
        script.call(into, "self_attention", Ref(f"{label}_x"), outputs=results, echo=True)
        x = [Ref(f"{label}_x")] * 3
        script.call(f"{into}.sdpa", "scaled_dot_product_attention", *x, outputs=results, echo=True)


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
ONE_MASKS: list[Shape] = [(5, 5), (3, 5, 5), (3, 1, 5), (1, 5, 5), (5,), (3, 5, 1), (1, 1, 5), (1, 5)]
MANY_MASKS: list[Shape] = [(2, 7, 5), (2, 1, 5), (1, 7, 5), (2, 7, 1), (7, 5), (1, 5), (7, 1), (5,)]
EQUAL_MASKS: list[Shape] = [(3, 3, 3), (3, 1, 3), (1, 3, 3), (3, 3), (3,), (3, 3, 1), (1, 3), (1, 1, 3)]

OUTPUT: dict[str, Any] = {"gradient": True, "back_from": ("output",)}
WEIGHTS: dict[str, Any] = {"gradient": True, "back_from": ("weights",)}
BARE_NAME, SDPA_NAME = "self_attention", "scaled_dot_product_attention"
ONE_NAME, MANY_NAME = "SelfAttention", "MultiHeadAttention"


def each(count: int) -> tuple[Hold, ...]:
    """What is due of calls ``out0``, ``out1`` and so on, each under a mask."""
    steps = [f"out{i}" for i in range(count)]
    return tuple(one for of in steps for one in (*right(of), hold("zeros", of, only=["weights"])))


CHECKS = (
    check("bare-temperatures", "Any temperature divides the scores", "value", 1, tuple(
        case(f"hidden-temperature-{i}", bare, batch=2, length=5, width=3, temperature=t, by_name=i % 2 == 0)
        for i, t in enumerate([0.1, 0.5, 2, 5.0])
    ), *right(), section=BARE_NAME),
    check("bare-gradients-hidden", "All gradients, through each of the two results", "gradient", 2, (
        case("hidden-bare-output", bare, batch=3, length=5, width=2, temperature=1.7, **OUTPUT),
        case("hidden-bare-weights", bare, batch=3, length=5, width=2, temperature=3, **WEIGHTS),
        case("hidden-bare-float32", bare, batch=3, length=7, width=2, gradient=True, dtype="float32"),
    ), hold("gradients"), *right(), hold("dtypes"), section=BARE_NAME),
    check("bare-sizes", "Right for one sentence, one position, equal sizes and any strides", "shape", 2, (
        case("hidden-bare-1-1", bare, batch=1, length=1, width=1, gradient=True),
        case("hidden-bare-1", bare, batch=1, length=5, width=3),
        case("hidden-bare-one-word", bare, batch=3, length=1, width=2),
        case("hidden-bare-square", bare, batch=4, length=4, width=4, gradient=True),
        case("hidden-bare-reversed", bare, batch=2, length=5, width=3, layout="reversed", gradient=True, echo=True),
        case("hidden-bare-gapped", bare, batch=2, length=5, width=3, layout="gapped", temperature=0.7, echo=True),
    ), *right(), hold("gradients"), hold("unchanged"), section="Shapes"),
    check("bare-extreme", "self_attention with scores of ±10,000", "value", 2,
          case("hidden-bare-extreme", bare_extreme), *right(), hold("gradients"), section=BARE_NAME),
    check("sdpa-leading", "Any number of leading axes, none included", "shape", 2, (
        case("hidden-sdpa-none", plain, lead=(), queries=3, keys=5, d_k=7, d_v=2, gradient=True),
        case("hidden-sdpa-two", plain, lead=(2, 3), queries=5, keys=7, d_k=2, d_v=3, gradient=True),
        case("hidden-sdpa-ones", plain, lead=(1,), queries=1, keys=1, d_k=1, d_v=1, gradient=True),
        case("hidden-sdpa-one-query", plain, lead=(2,), queries=1, keys=7, d_k=5, d_v=3),
        case("hidden-sdpa-one-key", plain, lead=(1, 2), queries=5, keys=1, d_k=3, d_v=2),
        case("hidden-sdpa-square", plain, lead=(4, 4), queries=4, keys=4, d_k=4, d_v=4, mask=(4, 1, 4), gradient=True),
    ), *right(), hold("gradients"), section="Shapes"),
    check("sdpa-masks", "A mask of any shape that broadcasts", "mask", 3, tuple(
        case(f"hidden-sdpa-masks-{len(lead)}", plain_masks, lead=lead, queries=7, keys=5, masks=masks)
        for lead, masks in SDPA_MASKS
    ), *each(4), section="Masks"),
    check("sdpa-blanks", "Rows in which nothing may be seen: zeros, no NaN, in value and gradient", "mask", 3, (
        *(case(f"hidden-sdpa-blank-{i}", plain, lead=lead, queries=7, keys=5, d_k=3, d_v=2, mask=shape,
               blank=blank, gradient=True, echo=True) for i, (lead, shape, blank) in enumerate(SDPA_BLANKS)),
        *(case(f"hidden-sdpa-blank-{name}", plain, **SDPA, mask=(7, 5), blank=((3,),), gradient=True, back_from=(name,),
               dtype=dtype) for name, dtype in (("output", "float32"), ("weights", "float64"))),
    ), *right(), hold("zeros"), hold("gradients"), hold("unchanged"), section="Masks"),
    check("sdpa-extreme", "Scores of ±10,000, also where larger ones are masked", "value", 3, (
        case("hidden-sdpa-extreme", extreme),
        case("hidden-sdpa-extreme-masked", extreme, masked=True),
        case("hidden-sdpa-extreme-float32", extreme, dtype="float32"),
        case("hidden-sdpa-extreme-masked-float32", extreme, masked=True, dtype="float32"),
    ), *right(), hold("gradients"), section=SDPA_NAME),
    check("sdpa-gradients-hidden", "Gradients through each result, with a mask and without", "gradient", 2, (
        case("hidden-sdpa-output", plain, **SDPA, **OUTPUT),
        case("hidden-sdpa-weights", plain, **SDPA, **WEIGHTS),
        case("hidden-sdpa-masked", plain, **SDPA, mask=(3, 7, 5), gradient=True, dtype="float32"),
    ), hold("gradients"), *right(), hold("dtypes"), section=SDPA_NAME),
    check("sdpa-strides", "Inputs with any strides, left as they were", "invariance", 1, (
        case("hidden-sdpa-reversed", plain, **SDPA, mask=(3, 7, 5), layout="reversed", gradient=True, echo=True),
        case("hidden-sdpa-gapped", plain, **SDPA, mask=(7, 5), layout="gapped", gradient=True, echo=True),
    ), *right(), hold("gradients"), hold("unchanged"), section="Rules"),
    check("sdpa-shift", "A vector added to all keys changes nothing", "invariance", 1,
          case("hidden-sdpa-shift", shifted),
          hold("permuted", "first", other="out", order="order", axes={"output": [], "weights": []}), *right("first"),
          *right(), section=SDPA_NAME),
    check("ready-made", "No ready-made attention in any of the names", "constraint", 3, (
        case("hidden-trace-bare", bare, batch=2, length=3, width=5, gradient=True, trace=True),
        case("hidden-trace-sdpa", plain, lead=(2, 3), queries=3, keys=5, d_k=7, d_v=2, gradient=True, trace=True),
        case("hidden-trace-sdpa-32", plain, lead=(), queries=5, keys=3, d_k=4, d_v=4, mask=(3,), trace=True,
             dtype="float32"),
        case("hidden-trace-one", one_head, batch=2, length=3, width=5, d_k=7, d_v=2, trace=True),
        case("hidden-trace-one-masked", one_head, batch=2, length=5, width=4, d_k=4, d_v=4, mask=(5, 5), trace=True,
             train=True, dtype="float32"),
        case("hidden-trace-many", heads, batch=3, queries=5, keys=5, heads=2, d_h=4, alone=True, trace=True,
             dtype="float32"),
        case("hidden-trace-many-masked", heads, batch=2, queries=3, keys=5, heads=2, d_h=3, mask=(2, 3, 5),
             gradient=True, train=True, trace=True),
    ), hold("untouched", words=READY_MADE), *right(), section="Rules"),
    check("one-head-masks", "SelfAttention under a mask of any shape that broadcasts", "mask", 2, (
        case("hidden-one-masks", one_head_masks, batch=3, length=5, masks=ONE_MASKS),
        case("hidden-one-masks-equal", one_head_masks, batch=3, length=3, masks=EQUAL_MASKS),
    ), *each(8), section="Masks"),
    check("one-head-blank", "SelfAttention where nothing may be seen", "mask", 1, (
        case("hidden-one-blank", one_head, **ONE, mask=(3, 5, 5), blank=((1,), (0, 2)), gradient=True),
        case("hidden-one-blank-weights", one_head, **ONE, mask=(5, 5), blank=((4,),), **WEIGHTS),
    ), *right(), hold("zeros"), hold("gradients"), section="Masks"),
    check("one-head-sizes", "SelfAttention in other sizes, float32, train mode and through each result", "value", 2, (
        case("hidden-one-output", one_head, **ONE, **OUTPUT, train=True),
        case("hidden-one-weights", one_head, **ONE, **WEIGHTS),
        case("hidden-one-float32", one_head, **ONE, gradient=True, dtype="float32"),
        case("hidden-one-ones", one_head, batch=1, length=1, width=1, d_k=1, d_v=1, gradient=True),
        case("hidden-one-batch-1", one_head, batch=1, length=5, width=3, d_k=2, d_v=1, layout="reversed", gradient=True),
        case("hidden-one-word", one_head, batch=3, length=1, width=5, d_k=1, d_v=2),
        case("hidden-one-equal", one_head, batch=5, length=5, width=5, d_k=5, d_v=5, gradient=True, train=True),
    ), *right(), hold("gradients"), hold("dtypes"), section=ONE_NAME),
    check("heads-masks", "MultiHeadAttention under a mask of any shape that broadcasts", "mask", 3, (
        case("hidden-many-masks", heads_masks, **MANY, masks=MANY_MASKS),
        case("hidden-many-masks-equal", heads_masks, **EQUAL, masks=EQUAL_MASKS),
    ), *each(8), section="Masks"),
    check("heads-blank", "MultiHeadAttention where nothing may be seen", "mask", 1, (
        case("hidden-many-blank", heads, **MANY, mask=(2, 7, 5), blank=((1,), (0, 2)), gradient=True),
        case("hidden-many-blank-weights", heads, **MANY, mask=(7, 5), blank=((4,),), **WEIGHTS),
    ), *right(), hold("zeros"), hold("gradients"), section="Masks"),
    check("heads-sizes", "MultiHeadAttention in other sizes, float32, train mode and through each result", "value", 3, (
        case("hidden-many-output", heads, **MANY, **OUTPUT, train=True),
        case("hidden-many-weights", heads, **MANY, **WEIGHTS),
        case("hidden-many-float32", heads, **MANY, gradient=True, dtype="float32"),
        case("hidden-many-ones", heads, batch=1, queries=1, keys=1, heads=1, d_h=1, gradient=True),
        case("hidden-many-batch-1", heads, batch=1, queries=5, keys=7, heads=2, d_h=3, layout="reversed", gradient=True),
        case("hidden-many-one-key", heads, batch=3, queries=2, keys=1, heads=2, d_h=5),
        case("hidden-many-width-1", heads, batch=2, queries=3, keys=5, heads=7, d_h=1, layout="gapped"),
        case("hidden-many-equal", heads, **EQUAL, gradient=True, train=True),
        case("hidden-many-alone", heads, batch=2, queries=7, keys=7, heads=3, d_h=2, alone=True, gradient=True),
        case("hidden-many-alone-masked", heads, batch=2, queries=5, keys=5, heads=2, d_h=3, alone=True, mask=(5, 5), echo=True),
    ), *right(), hold("gradients"), hold("dtypes"), hold("unchanged"), section=MANY_NAME),
    check("heads-error-hidden", "Other numbers of heads that do not divide the width", "interface", 1, tuple(
        case(f"hidden-error-{i}", uneven, width=width, count=count,
             sizes={"batch": 2, "queries": 3, "keys": 2, "heads": 3, "d_h": 5})
        for i, (width, count) in enumerate([(15, 2), (3, 6), (7, 5)])
    ), hold("raises", "bad", error="ValueError"), *right(), section=MANY_NAME),
    check("modules-extreme", "Scores of ±10,000 inside the layers", "value", 1, (
        case("hidden-one-extreme", modules_extreme, name=ONE_NAME),
        case("hidden-many-extreme", modules_extreme, name=MANY_NAME),
    ), *right(), section=MANY_NAME),
    check("permuted", "Positions in another order: the outputs follow", "invariance", 2, (
        case("hidden-permuted-bare", permuted, name=BARE_NAME),
        case("hidden-permuted-one", permuted, name=ONE_NAME),
    ), hold("permuted", "first", other="out", order="order", axes={"output": [1], "weights": [1, 2]}),
        *right("first"), *right(), section="sinusoidal_positions"),
    check("permuted-heads", "Several heads follow too", "invariance", 1,
          case("hidden-permuted-many", permuted, name=MANY_NAME),
          hold("permuted", "first", other="out", order="order", axes={"output": [1], "weights": [2, 3]}),
          *right("first"), *right(), section="sinusoidal_positions"),
    check("uniform", "Equal scores give the mean of what may be seen; one head is plain attention", "invariance", 1, (
        case("hidden-uniform-one", uniform, name=ONE_NAME),
        case("hidden-uniform-many", uniform, name=MANY_NAME),
        case("hidden-identity", identity),
    ), *right(), section=MANY_NAME),
    check("no-state", "No state between calls, no change of the inputs", "invariance", 1, (
        case("hidden-twice-one", twice, name=ONE_NAME),
        case("hidden-twice-many", twice, name=MANY_NAME),
    ), hold("same", "first", other="out"), *right("first"), *right("between"), *right("masked"), *right(),
        hold("unchanged"), hold("unchanged", "between"), section="Rules"),
    check("no-state-functions", "The functions keep nothing either", "invariance", 1,
          case("hidden-twice-functions", functions_twice), hold("same", "first", other="out"),
          hold("same", "first.sdpa", other="out.sdpa"), *right("first"), *right("first.sdpa"), *right("between"),
          *right("between.sdpa"), *right(), hold("unchanged", "first"), hold("unchanged", "first.sdpa"), section="Rules"),
    check("positions-sizes", "Up to 512 positions, of any even width", "value", 2, (
        case("hidden-positions-512", positions, length=512, dim=16, dtype="float32"),
        case("hidden-positions-wide", positions, length=7, dim=66, by_name=True, dtype="float32"),
        case("hidden-positions-1", positions, length=1, dim=6, dtype="float32"),
        case("hidden-positions-2", positions, length=11, dim=2, dtype="float32"),
        case("hidden-positions-square", positions, length=8, dim=8, dtype="float32"),
    ), *right(**POSITIONS), hold("dtypes"), section="sinusoidal_positions"),
    check("entropy-shapes", "attention_entropy for any leading axes", "value", 2, (
        case("hidden-entropy-vector", entropy, shape=(7,), gradient=True),
        case("hidden-entropy-four", entropy, shape=(2, 3, 5, 7), gradient=True, echo=True),
        case("hidden-entropy-float32", entropy, shape=(3, 5), gradient=True, dtype="float32"),
        case("hidden-entropy-reversed", entropy, shape=(1, 5, 7), layout="reversed"),
    ), *right(**ENTROPY), hold("gradients", **ENTROPY), hold("dtypes"), section="attention_entropy"),
    check("entropy-zeros", "Weights of 0 and 1, uniform and fully masked rows", "value", 1, (
        case("hidden-entropy-corners", entropy_of, gradient=True, values=[
            [1, 0, 0, 0], [0, 0, 1, 0], [0.25, 0.25, 0.25, 0.25], [0, 0, 0, 0], [0.5, 0, 0.5, 0], [0.7, 0.2, 0.1, 0]]),
        case("hidden-entropy-zeros", entropy, shape=(2, 3, 7), hidden=0.5, gradient=True, dtype="float32"),
    ), *right(**ENTROPY), hold("gradients", finite_at_zero=True, **ENTROPY), section="attention_entropy"),
)  # fmt: skip
