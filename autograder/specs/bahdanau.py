"""Public checks of ``bahdanau`` (Bahdanau, Cho and Bengio 2015, section 3.1 and appendix A.1.2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder import model
from autograder.cases import Script
from autograder.model import Ref
from autograder.specs.speed import speed
from autograder.specs.vocabulary import case, check, hold, right, watched

TITLE = "Bahdanau attention"

# A ready-made attention is a softmax too: of scores that come out as they went in, say.
SOFTMAX_WORDS = [
    "softmax", "softmin", "logsumexp", "logcumsumexp", "dot_product_attention", "fused_sdp", "multi_head",
    "flash_attention", "efficient_attention", "flex_attention",
]  # fmt: skip
AUTOGRAD_WORDS = [
    *SOFTMAX_WORDS, "autograd::engine", "backward", "vjp", "jvp", "jacrev", "jacfwd", "make_dual", "autograd.grad",
]  # fmt: skip
NO_SOFTMAX = hold("untouched", words=SOFTMAX_WORDS, later=SOFTMAX_WORDS, by=["stable_softmax"])
BY_HAND = hold("untouched", words=AUTOGRAD_WORDS, later=SOFTMAX_WORDS, by=["softmax_vjp"])


def softmax(script: Script, *, shape: tuple[int, ...], dim: int | None = -1, gradient: bool = False, into: str = "out",
            **call: Any) -> None:  # fmt: skip
    """One call of stable_softmax on drawn scores; ``dim`` None leaves it to the default."""
    scores = script.normal("scores", *shape, scale=1.5)
    along: dict[str, Any] = {} if dim is None else {"dim": dim}
    wrt = ("scores",) if gradient else ()
    script.call(into, "stable_softmax", scores, outputs={"result": shape}, wrt=wrt, **along, **call)


def softmax_of(script: Script, values: object, dim: int = -1, gradient: bool = False) -> None:
    """One call on given scores."""
    scores = script.array("scores", np.asarray(values, dtype=float))
    shape = script.arrays["scores"].shape
    wrt = ("scores",) if gradient else ()
    script.call("out", "stable_softmax", scores, dim=dim, outputs={"result": shape}, wrt=wrt)


def vjp(
    script: Script, *, shape: tuple[int, ...], gradient: bool = False, into: str = "out", **call: Any
) -> None:  # fmt: skip
    """One call of softmax_vjp on the weights of drawn scores."""
    scores = script.draw.normal(*shape, scale=1.5)
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    weights = script.array("weights", exponentials / exponentials.sum(-1, keepdims=True))
    incoming = script.normal("grad_weights", *shape)
    wrt = ("weights", "grad_weights") if gradient else ()
    script.call(into, "softmax_vjp", weights, incoming, outputs={"result": shape}, wrt=wrt, **call)


def attention(
    script: Script, *, batch: int, source: int, enc: int, dec: int, attn: int, scale: float = 0.7,
    gradient: bool = False, back_from: tuple[str, ...] | None = None, train: bool = False,
    method: str = "", **call: Any,
) -> None:  # fmt: skip
    """Builds BahdanauAttention and calls it, or its ``.score``, once."""
    build(script, enc=enc, dec=dec, attn=attn, scale=scale, train=train)
    state = script.normal("decoder_state", batch, dec)
    states = script.normal("encoder_states", batch, source, enc)
    results = {"scores": (batch, source)} if method else {"context": (batch, enc), "weights": (batch, source)}
    script.call(
        "out", f"attention{method}", state, states, outputs=results,
        wrt=("decoder_state", "encoder_states") if gradient else (),
        modules=("attention",) if gradient else (), back_from=back_from, **call,
    )  # fmt: skip


def build(script: Script, *, enc: int, dec: int, attn: int, scale: float = 0.7, train: bool = False) -> None:
    """A BahdanauAttention with drawn weights, as ``attention``."""
    weights = {"W_s.weight": (attn, dec), "W_h.weight": (attn, enc), "v.weight": (1, attn)}
    script.make("attention", "BahdanauAttention", enc, dec, attn, weights=weights, scale=scale, train=train)


def interface(script: Script, name: str) -> None:
    """Looks at a function's arguments, and calls it, so that a stub earns nothing."""
    script.add(model.Inspect("interface", name))
    {"stable_softmax": softmax, "softmax_vjp": vjp}[name](script, shape=(2, 3))


def module_interface(script: Script) -> None:
    """Looks at the arguments and the parameters of the module."""
    for name in ("", ".score", ".forward"):
        script.add(model.Inspect(f"arguments{name}", f"BahdanauAttention{name}"))
    attention(script, batch=2, source=3, enc=5, dec=7, attn=11)
    script.add(model.Inspect("parameters", "attention"))


def worked_example(script: Script) -> None:
    """The handout's example: every number can be followed by hand."""
    script.make(
        "attention", "BahdanauAttention", 4, 4, 4,
        weights={
            "W_s.weight": np.eye(4), "W_h.weight": np.eye(4), "v.weight": np.array([[0.3, 0.5, -0.2, 0.4]]),
        },
    )  # fmt: skip
    state = script.array("decoder_state", np.array([[0.3, -0.1, 0.5, 0.2]]))
    states = script.array(
        "encoder_states",
        np.array(
            [[[0.4, 0.2, -0.3, 0.6], [-0.2, 0.5, 0.3, -0.1], [0.7, -0.3, 0.4, 0.2], [0.1, 0.4, -0.2, 0.5]]]
        ),
    )
    script.call("score", "attention.score", state, states, outputs={"scores": (1, 4)})
    script.call("out", "attention", state, states, outputs={"context": (1, 4), "weights": (1, 4)})
    scores, incoming = (
        script.array("scores", np.array([1.0, 2.0, 3.0])),
        script.array("g", np.array([1.0, 0.0, 0.0])),
    )
    script.call("softmax", "stable_softmax", scores, outputs={"weights": (3,)})
    script.call("vjp", "softmax_vjp", Ref("softmax"), incoming, outputs={"result": (3,)})


SIZES: dict[str, Any] = {"batch": 2, "source": 7, "enc": 5, "dec": 3, "attn": 11}
SOFTMAX = case("softmax", softmax, shape=(3, 7), echo=True)
SOFTMAX_32 = case("softmax-float32", softmax, shape=(3, 7), dtype="float32")
EXTREME = case(
    "softmax-extreme", softmax_of,
    values=[[1e4, 1e4 - 1, -1e4], [-1e4, -1e4 + 2, -1e4], [0.0, 1.0, 2.0], [1e4, -1e4, 0.0]],
)  # fmt: skip
TRACED = case("softmax-traced", softmax, shape=(2, 5), trace=True)
VJP = case("vjp", vjp, shape=(3, 5), echo=True)
VJP_TRACED = case("vjp-traced", vjp, shape=(2, 5), trace=True)
FORWARD = case("forward", attention, **SIZES, gradient=True)
FORWARD_32 = case("forward-float32", attention, **SIZES, dtype="float32")
SCORE = case("score", attention, **SIZES, method=".score")

CHECKS: tuple[model.Check, ...] = (
    check("softmax-interface", "stable_softmax takes (scores, dim=-1)", "interface", 1,
          case("softmax-interface", interface, name="stable_softmax"), hold("signature", "interface"),
               *right(),
          section="stable_softmax"),
    check("softmax-values", "stable_softmax gives the right values", "value", 3, (SOFTMAX, SOFTMAX_32),
          *right(), hold("dtypes"), section="stable_softmax"),
    check("softmax-sums", "Every row of stable_softmax sums to 1", "weight_sum", 2, (SOFTMAX, EXTREME),
          hold("sums", output="result"), *right(), section="stable_softmax"),
    check("softmax-extreme", "stable_softmax is right for scores of ±10,000", "value", 3, EXTREME,
          *right(), section="stable_softmax"),
    check("softmax-constraint", "stable_softmax does without a ready-made softmax", "constraint", 4, TRACED,
          NO_SOFTMAX, *right(), section="stable_softmax"),
    check("vjp-interface", "softmax_vjp takes (weights, grad_weights)", "interface", 1,
          case("vjp-interface", interface, name="softmax_vjp"), hold("signature", "interface"), *right(),
          section="softmax_vjp"),
    check("vjp-values", "softmax_vjp gives the right gradient of the scores", "value", 4, VJP,
          *right(), hold("dtypes"), section="softmax_vjp"),
    check("vjp-constraint", "softmax_vjp is written by hand, without autograd", "constraint", 4, VJP_TRACED,
          BY_HAND, *right(), section="softmax_vjp"),
    check("attention-interface", "BahdanauAttention has its arguments and parameters", "interface", 4,
          case("attention-interface", module_interface), hold("signature", "arguments"),
          hold("signature", "arguments.score"), hold("signature", "arguments.forward"),
          hold("parameters", "parameters"), hold("shapes"), section="BahdanauAttention"),
    check("attention-shapes", "The context and the weights have the right shapes", "shape", 3, FORWARD,
          *right(), section="Shapes"),
    check("attention-score", "The scores are v^T tanh(W_s s + W_h h_j)", "value", 4, SCORE,
          *right(), section="BahdanauAttention"),
    check("attention-values", "The context and the weights have the right values", "value", 4,
          (FORWARD, FORWARD_32), *right(), hold("dtypes"), section="BahdanauAttention"),
    check("attention-sums", "The weights of every sentence sum to 1", "weight_sum", 2, FORWARD,
          hold("sums", output="weights"), *right(only=["weights"]), section="BahdanauAttention"),
    check("attention-example", "The worked example comes out", "value", 2,
          case("worked-example", worked_example), *right("score"), *right(), *right("softmax"), *right("vjp"),
          section="Worked example"),
    check("attention-gradients", "Gradients reach every input and every parameter", "gradient", 4, FORWARD,
          hold("gradients"), section="BahdanauAttention"),
    speed("bahdanau"),
)  # fmt: skip
CHECKS = watched(CHECKS, "softmax-constraint", ["stable_softmax"], "softmax", traced=0.25)
CHECKS = watched(CHECKS, "vjp-constraint", ["softmax_vjp"], "softmax", traced=0.25)
