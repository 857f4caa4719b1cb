"""The programs of ``bahdanau``'s cases: functions that write the steps of one case."""

from __future__ import annotations

from typing import Any, NamedTuple, Unpack

import numpy as np

from autograder.assignments.kit.programs import CallOptions, ProgramBuilder
from autograder.protocol import Ref

MODULE = "BahdanauAttention"
EXAMPLE = [1.0, 2.0, 3.0]  # the scores of the handout's example


class Size(NamedTuple):
    """Sentences, source positions, and widths of encoder states, decoder state and attention layer."""

    batch: int
    source: int
    enc: int
    dec: int
    attn: int

    @property
    def results(self) -> dict[str, tuple[int, int]]:
        """What the module returns."""
        return {"context": (self.batch, self.enc), "weights": (self.batch, self.source)}


def softmax(
    builder: ProgramBuilder, *shape: int, dim: int | None = -1, into: str = "out", **call: Unpack[CallOptions]
) -> None:
    """Call stable_softmax once on Gaussian scores. ``dim`` None leaves it to the default."""
    scores = builder.normal("scores", *shape, scale=1.5)
    along: dict[str, Any] = {} if dim is None else {"dim": dim}
    builder.call(into, "stable_softmax", scores, outputs={"result": shape}, **along, **call)


def softmax_of(builder: ProgramBuilder, values: object, dim: int = -1, **call: Unpack[CallOptions]) -> None:
    """Call stable_softmax once on these scores."""
    scores = builder.example("scores", np.asarray(values, dtype=float))
    shape = builder.arrays["scores"].shape
    builder.call("out", "stable_softmax", scores, dim=dim, outputs={"result": shape}, **call)


def vjp(builder: ProgramBuilder, *shape: int, into: str = "out", **call: Unpack[CallOptions]) -> None:
    """Call softmax_vjp once on the weights of Gaussian scores."""
    scores = builder.generator.normal(*shape, scale=1.5)
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    weights = builder.array("weights", exponentials / exponentials.sum(-1, keepdims=True))
    incoming = builder.normal("grad_weights", *shape)
    builder.call(into, "softmax_vjp", weights, incoming, outputs={"result": shape}, **call)


def build(
    builder: ProgramBuilder, enc: int, dec: int, attn: int, *, scale: float = 0.7, train: bool = False, **given: Any
) -> None:
    """Build a BahdanauAttention, as ``attention``, with Gaussian weights. ``v=...`` replaces one."""
    shapes = {"W_s": (attn, dec), "W_h": (attn, enc), "v": (1, attn)}
    weights = {f"{name}.weight": given.get(name, shape) for name, shape in shapes.items()}
    builder.make("attention", MODULE, enc, dec, attn, weights=weights, scale=scale, train=train)


def states(builder: ProgramBuilder, size: Size) -> tuple[Ref, Ref]:
    """Draw a decoder state and encoder states."""
    return (
        builder.normal("decoder_state", size.batch, size.dec),
        builder.normal("encoder_states", size.batch, size.source, size.enc),
    )


def attention(
    builder: ProgramBuilder, size: Size, *, train: bool = False, method: str = "", **call: Unpack[CallOptions]
) -> None:
    """Build a BahdanauAttention and call it, or its ``.score``, once."""
    build(builder, size.enc, size.dec, size.attn, train=train)
    outputs = {"scores": (size.batch, size.source)} if method else size.results
    builder.call("out", f"attention{method}", *states(builder, size), outputs=outputs, **call)


def attention_example(builder: ProgramBuilder) -> None:
    """Compute the handout's example of the layer. Every number can be followed by hand."""
    build(builder, 4, 4, 4, W_s=np.eye(4), W_h=np.eye(4), v=np.array([[0.3, 0.5, -0.2, 0.4]]))
    state = builder.example("decoder_state", [[0.3, -0.1, 0.5, 0.2]])
    sentence = [[0.4, 0.2, -0.3, 0.6], [-0.2, 0.5, 0.3, -0.1], [0.7, -0.3, 0.4, 0.2], [0.1, 0.4, -0.2, 0.5]]
    encoded = builder.example("encoder_states", [sentence])
    builder.call("score", "attention.score", state, encoded, outputs={"scores": (1, 4)})
    builder.call("out", "attention", state, encoded, outputs={"context": (1, 4), "weights": (1, 4)})


def softmax_example(builder: ProgramBuilder) -> None:
    """Compute the handout's example of the softmax."""
    builder.call("out", "stable_softmax", builder.example("scores", EXAMPLE), outputs={"weights": (3,)})


def vjp_example(builder: ProgramBuilder) -> None:
    """Compute the handout's example of the softmax's backward pass."""
    weights = builder.example("weights", EXAMPLE)
    exponentials = np.exp(builder.arrays["weights"])
    builder.array("weights", exponentials / exponentials.sum())
    incoming = builder.example("grad_weights", [1.0, 0.0, 0.0])
    builder.call("out", "softmax_vjp", weights, incoming, outputs={"result": (3,)})
