"""Checks that are made from a declared call (see ``calls``). Each takes the call and the points.

A check's id and title follow from the call; ``id`` and ``title`` replace them. ``sizes`` sets the sizes of some axes,
and a list of such tables makes a case for each; other sizes are primes that differ. ``draws`` chooses another draw of
an input (see ``inputs``): ``draws={"mask": "blank"}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

from autograder import model
from autograder.assignments.kit import calls, kinds
from autograder.assignments.kit.assertions import (
    DTYPES,
    GRADIENTS,
    RIGHT,
    SHAPES,
    STATELESS,
    ZEROS,
    Assertions,
    expect,
    right,
)
from autograder.assignments.kit.calls import BATCH, Call
from autograder.assignments.kit.checks import Write, case
from autograder.assignments.kit.inputs import Sizes
from autograder.assignments.kit.speed import speed as speed_of
from autograder.assignments.kit.speed import timed as timed_call

Tables = Sizes | Sequence[Sizes]
Draws = Mapping[str, str]
ROUNDED = {"relative": 1e-5, "of_largest": 1e-5}  # after several steps of training
TWO: tuple[Sizes, ...] = ({}, {})  # two cases with sizes of their own


class Words(TypedDict, total=False):
    """The id and the title of a check, where they do not follow from the call."""

    id: str
    title: str


def values(
    call: Call, points: float, *, sizes: Tables = TWO, draws: Draws | None = None, **words: Unpack[Words]
) -> model.Check:
    """The results are the reference's, for several sizes, in double precision; the dtypes are the inputs'."""
    made = _Made(call, points, "values", "{} gives the right values", words)
    return made.of(kinds.value, made.cases(sizes, draws=draws), RIGHT, _dtypes(call))


def shapes(call: Call, points: float, *, sizes: Tables = (), **words: Unpack[Words]) -> model.Check:
    """The results have the right shapes and dtypes, also in single precision, and where one axis has the size 1."""
    made = _Made(call, points, "shapes", "{} gives the right shapes and dtypes", words)
    every = [sizes] if isinstance(sizes, Mapping) else [*sizes, {}, *_ones(call)]
    return made.of(kinds.shape, made.cases(every, dtype="float32"), SHAPES, _dtypes(call), RIGHT)


def ones(call: Call, points: float, **words: Unpack[Words]) -> model.Check:
    """The results are right where an axis has the size 1, one axis after the other."""
    made = _Made(call, points, "ones", "{} is right where a size is 1", words)
    return made.of(kinds.value, made.cases(_ones(call)), RIGHT)


def gradients(
    call: Call, points: float, *, sizes: Tables = TWO, draws: Draws | None = None, **words: Unpack[Words]
) -> model.Check:
    """The gradients of all floating inputs and all parameters are the reference's, through every result."""
    made = _Made(call, points, "gradients", "The gradients of {}", words)
    return made.of(kinds.gradient, made.cases(sizes, draws=draws, gradient=True), GRADIENTS, RIGHT)


def signature(call: Call, points: float, **words: Unpack[Words]) -> model.Check:
    """The arguments, and a module's parameters, are those of the reference."""
    made = _Made(call, points, "interface", "{} takes its arguments", words)
    looked = made.cases({}, calls.interface)
    if call.module is None:
        return made.of(kinds.interface, looked, expect("signature", "arguments"), RIGHT)
    steps = expect("signature", "arguments", f"arguments.{call.method_name}")
    return made.of(kinds.interface, looked, steps, () if call.numpy else expect("parameters", "parameters"), RIGHT)


def row_sums(call: Call, points: float, output: str, *, sizes: Tables = TWO, **words: Unpack[Words]) -> model.Check:
    """The rows of one result sum to 1."""
    made = _Made(call, points, "sums", "The weights of {} sum to 1", words)
    return made.of(kinds.weight_sum, made.cases(sizes), expect("sums", output=output))


def blank_rows(call: Call, points: float, mask: str = "mask", **words: Unpack[Words]) -> model.Check:
    """A row in which everything is masked gives exact zeros, and gradients without NaN."""
    made = _Made(call, points, "blank", "{} is right where everything is masked", words)
    return made.of(kinds.mask, made.cases({}, draws={mask: "blank"}, gradient=True), RIGHT, ZEROS, GRADIENTS)


def large(call: Call, points: float, *arguments: str, **words: Unpack[Words]) -> model.Check:
    """The results are right where some inputs hold numbers of about 10,000."""
    made = _Made(call, points, "large", "{} is right for large numbers", words)
    return made.of(kinds.value, made.cases({}, draws=dict.fromkeys(arguments, "large")), RIGHT)


def permutation(call: Call, points: float, axis: str, *, sizes: Tables = (), **words: Unpack[Words]) -> model.Check:
    """Inputs in another order along an axis give the results in that order, or the same results."""
    made = _Made(call, points, f"permuted-{axis.lower()}", f"{{}} with {axis} in another order", words)
    along = {one: [at for at, own in enumerate(axes.split()) if own == axis] for one, axes in call.returns.items()}
    moved = expect("permuted", "first", other="out", order="order", axes=along)
    return made.of(kinds.invariance, made.cases(sizes or {axis: 11}, calls.permuted, axis=axis), moved, RIGHT)


def alone(call: Call, points: float, axis: str = BATCH, **words: Unpack[Words]) -> model.Check:
    """What stands at one place of an axis does not touch the others: results move with their inputs."""
    named: Words = {"id": calls.check_id(call, f"alone-{axis.lower()}")}
    named["title"] = f"The entries along {axis} do not touch each other"
    return permutation(call, points, axis, **named | words)


def shift(call: Call, points: float, argument: str, axis: str, **words: Unpack[Words]) -> model.Check:
    """A constant that is added to an input along an axis changes nothing."""
    text = f"A constant added to {argument} along {axis} does not change {{}}"
    made = _Made(call, points, f"shifted-{argument.replace('_', '-')}", text, words)
    cases = made.cases({}, calls.shifted, argument=argument, axis=axis)
    return made.of(kinds.invariance, cases, expect("same", "first", other="out"), RIGHT)


def strides(call: Call, points: float, **words: Unpack[Words]) -> model.Check:
    """The results and gradients are right for inputs with any strides."""
    made = _Made(call, points, "strides", "{} takes inputs with any strides", words)
    layouts = [
        case(f"{made.id}-{layout}", calls.once, call, call.sizes(), gradient=not call.numpy, layout=layout)
        for layout in ("reversed", "gapped")
    ]
    return made.of(kinds.invariance, layouts, RIGHT, () if call.numpy else GRADIENTS)


def stateless(call: Call, points: float, **words: Unpack[Words]) -> model.Check:
    """No call changes an input, what an earlier call returned, or what a later one will."""
    made = _Made(call, points, "state", "{} keeps no state and changes no input", words)
    return made.of(kinds.invariance, made.cases({}, calls.in_turn), STATELESS)


def devices(call: Call, points: float, **words: Unpack[Words]) -> model.Check:
    """New tensors are made on the device of the inputs."""
    made = _Made(call, points, "device", "{} makes tensors on the device of its inputs", words)
    elsewhere = case(f"{made.id}-meta", calls.once, call, call.sizes(), device="meta")
    here = case(f"{made.id}-cpu", calls.once, call, call.sizes())
    return made.of(kinds.constraint, [elsewhere, here], expect("device"))


def forbids(call: Call, points: float, *operations: str, **words: Unpack[Words]) -> model.Check:
    """No torch operation runs whose name contains one of these words, in the call or in its backward pass."""
    made = _Made(call, points, "constraint", f"{{}} does without {', '.join(operations)}", words)
    cases = made.cases({}, trace=True, gradient=True)
    return made.of(kinds.constraint, cases, expect("untouched", words=[*operations], later=[*operations]), RIGHT)


def trains(call: Call, points: float, made: calls.Module, *, steps: int = 3, **words: Unpack[Words]) -> model.Check:
    """A function takes right training steps: ``call(model, optimizer, ...) -> loss`` with a ``made`` model and SGD.

    The first loss must be right, the later ones and all parameters after the last step up to rounding.
    """
    check = _Made(call, points, "steps", f"{steps} steps of {{}} end in the right parameters", words)
    losses = expect("values", *(f"out-{number}" for number in range(1, steps + 1)), **ROUNDED)
    cases = check.cases({}, calls.training, made=made, steps=steps)
    return check.of(kinds.training, cases, losses, expect("state", "after", **ROUNDED))


def raises(id: str, points: float, title: str, write: Write, *steps: str, error: str = "ValueError") -> model.Check:
    """Wrong calls raise an error. ``write(builder)`` writes them as ``steps``, and right ones, which must not raise."""
    return kinds.interface(id, points, title).on(case(id, write)).expects(expect("raises", *steps, error=error))


def example(id: str, points: float, title: str, write: Write, *steps: str) -> model.Check:
    """A worked example comes out. ``write(builder)`` writes its steps, with ``builder.example`` for its numbers."""
    return kinds.value(id, points, title).on(case(id, write)).expects(right(*steps))


def speed(
    call: Call, points: float, grows: str, at: int, limit: float = 5, *, sizes: Sizes | None = None, id: str = ""
) -> model.Check:
    """The call costs at most ``limit`` times what the reference costs, where the axis ``grows`` has the size ``at``."""
    name = id or calls.check_id(call, "speed")
    whole: dict[str, Any] = {one: size for one, size in call.sizes(0, **dict(sizes or {})).items() if one != grows}
    named = f"{name}-{grows.lower()}"
    return speed_of(
        name, points, call.name, timed_call(named, call.timed, grows, f"size of {grows}", at=at, limit=limit, **whole)
    )


class _Made:
    """A check in the making: its id and its title, and the names of its cases."""

    def __init__(self, call: Call, points: float, suffix: str, text: str, words: Words) -> None:
        self.call, self.points = call, points
        self.id = words.get("id") or calls.check_id(call, suffix)
        self.title = words.get("title") or text.format(call.target.removesuffix(".forward"))

    def of(self, kind: Any, cases: Sequence[model.Case], *assertions: Assertions) -> model.Check:
        check: model.Check = kind(self.id, self.points, self.title).on(*cases).expects(*assertions)
        return check

    def cases(
        self, tables: Tables, write: Write = calls.once, dtype: Any = "float64", **options: Any
    ) -> list[model.Case]:
        """Return a case for each table of sizes."""
        every = [tables] if isinstance(tables, Mapping) else list(tables)
        names = [f"{self.id}-{number}" for number in range(len(every))] if len(every) > 1 else [self.id]
        return [
            case(name, write, self.call, self.call.sizes(turn, **own), **options)
            for turn, (name, own) in enumerate(zip(names, every, strict=True))
        ]


def _dtypes(call: Call) -> Assertions:
    return () if call.numpy else DTYPES


def _ones(call: Call) -> list[Sizes]:
    """Return tables in which one axis has the size 1: those of inputs that are no width of a module."""
    widths = {one for one in call.module.init if isinstance(one, str)} if call.module else set()
    return [{axis: 1} for axis in call.axes if axis not in widths]
