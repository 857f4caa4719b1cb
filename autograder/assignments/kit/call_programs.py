"""The programs of checks that are made from declared calls: what is called, on which inputs, and how often."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder import protocol
from autograder.assignments.kit.calls import Call, draw, make
from autograder.assignments.kit.inputs import Sizes
from autograder.assignments.kit.programs import ProgramBuilder


def once(
    builder: ProgramBuilder, call: Call, sizes: Sizes, *, draws: Mapping[str, str] | None = None, **options: Any
) -> None:
    """Call once, as ``out``."""
    name = make(builder, call, sizes, train=bool(options.pop("train", False)))
    given = draw(builder, call, sizes, draws=draws)
    builder.call("out", name, *given, outputs=call.shapes(sizes), **options)


def interface(builder: ProgramBuilder, call: Call, sizes: Sizes) -> None:
    """Look at the arguments of the function, or of the class and its method; then call it, so a stub earns nothing."""
    methods = () if call.module is None else (f".{call.method_name}",)
    builder.inspect("arguments", call.name, *methods)
    once(builder, call, sizes)
    if call.module is not None and not call.numpy:
        builder.inspect("parameters", "object")


def in_turn(builder: ProgramBuilder, call: Call, sizes: Sizes) -> None:
    """Call on several inputs in turn (see ``ProgramBuilder.in_turn``)."""
    name = make(builder, call, sizes)
    for letter in "abc":
        given = draw(builder, call, sizes, f"{letter}_")
    words = [one.name.removeprefix("c_") if isinstance(one, protocol.Ref) else one for one in given]
    builder.in_turn(name, dict.fromkeys("abc", call.shapes(sizes)), *words)


def permuted(builder: ProgramBuilder, call: Call, sizes: Sizes, axis: str) -> None:
    """Call as ``first``, and as ``out`` with everything in another order along an axis."""
    name = make(builder, call, sizes)
    given = draw(builder, call, sizes)
    order = builder.generator.permutation(sizes[axis])
    builder.array("order", order)
    builder.call("first", name, *given, outputs=call.shapes(sizes))
    other = [
        builder.array(f"other_{one.name}", reordered(builder.arrays[one.name], call.arrays[one.name].axes, axis, order))
        if isinstance(one, protocol.Ref)
        else one
        for one in given
    ]
    builder.call("out", name, *other, outputs=call.shapes(sizes))


def reordered(values: np.ndarray, axes: str, axis: str, order: np.ndarray) -> np.ndarray:
    """Return an array in another order along each axis of this name."""
    for at, name in enumerate(axes.split()):
        values = values.take(order, at) if name == axis else values
    return values


def shifted(builder: ProgramBuilder, call: Call, sizes: Sizes, argument: str, axis: str) -> None:
    """Call as ``first``, and as ``out`` with a constant added to an input for all positions of one of its axes."""
    name = make(builder, call, sizes)
    given = draw(builder, call, sizes)
    at = call.arrays[argument].axes.split().index(axis)
    values = builder.arrays[argument]
    shape = [1 if place == at else size for place, size in enumerate(values.shape)]
    moved = builder.array("moved", values + builder.generator.normal(*shape))
    other = [moved if isinstance(one, protocol.Ref) and one.name == argument else one for one in given]
    builder.call("first", name, *given, outputs=call.shapes(sizes))
    builder.call("out", name, *other, outputs=call.shapes(sizes))
