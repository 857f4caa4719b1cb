"""The programs of ``luong``'s cases: functions that write the steps of one case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Unpack

import numpy as np

from autograder import protocol
from autograder.assignments.kit.programs import CallOptions, ProgramBuilder

MODULE = "LuongAttention"
HIDDEN_STATE = "AttentionalHidden"
LOCAL = "local_weights"
Way = Literal["score", "context", "weights", "reversed", "gapped"]
METHODS = ("dot", "general", "concat")


class Size(NamedTuple):
    """Sentences, target and source positions, and widths of encoder, decoder and attention states."""

    batch: int
    target: int
    source: int
    enc: int
    dec: int
    attn: int = 0

    @property
    def results(self) -> dict[str, tuple[int, int, int]]:
        """What LuongAttention returns."""
        return {"context": (self.batch, self.target, self.enc), "weights": (self.batch, self.target, self.source)}

    @property
    def scores(self) -> dict[str, tuple[int, int, int]]:
        """What LuongAttention.score returns."""
        return {"scores": (self.batch, self.target, self.source)}


def build(
    builder: ProgramBuilder,
    method: str,
    enc: int,
    dec: int,
    attn: int = 0,
    *,
    into: str = "attention",
    train: bool = False,
) -> None:
    """Build a LuongAttention with Gaussian weights. "dot" is left to the default."""
    given: dict[str, list[protocol.Argument]] = {"dot": [], "general": [method], "concat": [method, attn]}
    weights: dict[str, dict[str, Any]] = {
        "dot": {},
        "general": {"W_a.weight": (dec, enc)},
        "concat": {"W_a.weight": (attn, dec + enc), "v.weight": (1, attn)},
    }
    scale = 0.3 if method == "general" else 0.7  # so that no weight is too small to tell anything
    builder.make(into, MODULE, enc, dec, *given[method], weights=weights[method], scale=scale, train=train)


def states(builder: ProgramBuilder, size: Size, of: str = "") -> tuple[protocol.Ref, protocol.Ref]:
    """Draw decoder states and encoder states."""
    return (
        builder.normal(f"{of}decoder_states", size.batch, size.target, size.dec),
        builder.normal(f"{of}encoder_states", size.batch, size.source, size.enc),
    )


def attention(
    builder: ProgramBuilder,
    method: str,
    size: Size,
    *,
    gradient: bool = False,
    train: bool = False,
    ways: Sequence[Way] = (),
) -> None:
    """Build a LuongAttention and call it, and again in each of the ways.

    "score" calls the method. "context" and "weights" send a gradient through that result only. "reversed" and "gapped"
    are layouts.
    """
    size = size._replace(dec=size.enc if method == "dot" else size.dec)
    build(builder, method, size.enc, size.dec, size.attn, train=train)
    inputs = states(builder, size)
    builder.call("out", "attention", *inputs, outputs=size.results, gradient=gradient)
    for way in ways:
        name, outputs = ("attention.score", size.scores) if way == "score" else ("attention", size.results)
        options: CallOptions = {"gradient": gradient}
        if way in outputs:
            options["back_from"] = (way,)
        elif way == "reversed" or way == "gapped":
            options["layout"] = way
        builder.call(way, name, *inputs, outputs=outputs, **options)


def joined(
    builder: ProgramBuilder,
    batch: int,
    target: int,
    enc: int,
    dec: int,
    *,
    train: bool = False,
    **call: Unpack[CallOptions],
) -> None:
    """Build an AttentionalHidden and call it once."""
    builder.make("hidden", HIDDEN_STATE, enc, dec, weights={"W_c.weight": (dec, enc + dec)}, train=train)
    context, state = builder.normal("context", batch, target, enc), builder.normal("decoder_states", batch, target, dec)
    builder.call("out", "hidden", context, state, outputs={"result": (batch, target, dec)}, **call)


def local(
    builder: ProgramBuilder,
    source: int,
    half_width: int,
    centers: Sequence[float],
    *,
    into: str = "out",
    **call: Unpack[CallOptions],
) -> None:
    """Call local_weights once on Gaussian scores. Centers are multiples of 1/4, so that edges are exact."""
    of = "" if into == "out" else f"{into}_"
    shape = (len(centers), source)
    scores, center = builder.normal(f"{of}scores", *shape), builder.array(f"{of}center", np.array(centers, dtype=float))
    builder.call(into, LOCAL, scores, center, half_width, outputs={"result": shape}, **call)


def module_interface(builder: ProgramBuilder) -> None:
    """Look at the arguments of LuongAttention and at the parameters of each method."""
    builder.inspect("arguments", MODULE, ".score", ".forward")
    attention(builder, "concat", Size(2, 3, 5, 7, 11, 13))
    builder.inspect("concat", "attention")
    build(builder, "general", 5, 3, into="other")
    builder.inspect("general", "other")
    build(builder, "dot", 5, 5, into="plain")
    builder.inspect("dot", "plain")


REFUSED = ("unequal", "unequal-named", "no-width", "unknown", "unknown-too", "capital")


def wrong_calls(builder: ProgramBuilder) -> None:
    """Construct LuongAttention in ways that it must refuse (REFUSED), and in ways that it must not."""
    builder.make("unequal", MODULE, 5, 3)
    builder.make("unequal-named", MODULE, 3, 5, method="dot")
    builder.make("no-width", MODULE, 5, 3, "concat")
    builder.make("unknown", MODULE, 5, 5, "additive")
    builder.make("unknown-too", MODULE, 5, 3, method="", attn_dim=7)
    builder.make("capital", MODULE, 5, 5, "Dot")
    builder.make("equal", MODULE, 5, 5, method="dot")
    builder.make("unused-width", MODULE, 5, 5, "dot", 7)
    builder.make("unused-too", MODULE, 5, 3, method="general", attn_dim=7)
    builder.make("other", MODULE, enc_dim=5, dec_dim=3, method="concat", attn_dim=7)
    attention(builder, "general", Size(2, 3, 7, 5, 3))


def worked_example(builder: ProgramBuilder) -> None:
    """Compute the handout's example: three scores by dot product."""
    size = Size(1, 1, 3, 3, 3)
    builder.make("attention", MODULE, enc_dim=3, dec_dim=3)
    state = builder.example("decoder_states", [[[0.9, 0.1, 0.2]]])
    encoded = builder.example("encoder_states", [[[1.0, 0.0, 0.2], [0.5, 0.5, 0.1], [0.1, 0.9, 0.3]]])
    builder.call("scores", "attention.score", state, encoded, outputs=size.scores)
    builder.call("out", "attention", state, encoded, outputs=size.results)


def local_example(builder: ProgramBuilder, center: float = 2.5) -> None:
    """Compute the handout's second example: equal scores around 2.5, or around a center far away."""
    scores = builder.example("scores", np.zeros((1, 7)))
    builder.call("out", LOCAL, scores, builder.example("center", [center]), half_width=2)
