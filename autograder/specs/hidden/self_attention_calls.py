"""The calls that only hidden checks of ``self_attention`` make."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.cases import Script
from autograder.model import Ref
from autograder.specs.self_attention_calls import build_heads, build_one_head, drawn_mask

Results = dict[str, tuple[int, ...]]


def bare_extreme(script: Script) -> None:
    """Scores of ±1e4 beside small ones, with ordinary differences inside each row."""
    x = np.round(script.draw.normal(2, 7, 3) * 64) / 4
    x[..., 0] = np.array([1600.0, -1600.0, 4.0, 1600.0, -1600.0, -8.0, 1600.0])
    script.array("x", x)
    results = {"output": (2, 7, 3), "weights": (2, 7, 7)}
    script.call("out", "self_attention", Ref("x"), 256.0, outputs=results, wrt=("x",))


def extreme(script: Script, *, masked: bool = False, height: float = 20.0) -> None:
    """Scores near 1e4 (512 times ``height``), its opposite and 0; masked: in each row larger ones are hidden than seen.
    All numbers are such that float32 makes no rounding error in a score."""
    query = np.round(script.draw.normal(2, 3, 16) * 8) / 8
    key = np.round(script.draw.normal(2, 6, 16) * 8) / 8
    query[..., 0] = np.array([2048.0, -2048.0, 0.0])
    key[..., 0] = np.array([1, 1, 0, 0, -1, -1]) * height + key[..., 0] / 512
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
    large: dict[str, Any] = {"W_Q": np.round(script.draw.normal(width, width) * 2048)}
    large["W_K"] = np.round(script.draw.normal(width, width) * 32) / 16
    many = name == "MultiHeadAttention"
    if many:
        build_heads(script, width, 2, **large)
    else:
        build_one_head(script, width, width, 5, **large)
    x = [script.normal("x", 2, 5, width)] * (3 if many else 1)
    results = {"output": (2, 5, 6 if many else 5), "weights": (2, 2, 5, 5) if many else (2, 5, 5)}
    mask = drawn_mask(script, (2, 5, 5), ((0, 1),))
    script.call("out", "attention", *x, mask, outputs=results)


def temperatures(script: Script, *, values: list[float]) -> None:
    """One input under several temperatures, as ``out0`` and so on, by name and by place."""
    x = script.normal("x", 2, 5, 3, scale=0.8)
    results = {"output": (2, 5, 3), "weights": (2, 5, 5)}
    for i, value in enumerate(values):
        if i % 2:
            script.call(f"out{i}", "self_attention", x, value, outputs=results)
        else:
            script.call(f"out{i}", "self_attention", x, outputs=results, temperature=value)


def positions_in_turn(script: Script, *, sizes: list[tuple[int, int]]) -> None:
    """Lengths and widths, one after the other, as ``out0`` and so on."""
    for i, (length, dim) in enumerate(sizes):
        script.call(f"out{i}", "sinusoidal_positions", length, dim, outputs={"positions": (length, dim)})


EVERYTHING = ("bare", "plain", "masked", "one", "one.masked", "many", "many.masked", "entropy")


def everything(script: Script) -> None:
    """Each name that gets tensors, with a mask and without, as ``EVERYTHING``."""
    x = script.normal("x", 2, 5, 6, scale=0.8)
    mask = drawn_mask(script, (2, 5, 5))
    script.array("weights", script.draw.uniform(2, 5, 5, low=0.1, high=0.3))
    plain: Results = {"output": (2, 5, 6), "weights": (2, 5, 5)}
    script.call("bare", "self_attention", x, outputs=plain)
    script.call("plain", "scaled_dot_product_attention", x, x, x, outputs=plain)
    script.call("masked", "scaled_dot_product_attention", x, x, x, mask, outputs=plain)
    build_one_head(script, 6, 3, 4)
    results: Results = {"output": (2, 5, 4), "weights": (2, 5, 5)}
    script.call("one", "attention", x, outputs=results)
    script.call("one.masked", "attention", x, mask, outputs=results)
    weights = {f"W_{name}.weight": (6, 6) for name in "QKVO"}
    script.make("heads", "MultiHeadAttention", 6, 2, weights=weights)
    results = {"output": (2, 5, 6), "weights": (2, 2, 5, 5)}
    script.call("many", "heads", x, x, x, outputs=results)
    script.call("many.masked", "heads", x, x, x, mask, outputs=results)
    script.call("entropy", "attention_entropy", Ref("weights"), outputs={"entropy": (2, 5)})


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
