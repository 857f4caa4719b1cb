"""A check in the making, from a declared call: its id, its title, the sizes of its cases, and slips of authors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from msgspec.structs import replace

from autograder import model
from autograder.assignments.kit import call_programs, calls
from autograder.assignments.kit import sizes as sizes_of
from autograder.assignments.kit.assertions import DTYPES, Assertions
from autograder.assignments.kit.calls import Call, Module
from autograder.assignments.kit.checks import Write, case
from autograder.assignments.kit.inputs import Sizes, names_in
from autograder.model.text import suggestion

Tables = Sizes | Sequence[Sizes]
Draws = Mapping[str, str]
TWO: tuple[Sizes, ...] = ({}, {})  # two cases with sizes of their own
ONE: tuple[Sizes, ...] = ({},)


class Options(TypedDict, total=False):
    """The id and the title of a check, where they do not follow from the call, and the sizes of some axes."""

    id: str
    title: str
    sizes: Tables


class Made:
    """A check in the making: its id and its title, and the names of its cases."""

    def __init__(self, call: Call, points: float, suffix: str, text: str, options: Options) -> None:
        self.call, self.points, self.options = call, points, options
        self.id = options.get("id") or named_after(call, suffix, suffix)
        self.title = options.get("title") or text.format(call.target.removesuffix(".forward"))
        if isinstance(points, bool) or not isinstance(points, int | float) or points < 0:
            raise TypeError(f"{self.id} has {points!r} points; expected a number that is not negative")

    def of(self, kind: Any, cases: Sequence[model.Case], *assertions: Assertions) -> model.Check:
        """Return the check."""
        check: model.Check = kind(self.id, self.points, self.title).on(*cases).expects(*assertions)
        return check

    def tables(self, default: Sequence[Sizes]) -> list[Sizes]:
        """Return the tables of sizes that the author gave, or the default."""
        given = self.options.get("sizes") or default
        return [given] if isinstance(given, Mapping) else list(given)

    def named(self, tables: Sequence[Sizes], suffix: str = "") -> list[tuple[str, Sizes]]:
        """Return a name for the case of each table: numbered if there are several."""
        name = "-".join(filter(None, (self.id, suffix)))
        return [(f"{name}-{turn}" if len(tables) > 1 else name, own) for turn, own in enumerate(tables)]

    def cases(
        self,
        tables: Sequence[Sizes],
        write: Write = call_programs.once,
        dtype: Any = "float64",
        suffix: str = "",
        **options: Any,
    ) -> list[model.Case]:
        """Return a case for each table of sizes."""
        self._require_draws(options.get("draws") or {})
        drawn = [(name, self.call.sizes(turn, **own)) for turn, (name, own) in enumerate(self.named(tables, suffix))]
        return [
            replace(case(name, write, self.call, sizes, dtype=dtype, **options), returns=dict(self.call.shapes(sizes)))
            for name, sizes in drawn
        ]

    def _require_draws(self, draws: Draws) -> None:
        """Raise ValueError for a draw of no input, or one that an input has not."""
        for name, how in draws.items():
            require(name, self.call.arrays, self.id, "input")
            if getattr(self.call.arrays[name], how if how in ("blank", "large", "whole") else "", None) is None:
                raise ValueError(f"{self.id}: the input {name} has no {how} draw")


def named_after(call: Call, suffix: str, check: str) -> str:
    """Return an id for a check. Raises TypeError for what is no declared call."""
    if isinstance(call, Module):
        raise TypeError(f"the check {check} is about the class {call.name}; declare a call of it: LAYER.call(...)")
    if not isinstance(call, Call):
        raise TypeError(f"the check {check} is about {call!r}, not a declared call: function(...) or LAYER.call(...)")
    return calls.check_id(call, suffix)


def require(name: str, known: Iterable[str], check: str, what: str) -> None:
    """Raise ValueError for a name that is not known, with the known ones."""
    names = list(known)
    if name not in names:
        near = suggestion(name, names) or "."
        raise ValueError(f"{check}: {name!r} is no {what}{near} Known: {', '.join(names)}")


def require_torch(call: Call, check: str) -> None:
    """Raise ValueError for a call of NumPy code, which has neither gradients nor devices."""
    if call.numpy:
        raise ValueError(f"{check}: {call.target} is declared with numpy=True, which has no such thing; leave it out")


def dtypes_of(call: Call) -> Assertions:
    """Return the assertion about dtypes, which NumPy code is not held to."""
    return () if call.numpy else DTYPES


def ones_of(call: Call, own: Sizes) -> list[Sizes]:
    """Return tables in which one axis has the size 1: one of the inputs or results that is no width of a module."""
    widths = names_in(call.module.widths) if call.module else []
    free = [axis for axis in call.shown if axis not in widths and sizes_of.may_be_one(axis, call.rules)]
    return [{**own, axis: 1} for axis in free if axis not in own]
