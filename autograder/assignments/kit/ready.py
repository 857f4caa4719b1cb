"""Checks that are made from a declared call (see ``calls``). Each takes the call and the points.

A check's id and title follow from the call; ``id`` and ``title`` replace them. ``sizes`` sets the sizes of some axes,
and a list of such tables makes a case for each; other sizes are primes that differ, or follow the call's rules.
``draws`` chooses another draw of an input (see ``inputs``): ``draws={"mask": "blank"}``.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any, Unpack

from autograder import model, protocol
from autograder.assignments.kit import call_programs, calls, kinds
from autograder.assignments.kit import sizes as sizes_of
from autograder.assignments.kit.assertions import GRADIENTS, RIGHT, SHAPES, STATELESS, ZEROS, expect, right
from autograder.assignments.kit.calls import Call, Module
from autograder.assignments.kit.checks import Write, case
from autograder.assignments.kit.inputs import Sizes, names_in
from autograder.assignments.kit.keywords import known_only
from autograder.assignments.kit.made import (
    ONE,
    TWO,
    Draws,
    Made,
    Options,
    dtypes_of,
    named_after,
    ones_of,
    require,
    require_torch,
)
from autograder.assignments.kit.programs import PUBLIC_SEED, InputGenerator
from autograder.assignments.kit.sizes import BATCH
from autograder.assignments.kit.speed import speed as speed_of
from autograder.assignments.kit.speed import timed as timed_call

ROUNDED = {"relative": 1e-5, "of_largest": 1e-5}  # after several steps of training


@known_only
def values(call: Call, points: float, *, draws: Draws | None = None, **options: Unpack[Options]) -> model.Check:
    """The results are the reference's, for several sizes, in double precision; the dtypes are the inputs'."""
    made = Made(call, points, "values", "{} gives the right values", options)
    return made.of(kinds.value, made.cases(made.tables(TWO), draws=draws), RIGHT, dtypes_of(call))


@known_only
def shapes(call: Call, points: float, **options: Unpack[Options]) -> model.Check:
    """The results have the right shapes and dtypes, also in single precision, and where one axis has the size 1."""
    made = Made(call, points, "shapes", "{} gives the right shapes and dtypes", options)
    given = options.get("sizes", ())
    every = [given] if isinstance(given, Mapping) else [*given, {}, *ones_of(call, {})]
    return made.of(kinds.shape, made.cases(every, dtype="float32"), SHAPES, dtypes_of(call), RIGHT)


@known_only
def ones(call: Call, points: float, **options: Unpack[Options]) -> model.Check:
    """The results are right where an axis has the size 1, one axis after the other."""
    made = Made(call, points, "ones", "{} is right where a size is 1", options)
    tables = [table for own in made.tables(ONE) for table in ones_of(call, own)]
    if not tables:
        raise ValueError(f"ones: no axis of {call.target} may have the size 1; leave this check out")
    return made.of(kinds.value, made.cases(tables), RIGHT)


@known_only
def gradients(call: Call, points: float, *, draws: Draws | None = None, **options: Unpack[Options]) -> model.Check:
    """The gradients of all floating inputs and all parameters are the reference's, through every result."""
    made = Made(call, points, "gradients", "The gradients of {}", options)
    require_torch(call, "gradients")
    return made.of(kinds.gradient, made.cases(made.tables(TWO), draws=draws, gradient=True), GRADIENTS, RIGHT)


@known_only
def signature(call: Call, points: float, **options: Unpack[Options]) -> model.Check:
    """The arguments, and a module's parameters, are those of the reference."""
    made = Made(call, points, "interface", "{} takes its arguments", options)
    looked = made.cases(made.tables(ONE), call_programs.interface)
    if call.module is None:
        return made.of(kinds.interface, looked, expect("signature", "arguments"), RIGHT)
    steps = expect("signature", "arguments", f"arguments.{call.method_name}")
    return made.of(kinds.interface, looked, steps, () if call.numpy else expect("parameters", "parameters"), RIGHT)


@known_only
def row_sums(call: Call, points: float, output: str, **options: Unpack[Options]) -> model.Check:
    """The rows of one result sum to 1."""
    made = Made(call, points, "sums", "The weights of {} sum to 1", options)
    require(output, call.returns, "row_sums", "result")
    return made.of(kinds.weight_sum, made.cases(made.tables(TWO)), expect("sums", output=output))


@known_only
def zeros(call: Call, points: float, **options: Unpack[Options]) -> model.Check:
    """The results are exactly 0 where the reference's are: no small numbers."""
    made = Made(call, points, "zeros", "{} is exactly 0 where it must be", options)
    return made.of(kinds.value, made.cases(made.tables(TWO)), RIGHT, ZEROS)


@known_only
def blank_rows(call: Call, points: float, mask: str = "mask", **options: Unpack[Options]) -> model.Check:
    """A row in which everything is masked gives exact zeros, and gradients without NaN."""
    made = Made(call, points, "blank", "{} is right where everything is masked", options)
    cases = made.cases(made.tables(ONE), draws={mask: "blank"}, gradient=not call.numpy)
    return made.of(kinds.mask, cases, RIGHT, ZEROS, () if call.numpy else GRADIENTS)


@known_only
def large(call: Call, points: float, *arguments: str, **options: Unpack[Options]) -> model.Check:
    """The results are right where some inputs hold numbers of about 10,000."""
    made = Made(call, points, "large", "{} is right for large numbers", options)
    if not arguments:
        raise TypeError(
            f'large: name an input that gets large numbers: large(CALL, 3, "{next(iter(call.arrays), "x")}")'
        )
    return made.of(kinds.value, made.cases(made.tables(ONE), draws=dict.fromkeys(arguments, "large")), RIGHT)


@known_only
def permutation(call: Call, points: float, axis: str, **options: Unpack[Options]) -> model.Check:
    """Inputs in another order along an axis give the results in that order, or the same results."""
    made = Made(call, points, f"permuted-{axis.lower()}", f"{{}} with {axis} in another order", options)
    require(axis, names_in(one.axes for one in call.arrays.values()), "permutation", "axis of an input")
    along = {one: [at for at, own in enumerate(axes.split()) if own == axis] for one, axes in call.returns.items()}
    moved = expect("permuted", "first", other="out", order="order", axes=along)
    free = axis in sizes_of.free_axes(call.axes, call.rules) and axis not in call.rules
    tables = made.tables(({axis: 11} if free else {},))
    return made.of(kinds.invariance, made.cases(tables, call_programs.permuted, axis=axis), moved, RIGHT)


@known_only
def alone(call: Call, points: float, axis: str = BATCH, **options: Unpack[Options]) -> model.Check:
    """What stands at one place of an axis does not touch the others: results move with their inputs."""
    named: Options = {"id": named_after(call, f"alone-{axis.lower()}", "alone")}
    named["title"] = f"The entries along {axis} do not touch each other"
    return permutation(call, points, axis, **named | options)


@known_only
def shift(call: Call, points: float, argument: str, axis: str, **options: Unpack[Options]) -> model.Check:
    """A constant that is added to an input along an axis changes nothing."""
    text = f"A constant added to {argument} along {axis} does not change {{}}"
    made = Made(call, points, f"shifted-{argument.replace('_', '-')}", text, options)
    require(argument, call.arrays, "shift", "input")
    require(axis, call.arrays[argument].axes.split(), "shift", f"axis of {argument}")
    cases = made.cases(made.tables(ONE), call_programs.shifted, argument=argument, axis=axis)
    return made.of(kinds.invariance, cases, expect("same", "first", other="out"), RIGHT)


@known_only
def strides(call: Call, points: float, **options: Unpack[Options]) -> model.Check:
    """The results and gradients are right for inputs with any strides."""
    made = Made(call, points, "strides", "{} takes inputs with any strides", options)
    tables = made.tables(ONE)
    layouts = [
        case_
        for layout in ("reversed", "gapped")
        for case_ in made.cases(tables, suffix=layout, gradient=not call.numpy, layout=layout)
    ]
    return made.of(kinds.invariance, layouts, RIGHT, () if call.numpy else GRADIENTS)


@known_only
def stateless(call: Call, points: float, **options: Unpack[Options]) -> model.Check:
    """No call changes an input, what an earlier call returned, or what a later one will."""
    made = Made(call, points, "state", "{} keeps no state and changes no input", options)
    return made.of(kinds.invariance, made.cases(made.tables(ONE), call_programs.in_turn), STATELESS)


@known_only
def devices(call: Call, points: float, **options: Unpack[Options]) -> model.Check:
    """New tensors are made on the device of the inputs."""
    made = Made(call, points, "device", "{} makes tensors on the device of its inputs", options)
    require_torch(call, "devices")
    tables = made.tables(ONE)
    elsewhere = made.cases(tables, suffix="meta", device="meta")
    return made.of(kinds.constraint, [*elsewhere, *made.cases(tables, suffix="cpu")], expect("device"))


@known_only
def forbids(call: Call, points: float, *operations: str, **options: Unpack[Options]) -> model.Check:
    """No torch operation runs whose name contains one of these words, in the call or in its backward pass."""
    made = Made(call, points, "constraint", f"{{}} does without {', '.join(operations)}", options)
    require_torch(call, "forbids")
    if not operations:
        raise TypeError('forbids: name an operation that may not run: forbids(CALL, 5, "softmax")')
    cases = made.cases(made.tables(ONE), trace=True, gradient=True)
    return made.of(kinds.constraint, cases, expect("untouched", words=[*operations], later=[*operations]), RIGHT)


@known_only
def trains(call: Call, points: float, made: Module, *, steps: int = 3, **options: Unpack[Options]) -> model.Check:
    """A function takes right training steps: ``call(model, optimizer, ...) -> loss`` with a ``made`` model and SGD.

    The first loss must be right, the later ones and all parameters after the last step up to rounding.
    """
    check = Made(call, points, "steps", f"{steps} steps of {{}} end in the right parameters", options)
    losses = expect("values", *(f"out-{number}" for number in range(1, steps + 1)), **ROUNDED)
    axes, rules = [*call.axes, *made.axes], {**made.rules, **call.rules}
    cases = [
        case(name, calls.training, call, sizes_of.drawn(axes, rules, turn, own), made=made, steps=steps)
        for turn, (name, own) in enumerate(check.named(check.tables(ONE)))
    ]
    return check.of(kinds.training, cases, losses, expect("state", "after", **ROUNDED))


@known_only
def raises(id: str, points: float, title: str, write: Write, *steps: str, error: str = "ValueError") -> model.Check:
    """Wrong calls raise a built-in error. ``write(builder)`` writes them as ``steps``, and right ones beside them.

    The right calls must give the right results, so code that always raises, or answers zeros, earns nothing.
    """
    if not isinstance(getattr(builtins, error, None), type):
        raise ValueError(f"raises: {error} is no built-in error; use one such as ValueError or TypeError")
    asked = case(id, write, errors=(error,))
    named = asked.build(InputGenerator(PUBLIC_SEED, "", id)).named
    for step in steps or ("out",):
        require(step, named, "raises", "step")
    fine = [into for into, step in named.items() if isinstance(step, protocol.Call) and into not in (steps or ("out",))]
    if not fine:
        raise ValueError(
            f"raises: the program of {id} has wrong calls alone, so code that always raises would pass; "
            'add a right one: builder.call("fine", ...)'
        )
    return kinds.interface(id, points, title).on(asked).expects(expect("raises", *steps, error=error), right(*fine))


@known_only
def example(id: str, points: float, title: str, write: Write, *steps: str) -> model.Check:
    """A worked example comes out. ``write(builder)`` writes its steps, with ``builder.example`` for its numbers."""
    return kinds.value(id, points, title).on(case(id, write)).expects(right(*steps))


@known_only
def speed(
    call: Call, points: float, grows: str, at: int, limit: float = 5, *, sizes: Sizes | None = None, id: str = ""
) -> model.Check:
    """The call costs at most ``limit`` times what the reference costs, where the axis ``grows`` has the size ``at``."""
    name = id or named_after(call, "speed", "speed")
    free = sizes_of.free_axes(call.axes, call.rules)
    require(grows, free, "speed", "axis that may grow")
    drawn = call.sizes(0, **{**(sizes or {}), grows: at})
    whole: dict[str, Any] = {axis: drawn[axis] for axis in free if axis != grows}
    named = f"{name}-{grows.lower()}"
    return speed_of(
        name, points, call.name, timed_call(named, call.timed, grows, f"size of {grows}", at=at, limit=limit, **whole)
    )
