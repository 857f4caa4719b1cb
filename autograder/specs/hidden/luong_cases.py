"""Recipes of the hidden checks of ``luong``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from autograder.cases import Script
from autograder.specs.luong import (
    HIDDEN_STATE,
    LOCAL,
    MODULE,
    build,
    local,
)
from autograder.specs.vocabulary import in_turn


class Sizes(NamedTuple):
    """What a call of LuongAttention is made with."""

    method: str
    batch: int
    target: int
    source: int
    enc: int
    dec: int
    attn: int = 0
    train: bool = False


def results(batch: int, target: int, source: int, enc: int) -> dict[str, Sequence[int] | None]:
    """The names and shapes of what LuongAttention returns."""
    return {"context": (batch, target, enc), "weights": (batch, target, source)}


def twice(script: Script, *, method: str) -> None:
    """Inputs in turn through one module."""
    dec = 5 if method == "dot" else 3
    build(script, method, enc=5, dec=dec, attn=7)
    sizes = {"a": (2, 3, 11), "b": (3, 2, 7), "c": (2, 3, 11)}
    for name, (batch, target, source) in sizes.items():
        script.normal(f"{name}_state", batch, target, dec)
        script.normal(f"{name}_states", batch, source, 5)
    in_turn(script, "attention", {key: results(*size, 5) for key, size in sizes.items()}, "state", "states")


def several(script: Script, **calls: Sizes) -> None:
    """Calls of LuongAttention, each of a module of its own."""
    for into, sizes in calls.items():
        method, batch, target, source, enc, dec, attn, train = sizes
        module = f"{into}_module"
        build(script, method, enc=enc, dec=dec, attn=attn, into=module, train=train)
        state = script.normal(f"{into}_decoder_states", batch, target, dec)
        states = script.normal(f"{into}_encoder_states", batch, source, enc)
        script.call(into, module, state, states, outputs=results(batch, target, source, enc),
                    wrt=(state.name, states.name), modules=(module,))  # fmt: skip


def as_dot(script: Script) -> None:
    """dot, and general with the identity for W_a, on the same states."""
    script.make("attention", MODULE, 7, 7, "dot")
    script.make("other", MODULE, 7, 7, "general", weights={"W_a.weight": np.eye(7)})
    state, states = script.normal("decoder_states", 2, 3, 7), script.normal("encoder_states", 2, 5, 7)
    script.call("first", "attention", state, states, outputs=results(2, 3, 5, 7))
    script.call("out", "other", state, states, outputs=results(2, 3, 5, 7))


def permuted(script: Script) -> None:
    """The same sentences with their source, and then with their target positions in another order."""
    build(script, "general", enc=5, dec=3, attn=7)
    order = script.draw.permutation(11)
    script.array("order", order)
    target, source = script.normal("decoder_states", 2, 11, 3), script.normal("encoder_states", 2, 11, 5)
    other_target = script.array("permuted_decoder_states", script.arrays["decoder_states"][:, order])
    other_source = script.array("permuted_encoder_states", script.arrays["encoder_states"][:, order])
    for into, pair in (
        ("first", (target, source)),
        ("out", (target, other_source)),
        ("target", (other_target, source)),
    ):
        script.call(into, "attention", *pair, outputs=results(2, 11, 11, 5))


def batch_alone(script: Script) -> None:
    """The second sentence of a batch, alone, gives what it gave in company."""
    build(script, "concat", enc=5, dec=3, attn=7)
    state, states = script.normal("decoder_states", 3, 2, 3), script.normal("encoder_states", 3, 11, 5)
    alone = script.array("one_state", script.arrays["decoder_states"][1:2])
    alone_states = script.array("one_states", script.arrays["encoder_states"][1:2])
    script.call("first", "attention", state, states, outputs=results(3, 2, 11, 5))
    script.call("out", "attention", alone, alone_states, outputs=results(1, 2, 11, 5))


def uniform(script: Script) -> None:
    """With W_a = 0 all scores are equal: the weights are 1 / T_s and the context is the mean."""
    script.make("attention", MODULE, 5, 3, "general", weights={"W_a.weight": np.zeros((3, 5))})
    state, states = script.normal("decoder_states", 2, 3, 3), script.normal("encoder_states", 2, 13, 5)
    script.call("out", "attention", state, states, outputs=results(2, 3, 13, 5))


def extreme(script: Script) -> None:
    """dot and general with scores near +1e4, near -1e4 and near 0 in one call, with small differences inside each row
    (of 1, and of 50); concat with scores of the order of ±1e4."""
    aims = np.array([[1e4, 0.0, 1.0], [-1e4, 0.5, 1.0], [0.0, 2.0, -1.0]])
    for method, spread, weights in (("dot", 1.0, {}), ("general", 50.0, {"W_a.weight": np.eye(3)})):
        script.make(f"by_{method}", MODULE, 3, 3, method, weights=weights)
        state = script.array(f"{method}_decoder_states", np.stack([aims, aims[::-1]]))
        keys = script.draw.normal(2, 7, 3) * [spread / 1e4, 1.0, 1.0] + [1.0, 0.0, 0.0]
        states = script.array(f"{method}_encoder_states", keys)
        script.call(method, f"by_{method}", state, states, outputs=results(2, 3, 7, 3),
                    wrt=(state.name, states.name))  # fmt: skip
    steep: dict[str, Any] = {"W_a.weight": (7, 8), "v.weight": script.draw.normal(1, 7) * 4e3}
    script.make("by_concat", MODULE, 5, 3, "concat", 7, weights=steep)
    state = script.normal("concat_decoder_states", 2, 3, 3)
    states = script.normal("concat_encoder_states", 2, 11, 5)
    script.call("concat", "by_concat", state, states, outputs=results(2, 3, 11, 5), wrt=(states.name,))


def joined_twice(script: Script) -> None:
    """Inputs in turn through AttentionalHidden."""
    script.make("hidden", HIDDEN_STATE, 5, 3, weights={"W_c.weight": (3, 8)})
    sizes = {"a": (2, 7), "b": (3, 1), "c": (2, 7)}
    for name, size in sizes.items():
        script.normal(f"{name}_context", *size, 5)
        script.normal(f"{name}_states", *size, 3)
    outputs: Any = {key: {"result": (*size, 3)} for key, size in sizes.items()}
    in_turn(script, "hidden", outputs, "context", "states")


def empty(script: Script) -> None:
    """Some windows without a position; then nothing but such windows."""
    local(script, source=7, half_width=2, centers=[30.0, 3.0, -2.25, 8.25, 900.0], gradient=True)
    local(script, into="all", source=5, half_width=1, centers=[-1.25, 7.0])


def windows(script: Script, **calls: tuple[int, int, Sequence[float]]) -> None:
    """Calls of local_weights, each with its number of source positions, half width and centers; and one with drawn
    centers, in steps of 1/4, from outside one end of the sentence to outside the other."""
    for into, (source, half_width, centers) in calls.items():
        local(script, into=into, source=source, half_width=half_width, centers=centers, gradient=True)
    source, half_width = 17, 4
    steps = script.draw.integers(5, low=-4 * half_width, high=4 * (source + half_width))
    whole = script.draw.integers(2, high=source)  # two on a position: the edges are inside
    drawn = [*map(float, whole), *(steps / 4)]
    local(script, into="drawn", source=source, half_width=half_width, centers=drawn, gradient=True)


def local_extreme(script: Script, *, scale: float) -> None:
    """Small differences on levels of ±1e4 inside the window, and far greater scores outside of it."""
    centers = np.array([5.0, 5.0, 4.5, 2.25, 8.0, 6.0, 4.0, 7.0, 3.0])
    inside_level = np.array([1e4, -1e4, 0.0, -1e4, -9e3, 0.0, 0.0, 0.0, 0.0])
    # The last four tell fills of different sizes apart, and a maximum that was sought outside.
    outside_level = np.array([-1e4, 1e4, scale, scale, 9.5e3, 900.0, 650.0, 300.0, 95.0])
    inside = np.abs(np.arange(13) - centers[:, None]) <= 2
    fine = np.round(script.draw.normal(9, 13) * 256) / 256  # so that adding a level is exact, in float32 too
    values = fine + np.where(inside, inside_level[:, None], outside_level[:, None])
    scores, center = script.array("scores", values), script.array("center", centers)
    script.call("out", LOCAL, scores, center, 2, outputs={"result": (9, 13)}, wrt=("scores", "center"))


def local_mirrored(script: Script) -> None:
    """A sentence read backwards, its center counted from the other end: the same weights backwards."""
    scores, center = script.normal("scores", 3, 11), script.array("center", np.array([2.25, 7.0, 9.5]))
    script.array("order", np.arange(11)[::-1].copy())
    back = script.array("backward_scores", script.arrays["scores"][:, ::-1].copy())
    back_center = script.array("backward_center", 10.0 - script.arrays["center"])
    script.call("first", LOCAL, scores, center, 3, outputs={"result": (3, 11)})
    script.call("out", LOCAL, back, back_center, 3, outputs={"result": (3, 11)})


def local_twice(script: Script) -> None:
    """Inputs in turn through local_weights."""
    centers = {"a": [3.0, 5.5], "b": [2.25], "c": [8.0, 0.25]}
    for name, values in centers.items():
        script.normal(f"{name}_scores", len(values), 11)
        script.array(f"{name}_center", np.array(values))
    in_turn(script, LOCAL, {key: {"result": None} for key in centers}, "scores", "center", 3)
