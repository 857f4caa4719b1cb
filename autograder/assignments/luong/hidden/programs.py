"""The programs of ``luong``'s hidden cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.luong.programs import HIDDEN_STATE, LOCAL, MODULE, Size, build, local, states


def twice(builder: ProgramBuilder, method: str) -> None:
    """Call one module on inputs in turn."""
    dec = 5 if method == "dot" else 3
    build(builder, method, 5, dec, 7)
    sizes = {"a": Size(2, 3, 11, 5, dec), "b": Size(3, 2, 7, 5, dec), "c": Size(2, 3, 11, 5, dec)}
    for name, size in sizes.items():
        builder.normal(f"{name}_state", size.batch, size.target, dec)
        builder.normal(f"{name}_states", size.batch, size.source, 5)
    builder.in_turn("attention", {key: size.results for key, size in sizes.items()}, "state", "states")


def several(builder: ProgramBuilder, calls: Mapping[str, tuple[str, Size]], train: str) -> None:
    """Call several LuongAttention modules, each with its method and size. ``train`` is in train mode."""
    for into, (method, size) in calls.items():
        build(builder, method, size.enc, size.dec, size.attn, into=f"{into}_module", train=into == train)
        inputs = states(builder, size, f"{into}_")
        builder.call(into, f"{into}_module", *inputs, outputs=size.results, gradient=True)


def as_dot(builder: ProgramBuilder) -> None:
    """Call dot, and general with the identity for W_a, on the same states."""
    size = Size(2, 3, 5, 7, 7)
    builder.make("attention", MODULE, 7, 7, "dot")
    builder.make("other", MODULE, 7, 7, "general", weights={"W_a.weight": np.eye(7)})
    inputs = states(builder, size)
    builder.call("first", "attention", *inputs, outputs=size.results)
    builder.call("out", "other", *inputs, outputs=size.results)


def permuted(builder: ProgramBuilder) -> None:
    """Call the module on sentences, then with permuted source positions, then with permuted target positions."""
    size = Size(2, 11, 11, 5, 3)
    build(builder, "general", 5, 3)
    order = builder.generator.permutation(11)
    builder.array("order", order)
    target, source = states(builder, size)
    other_target, other_source = (
        builder.array(f"permuted_{one.name}", builder.arrays[one.name][:, order]) for one in (target, source)
    )
    builder.call("first", "attention", target, source, outputs=size.results)
    builder.call("out", "attention", target, other_source, outputs=size.results)
    builder.call("target", "attention", other_target, source, outputs=size.results)


def batch_alone(builder: ProgramBuilder) -> None:
    """Call the module on a batch, and on its second sentence alone."""
    size = Size(3, 2, 11, 5, 3)
    build(builder, "concat", 5, 3, 7)
    inputs = states(builder, size)
    alone = builder.array("one_state", builder.arrays["decoder_states"][1:2])
    alone_states = builder.array("one_states", builder.arrays["encoder_states"][1:2])
    builder.call("first", "attention", *inputs, outputs=size.results)
    builder.call("out", "attention", alone, alone_states, outputs=size._replace(batch=1).results)


def uniform(builder: ProgramBuilder) -> None:
    """Call the module with W_a = 0. All scores are equal: the weights are 1 / T_s and the context is the mean."""
    size = Size(2, 3, 13, 5, 3)
    builder.make("attention", MODULE, 5, 3, "general", weights={"W_a.weight": np.zeros((3, 5))})
    builder.call("out", "attention", *states(builder, size), outputs=size.results)


def extreme(builder: ProgramBuilder) -> None:
    """Call each method with scores of about ±1e4.

    Scores of dot and general are near +1e4, -1e4 and 0 in one call, with small differences inside each row: of 1, and
    of 50.
    """
    size = Size(2, 3, 7, 3, 3)
    aims = np.array([[1e4, 0.0, 1.0], [-1e4, 0.5, 1.0], [0.0, 2.0, -1.0]])
    for method, spread, weights in (("dot", 1.0, {}), ("general", 50.0, {"W_a.weight": np.eye(3)})):
        builder.make(f"by_{method}", MODULE, 3, 3, method, weights=weights)
        state = builder.array(f"{method}_decoder_states", np.stack([aims, aims[::-1]]))
        keys = builder.generator.normal(2, 7, 3) * [spread / 1e4, 1.0, 1.0] + [1.0, 0.0, 0.0]
        encoded = builder.array(f"{method}_encoder_states", keys)
        builder.call(method, f"by_{method}", state, encoded, outputs=size.results, gradient=True, modules=())
    steep: dict[str, Any] = {"W_a.weight": (7, 8), "v.weight": builder.generator.normal(1, 7) * 4e3}
    builder.make("by_concat", MODULE, 5, 3, "concat", 7, weights=steep)
    size = Size(2, 3, 11, 5, 3)
    state, encoded = states(builder, size, "concat_")
    builder.call("concat", "by_concat", state, encoded, outputs=size.results, wrt=(encoded.name,))


def joined_twice(builder: ProgramBuilder) -> None:
    """Call one AttentionalHidden on inputs in turn."""
    builder.make("hidden", HIDDEN_STATE, 5, 3, weights={"W_c.weight": (3, 8)})
    sizes = {"a": (2, 7), "b": (3, 1), "c": (2, 7)}
    for name, size in sizes.items():
        builder.normal(f"{name}_context", *size, 5)
        builder.normal(f"{name}_states", *size, 3)
    builder.in_turn("hidden", {key: {"result": (*size, 3)} for key, size in sizes.items()}, "context", "states")


def empty(builder: ProgramBuilder) -> None:
    """Call local_weights with some empty windows, then with empty windows only."""
    local(builder, 7, 2, [30.0, 3.0, -2.25, 8.25, 900.0], gradient=True)
    local(builder, 5, 1, [-1.25, 7.0], into="all")


def windows(builder: ProgramBuilder, calls: Mapping[str, tuple[int, int, Sequence[float]]]) -> None:
    """Call local_weights with these numbers of source positions, half widths and centers.

    The call ``drawn`` has random centers, in steps of 1/4, from outside one end of the sentence to outside the other.
    """
    for into, (source, half_width, centers) in calls.items():
        local(builder, source, half_width, centers, into=into, gradient=True)
    source, half_width = 17, 4
    steps = builder.generator.integers(5, low=-4 * half_width, high=4 * (source + half_width))
    whole = builder.generator.integers(2, high=source)  # two on a position: the edges are inside
    local(builder, source, half_width, [*map(float, whole), *(steps / 4)], into="drawn", gradient=True)


def local_extreme(builder: ProgramBuilder, *, scale: float) -> None:
    """Call local_weights with small differences at ±1e4 inside the window, and far greater scores outside."""
    centers = np.array([5.0, 5.0, 4.5, 2.25, 8.0, 6.0, 4.0, 7.0, 3.0])
    inside_level = np.array([1e4, -1e4, 0.0, -1e4, -9e3, 0.0, 0.0, 0.0, 0.0])
    # The last four tell fills of different sizes apart, and find a maximum that is taken outside the window.
    outside_level = np.array([-1e4, 1e4, scale, scale, 9.5e3, 900.0, 650.0, 300.0, 95.0])
    inside = np.abs(np.arange(13) - centers[:, None]) <= 2
    fine = np.round(builder.generator.normal(9, 13) * 256) / 256  # so that adding a level is exact, in float32 too
    values = fine + np.where(inside, inside_level[:, None], outside_level[:, None])
    scores, center = builder.array("scores", values), builder.array("center", centers)
    builder.call("out", LOCAL, scores, center, 2, outputs={"result": (9, 13)}, gradient=True)


def local_mirrored(builder: ProgramBuilder) -> None:
    """Call local_weights on a sentence and on its mirror image, whose center is counted from the other end."""
    scores, center = builder.normal("scores", 3, 11), builder.array("center", [2.25, 7.0, 9.5])
    builder.array("order", np.arange(11)[::-1].copy())
    back = builder.array("backward_scores", builder.arrays["scores"][:, ::-1].copy())
    back_center = builder.array("backward_center", 10.0 - builder.arrays["center"])
    builder.call("first", LOCAL, scores, center, 3, outputs={"result": (3, 11)})
    builder.call("out", LOCAL, back, back_center, 3, outputs={"result": (3, 11)})


def local_twice(builder: ProgramBuilder) -> None:
    """Call local_weights on inputs in turn."""
    centers = {"a": [3.0, 5.5], "b": [2.25], "c": [8.0, 0.25]}
    for name, values in centers.items():
        builder.normal(f"{name}_scores", len(values), 11)
        builder.array(f"{name}_center", values)
    builder.in_turn(LOCAL, {key: {"result": None} for key in centers}, "scores", "center", 3)
