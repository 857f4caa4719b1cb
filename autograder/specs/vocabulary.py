"""Short words for writing specs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

from msgspec.structs import replace

from autograder import model
from autograder.cases import Draw, Script

Watch = Literal["softmax", "attention"]
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


def timed(
    name: str, write: Writer, grows: str, /, *, axis: str, at: int, limit: float, growing: Sequence[int] = (),
    slack: float = 0.5, calls: int = 2, watch: Watch | None = None, allowed: model.Hold | None = None, **sizes: Any,
) -> model.Timed:  # fmt: skip
    """A call that is timed: ``write(script, calls, **sizes)`` writes ``calls`` of them, each with inputs of its own;
    ``grows`` is the one of ``sizes`` that varies, and ``axis`` what it counts, in words. The rest: model.Timed."""
    build = partial(_timed_program, write, grows, sizes)
    return model.Timed(name, axis, build, at, limit, tuple(growing), slack, calls, watch or "", allowed)


def _timed_program(
    write: Writer, grows: str, sizes: dict[str, Any], draw: Draw, size: int, calls: int
) -> model.Program:
    script = Script(draw, "float32")
    write(script, calls, **{**sizes, grows: size})
    return script.program()


def hold(what: str, of: str = "out", **options: Any) -> model.Hold:
    """One property of a step's answer (see ``judge.HOLDS``)."""
    return model.Hold(what, of, options)


def only_in(cases: Sequence[model.Case], *holds: model.Hold) -> tuple[model.Hold, ...]:
    """Holds that are demanded in these of a check's cases alone."""
    return tuple(replace(one, within=tuple(case.id for case in cases)) for one in holds)


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


def watched(
    checks: Sequence[model.Check],
    name: str,
    by: Sequence[str],
    watch: Watch,
    traced: float = 0.0,
    most: int = 100,
) -> tuple[model.Check, ...]:
    """Watches calls of ``by`` in ``checks``, ``most`` in a case, and has check ``name`` look at all cases where there
    is one: who behaves well only in some, by number, size or values, gains nothing. Tracing costs much, so in the cases
    of other checks only a share ``traced`` is. Which calls and cases, the seed says, so nobody foresees it. What else
    the check demands, it demands in its own cases only."""
    unique = {case.id: case for check in checks for case in check.cases}
    seen = {case.id: _seen(case, by, watch, traced, most) for case in unique.values() if _calls(case, by)}

    done = []
    for check in checks:
        cases = {case.id: seen.get(case.id, case) for case in check.cases}
        holds = check.holds
        if check.id == name:
            holds = tuple(
                hold if "by" in hold.options else replace(hold, within=tuple(cases)) for hold in holds
            )
            cases |= seen
        done.append(replace(check, cases=tuple(cases.values()), holds=holds))
    return tuple(done)


def _calls(case: model.Case, by: Sequence[str]) -> bool:
    """Whether a case calls one of them; not on ``meta``, where there are no values to come by."""
    program = case.build(Draw("", "", case.id))
    return program.device == "cpu" and bool(program.calls_of(by))


def _seen(case: model.Case, by: Sequence[str], watch: Watch, traced: float, most: int) -> model.Case:
    return replace(case, build=partial(_build_seen, case.build, tuple(by), watch, traced, most))


def _build_seen(
    build: Callable[[Any], model.Program],
    by: Sequence[str],
    watch: Watch,
    traced: float,
    most: int,
    draw: Draw,
) -> model.Program:
    program = build(draw)
    trace = float(draw.uniform()) < traced
    calls = [call.into for call in program.calls_of(by)]
    named = (
        set(sorted(calls, key=lambda _: float(draw.uniform()))[:most]) if len(calls) > most else set(calls)
    )
    steps = (
        replace(step, trace=trace or step.trace, watch=watch)
        if isinstance(step, model.Call) and step.into in named
        else step
        for step in program.steps
    )
    return replace(program, steps=tuple(steps))
