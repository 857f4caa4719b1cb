"""Short words for writing specs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from autograder import model
from autograder.cases import Draw, Script

Writer = Callable[..., None]  # writes the steps of a case into a script


Telling = Callable[[dict[str, model.Seen]], bool]  # what a right submission shows -> does it show enough


def case(
    name: str, write: Writer, /, *, dtype: str = "float64", device: str = "cpu",
    telling: Telling | None = None, pinned: bool = False, **sizes: Any,
) -> model.Case:  # fmt: skip
    """A case whose program is written by ``write(script, **sizes)``; drawn again until ``telling``. On the
    device ``meta`` there are shapes and no numbers: such a case shows only whether code keeps to its inputs'
    device (hold ``device``). A ``pinned`` case keeps its dtype in an audit that asks for another: its numbers can't
    be told apart in that one."""
    return model.Case(name, partial(_program, write, dtype, device, pinned, sizes), telling)


def _program(
    write: Writer, dtype: Any, device: str, pinned: bool, sizes: dict[str, Any], draw: Draw
) -> model.Program:
    script = Script(draw, dtype if pinned else draw.dtype or dtype, device)
    write(script, **sizes)
    return script.program()


def check(
    name: str,
    title: str,
    kind: model.Kind,
    points: float,
    cases: model.Case | Sequence[model.Case],
    /,
    *holds: model.Hold,
    section: str = "",
) -> model.Check:
    """A check; it is hidden when its cases are (their names begin with ``hidden-``)."""
    cases = (cases,) if isinstance(cases, model.Case) else tuple(cases)
    hidden = {one.id.startswith("hidden-") for one in cases}
    if len(hidden) > 1:
        raise ValueError(f"check {name} mixes public and hidden cases")
    return model.Check(
        name, title, kind, points, cases, holds, "hidden" if hidden == {True} else "public", section
    )


def timing(name: str) -> model.Check:
    """Stands for the measurement of speed; worth nothing and always skipped until there is one."""
    return model.Check(name, "Speed beside the reference", "timing", 0.0, (), ())


def hold(what: str, of: str = "out", **options: Any) -> model.Hold:
    """One property of a step's answer (see ``judge.HOLDS``)."""
    return model.Hold(what, of, options)


def right(of: str = "out", **options: Any) -> tuple[model.Hold, ...]:
    """Shapes and values."""
    return hold("shapes", of), hold("values", of, **options)


TURNS = {"first": "a", "between": "b", "out": "a", "last": "c"}  # a step of ``in_turn`` -> its inputs


def in_turn(
    script: Script, name: str, outputs: dict[str, dict[str, Sequence[int] | None]], *args: model.Argument
) -> None:
    """Calls ``name`` on inputs A, B, A again and C, which has A's sizes. ``outputs`` is by their letters, and
    an argument that is text names an array with a letter before it: ``scores`` is ``a_scores``."""
    for into, letter in TURNS.items():
        given = [model.Ref(f"{letter}_{arg}") if isinstance(arg, str) else arg for arg in args]
        script.call(into, name, *given, outputs=outputs[letter], echo=True)


def stateless() -> tuple[model.Hold, ...]:
    """What is due after ``in_turn``: all results right, A's equal, and no input changed."""
    each = (one for step in TURNS for one in (*right(step), hold("unchanged", step)))
    return hold("same", "first", other="out"), *each
