"""The programs of ``bahdanau``'s hidden cases."""

from __future__ import annotations

import numpy as np

from autograder.assignments.bahdanau.programs import Size, attention, build, states
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.protocol import Ref


def extreme(builder: ProgramBuilder, *, dim: int = -1) -> None:
    """Call stable_softmax on rows at very different levels, up to ±1e4, with ordinary differences in all but one."""
    levels = np.array([1e4, -1e4, 0.0, 9.9e3, -1.0, 1e4])
    scores = np.round(builder.generator.normal(6, 7), 3) + levels[:, None]
    scores[-1, 0] = -1e4  # the first of a row says nothing about the others
    values = builder.array("scores", scores if dim == -1 else scores.T)
    shape = builder.arrays["scores"].shape
    builder.call("out", "stable_softmax", values, dim=dim, outputs={"result": shape}, gradient=True)


def shifted(builder: ProgramBuilder) -> None:
    """Call stable_softmax twice, the second time with a constant added to each row."""
    scores = np.round(builder.generator.normal(3, 5) * 256) / 256  # so that adding the constant is exact
    first = builder.array("scores", scores)
    second = builder.array("shifted_scores", scores + np.array([[512.0], [-2048.0], [8.0]]))
    builder.array("order", np.arange(5))
    builder.call("first", "stable_softmax", first, outputs={"result": (3, 5)})
    builder.call("out", "stable_softmax", second, outputs={"result": (3, 5)})


def softmax_twice(builder: ProgramBuilder) -> None:
    """Call stable_softmax on inputs in turn."""
    sizes = {"a": (3, 7), "b": (2, 5), "c": (3, 7)}
    for name, size in sizes.items():
        builder.normal(f"{name}_scores", *size)
    builder.in_turn("stable_softmax", {name: {"result": size} for name, size in sizes.items()}, "scores")


def softmax_of_softmax(builder: ProgramBuilder) -> None:
    """Call stable_softmax on its own result: both calls need what they keep for their gradients."""
    scores = builder.normal("scores", 3, 7, scale=3.0)
    builder.call("first", "stable_softmax", scores, wrt=("scores",))
    builder.call("out", "stable_softmax", Ref("first"), outputs={"result": (3, 7)}, wrt=("scores",))


def one_hot(builder: ProgramBuilder) -> None:
    """Call softmax_vjp with weights of exactly 0 and 1, for which the gradient of the scores is 0."""
    weights = builder.array("weights", np.eye(5)[[3, 0, 2]])
    incoming = builder.normal("grad_weights", 3, 5)
    builder.call("out", "softmax_vjp", weights, incoming, outputs={"result": (3, 5)})


def twice(builder: ProgramBuilder) -> None:
    """Call one module on inputs in turn."""
    sizes = {"a": Size(2, 11, 5, 3, 7), "b": Size(3, 5, 5, 3, 7), "c": Size(2, 11, 5, 3, 7)}
    build(builder, 5, 3, 7)
    for name, size in sizes.items():
        builder.normal(f"{name}_state", size.batch, size.dec)
        builder.normal(f"{name}_states", size.batch, size.source, size.enc)
    builder.in_turn("attention", {name: size.results for name, size in sizes.items()}, "state", "states")


def permuted(builder: ProgramBuilder) -> None:
    """Call the module on a sentence, and with its positions permuted: equal contexts, permuted weights."""
    size = Size(2, 11, 5, 3, 7)
    build(builder, 5, 3, 7)
    order = builder.generator.permutation(size.source)
    builder.array("order", order)
    state, encoded = states(builder, size)
    other = builder.array("permuted_states", builder.arrays["encoder_states"][:, order])
    builder.call("first", "attention", state, encoded, outputs=size.results)
    builder.call("out", "attention", state, other, outputs=size.results)


def uniform(builder: ProgramBuilder) -> None:
    """Call the module with v = 0. All scores are equal: the weights are 1 / T_s and the context is the mean."""
    size = Size(2, 13, 5, 3, 7)
    build(builder, 5, 3, 7, v=np.zeros((1, 7)))
    builder.call("out", "attention", *states(builder, size), outputs=size.results)


def saturated(builder: ProgramBuilder) -> None:
    """Call the module with scores of about ±1e4 that differ from row to row. All weights but one are 0."""
    v = builder.generator.uniform(1, 7, low=2e3, high=6e3) * np.sign(builder.generator.normal(1, 7))
    build(builder, 5, 3, 7, v=v)
    state, encoded = builder.normal("decoder_state", 7, 3, scale=3.0), builder.normal("encoder_states", 7, 11, 5)
    builder.call("out", "attention", state, encoded, outputs=Size(7, 11, 5, 3, 7).results, wrt=("encoder_states",))


def chained(builder: ProgramBuilder) -> None:
    """Use the first context as the second decoder state. Gradients then flow through two results of one size."""
    size = Size(2, 7, 5, 5, 7)
    build(builder, 5, 5, 7)
    state, encoded = states(builder, size)
    builder.call("first", "attention", state, encoded, outputs=size.results)
    builder.call("out", "attention", Ref("first", 0), encoded, outputs=size.results, gradient=True)


def everything(builder: ProgramBuilder, *, source: int) -> None:
    """Call the layer and its score once."""
    attention(builder, Size(2, source, 3, 7, 4))
    inputs = Ref("decoder_state"), Ref("encoder_states")
    builder.call("score", "attention.score", *inputs, outputs={"scores": (2, source)})


def batch_alone(builder: ProgramBuilder) -> None:
    """Call the module on a batch, and on its second sentence alone."""
    size = Size(3, 11, 5, 3, 7)
    build(builder, 5, 3, 7)
    state, encoded = states(builder, size)
    alone = builder.array("one_state", builder.arrays["decoder_state"][1:2])
    alone_states = builder.array("one_states", builder.arrays["encoder_states"][1:2])
    builder.call("first", "attention", state, encoded, outputs=size.results)
    builder.call("out", "attention", alone, alone_states, outputs=size._replace(batch=1).results)
