"""The calls that the checks of ``self_attention`` are made of, public and hidden ones alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder import model
from autograder.cases import Script
from autograder.model import Ref
from autograder.specs.vocabulary import hold

Shape = tuple[int, ...]


def drawn_mask(script: Script, shape: Shape, blank: tuple[Any, ...] = (), name: str = "mask") -> Ref:
    """A random mask with something to see in every row but those of ``blank``; an axis of length 1 at the end
    hides whole rows."""
    if shape[-1] == 1 < len(shape):
        mask = script.draw.mask(*shape[:-2], 1, shape[-2]).swapaxes(-1, -2)
    else:
        mask = script.draw.mask(*shape)
    for index in blank:
        mask[index] = False
    return script.array(name, mask)


def masked(
    script: Script, mask: Shape | None, blank: tuple[Any, ...], by_name: bool
) -> tuple[list[Ref], dict[str, Any]]:
    """The mask as a further argument, by place or by name, or none."""
    if mask is None:
        return [], {}
    given = drawn_mask(script, mask, blank)
    return ([], {"mask": given}) if by_name else ([given], {})


def bare(
    script: Script, *, batch: int, length: int, width: int, temperature: float | None = None,
    by_name: bool = True, scale: float = 0.8, gradient: bool = False,
    back_from: tuple[str, ...] | None = None, **call: Any,
) -> None:  # fmt: skip
    """One call of self_attention; ``temperature`` None leaves it to the default."""
    x = script.normal("x", batch, length, width, scale=scale)
    place = [] if temperature is None or by_name else [temperature]
    named: dict[str, Any] = {} if temperature is None or not by_name else {"temperature": temperature}
    script.call(
        "out", "self_attention", x, *place,
        outputs={"output": (batch, length, width), "weights": (batch, length, length)},
        wrt=("x",) if gradient else (), back_from=back_from, **named, **call,
    )  # fmt: skip


def plain(
    script: Script, *, lead: Shape, queries: int, keys: int, d_k: int, d_v: int, mask: Shape | None = None,
    blank: tuple[Any, ...] = (), by_name: bool = False, gradient: bool = False,
    back_from: tuple[str, ...] | None = None, **call: Any,
) -> None:  # fmt: skip
    """One call of scaled_dot_product_attention."""
    query = script.normal("query", *lead, queries, d_k, scale=1.5)
    key = script.normal("key", *lead, keys, d_k, scale=1.5)
    value = script.normal("value", *lead, keys, d_v)
    place, named = masked(script, mask, blank, by_name)
    script.call(
        "out", "scaled_dot_product_attention", query, key, value, *place,
        outputs={"output": (*lead, queries, d_v), "weights": (*lead, queries, keys)},
        wrt=("query", "key", "value") if gradient else (), back_from=back_from, **named, **call,
    )  # fmt: skip


def build_one_head(script: Script, width: int, d_k: int, d_v: int, train: bool = False, **given: Any) -> None:
    """A SelfAttention with drawn weights, as ``attention``; ``W_Q=...`` replaces one."""
    shapes = {"W_Q": (d_k, width), "W_K": (d_k, width), "W_V": (d_v, width)}
    weights = {f"{name}.weight": given.get(name, shape) for name, shape in shapes.items()}
    script.make("attention", "SelfAttention", width, d_k, d_v, weights=weights, train=train)


def one_head(
    script: Script, *, batch: int, length: int, width: int, d_k: int, d_v: int, mask: Shape | None = None,
    blank: tuple[Any, ...] = (), by_name: bool = False, gradient: bool = False, train: bool = False,
    back_from: tuple[str, ...] | None = None, **call: Any,
) -> None:  # fmt: skip
    """Builds SelfAttention and calls it once."""
    build_one_head(script, width, d_k, d_v, train=train)
    x = script.normal("x", batch, length, width)
    place, named = masked(script, mask, blank, by_name)
    script.call(
        "out", "attention", x, *place,
        outputs={"output": (batch, length, d_v), "weights": (batch, length, length)},
        wrt=("x",) if gradient else (), modules=("attention",) if gradient else (), back_from=back_from,
        **named, **call,
    )  # fmt: skip


def build_heads(
    script: Script, width: int, heads: int, scale: float = 0.6, train: bool = False, **given: Any
) -> None:
    """A MultiHeadAttention with drawn weights, as ``attention``; ``W_O=...`` replaces one."""
    weights = {f"W_{name}.weight": given.get(f"W_{name}", (width, width)) for name in "QKVO"}
    script.make("attention", "MultiHeadAttention", width, heads, weights=weights, scale=scale, train=train)


def heads(
    script: Script, *, batch: int, queries: int, keys: int, heads: int, d_h: int, mask: Shape | None = None,
    blank: tuple[Any, ...] = (), by_name: bool = False, alone: bool = False, gradient: bool = False,
    train: bool = False, scale: float = 0.6, back_from: tuple[str, ...] | None = None, **call: Any,
) -> None:  # fmt: skip
    """Builds MultiHeadAttention and calls it once; ``alone``: query, key and value are one tensor."""
    width = heads * d_h
    build_heads(script, width, heads, scale=scale, train=train)
    query = script.normal("query", batch, queries, width)
    key = query if alone else script.normal("key", batch, keys, width)
    value = query if alone else script.normal("value", batch, keys, width)
    place, named = masked(script, mask, blank, by_name)
    wrt = ("query",) if alone else ("query", "key", "value")
    script.call(
        "out", "attention", query, key, value, *place,
        outputs={"output": (batch, queries, width), "weights": (batch, heads, queries, keys)},
        wrt=wrt if gradient else (), modules=("attention",) if gradient else (), back_from=back_from,
        **named, **call,
    )  # fmt: skip


def positions(script: Script, *, length: int, dim: int, by_name: bool = False) -> None:
    """One call of sinusoidal_positions."""
    outputs = {"positions": (length, dim)}
    if by_name:
        script.call("out", "sinusoidal_positions", length=length, dim=dim, outputs=outputs)
    else:
        script.call("out", "sinusoidal_positions", length, dim, outputs=outputs)


def entropy(
    script: Script, *, shape: Shape, hidden: float = 0.0, gradient: bool = False, **call: Any
) -> None:
    """One call of attention_entropy on the weights of drawn scores, of which a part is exactly 0."""
    scores = script.draw.normal(*shape, scale=1.2)
    powers = np.exp(scores) * (script.draw.mask(*shape, keep=1 - hidden) if hidden else 1.0)
    weights = script.array("weights", powers / powers.sum(-1, keepdims=True))
    wrt = ("weights",) if gradient else ()
    script.call("out", "attention_entropy", weights, outputs={"entropy": shape[:-1]}, wrt=wrt, **call)


def entropy_of(script: Script, values: object, gradient: bool = False, **call: Any) -> None:
    """One call on given weights."""
    weights = script.array("weights", np.asarray(values, dtype=float))
    shape = script.arrays["weights"].shape[:-1]
    wrt = ("weights",) if gradient else ()
    script.call("out", "attention_entropy", weights, outputs={"entropy": shape}, wrt=wrt, **call)


FUNCTIONS: dict[str, Any] = {
    "self_attention": bare,
    "scaled_dot_product_attention": plain,
    "sinusoidal_positions": positions,
    "attention_entropy": entropy,
}
MODULES: dict[str, Any] = {"SelfAttention": one_head, "MultiHeadAttention": heads}
READY_MADE = [
    "scaled_dot_product", "fused_sdp", "flex_attention", "multi_head_attention", "multihead", "flash_attention",
    "efficient_attention",
]  # fmt: skip
NOT_READY_MADE = hold("untouched", words=READY_MADE, later=READY_MADE, by=[*FUNCTIONS, *MODULES])


def looked_at(script: Script, *, name: str, **call: Any) -> None:
    """Looks at a function's arguments, and calls it, so that a stub earns nothing."""
    script.add(model.Inspect("interface", name))
    FUNCTIONS[name](script, **call)


def module_looked_at(script: Script, *, name: str, **call: Any) -> None:
    """Looks at a module's arguments and parameters, and calls it."""
    script.add(model.Inspect("arguments", name))
    script.add(model.Inspect("arguments.forward", f"{name}.forward"))
    MODULES[name](script, **call)
    script.add(model.Inspect("parameters", "attention"))


def uneven(script: Script, *, bad: list[tuple[int, int]], sizes: dict[str, Any]) -> None:
    """Numbers of heads that do not divide the width are refused, as ``bad0`` and so on; one that does is not."""
    for i, (width, count) in enumerate(bad):
        script.make(f"bad{i}", "MultiHeadAttention", width, count)
    heads(script, **sizes)


def worked_example(script: Script) -> None:
    """The handout's example: every number can be followed by hand."""
    x = script.array("x", np.array([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]))
    mask = script.array("mask", np.array([[True, False, True], [False, False, False], [True, True, True]]))
    results = {"output": (1, 3, 2), "weights": (1, 3, 3)}
    for into, temperature in (("out", 1.0), ("sharp", 0.1), ("flat", 10.0)):
        script.call(into, "self_attention", x, temperature, outputs=results)
        weights = Ref(into, 1)
        script.call(f"entropy.{into}", "attention_entropy", weights, outputs={"entropy": (1, 3)})
    script.call("masked", "scaled_dot_product_attention", x, x, x, mask, outputs=results)
    script.call("positions", "sinusoidal_positions", 3, 4, outputs={"positions": (3, 4)})


def plain_masks(script: Script, *, lead: Shape, queries: int, keys: int, masks: list[Shape]) -> None:
    """One query, key and value under several masks: calls ``out0``, ``out1`` and so on."""
    query, key = script.normal("query", *lead, queries, 3), script.normal("key", *lead, keys, 3)
    value = script.normal("value", *lead, keys, 2)
    results = {"output": (*lead, queries, 2), "weights": (*lead, queries, keys)}
    for i, shape in enumerate(masks):
        mask = drawn_mask(script, shape, name=f"mask{i}")
        script.call(f"out{i}", "scaled_dot_product_attention", query, key, value, mask, outputs=results)


def one_head_masks(script: Script, *, batch: int, length: int, masks: list[Shape]) -> None:
    """The same for a SelfAttention."""
    build_one_head(script, 7, 5, 2)
    x = script.normal("x", batch, length, 7)
    results = {"output": (batch, length, 2), "weights": (batch, length, length)}
    for i, shape in enumerate(masks):
        mask = drawn_mask(script, shape, name=f"mask{i}")
        script.call(f"out{i}", "attention", x, mask=mask, outputs=results)


def heads_masks(
    script: Script, *, batch: int, queries: int, keys: int, heads: int, d_h: int, masks: list[Shape]
) -> None:
    """The same for a MultiHeadAttention."""
    width = heads * d_h
    build_heads(script, width, heads)
    query, key = script.normal("query", batch, queries, width), script.normal("key", batch, keys, width)
    value = script.normal("value", batch, keys, width)
    results = {"output": (batch, queries, width), "weights": (batch, heads, queries, keys)}
    for i, shape in enumerate(masks):
        mask = drawn_mask(script, shape, name=f"mask{i}")
        script.call(f"out{i}", "attention", query, key, value, mask=mask, outputs=results)
