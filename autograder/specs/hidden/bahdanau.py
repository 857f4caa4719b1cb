"""Hidden checks of ``bahdanau``: other sizes, other numbers, and what the public checks leave open."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder import model
from autograder.cases import Script
from autograder.model import Ref
from autograder.specs.bahdanau import (
    BY_HAND,
    NO_SOFTMAX,
    attention,
    build,
    softmax,
    vjp,
)
from autograder.specs.vocabulary import case, check, hold, right, watched


def extreme(script: Script, *, dim: int = -1) -> None:
    """Rows on very different levels, at ±1e4, with ordinary differences inside each."""
    levels = np.array([1e4, -1e4, 0.0, 9.9e3, -1.0])
    scores = np.round(script.draw.normal(5, 7), 3) + levels[:, None]
    values = script.array("scores", scores if dim == -1 else scores.T)
    shape = script.arrays["scores"].shape
    script.call("out", "stable_softmax", values, dim=dim, outputs={"result": shape}, wrt=("scores",))


def shifted(script: Script) -> None:
    """The same scores twice, the second time with a constant added to each row."""
    scores = np.round(script.draw.normal(3, 5) * 256) / 256  # so that adding the constant is exact
    first = script.array("scores", scores)
    second = script.array("shifted_scores", scores + np.array([[512.0], [-2048.0], [8.0]]))
    script.array("order", np.arange(5))
    script.call("first", "stable_softmax", first, outputs={"result": (3, 5)})
    script.call("out", "stable_softmax", second, outputs={"result": (3, 5)})


def one_hot(script: Script) -> None:
    """Weights that are exactly 0 and 1, for which the gradient of the scores is 0."""
    weights = script.array("weights", np.eye(5)[[3, 0, 2]])
    incoming = script.normal("grad_weights", 3, 5)
    script.call("out", "softmax_vjp", weights, incoming, outputs={"result": (3, 5)})


def twice(script: Script) -> None:
    """Two inputs in turn through one module: A, B of other sizes, A again."""
    build(script, enc=5, dec=3, attn=7)
    names = {"a": (2, 11), "b": (3, 5)}
    for name, (batch, source) in names.items():
        script.normal(f"{name}_state", batch, 3)
        script.normal(f"{name}_states", batch, source, 5)
    for into, name in (("first", "a"), ("between", "b"), ("out", "a")):
        batch, source = names[name]
        results = {"context": (batch, 5), "weights": (batch, source)}
        script.call(
            into, "attention", Ref(f"{name}_state"), Ref(f"{name}_states"), outputs=results, echo=True
        )


def permuted(script: Script) -> None:
    """The same sentence with its positions in another order: context as before, weights permuted."""
    build(script, enc=5, dec=3, attn=7)
    order = script.draw.permutation(11)
    script.array("order", order)
    state = script.normal("decoder_state", 2, 3)
    states = script.normal("encoder_states", 2, 11, 5)
    other = script.array("permuted_states", script.arrays["encoder_states"][:, order])
    results = {"context": (2, 5), "weights": (2, 11)}
    script.call("first", "attention", state, states, outputs=results)
    script.call("out", "attention", state, other, outputs=results)


def uniform(script: Script) -> None:
    """With v = 0 all scores are equal: the weights are 1 / T_s and the context is the mean."""
    weights: dict[str, Any] = {"W_s.weight": (7, 3), "W_h.weight": (7, 5), "v.weight": np.zeros((1, 7))}
    script.make("attention", "BahdanauAttention", 5, 3, 7, weights=weights)
    state, states = script.normal("decoder_state", 2, 3), script.normal("encoder_states", 2, 13, 5)
    script.call("out", "attention", state, states, outputs={"context": (2, 5), "weights": (2, 13)})


def saturated(script: Script) -> None:
    """Scores of the order of ±1e4, different from row to row: the weights are all but one 0, and everything stays
    finite."""
    v = script.draw.uniform(1, 7, low=2e3, high=6e3) * np.sign(script.draw.normal(1, 7))
    weights: dict[str, Any] = {"W_s.weight": (7, 3), "W_h.weight": (7, 5), "v.weight": v}
    script.make("attention", "BahdanauAttention", 5, 3, 7, weights=weights)
    state, states = script.normal("decoder_state", 7, 3, scale=3.0), script.normal("encoder_states", 7, 11, 5)
    results = {"context": (7, 5), "weights": (7, 11)}
    script.call("out", "attention", state, states, outputs=results, wrt=("encoder_states",))


def chained(script: Script) -> None:
    """The first context is the second decoder state: two results of one size are alive when gradients flow."""
    build(script, enc=5, dec=5, attn=7)
    state, states = script.normal("decoder_state", 2, 5), script.normal("encoder_states", 2, 7, 5)
    results = {"context": (2, 5), "weights": (2, 7)}
    script.call("first", "attention", state, states, outputs=results)
    script.call(
        "out", "attention", Ref("first", 0), states, outputs=results,
        wrt=("encoder_states",), modules=("attention",),
    )  # fmt: skip


def everything(script: Script, *, source: int) -> None:
    """Each function once."""
    softmax(script, shape=(2, source), into="softmax")
    vjp(script, shape=(2, source), into="vjp")
    attention(script, batch=2, source=source, enc=3, dec=7, attn=4)
    state, states = Ref("decoder_state"), Ref("encoder_states")
    script.call("score", "attention.score", state, states, outputs={"scores": (2, source)})


def batch_alone(script: Script) -> None:
    """The second sentence of a batch, alone, gives what it gave in company."""
    build(script, enc=5, dec=3, attn=7)
    state, states = script.normal("decoder_state", 3, 3), script.normal("encoder_states", 3, 11, 5)
    alone = script.array("one_state", script.arrays["decoder_state"][1:2])
    alone_states = script.array("one_states", script.arrays["encoder_states"][1:2])
    script.call("first", "attention", state, states, outputs={"context": (3, 5), "weights": (3, 11)})
    script.call("out", "attention", alone, alone_states, outputs={"context": (1, 5), "weights": (1, 11)})


SIZES: dict[str, Any] = {"batch": 3, "source": 13, "enc": 7, "dec": 5, "attn": 11}
FORWARD = case("hidden-forward", attention, **SIZES, gradient=True)
FORWARD_32 = case("hidden-forward-float32", attention, **SIZES, gradient=True, dtype="float32")
SQUARE = case("hidden-square", attention, batch=5, source=5, enc=5, dec=5, attn=5, gradient=True, train=True)
ONES = tuple(
    case(f"hidden-ones-{i}", attention, batch=b, source=s, enc=e, dec=d, attn=a, gradient=True)
    for i, (b, s, e, d, a) in enumerate([(1, 1, 1, 1, 1), (1, 7, 5, 3, 11), (3, 1, 5, 7, 2), (2, 5, 1, 3, 1)])
)
STRIDED = tuple(
    case(f"hidden-{layout}", attention, **SIZES, layout=layout, gradient=True)
    for layout in ("reversed", "gapped")
)
PATHS = tuple(
    case(f"hidden-through-{name}", attention, **SIZES, gradient=True, back_from=(name,))
    for name in ("context", "weights")
)
LONG = case("hidden-long", attention, batch=2, source=131, enc=3, dec=2, attn=5)
SCORE = case("hidden-score", attention, **SIZES, method=".score", gradient=True)
SOFTMAX = "stable_softmax"
VJP = "softmax_vjp"
MODULE = "BahdanauAttention"

CHECKS: tuple[model.Check, ...] = (
    check("softmax-dims", "stable_softmax along any dimension, of any rank", "value", 3, (
        case("hidden-softmax-0", softmax, shape=(5, 3), dim=0),
        case("hidden-softmax-1", softmax, shape=(2, 7, 3), dim=1),
        case("hidden-softmax-default", softmax, shape=(2, 3, 5, 7), dim=None),
        case("hidden-softmax-minus-2", softmax, shape=(3, 5, 7), dim=-2),
        case("hidden-softmax-vector", softmax, shape=(7,), dim=0),
        case("hidden-softmax-single", softmax, shape=(5, 1)),
    ), *right(), section=SOFTMAX),
    check("softmax-gradient", "Gradients flow through stable_softmax", "gradient", 3, (
        case("hidden-softmax-gradient", softmax, shape=(3, 7), gradient=True),
        case("hidden-softmax-gradient-0", softmax, shape=(5, 3), dim=0, gradient=True),
    ), hold("gradients"), *right(), section=SOFTMAX),
    check("softmax-levels", "stable_softmax with rows far from each other", "value", 3, (
        case("hidden-softmax-levels", extreme),
        case("hidden-softmax-levels-0", extreme, dim=0),
        case("hidden-softmax-levels-32", extreme, dtype="float32"),
    ), *right(), hold("gradients"), section=SOFTMAX),
    check("softmax-shift", "A constant added to the scores changes nothing", "invariance", 2,
          case("hidden-softmax-shift", shifted),
          hold("permuted", "first", other="out", order="order", axes={"result": []}), *right(),
          section=SOFTMAX),
    check("softmax-input", "stable_softmax leaves its input alone, whatever its strides", "invariance", 2, (
        case("hidden-softmax-reversed", softmax, shape=(3, 5, 7), layout="reversed", echo=True),
        case("hidden-softmax-gapped", softmax, shape=(3, 7), layout="gapped", echo=True, dtype="float32"),
    ), hold("unchanged"), *right(), hold("dtypes"), section=SOFTMAX),
    check("softmax-constraint-hidden", "No ready-made softmax on other inputs either", "constraint", 3,
          case("hidden-softmax-traced", softmax, shape=(5, 2, 11), dim=0, gradient=True, trace=True),
          NO_SOFTMAX, *right(), section=SOFTMAX),
    check("vjp-shapes", "softmax_vjp for any number of leading dimensions", "value", 4, (
        case("hidden-vjp", vjp, shape=(2, 3, 5), echo=True),
        case("hidden-vjp-vector", vjp, shape=(7,)),
        case("hidden-vjp-32", vjp, shape=(5, 11), dtype="float32"),
        case("hidden-vjp-strided", vjp, shape=(3, 5), layout="reversed"),
        case("hidden-vjp-strided-3", vjp, shape=(2, 3, 5), layout="reversed"),
        case("hidden-vjp-single", vjp, shape=(3, 1)),
    ), *right(), hold("dtypes"), section=VJP),
    check("vjp-one-hot", "softmax_vjp of weights that are 0 and 1", "value", 2,
          (case("hidden-vjp-one-hot", one_hot), case("hidden-vjp-other", vjp, shape=(2, 7))), *right(),
          section=VJP),
    check("vjp-gradient", "softmax_vjp can itself be differentiated", "gradient", 1,
          case("hidden-vjp-gradient", vjp, shape=(3, 5), gradient=True), hold("gradients"), *right(),
               section=VJP),
    check("vjp-constraint-hidden", "By hand on other inputs too", "constraint", 2,
          case("hidden-vjp-traced", vjp, shape=(5, 2, 3), trace=True, echo=True),
          BY_HAND, hold("unchanged"), *right(), section=VJP),
    check("attention-sizes", "Right for other sizes and for inputs with any strides", "value", 4,
          (FORWARD, FORWARD_32, SCORE, *STRIDED, LONG),
          *right(), hold("dtypes"), section=MODULE),
    check("attention-square", "Right when all sizes are equal, in train mode too", "value", 3, SQUARE,
          *right(), hold("gradients"), section=MODULE),
    check("attention-ones", "Right for batches of one and sentences of one word", "shape", 3, ONES,
          *right(), hold("gradients"), section="Shapes"),
    check("attention-gradients-hidden", "All gradients, through each of the two results", "gradient", 4,
          (*PATHS, FORWARD, FORWARD_32, SCORE, case("hidden-chained", chained)), hold("gradients"), section=MODULE),
    check("attention-permuted", "Source positions in another order", "invariance", 2,
          case("hidden-permuted", permuted),
          hold("permuted", "first", other="out", order="order", axes={"context": [], "weights": [1]}),
          *right(), section=MODULE),
    check("attention-batch", "The sentences of a batch do not touch each other", "invariance", 2,
          case("hidden-batch", batch_alone), *right("first"), *right(), section=MODULE),
    check("attention-uniform", "Equal scores give the mean", "invariance", 2,
          (case("hidden-uniform", uniform), SCORE, FORWARD), *right(), section="Worked example"),
    check("attention-saturated", "Scores of ±10,000 stay finite", "value", 2,
          case("hidden-saturated", saturated), *right(), hold("gradients"), section=MODULE),
    check("attention-state", "No state between calls, no change of the inputs", "invariance", 2,
          case("hidden-twice", twice), hold("same", "first", other="out"), *right("first"), *right("between"),
          *right(), hold("unchanged"), hold("unchanged", "first"), section="Rules"),
    check("bahdanau-device", "New tensors are made on the device of the inputs", "constraint", 1,
          (case("hidden-device", everything, source=9, device="meta"), case("hidden-everything", everything, source=8)),
          *(hold("device", step) for step in ("softmax", "vjp", "score", "out")), section="Rules"),
)  # fmt: skip
CHECKS = watched(CHECKS, "softmax-constraint-hidden", ["stable_softmax"], "softmax", traced=0.25)
CHECKS = watched(CHECKS, "vjp-constraint-hidden", ["softmax_vjp"], "softmax", traced=0.25)
