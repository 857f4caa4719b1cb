"""How an assignment's checks are written: cases, and the checks of each part.

CHECKS = part(
    "stable_softmax",  # the function or class whose points these are, and the handout's section about it
    value("softmax-values", 3, "stable_softmax gives the right values").on(SOFTMAX).expects(RIGHT, DTYPES),
    "Speed",  # another section of the handout explains the checks below
    speed(2, TIMED),
)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec.structs import replace

from autograder import model, protocol
from autograder.assignments.kit.programs import InputGenerator, ProgramBuilder

Write = Callable[..., None]  # adds the steps of a program to a builder
IsInformative = Callable[[dict[str, protocol.StepResult]], bool]  # judges the reference's results, by step


def case(
    name: str,
    write: Write,
    /,
    *args: Any,
    dtype: protocol.Dtype = "float64",
    device: protocol.ArrayDevice = "cpu",
    is_informative: IsInformative | None = None,
    pinned: bool = False,
    errors: tuple[str, ...] = ("ValueError",),
    **kwargs: Any,
) -> model.Case:
    """Return a case whose program ``write(builder, *args, **kwargs)`` writes.

    The grader draws the inputs again until ``is_informative`` accepts the reference's results. The device ``meta`` has
    shapes and no numbers: such a case only shows whether code uses its inputs' device. A ``pinned`` case keeps its
    dtype when an audit asks for another, in which its numbers could not be told apart. ``errors``: what the reference
    may raise.
    """
    return model.Case(name, partial(_program, write, args, kwargs, dtype, device, pinned), is_informative, errors)


def _program(
    write: Write,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    dtype: protocol.Dtype,
    device: protocol.ArrayDevice,
    pinned: bool,
    generator: InputGenerator,
) -> protocol.Program:
    builder = ProgramBuilder(generator, dtype if pinned else generator.dtype or dtype, device)
    write(builder, *args, **kwargs)
    return builder.program()


def part(name: str, *items: str | model.Check) -> tuple[model.Check, ...]:
    """Return the checks of a part. A text among them is the section of the handout that explains those after it."""
    section, checks = name, []
    for item in items:
        if isinstance(item, str):
            section = item
        else:
            checks.append(replace(item, part=name, section=section))
    return tuple(checks)
