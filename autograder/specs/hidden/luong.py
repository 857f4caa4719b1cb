"""Hidden checks of ``luong``: other sizes, other numbers, and what the public checks leave open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograder import model
from autograder.specs.hidden.luong_cases import (
    Sizes,
    as_dot,
    batch_alone,
    empty,
    extreme,
    joined_twice,
    local_extreme,
    local_mirrored,
    local_twice,
    permuted,
    several,
    twice,
    uniform,
    windows,
)
from autograder.specs.luong import (
    HIDDEN_STATE,
    LOCAL,
    MODULE,
    attention,
    joined,
    local,
)
from autograder.specs.vocabulary import case, check, hold, right, stateless

METHODS = ("dot", "general", "concat")
ROUGH: Any = {"relative": 5e-3, "of_largest": 5e-3}  # float32 keeps steps of 1e-3 of a score of 10,000
WHOLE = ("shapes", "values", "gradients")
LARGEST = 1e8  # a score outside the window: large enough for any constant, and -1e9 added to it still does

SIZES: dict[str, Any] = {"batch": 3, "target": 5, "source": 13, "enc": 7, "dec": 11, "attn": 2}
LAYOUT = {"dot": ("reversed",), "general": ("gapped", "reversed"), "concat": ("reversed",)}
FORWARD = tuple(
    case(f"hidden-forward-{m}", attention, method=m, **SIZES, gradient=True,
         ways=("context", "weights", *LAYOUT[m], "score"))
    for m in METHODS
)  # fmt: skip
SINGLE = (
    case("hidden-forward-float32", attention, method="concat", **SIZES, gradient=True, dtype="float32",
         train=True),
    case("hidden-dot-float32", attention, method="dot", batch=2, target=3, source=7, enc=5, dec=5, attn=0,
         dtype="float32"),
)  # fmt: skip
SQUARE: dict[str, Any] = {
    method: Sizes(method, 5, 5, 5, 5, 5, 5, train=method == "dot") for method in METHODS
}
ONES: dict[str, Any] = {
    "concat": Sizes("concat", 1, 1, 1, 1, 1, 1),
    "dot": Sizes("dot", 1, 3, 7, 5, 5),
    "general": Sizes("general", 2, 1, 7, 5, 3, train=True),
    "concat_word": Sizes("concat", 2, 3, 1, 5, 7, 1),
    "dot_word": Sizes("dot", 2, 3, 1, 5, 5),
    "general_word": Sizes("general", 3, 2, 1, 5, 7),
}
JOINED = (
    case("hidden-joined", joined, batch=3, target=7, enc=5, dec=11, gradient=True, layout="reversed"),
    case("hidden-joined-square", joined, batch=5, target=5, enc=5, dec=5, gradient=True, train=True),
    case(
        "hidden-joined-ones",
        joined,
        batch=1,
        target=1,
        enc=1,
        dec=3,
        gradient=True,
        layout="gapped",
        dtype="float32",
    ),
)
WINDOWS: dict[str, Any] = {
    "out": (13, 3, [6.0, 0.0, 12.0, 2.0, 10.0, 6.25, 5.75]),
    "narrow": (11, 1, [5.0, 4.5, 0.25, 9.75, -1.0, 11.0]),
    "wide": (7, 11, [3.0, 6.5, -4.0, 0.0, 17.25, 2.0, 5.0]),
    "word": (1, 2, [0.0, 2.0, -1.25, 2.25]),
}
EDGES = case("hidden-local-edges", windows, **WINDOWS)
EMPTY = case("hidden-local-empty", empty)
STRIPES: dict[str, Any] = {"source": 11, "half_width": 2, "centers": [3.0, 5.25, 0.0], "gradient": True}
INPUTS = (
    case("hidden-local-reversed", local, **STRIPES, layout="reversed"),
    case("hidden-local-gapped", local, **STRIPES, layout="gapped", dtype="float32"),
)
PERMUTED = case("hidden-permuted", permuted)
ELSEWHERE = (
    *(case(f"hidden-device-{m}", attention, method=m, batch=2, target=3, source=7, enc=5, dec=3, attn=11,
           device="meta")
      for m in ("general", "concat")),
    case("hidden-device-joined", joined, batch=2, target=3, enc=5, dec=7, device="meta"),
    case("hidden-device-local", local, source=7, half_width=2, centers=[3.0, 5.25, 0.0], device="meta"),
)  # fmt: skip


def each(steps: Iterable[str], *holds: str) -> tuple[model.Hold, ...]:
    """The same holds of several calls."""
    return tuple(hold(what, into) for into in steps for what in holds)


CHECKS = (
    check("attention-sizes", "All three methods for other sizes", "value", 5, (*FORWARD, *SINGLE),
          *right(), hold("dtypes"), section=MODULE),
    check("attention-square", "Right when all sizes are equal, in train mode too", "value", 4,
          case("hidden-square", several, **SQUARE), *each(SQUARE, *WHOLE), section=MODULE),
    check("attention-ones", "Right for batches of one and sentences of one word", "shape", 3,
          case("hidden-ones", several, **ONES), *each(ONES, *WHOLE), section="Shapes"),
    check("attention-gradients-hidden", "All gradients, through each of the two results", "gradient", 5,
          FORWARD, hold("gradients"), hold("gradients", "context"), hold("gradients", "weights"), *right(),
          section=MODULE),
    check("attention-scores", "The scores and their gradients for other sizes", "value", 1, FORWARD,
          *right("score"), hold("gradients", "score"), section=MODULE),
    check("attention-strides-dot", "Inputs of dot may have any strides", "invariance", 1, FORWARD[0],
          *right("reversed"), hold("gradients", "reversed"), section="Shapes"),
    check("attention-strides-general", "Inputs of general may have any strides", "invariance", 1, FORWARD[1],
          *right("gapped"), hold("gradients", "gapped"), *right("reversed"), hold("gradients", "reversed"),
          section="Shapes"),
    check("attention-strides-concat", "Inputs of concat may have any strides", "invariance", 1, FORWARD[2],
          *right("reversed"), hold("gradients", "reversed"), section="Shapes"),
    check("attention-as-dot", "general with W_a = I is dot", "invariance", 2, case("hidden-as-dot", as_dot),
          hold("same", "first", other="out"), *right("first"), *right(), section=MODULE),
    check("attention-permuted", "Source positions in another order", "invariance", 1, PERMUTED,
          hold("permuted", "first", other="out", order="order", axes={"context": [], "weights": [2]}),
          *right(), section=MODULE),
    check("attention-permuted-target", "Target positions in another order", "invariance", 1, PERMUTED,
          hold("permuted", "first", other="target", order="order", axes={"context": [1], "weights": [1]}),
          *right("target"), section=MODULE),
    check("attention-batch", "The sentences of a batch do not touch each other", "invariance", 2,
          case("hidden-batch", batch_alone), *right("first"), *right(), section=MODULE),
    check("attention-uniform", "Equal scores give the mean", "invariance", 1,
          case("hidden-uniform", uniform), *right(), section=MODULE),
    check("attention-extreme", "Scores of ±10,000 give the right weights", "value", 3,
          case("hidden-extreme", extreme, pinned=True), *each(METHODS, *WHOLE), section=MODULE),
    check("attention-state", "No state between calls, no change of the inputs", "invariance", 2,
          tuple(case(f"hidden-twice-{m}", twice, method=m) for m in METHODS),
          *stateless(), section="Rules"),
    check("hidden-sizes", "AttentionalHidden for other sizes and strides", "value", 3, JOINED,
          *right(), hold("dtypes"), hold("gradients"), section=HIDDEN_STATE),
    check("hidden-state", "AttentionalHidden keeps no state and leaves its inputs alone", "invariance", 1,
          case("hidden-joined-twice", joined_twice), *stateless(), section="Rules"),
    check("local-edges", "Windows cut by the sentence, fractional centers, other widths", "value", 3,
          EDGES, *each([*WINDOWS, "drawn"], "shapes", "values", "zeros", "dtypes"), section=LOCAL),
    check("local-gradients", "Gradients of local_weights reach scores and center", "gradient", 2,
          EDGES, *each([*WINDOWS, "drawn"], "gradients", "shapes", "values"), section=LOCAL),
    check("local-empty", "An empty window gives zeros, in the gradients too", "mask", 2, EMPTY,
          *right(), hold("zeros"), hold("gradients"), *right("all"), hold("zeros", "all"), section=LOCAL),
    check("local-extreme", "Scores of ±10,000, and far greater ones outside the window", "mask", 1,
          case("hidden-local-extreme", local_extreme, scale=LARGEST), *right(), hold("zeros"),
          hold("gradients"), section=LOCAL),
    check("local-extreme-float32", "Scores of ±10,000 in single precision", "mask", 1,
          case("hidden-local-extreme-float32", local_extreme, scale=1e4, dtype="float32"),
          *right(**ROUGH), hold("zeros"), hold("gradients", **ROUGH), section=LOCAL),
    check("local-strides", "local_weights with any strides", "invariance", 1, INPUTS,
          *right(), hold("gradients"), hold("dtypes"), section=LOCAL),
    check("local-state", "local_weights keeps no state and leaves its inputs alone", "invariance", 1,
          case("hidden-local-twice", local_twice), *stateless(), section="Rules"),
    check("local-mirrored", "A sentence read backwards has its weights backwards", "invariance", 1,
          case("hidden-local-mirrored", local_mirrored),
          hold("permuted", "first", other="out", order="order", axes={"result": [1]}), *right("first"),
          *right(), section=LOCAL),
    check("luong-device", "New tensors are made on the device of the inputs", "constraint", 1,
          (*ELSEWHERE, FORWARD[1]), hold("device"), section="Rules"),
)  # fmt: skip
