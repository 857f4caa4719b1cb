"""Plays declared calls on the reference, to see what works, and what comes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace

from autograder import protocol
from autograder.assignments.kit import calls
from autograder.assignments.kit import sizes as sizes_of
from autograder.assignments.kit.calls import Call, Module
from autograder.assignments.kit.programs import InputGenerator, ProgramBuilder
from autograder.assignments.kit.sizes import Rule, Size
from autograder.instructor import oracle
from autograder.instructor.authoring.suggest.drafts import CallDraft, ModuleDraft
from autograder.instructor.authoring.suggest.fitting import fitted
from autograder.protocol import wire

REDRAWS = 40  # of inputs that allow two right results
SEEDS = ("one", "two")
FREE = "L"  # an axis whose size follows from the values
STEPS = 2  # of training
LARGE = 29  # more than the sum of two small sizes
LENIENT = 3  # tables of sizes, where others do not work
# No two of them have the sum of two others, so a sum shows what it is the sum of.
SIZES = (4, 5, 7, 11, 16, 24, 34, 48, 69, 84, 100, 126, 151)


class Refused(Exception):
    """The reference does not take this call. ``error`` is the type of its exception, "" where it gave no array."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__(f"{error}: {message}" if error else message)
        self.error = error
        self.sizes: Mapping[str, int] = {}  # with which the call was refused


class Tried(NamedTuple):
    """A call that works: its draft, now with its results, and whether an axis of a result follows from the values."""

    draft: CallDraft
    call: Call
    results: list[list[np.ndarray]]  # for each table of sizes

    @property
    def is_free(self) -> bool:
        """Whether sizes of results follow from the values."""
        return any(FREE in axes.split() for axes in self.draft.returns.values())

    @property
    def floats(self) -> list[str]:
        """The results with floating numbers."""
        return [
            name for name, array in zip(self.draft.returns, self.results[0], strict=True) if array.dtype.kind == "f"
        ]


def tables(axes: Sequence[str], rules: Mapping[str, Rule] | None = None) -> list[dict[str, int]]:
    """Return tables of sizes that all differ: those of the checks, others, and one axis large in turn.

    Raises SizesError.
    """
    known = rules or {}
    free = [axis for axis in sizes_of.free_axes(axes, known) if not isinstance(known.get(axis), int)]
    step = {axis: rule.multiple_of for axis, rule in known.items() if isinstance(rule, Size)}
    apart = dict(zip(free, SIZES, strict=False))
    small = {axis: number for number, axis in enumerate(free, 2)}
    chosen = [apart, *({**small, axis: LARGE} for axis in free)]
    given = [{axis: number * step.get(axis, 1) for axis, number in one.items()} for one in chosen]
    return [sizes_of.drawn(axes, known, 0, one) for one in ({}, *given)]


class Bench:
    """Plays programs on the references of one assignment."""

    def __init__(self, assignment: str) -> None:
        self.assignment = assignment
        self.refusals: list[tuple[CallDraft | ModuleDraft, Mapping[str, int]]] = []  # likely calls with a ValueError
        self._messages: set[tuple[str, str]] = set()

    def play(
        self, write: Callable[..., Any], *args: Any, seed: str = "one", **options: Any
    ) -> dict[str, protocol.StepResult]:
        """Return the results of a program by step. Raises Refused."""
        for attempt in range(REDRAWS):
            builder = ProgramBuilder(InputGenerator(seed, self.assignment, "suggested", attempt))
            try:
                write(builder, *args, **options)
                played = oracle.Player(self.assignment, builder.program()).shown({})
            except (ValueError, OverflowError) as error:  # sizes or draws that do not exist
                raise Refused("", f"its inputs can't be drawn: {error}") from error
            raised = next((one.raised for one in played if one.raised), None)
            if raised is None:
                return protocol.by_step(played)
            if raised.type != "Ambiguous":
                raise Refused(raised.type, raised.message)
        raise Refused("", f"no unambiguous inputs in {REDRAWS} attempts")

    def note(self, draft: CallDraft | ModuleDraft, refused: Refused) -> None:
        """Keep a likely call that the reference refuses with a ValueError, one for each message."""
        if refused.error == "ValueError" and (draft.name, str(refused)) not in self._messages:
            self._messages.add((draft.name, str(refused)))
            self.refusals.append((draft, refused.sizes))

    # ---- classes

    def made(self, draft: ModuleDraft, strict: bool = True) -> ModuleDraft:
        """Return a class's draft with its weights. Raises Refused."""
        built = draft.built()
        sizes = tables(built.axes, built.rules)[: None if strict else LENIENT]
        seen = [self._parameters(built, table) for table in sizes]
        if any(one.keys() != seen[0].keys() for one in seen):
            raise Refused("", "the names of its parameters depend on its sizes")
        weights = {}
        own = [name for name in seen[0] if not _is_inner(name, draft, seen[0])]
        for name in own:
            shape = fitted([one[name] for one in seen], sizes, list(sizes[0]))
            if shape is None or "?" in shape:
                raise Refused("", f"the shape of its parameter {name} does not follow from its arguments")
            weights[name] = " ".join(shape)
        return replace(draft, weights=weights)

    def _parameters(self, built: Module, sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
        def write(builder: ProgramBuilder) -> None:
            calls.build(builder, built, sizes)
            builder.inspect("shown", "object")

        try:
            played = self.play(write)
        except Refused as refused:
            refused.sizes = sizes
            raise
        shown = played["shown"].interface
        return {one.name: one.shape for one in shown.parameters} if shown else {}

    # ---- calls

    def tried(self, draft: CallDraft, strict: bool = True) -> Tried:
        """Return a call with its results. Raises Refused. ``strict``: with sizes in another order too."""
        try:
            call = draft.built()
        except Exception as error:  # a line of the author's that is wrong
            raise Refused(type(error).__name__, str(error)) from error
        sizes = _tables_of(draft, call)[: None if strict else LENIENT]
        if draft.trains:
            return self._trained(draft, call, sizes)
        seen = []
        for table in sizes:
            seen.append([self._called(call, table, seed) for seed in SEEDS])
        returns = _returns(draft, seen, sizes)
        done = replace(draft, returns=returns)
        return Tried(done, done.built(), [each[0] for each in seen])

    def _called(self, call: Call, sizes: Mapping[str, int], seed: str) -> list[np.ndarray]:
        try:
            played = self.play(_bare, call, sizes, seed=seed)
        except Refused as refused:
            refused.sizes = sizes
            raise
        found = arrays(played["out"].value)
        if not all(np.isfinite(one).all() for one in found):
            raise Refused("", "the results are not finite")
        return found

    def _trained(self, draft: CallDraft, call: Call, sizes: Sequence[Mapping[str, int]]) -> Tried:
        assert draft.module is not None
        for table in sizes:
            played = self.play(calls.training, call, table, draft.module.built(), STEPS)
            values = [arrays(played[f"out-{number}"].value) for number in range(1, STEPS + 1)]
            if len(values[0]) != 1 or values[0][0].shape:
                raise Refused("", "a training step returns its loss, one number")
        done = replace(draft, returns={"loss": ""})
        return Tried(done, done.built(), values)


def _tables_of(draft: CallDraft, call: Call) -> list[dict[str, int]]:
    """Return the tables of sizes of a call. Raises Refused for rules that fit no sizes."""
    model = draft.module.built() if draft.module and draft.trains else None
    axes = [*call.axes, *(model.axes if model else ())]
    try:
        return tables(axes, {**(model.rules if model else {}), **call.rules})
    except sizes_of.SizesError as error:
        raise Refused("", str(error)) from error


def arrays(value: protocol.Value | None) -> list[np.ndarray]:
    """Return results as arrays. Raises Refused for anything that is no array, no number and no tuple of these."""
    match value:
        case protocol.Tensor(array):
            return [wire.to_numpy(array)]
        case protocol.Scalar(bool() | int() | float() as number):
            return [np.asarray(number)]
        case protocol.Sequence(_, items) if items and not any(isinstance(one, protocol.Sequence) for one in items):
            return [array for item in items for array in arrays(item)]
    raise Refused("", f"it returns {type(value).__name__.lower() if value else 'nothing'}, which no check compares")


def _bare(builder: ProgramBuilder, call: Call, sizes: Mapping[str, int]) -> None:
    """Call once, whatever the results are."""
    name = calls.make(builder, call, sizes)
    given = calls.draw(builder, call, sizes)
    builder.call("out", name, *given, outputs={"result": None})


def _is_inner(name: str, draft: ModuleDraft, names: Mapping[str, Any]) -> bool:
    """Whether a parameter belongs to an object that the constructor takes."""
    inner = [set(one.weights) for one in draft.init if isinstance(one, ModuleDraft)]
    _, _, rest = name.partition(".")
    return any(rest in own for own in inner)


def _returns(
    draft: CallDraft, seen: Sequence[Sequence[list[np.ndarray]]], sizes: Sequence[Mapping[str, int]]
) -> dict[str, str]:
    """Return the results with their axes. Raises Refused."""
    count = len(seen[0][0])
    if any(len(results) != count for table in seen for results in table):
        raise Refused("", "the number of its results changes")
    every = [table for table in sizes for _ in SEEDS]
    found = []
    for number in range(count):
        shapes = [results[number].shape for table in seen for results in table]
        shape = fitted(shapes, every, list(sizes[0]))
        if shape is None:
            raise Refused("", "the number of axes of its result changes")
        found.append(" ".join(FREE if one == "?" else one for one in shape))
    names = list(draft.returns) if len(draft.returns) == count else _names(count)
    return dict(zip(names, found, strict=True))


def _names(count: int) -> list[str]:
    return ["result"] if count == 1 else [f"result_{number}" for number in range(1, count + 1)]
