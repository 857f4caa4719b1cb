"""The names of axes (contract, section 2), and what is wrong with a shape in these names."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

from autograder import assignments, protocol
from autograder.model import CallAxes

CALLS = assignments.gathered("axes", "CALLS")
MADE_WITH = assignments.gathered("axes", "MADE_WITH")
FREE = "L"  # an axis whose length the submission chooses
UNKNOWN = "?"  # an axis whose length has no name, or several
MISSING, SURPLUS = "The axis {} is missing.", "There must be no axis {}."
TWICE, SEVERAL = "The axis {} is there twice.", "The axis {} is there several times."
TOO_MANY = "There is one axis too many."
ONE_TOO_MANY = "There is one axis of length 1 too many."
ONE_MISSING = "One axis of length 1 is missing."
ORDER = "Got axes ({}), expected ({})."


def shape_error(
    program: protocol.Program, into: str, output: str, actual: Sequence[int], expected: Sequence[int]
) -> str:
    """Return what is wrong with the shape of a result, without any length. Empty where the axes have no clear names."""
    step = program.named.get(into)
    if not isinstance(step, protocol.Call) or output not in step.outputs:
        return ""
    call = CALLS.get(program.target(step))
    if call is None:
        return ""
    wanted = _named(call.results[step.outputs.index(output)], expected)
    known = _made(step, program) | lengths(step, program) | dict(zip(wanted, expected, strict=True))
    if len(actual) == len(expected) + 1 and _without_ones(actual) == _without_ones(expected):
        return ONE_TOO_MANY
    if len(actual) == len(expected) - 1 and _without_ones(actual) == _without_ones(expected):
        ones = [name for name, length in zip(wanted, expected, strict=True) if length == 1]
        return MISSING.format(ones[0]) if len(ones) == 1 else ONE_MISSING
    names = [_name(length, known) for length in actual]
    if len(set(wanted)) < len(wanted) and len(actual) == len(expected):  # (T, T) has no order
        return ""
    if FREE in wanted and len(actual) == len(expected):  # a search may end after as many words as there are sentences
        return ""
    return _difference(names, list(wanted))


def lengths(step: protocol.Call, program: protocol.Program) -> dict[str, int]:
    """Return the lengths of the axes of a call's arguments, by name."""
    call = CALLS.get(program.target(step), CallAxes((), ()))
    found: dict[str, int] = {}
    for axes, argument in zip(call.arguments, step.args, strict=False):
        if isinstance(argument, protocol.Ref) and argument.name in program.arrays:
            shape = program.arrays[argument.name].shape
            found |= dict(zip(_named(axes, shape), shape, strict=True))
    return found


def _named(axes: str, shape: Sequence[int]) -> tuple[str, ...]:
    """Return a name for each axis of a shape. ``...`` becomes ``leading axis 1`` and so on."""
    names = axes.split()
    if "..." in names:
        at = names.index("...")
        extra = len(shape) - len(names) + 1
        names[at : at + 1] = [f"leading axis {number + 1}" for number in range(max(extra, 0))]
    return tuple(names) if len(names) == len(shape) else tuple(f"axis {number}" for number in range(len(shape)))


def _made(step: protocol.Call, program: protocol.Program) -> dict[str, int]:
    """Return the sizes, by name, of the called module and its parts; not those of other modules of its class."""
    called = program.named.get(step.name.partition(".")[0])
    found: dict[str, int] = {}
    for made in program.steps:
        if isinstance(made, protocol.Make) and (made is called or made.name != getattr(called, "name", "")):
            named = zip(MADE_WITH.get(made.name, ()), made.args, strict=False)
            found |= {name: size for name, size in named if isinstance(size, int) and name}
    return found


def _name(length: int, lengths: dict[str, int]) -> str | None:
    """Return the one name of a length; None where it has none or several."""
    names = [name for name, other in lengths.items() if other == length]
    return names[0] if len(names) == 1 and length > 1 else None


def _without_ones(shape: Sequence[int]) -> list[int]:
    return [length for length in shape if length != 1]


def _difference(actual: list[str | None], expected: list[str]) -> str:
    if None in actual and len(actual) == len(expected):
        return ""
    named = [name or UNKNOWN for name in actual]
    surplus, missing = Counter(named) - Counter(expected), Counter(expected) - Counter(named)
    if not surplus and not missing:
        return ORDER.format(", ".join(named), ", ".join(expected)) if named != expected else ""
    return " ".join(_sentences(surplus, missing, expected))


def _sentences(surplus: Counter[str], missing: Counter[str], expected: list[str]) -> Iterator[str]:
    for name in missing:
        yield MISSING.format(name)
    for name in surplus:
        if name == UNKNOWN:
            yield TOO_MANY
        elif name in expected:
            yield (TWICE if surplus[name] == 1 else SEVERAL).format(name)
        else:
            yield SURPLUS.format(name)


def sentences(program: protocol.Program) -> set[str]:
    """Return the sentences about the calls of a program that hold no number."""
    calls = [CALLS[name] for name in program.targets if name in CALLS]
    results = {tuple(result.split()) for call in calls for result in call.results}
    arguments = {tuple(argument.split()) for call in calls for argument in call.arguments}
    sizes = {MADE_WITH.get(step.name, ()) for step in program.steps if isinstance(step, protocol.Make)}
    names = {*itertools.chain(*results, *arguments, *sizes)} - {"", "..."}
    forms = (MISSING, SURPLUS, TWICE, SEVERAL)
    orders = {
        ORDER.format(", ".join(order), ", ".join(result))
        for result in results
        if "..." not in result
        for order in itertools.permutations(result)
    }
    return {TOO_MANY, ONE_TOO_MANY, ONE_MISSING} | orders | {form.format(name) for form in forms for name in names}
