"""Hidden cases that many assignments ask: other sizes in other layouts, calls in turn, and another device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograder import model, protocol
from autograder.assignments.kit.assertions import STATELESS, expect, only_in
from autograder.assignments.kit.checks import case
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.usual_programs import UsualPrograms

LAYOUTS: tuple[protocol.Layout, ...] = ("contiguous", "reversed", "gapped")
FLOAT32 = 3  # which of several sizes is asked in single precision


def in_layouts(
    usual: UsualPrograms, id: str, name: str, *given: tuple[Any, ...], gradient: bool = True, **options: Any
) -> list[model.Case]:
    """Return a case for each size, in layouts and precisions in turn."""
    return [
        case(
            f"hidden-{id}-{i}",
            usual.once,
            name,
            *size,
            call={"gradient": gradient, "layout": LAYOUTS[i % len(LAYOUTS)]},
            dtype="float32" if i == FLOAT32 else "float64",
            **options,
        )
        for i, size in enumerate(given)
    ]


def steady(
    usual: UsualPrograms, name: str, sizes: Sequence[tuple[Any, ...]], **of_turns: Any
) -> tuple[list[model.Case], list[tuple[model.Assertion, ...]]]:
    """Return what shows that a call keeps no state, leaves its inputs alone, and stays on their device.

    ``sizes``: three for calls in turn, and two for the devices; without these, devices are not asked for. ``of_turns``:
    options of the inputs of calls in turn.
    """
    turn = case(f"hidden-turns-{name}", in_turn, usual, name, list(sizes[:3]), **of_turns)
    if len(sizes) == 3:
        return [turn], [only_in([turn], STATELESS)]
    there, here = sizes[3:]
    devices = [
        case(f"hidden-device-{name}", usual.once, name, *there, device="meta"),
        case(f"hidden-here-{name}", usual.once, name, *here),
    ]
    return [turn, *devices], [only_in([turn], STATELESS), only_in(devices, expect("device"))]


def in_turn(
    builder: ProgramBuilder, usual: UsualPrograms, name: str, sizes: Sequence[Sequence[Any]], **options: Any
) -> None:
    """Call a function, or one module, on inputs in turn, of which the third have the sizes of the first."""
    usual.make(builder, name, sizes[0])
    drawn = usual.draws[name]
    made = {letter: drawn(builder, f"{letter}_", *size, **options) for letter, size in zip("abc", sizes, strict=True)}
    first = made["a"]  # the arrays of the others are named as its own, behind another letter
    args = [arg.name.removeprefix("a_") if isinstance(arg, protocol.Ref) else arg for arg in first.args]
    builder.in_turn(first.name, {letter: call.outputs for letter, call in made.items()}, *args)
