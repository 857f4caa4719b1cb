"""Hidden cases that many assignments ask: other sizes in other layouts, calls in turn, and another device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from autograder import model, protocol
from autograder.assignments.kit.assertions import STATELESS, expect, only_in
from autograder.assignments.kit.checks import case
from autograder.assignments.kit.programs import Outputs, ProgramBuilder

LAYOUTS: tuple[protocol.Layout, ...] = ("contiguous", "reversed", "gapped")
FLOAT32 = 3  # which of several sizes is asked in single precision
Program = Callable[..., None]  # of an assignment's programs: takes a builder, the name of a function, and sizes


class Written(Protocol):
    """The arguments of one call, and the shapes of its results by name."""

    @property
    def args(self) -> Sequence[protocol.Argument]:
        """The arguments."""

    @property
    def outputs(self) -> Outputs:
        """The shapes."""


def in_layouts(
    once: Program, id: str, name: str, *given: tuple[Any, ...], gradient: bool = True, **options: Any
) -> list[model.Case]:
    """Return a case for each size, in layouts and precisions in turn."""
    return [
        case(
            f"hidden-{id}-{i}",
            once,
            name,
            *size,
            call={"gradient": gradient, "layout": LAYOUTS[i % len(LAYOUTS)]},
            dtype="float32" if i == FLOAT32 else "float64",
            **options,
        )
        for i, size in enumerate(given)
    ]


def steady(
    name: str, in_turn: Program, once: Program, sizes: Sequence[tuple[Any, ...]]
) -> tuple[list[model.Case], list[tuple[model.Assertion, ...]]]:
    """Return what shows that a call keeps no state, leaves its inputs alone, and stays on their device.

    ``sizes``: three for calls in turn, and two for the devices; without these, devices are not asked for.
    """
    turn = case(f"hidden-turns-{name}", in_turn, name, list(sizes[:3]))
    if len(sizes) == 3:
        return [turn], [only_in([turn], STATELESS)]
    there, here = sizes[3:]
    devices = [
        case(f"hidden-device-{name}", once, name, *there, device="meta"),
        case(f"hidden-here-{name}", once, name, *here),
    ]
    return [turn, *devices], [only_in([turn], STATELESS), only_in(devices, expect("device"))]


def call_in_turn(builder: ProgramBuilder, name: str, written: Mapping[str, Written]) -> None:
    """Write calls in turn whose arrays are named as those of the first, ``a``, behind another letter."""
    args = [arg.name.removeprefix("a_") if isinstance(arg, protocol.Ref) else arg for arg in written["a"].args]
    builder.in_turn(name, {letter: call.outputs for letter, call in written.items()}, *args)
