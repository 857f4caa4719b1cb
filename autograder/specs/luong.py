"""Public checks of ``luong`` (Luong, Pham and Manning 2015, sections 3.1 and 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder import model
from autograder.cases import Script
from autograder.specs.speed import speed
from autograder.specs.vocabulary import case, check, hold, right

TITLE = "Luong attention"
MODULE = "LuongAttention"
HIDDEN_STATE = "AttentionalHidden"
LOCAL = "local_weights"
LAYOUTS = ("reversed", "gapped")


def weights_of(method: str, enc: int, dec: int, attn: int) -> dict[str, Any]:
    """The shapes of the parameters that ``method`` has."""
    return {
        "dot": {},
        "general": {"W_a.weight": (dec, enc)},
        "concat": {"W_a.weight": (attn, dec + enc), "v.weight": (1, attn)},
    }[method]


def build(
    script: Script, method: str, *, enc: int, dec: int, attn: int, into: str = "attention", **how: Any
) -> None:
    """A LuongAttention with drawn weights; "dot" is left to the default."""
    args: list[model.Argument] = [enc, dec]
    if method == "general":
        args.append(method)
        how.setdefault("scale", 0.3)  # so that no weight is too small to tell anything
    if method == "concat":
        args += [method, attn]
    script.make(into, MODULE, *args, weights=weights_of(method, enc, dec, attn), **how)


def attention(
    script: Script, *, method: str, batch: int, target: int, source: int, enc: int, dec: int, attn: int = 2,
    gradient: bool = False, train: bool = False, ways: Sequence[str] = (),
) -> None:  # fmt: skip
    """Builds LuongAttention and calls it, and again in each of the ``ways``: "score" is the method, "context"
    and "weights" send a gradient through that result only, "reversed" and "gapped" are layouts."""
    dec = enc if method == "dot" else dec
    build(script, method, enc=enc, dec=dec, attn=attn, train=train)
    state = script.normal("decoder_states", batch, target, dec)
    states = script.normal("encoder_states", batch, source, enc)
    results: dict[str, Sequence[int]] = {"context": (batch, target, enc), "weights": (batch, target, source)}
    wanted: Any = {"wrt": ("decoder_states", "encoder_states"), "modules": ("attention",)} if gradient else {}
    script.call("out", "attention", state, states, outputs=results, **wanted)
    for way in ways:
        name, outputs, how = "attention", results, dict(wanted)
        if way == "score":
            name, outputs = "attention.score", {"scores": results["weights"]}
        how |= {"back_from": (way,)} if way in results else {"layout": way} if way in LAYOUTS else {}
        script.call(way, name, state, states, outputs=outputs, **how)


def joined(
    script: Script, *, batch: int, target: int, enc: int, dec: int, gradient: bool = False,
    train: bool = False, **call: Any,
) -> None:  # fmt: skip
    """Builds AttentionalHidden and calls it once."""
    script.make("hidden", HIDDEN_STATE, enc, dec, weights={"W_c.weight": (dec, enc + dec)}, train=train)
    context = script.normal("context", batch, target, enc)
    state = script.normal("decoder_states", batch, target, dec)
    script.call(
        "out", "hidden", context, state, outputs={"result": (batch, target, dec)},
        wrt=("context", "decoder_states") if gradient else (),
        modules=("hidden",) if gradient else (), **call,
    )  # fmt: skip


def local(
    script: Script, *, source: int, centers: Sequence[float], half_width: int, scale: float = 1.0,
    gradient: bool = False, into: str = "out", **call: Any,
) -> None:  # fmt: skip
    """One call of local_weights on drawn scores. Centers are multiples of 1/4, so that edges are exact."""
    of = "" if into == "out" else f"{into}_"
    scores = script.normal(f"{of}scores", len(centers), source, scale=scale)
    center = script.array(f"{of}center", np.array(centers, dtype=float))
    wrt = (scores.name, center.name) if gradient else ()
    shape = (len(centers), source)
    script.call(into, LOCAL, scores, center, half_width, outputs={"result": shape}, wrt=wrt, **call)


def module_interface(script: Script) -> None:
    """Looks at the arguments of LuongAttention and at the parameters of each method."""
    for name in ("", ".score", ".forward"):
        script.add(model.Inspect(f"arguments{name}", f"{MODULE}{name}"))
    attention(script, method="concat", batch=2, target=3, source=5, enc=7, dec=11, attn=13)
    script.add(model.Inspect("concat", "attention"))
    build(script, "general", enc=5, dec=3, attn=2, into="other")
    script.add(model.Inspect("general", "other"))
    build(script, "dot", enc=5, dec=5, attn=2, into="plain")
    script.add(model.Inspect("dot", "plain"))


def hidden_interface(script: Script) -> None:
    """Looks at the arguments and the parameters of AttentionalHidden."""
    for name in ("", ".forward"):
        script.add(model.Inspect(f"arguments{name}", f"{HIDDEN_STATE}{name}"))
    joined(script, batch=2, target=3, enc=7, dec=5)
    script.add(model.Inspect("parameters", "hidden"))


def local_interface(script: Script) -> None:
    """Looks at the arguments of local_weights, and calls it."""
    script.add(model.Inspect("arguments", LOCAL))
    local(script, source=7, centers=[2.0, 4.0], half_width=2)


def wrong_calls(script: Script) -> None:
    """Constructor calls that must be refused, and calls that must not."""
    script.make("unequal", MODULE, 5, 3)
    script.make("unequal-named", MODULE, 3, 5, method="dot")
    script.make("no-width", MODULE, 5, 3, "concat")
    script.make("unknown", MODULE, 5, 5, "additive")
    script.make("unknown-too", MODULE, 5, 3, method="", attn_dim=7)
    script.make("capital", MODULE, 5, 5, "Dot")
    script.make("equal", MODULE, 5, 5, method="dot")
    script.make("unused-width", MODULE, 5, 5, "dot", 7)
    script.make("unused-too", MODULE, 5, 3, method="general", attn_dim=7)
    script.make("other", MODULE, enc_dim=5, dec_dim=3, method="concat", attn_dim=7)
    attention(script, method="general", batch=2, target=3, source=7, enc=5, dec=3)


def worked_example(script: Script) -> None:
    """The handout's example: three scores by dot product."""
    script.make("attention", MODULE, enc_dim=3, dec_dim=3)
    state = script.array("decoder_states", np.array([[[0.9, 0.1, 0.2]]]))
    states = script.array("encoder_states", np.array([[[1.0, 0.0, 0.2], [0.5, 0.5, 0.1], [0.1, 0.9, 0.3]]]))
    script.call("scores", "attention.score", state, states, outputs={"scores": (1, 1, 3)})
    script.call("out", "attention", state, states, outputs={"context": (1, 1, 3), "weights": (1, 1, 3)})


def local_example(script: Script) -> None:
    """The handout's second example: equal scores around 2.5, and a center far away."""
    scores = script.array("scores", np.zeros((1, 7)))
    for into, where in (("out", 2.5), ("away", 20.0)):
        center = script.array(f"center_{into}", np.array([where]))
        script.call(into, LOCAL, scores, center, half_width=2)


SIZES: dict[str, Any] = {"batch": 2, "target": 3, "source": 7, "enc": 5, "dec": 11, "attn": 13}
FORWARD = {
    method: case(f"forward-{method}", attention, method=method, **SIZES, gradient=True, ways=("score",))
    for method in ("dot", "general", "concat")
}
SINGLE = case("forward-float32", attention, method="general", **SIZES, dtype="float32")
JOINED = case("joined", joined, batch=2, target=3, enc=7, dec=5, gradient=True)
LOCAL_WHOLE = case("local", local, source=11, centers=[4.0, 0.0, 10.0, 6.0, 1.0], half_width=2)
LOCAL_BETWEEN = case("local-between", local, source=7, centers=[2.5, 3.25, -0.5], half_width=3,
                     dtype="float32")  # fmt: skip

CHECKS = (
    check("attention-interface", "LuongAttention has its arguments and parameters", "interface", 3,
          case("attention-interface", module_interface), hold("signature", "arguments"),
          hold("signature", "arguments.score"), hold("signature", "arguments.forward"),
          hold("parameters", "concat"), hold("parameters", "general"), hold("parameters", "dot"),
          hold("shapes"), section=MODULE),
    check("attention-errors", "The constructor refuses wrong calls with a ValueError", "interface", 4,
          case("attention-errors", wrong_calls), *right(),
          *(hold("raises", step, error="ValueError")
            for step in ("unequal", "unequal-named", "no-width", "unknown", "unknown-too", "capital")),
          section=MODULE),
    check("attention-dot", "dot: the scores are s^T h", "value", 4, FORWARD["dot"],
          *right("score"), *right(), hold("dtypes"), section=MODULE),
    check("attention-general", "general: the scores are s^T W_a h", "value", 5,
          FORWARD["general"], *right("score"), *right(), hold("dtypes"), section=MODULE),
    check("attention-concat", "concat: the scores are v^T tanh(W_a [s; h])", "value", 5,
          FORWARD["concat"], *right("score"), *right(), hold("dtypes"), section=MODULE),
    check("attention-shapes", "The context and the weights have the right shapes and dtypes", "shape", 3,
          (*FORWARD.values(), SINGLE), hold("shapes"), hold("dtypes"), section="Shapes"),
    check("attention-sums", "The weights of every target position sum to 1", "weight_sum", 2,
          tuple(FORWARD.values()), hold("sums", output="weights"), section=MODULE),
    check("attention-example", "The worked example of dot comes out", "value", 2,
          case("worked-example", worked_example), *right("scores"), *right(), section="Worked example"),
    check("attention-gradients", "Gradients reach every input and every parameter", "gradient", 4,
          tuple(FORWARD.values()), hold("gradients"), section=MODULE),
    check("hidden-interface", "AttentionalHidden has its arguments and its parameter", "interface", 2,
          case("joined-interface", hidden_interface), hold("signature", "arguments"),
          hold("signature", "arguments.forward"), hold("parameters", "parameters"), hold("shapes"),
          section=HIDDEN_STATE),
    check("hidden-values", "AttentionalHidden gives tanh(W_c [c; s])", "value", 4, JOINED,
          *right(), hold("dtypes"), hold("gradients"), section=HIDDEN_STATE),
    check("local-interface", "local_weights takes (scores, center, half_width)", "interface", 1,
          case("local-interface", local_interface), hold("signature", "arguments"), *right(), section=LOCAL),
    check("local-values", "local_weights: softmax in the window, times the Gaussian", "value", 4,
          (LOCAL_WHOLE, LOCAL_BETWEEN), *right(), hold("zeros"), hold("dtypes"), section=LOCAL),
    check("local-example", "The worked example of local_weights comes out", "value", 2,
          case("local-example", local_example), *right(), hold("zeros"), *right("away"),
          hold("zeros", "away"), section="Worked example"),
    speed("luong"),
)  # fmt: skip
